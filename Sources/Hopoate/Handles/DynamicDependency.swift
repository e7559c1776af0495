/// A property wrapper that resolves a service at each access and caches nothing.
///
/// ```swift
/// final class Reception {
///     @DynamicDependency var greeter: any Greeter
///     func open() { print(greeter.greeting(for: "Grace")) }
/// }
/// let reception = Reception()
/// DependencyContainer.shared.register(Polite(), for: (any Greeter).self)
/// reception.open()  // finds the service, although it was registered after the reception was made
/// ```
///
/// Each access resolves the service in the container that is ``DependencyContainer/shared`` at that time, as the getter
/// `var greeter: any Greeter { resolve((any Greeter).self) }` does. So an object sees services that are registered after its
/// initialization, and overrides of `shared` around the access: a fake in a test, or the container of an HTTP request.
///
/// Use ``Dependency`` if all calls of an object should use the same instance. Reading a service that is cached is also faster. Use
/// this wrapper if services are replaced while objects that use them exist, or if an object outlives the HTTP request that its
/// services belong to. Two accesses may return two instances: read the property once, and keep the instance in a local constant for as
/// long as it must not change.
///
/// If you pass a container, each access resolves the service there. In a service that a container owns, the wrapper refers to that
/// container weakly, as ``Dependency`` does. An access then traps with ``DependencyError/Reason/containerGone`` if the container was
/// released. Without a container, the wrapper refers to none.
///
/// - Complexity: No allocation per wrapper without a container or a key path. Each access costs a resolve call.
/// - Note: Concurrency. Immutable and thread-safe. It caches no service, so it is `Sendable` whatever the type of the service.
@propertyWrapper
public struct DynamicDependency<T> {
    @usableFromInline
    let name: DependencyName?
    @usableFromInline
    let callSite: CallSite
    /// Returns what an access returns; nil if that is a service of `shared`.
    @usableFromInline
    let access: (() -> T)?

    /// Makes a wrapper that resolves a service at each access.
    ///
    /// ```swift
    /// struct Checkout {
    ///     @DynamicDependency var greeter: any Greeter
    /// }
    /// ```
    ///
    /// - Parameter container: The container that will resolve the service. If it is nil, this is the container that is
    ///   ``DependencyContainer/shared`` at each access.
    /// - Complexity: Without a container, constant. Otherwise a few allocations.
    public init(container: DependencyContainer? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(service: nil, container, CallSite(fileID, line))
    }

    /// Makes a wrapper that resolves a named service at each access.
    ///
    /// ```swift
    /// struct Checkout {
    ///     @DynamicDependency(.formal) var greeter: any Greeter
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name that the service is registered with.
    ///   - container: The container that will resolve the service. If it is nil, this is the container that is
    ///     ``DependencyContainer/shared`` at each access.
    /// - Complexity: Without a container, constant. Otherwise a few allocations.
    public init(
        _ name: DependencyName, container: DependencyContainer? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(service: name, container, CallSite(fileID, line))
    }

    private init(service name: DependencyName?, _ container: DependencyContainer?, _ callSite: CallSite) {
        self.name = name
        self.callSite = callSite
        access = container.map { container in
            let context = WrapperContext(container, name, callSite).forEachAccess
            return { context.resolve(keepsInstance: false) }
        }
    }

    /// Makes a wrapper that looks a value up at each access.
    ///
    /// ```swift
    /// enum CurrencyKey: DependencyKey {
    ///     static let defaultValue = "EUR"
    /// }
    /// extension DependencyValues {
    ///     var currencyOfOffers: String { self[CurrencyKey.self] }
    /// }
    /// struct Offer {
    ///     @DynamicDependency(\.currencyOfOffers) var currency: String
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The value; see ``DependencyValues``.
    ///   - container: The container that will look the value up. If it is nil, this is the container that is
    ///     ``DependencyContainer/shared`` at each access.
    /// - Complexity: A few allocations.
    public init(
        _ keyPath: any KeyPath<DependencyValues, T> & Sendable, container: DependencyContainer? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let callSite = CallSite(fileID, line)
        name = nil
        self.callSite = callSite
        guard let container else {
            access = { DependencyContainer.current.values[keyPath: keyPath] }
            return
        }
        let context = WrapperContainer(container)
        access = {
            do throws(DependencyError) {
                return try context.access(ServiceKey<T>().identity, keepsInstances: false) {
                    $0.values[keyPath: keyPath]
                }
            } catch {
                fail(error, callSite)
            }
        }
    }

    /// The service, resolved anew. It cannot be assigned.
    ///
    /// Traps if the service cannot be resolved. The message names the place of the declaration.
    ///
    /// - Complexity: That of ``DependencyContainer/resolve(_:fileID:line:)``.
    @inlinable
    public var wrappedValue: T {
        if let access { return access() }
        let key = ServiceKey<T>(named: name)
        let lookup = lookUpShared(key.erased)
        if let instance = lookup?.existing(key, in: .process) { return instance }
        return withMemoryForFrame { resolveSharedSlow(lookup, key, callSite, $0) }
    }
}

// Unchecked, because of the closure. Sound, because it captures nothing but containers, names and Sendable key paths.
extension DynamicDependency: @unchecked Sendable {}
