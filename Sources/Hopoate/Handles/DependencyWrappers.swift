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

    /// Captures the container and a key path; the value is looked up on first use.
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
    /// The value is cached after the first access, as a service is.
    ///
    /// - Parameters:
    ///   - keyPath: The value; see ``DependencyValues``.
    ///   - container: The container that will look the value up.
    /// - Complexity: One allocation.
    public init(
        _ keyPath: any KeyPath<DependencyValues, T> & Sendable, container: DependencyContainer = .shared,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        cell = .make(WrapperContext(container, keyPath, CallSite(fileID, line)))
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
            return cell.fill(cell.header.context.resolve())
        }
        nonmutating set { cell.assign(newValue) }
    }
}

// Unchecked, because of the cell. Sound, because the cell is thread-safe and T is Sendable.
extension Dependency: @unchecked Sendable where T: Sendable {}

/// The service that a wrapper resolves, and its container.
///
/// A wrapper that belongs to a service must not keep the container that owns that service. So a wrapper that is made during such a
/// creation refers to its container weakly, and resolves as a part of that service (`OwningService`). Any other wrapper holds its
/// container.
@usableFromInline
struct WrapperContext {
    private let container: WrapperContainer
    private let name: DependencyName?
    private let keyPath: AnyKeyPath?
    private let callSite: CallSite

    @usableFromInline
    init(_ container: DependencyContainer, _ name: DependencyName?, _ callSite: CallSite) {
        self.container = WrapperContainer(container)
        self.name = name
        keyPath = nil
        self.callSite = callSite
    }

    init(_ container: DependencyContainer, _ keyPath: AnyKeyPath, _ callSite: CallSite) {
        self.container = WrapperContainer(container)
        name = nil
        self.keyPath = keyPath
        self.callSite = callSite
    }

    /// The service, resolved for the first access.
    @usableFromInline
    func resolve<Service>() -> Service {
        do throws(DependencyError) {
            return try container.access(ServiceKey<Service>(named: name).identity) { container in
                if let keyPath {
                    // `Dependency<T>` accepts only key paths to values of type T, and calls this with T.
                    let keyPath = unsafeDowncast(keyPath, to: KeyPath<DependencyValues, Service>.self)
                    return container.values[keyPath: keyPath]
                }
                return container.resolve(named: name, fileID: callSite.fileID, line: callSite.line)
            }
        } catch {
            fail(error, callSite)
        }
    }

    /// The same as `resolve`, but nil if the service is not registered, or if the container was released.
    @usableFromInline
    func optionalResolve<Service>() -> Service? {
        let found: Service?? = try? container.access(ServiceKey<Service>(named: name).identity) { container in
            container.optionalResolve(Service.self, named: name)
        }
        return found ?? nil
    }
}

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
