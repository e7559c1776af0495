/// A property that is a service.
///
/// ```swift
/// struct Checkout {
///     @Dependency var greeter: any Greeter
///     func run() { print(greeter.greeting(for: "Grace")) }
/// }
/// ```
///
/// The container is captured when the property is initialized, so inside `DependencyContainer.$shared.withValue` it is the
/// one that is bound there. The service is resolved at the first access and kept; where nothing is registered then, the
/// process ends as by ``resolve(_:fileID:line:)``. You can assign another service at any time.
///
/// A wrapper of a service that a container keeps refers to that container weakly, so that dropping the container ends both; used
/// afterwards for the first time, it traps with ``DependencyError/Reason/containerGone``. Any other wrapper keeps its container.
///
/// Reading does not mutate: the wrapper works in a `let` structure, and in a `Sendable` structure where the service is
/// `Sendable`. What it keeps belongs to the property as it was initialized: copies of a structure share it, and an
/// assignment through one of them is seen by all.
///
/// - Complexity: One allocation for each wrapper; the first access costs a resolve, each later one less.
/// - Note: Concurrency. From any thread, without a lock for readers. Where two threads make the first access at once and the
///   service is not cached, its creator may run on both; one result is kept, and both get it.
@propertyWrapper
public struct Dependency<T> {
    @usableFromInline
    let cell: MemoCell<WrapperContext, T>

    /// Captures the container; resolves nothing yet.
    ///
    /// ```swift
    /// struct Checkout {
    ///     @Dependency(container: .shared) var greeter: any Greeter
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - container: Where the service will be resolved.
    ///   - fileID: Where the property is declared; filled in by the compiler.
    ///   - line: Where the property is declared; filled in by the compiler.
    /// - Complexity: One allocation.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public init(container: DependencyContainer = .shared, fileID: StaticString = #fileID, line: UInt = #line) {
        cell = .make(WrapperContext(container, nil, CallSite(fileID, line)))
    }

    /// Captures the container and a name; resolves nothing yet.
    ///
    /// ```swift
    /// struct Checkout {
    ///     @Dependency(.formal) var greeter: any Greeter
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name that the service is registered with.
    ///   - container: Where the service will be resolved.
    ///   - fileID: Where the property is declared; filled in by the compiler.
    ///   - line: Where the property is declared; filled in by the compiler.
    /// - Complexity: One allocation.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public init(
        _ name: DependencyName, container: DependencyContainer = .shared, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        cell = .make(WrapperContext(container, name, CallSite(fileID, line)))
    }

    /// Captures the container and which value of the environment is meant; looks nothing up yet.
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
    /// As for a service, the value is looked up at the first access and kept.
    ///
    /// - Parameters:
    ///   - keyPath: The value; see ``DependencyValues``.
    ///   - container: Where it will be looked up.
    ///   - fileID: Where the property is declared; filled in by the compiler.
    ///   - line: Where the property is declared; filled in by the compiler.
    /// - Complexity: One allocation.
    /// - Note: Concurrency. From any thread.
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
    /// checkout.greeter = Polite()  // from now on this one
    /// ```
    ///
    /// - Complexity: Wait-free after the first access, without an allocation. An assignment waits for the reads under way, a
    ///   few nanoseconds each.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public var wrappedValue: T {
        get {
            if let value = cell.value { return value }
            return cell.fill(cell.header.context.resolve())
        }
        nonmutating set { cell.assign(newValue) }
    }
}

// The cell is safe from any thread; what it holds is for T to say.
extension Dependency: @unchecked Sendable where T: Sendable {}

/// What a wrapper asks for, and where.
///
/// A wrapper of a service that a container keeps must not keep that container: so one that is made in the course of such a
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

    /// The service, found for the first time.
    @usableFromInline
    func resolve<Service>() -> Service {
        do throws(DependencyError) {
            return try container.access(ServiceKey<Service>(named: name).identity) { container in
                if let keyPath {
                    // `Dependency` takes key paths to values of its own type only, and asks for that type.
                    let keyPath = unsafeDowncast(keyPath, to: KeyPath<DependencyValues, Service>.self)
                    return container.values[keyPath: keyPath]
                }
                return container.resolve(named: name, fileID: callSite.fileID, line: callSite.line)
            }
        } catch {
            fail(error)
        }
    }

    /// As `resolve`; nil if nothing is registered, or not any more because the container has gone.
    @usableFromInline
    func optionalResolve<Service>() -> Service? {
        let found: Service?? = try? container.access(ServiceKey<Service>(named: name).identity) { container in
            container.optionalResolve(Service.self, named: name)
        }
        return found ?? nil
    }
}

/// A property that is a service, or nil where none is registered.
///
/// ```swift
/// struct Checkout {
///     @OptionalDependency var greeter: (any Greeter)?
///     func run() { print(greeter?.greeting(for: "Grace") ?? "Hello.") }
/// }
/// ```
///
/// As ``Dependency``; but where nothing is registered the property is nil, and the next access asks again. An assigned nil
/// stays.
///
/// - Complexity: As ``Dependency``.
/// - Note: Concurrency. As ``Dependency``.
@propertyWrapper
public struct OptionalDependency<T> {
    @usableFromInline
    let cell: MemoCell<WrapperContext, T?>

    /// Captures the container; resolves nothing yet.
    ///
    /// ```swift
    /// struct Checkout {
    ///     @OptionalDependency(container: .shared) var greeter: (any Greeter)?
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - container: Where the service will be resolved.
    ///   - fileID: Where the property is declared; filled in by the compiler.
    ///   - line: Where the property is declared; filled in by the compiler.
    /// - Complexity: One allocation.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public init(container: DependencyContainer = .shared, fileID: StaticString = #fileID, line: UInt = #line) {
        cell = .make(WrapperContext(container, nil, CallSite(fileID, line)))
    }

    /// Captures the container and a name; resolves nothing yet.
    ///
    /// ```swift
    /// struct Checkout {
    ///     @OptionalDependency(.formal) var greeter: (any Greeter)?
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name that the service is registered with.
    ///   - container: Where the service will be resolved.
    ///   - fileID: Where the property is declared; filled in by the compiler.
    ///   - line: Where the property is declared; filled in by the compiler.
    /// - Complexity: One allocation.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public init(
        _ name: DependencyName, container: DependencyContainer = .shared, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        cell = .make(WrapperContext(container, name, CallSite(fileID, line)))
    }

    /// The service, or nil where none is registered.
    ///
    /// - Complexity: As ``Dependency/wrappedValue``.
    /// - Note: Concurrency. From any thread.
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
