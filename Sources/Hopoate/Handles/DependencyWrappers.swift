/// A property wrapper that resolves a service on first use.
///
/// ```swift
/// struct Checkout {
///     @Dependency var greeter: any Greeter
///     func run() { print(greeter.greeting(for: "Grace")) }
/// }
/// ```
///
/// The wrapper captures its container when the property is initialized: by default ``DependencyContainer/shared``. Inside
/// `DependencyContainer.$shared.withValue`, this is the container that was passed there. The first access resolves the service
/// and caches it. If the service is not registered at that time, the access traps. You can assign another service at any time.
///
/// In a service that a container owns, the wrapper refers to the captured container weakly, so container and service do not keep each other
/// alive. If the container is released before the first access, this access traps with ``DependencyError/Reason/containerGone``. Any other
/// wrapper keeps its container alive.
///
/// To resolve the service at each access instead, in the container that is `shared` then, use ``DynamicDependency``.
///
/// The getter does not mutate. So the wrapper works in a `let` structure, and in a `Sendable` structure if the service is `Sendable`.
/// Copies of a structure share the cached service, and an assignment through one copy is visible to all.
///
/// - Complexity: One allocation per wrapper. The first access costs a resolve call. Later accesses only read the cached
///   service.
/// - Note: Concurrency. Thread-safe; reads take no lock. If two threads make the first access at once and the service is not shared,
///   its factory may run on both. One result is cached, and both threads get it.
@propertyWrapper
public struct Dependency<T> {
    @usableFromInline
    let cell: MemoCell<WrapperContext, T>

    /// Captures the container; the service is resolved on first use.
    ///
    /// ```swift
    /// struct Checkout {
    ///     @Dependency(container: .shared) var greeter: any Greeter
    /// }
    /// ```
    ///
    /// - Parameter container: The container that will resolve the service.
    /// - Complexity: One allocation.
    @inlinable
    public init(container: DependencyContainer = .shared, fileID: StaticString = #fileID, line: UInt = #line) {
        cell = .make(WrapperContext(container, nil, CallSite(fileID, line)))
    }

    /// Captures the container and a name; the service is resolved on first use.
    ///
    /// ```swift
    /// struct Checkout {
    ///     @Dependency(.formal) var greeter: any Greeter
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name that the service is registered with.
    ///   - container: The container that will resolve the service.
    /// - Complexity: One allocation.
    @inlinable
    public init(
        _ name: DependencyName, container: DependencyContainer = .shared, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        cell = .make(WrapperContext(container, name, CallSite(fileID, line)))
    }

    /// Captures a container and a key path; the value is looked up on first use.
    ///
    /// ```swift
    /// enum CurrencyKey: DependencyKey {
    ///     static var defaultValue: String { "EUR" }
    /// }
    /// extension DependencyValues {
    ///     var currencyOfPrices: String { self[CurrencyKey.self] }
    /// }
    /// struct Price {
    ///     @Dependency(\.currencyOfPrices) var currency: String
    /// }
    /// ```
    ///
    /// The value of the captured container is cached after the first access, as a service is.
    ///
    /// Without a container, an override around an access wins, also if it began after the property was initialized. It is the container
    /// that is `shared` at the access, with those of its parents that the captured container does not have. Values of an override are not
    /// cached.
    ///
    /// ```swift
    /// enum CurrencyKey: DependencyKey {
    ///     static let defaultValue = "EUR"
    /// }
    /// extension DependencyValues {
    ///     var currencyOfLetters: String {
    ///         get { self[CurrencyKey.self] }
    ///         nonmutating set { self[CurrencyKey.self] = newValue }
    ///     }
    /// }
    /// struct Letter {
    ///     @Dependency(\.currencyOfLetters) var currency: String
    /// }
    /// let letter = Letter()
    /// withDependencies {
    ///     $0.currencyOfLetters = "SEK"
    /// } operation: {
    ///     print(letter.currency)  // SEK
    /// }
    /// print(letter.currency)  // EUR
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The value; see ``DependencyValues``.
    ///   - container: The container that will look the value up, whatever overrides there are. If it is nil, this is the container that is
    ///     ``DependencyContainer/shared`` now, unless there is an override at an access.
    /// - Complexity: Two allocations. Without a container, each access in an override of `shared` looks the value up.
    public init(
        _ keyPath: any KeyPath<DependencyValues, T> & Sendable, container: DependencyContainer? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let value = CapturedValue<T>(keyPath, isFixed: container != nil)
        cell = .make(WrapperContext(container ?? .shared, value, CallSite(fileID, line)))
    }

    /// The service.
    ///
    /// ```swift
    /// struct Checkout {
    ///     @Dependency var greeter: any Greeter
    /// }
    /// let checkout = Checkout()
    /// checkout.greeter = Polite()  // from now on, this one
    /// ```
    ///
    /// Traps if the first access cannot resolve the service.
    ///
    /// - Complexity: Wait-free and without an allocation after the first access. An assignment waits for threads that are
    ///   reading the property, a few nanoseconds each.
    @inlinable
    public var wrappedValue: T {
        get {
            if let value = cell.value { return value }
            return cell.header.context.resolve(into: cell)
        }
        nonmutating set { cell.assign(newValue) }
    }
}

// Unchecked, because of the cell. Sound, because the cell is thread-safe and T is Sendable.
extension Dependency: @unchecked Sendable where T: Sendable {}

/// A property wrapper that resolves a service on first use, and is nil if the service is not registered.
///
/// ```swift
/// struct Checkout {
///     @OptionalDependency var greeter: (any Greeter)?
///     func run() { print(greeter?.greeting(for: "Grace") ?? "Hello.") }
/// }
/// ```
///
/// The same as ``Dependency``, but nil if the service is not registered or the container was released. A nil result is not cached: the next
/// access tries again. A nil that you assign is cached.
///
/// - Complexity: That of ``Dependency``.
/// - Note: Concurrency. The same as for ``Dependency``.
@propertyWrapper
public struct OptionalDependency<T> {
    @usableFromInline
    let cell: MemoCell<WrapperContext, T?>

    /// Captures the container; the service is resolved on first use.
    ///
    /// The parameter is the same as for ``Dependency/init(container:fileID:line:)``.
    ///
    /// - Complexity: One allocation.
    @inlinable
    public init(container: DependencyContainer = .shared, fileID: StaticString = #fileID, line: UInt = #line) {
        cell = .make(WrapperContext(container, nil, CallSite(fileID, line)))
    }

    /// Captures the container and a name; the service is resolved on first use.
    ///
    /// ```swift
    /// struct Checkout {
    ///     @OptionalDependency(.formal) var greeter: (any Greeter)?
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name that the service is registered with.
    ///   - container: The container that will resolve the service.
    /// - Complexity: One allocation.
    @inlinable
    public init(
        _ name: DependencyName, container: DependencyContainer = .shared, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        cell = .make(WrapperContext(container, name, CallSite(fileID, line)))
    }

    /// The service, or nil if it is not registered.
    ///
    /// Traps if the service is registered but the first access cannot create it.
    ///
    /// - Complexity: That of ``Dependency/wrappedValue``.
    @inlinable
    public var wrappedValue: T? {
        get {
            if let value = cell.value { return value }
            guard let service: T = cell.header.context.optionalResolve() else { return nil }
            return cell.fill(service)
        }
        nonmutating set { cell.assign(newValue) }
    }
}

// As for Dependency.
extension OptionalDependency: @unchecked Sendable where T: Sendable {}
