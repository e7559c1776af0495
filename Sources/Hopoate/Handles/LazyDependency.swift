/// A handle that resolves a service on first use, or when you call ``resolve(fileID:line:)``, and caches it.
///
/// ```swift
/// final class Shop: Sendable {
///     let greeter: LazyDependency<any Greeter>
///     init(greeter: LazyDependency<any Greeter>) { self.greeter = greeter }
///     func open() { print(greeter.object?.greeting(for: "Grace") ?? "Hello.") }
/// }
/// container.register(Shop.self, using: Shop.init)
/// ```
///
/// The handle caches the service until you call ``dispose()``, or ``resolve(fileID:line:)``, which resolves the service again. If two
/// services need each other, one of them can hold a handle. It uses the handle after both services are complete.
///
/// You can also use the handle as a property wrapper. The property then has the type of the service, and the `$` prefix gives the
/// handle:
///
/// ```swift
/// struct Till {
///     @LazyDependency var log: any Log
///     func close() { $log.dispose() }
/// }
/// ```
///
/// A handle does not keep its container alive. So a service may hold a handle even if the handle's container owns the service. But a
/// handle does keep the service that it has cached. Two services that have resolved each other through handles stay alive until you call
/// ``dispose()`` on one of the handles.
///
/// Copies of a handle share the cached service.
///
/// If the handle is used while an object graph is built, in a factory or in `afterCreation`, it resolves a service with the lifetime
/// ``Lifetime/graph`` to the instance of that graph. If it belongs to a service that all callers share, it uses the graph of that service.
/// A use after the graph was built begins a new graph.
///
/// - Complexity: A few allocations per handle. The first access costs a resolve call. Later accesses only read the cached
///   service.
/// - Note: Concurrency. Thread-safe; reads take no lock. If two threads make the first access at once and the service is not shared, its
///   factory may run on both. One result is cached, and both threads get it.
@propertyWrapper
public struct LazyDependency<T> {
    @usableFromInline
    let cell: MemoCell<DeferredResolution<T>, T>

    init(_ asking: DeferredResolution<T>) {
        cell = .make(asking)
    }

    /// Makes a handle that resolves nothing yet.
    ///
    /// ```swift
    /// struct Till {
    ///     @LazyDependency var log: any Log
    ///     @LazyDependency(named: .formal) var greeter: any Greeter
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name that the service is registered with; nil for an unnamed service.
    ///   - container: The container that will resolve the service; it is not kept alive.
    /// - Complexity: A few allocations.
    public init(
        named name: DependencyName? = nil, container: DependencyContainer = .shared, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(DeferredResolution(container, name, CallSite(fileID, line), keepsInstance: true))
    }

    /// Makes a handle with arguments that resolves nothing yet.
    ///
    /// ```swift
    /// struct Order {
    ///     @LazyDependency(arguments: 7, "EUR") var invoice: Invoice
    /// }
    /// ```
    ///
    /// The factory gets the arguments on the thread of the first access.
    ///
    /// - Parameters:
    ///   - name: The name that the service is registered with; nil for an unnamed service.
    ///   - first: The first argument.
    ///   - rest: The other arguments.
    ///   - container: The container that will resolve the service; it is not kept alive.
    /// - Complexity: A few allocations.
    public init<First, each Rest>(
        named name: DependencyName? = nil, arguments first: First, _ rest: repeat each Rest,
        container: DependencyContainer = .shared, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            DeferredResolution(
                container, name, CallSite(fileID, line), keepsInstance: true, arguments: first, repeat each rest))
    }

    /// The cached service, resolved on first use; nil if the service is not registered.
    ///
    /// ```swift
    /// let greeter = LazyDependency<any Greeter>(container: container)
    /// print(greeter.object?.greeting(for: "Grace") ?? "Hello.")
    /// ```
    ///
    /// The property is also nil if the container was released. A nil result is not cached: the next access tries again. Traps if the
    /// service is registered but cannot be created, as ``DependencyContainer/optionalResolve(_:)`` does.
    ///
    /// - Complexity: Wait-free and without an allocation after the first access.
    @inlinable
    public var object: T? {
        if let value = cell.value { return value }
        return cell.header.context.optionalResolve().map(cell.fill)
    }

    /// The cached service, resolved on first use.
    ///
    /// Traps if the first access cannot resolve the service, for example because the container was released.
    ///
    /// - Complexity: That of ``object``. An assignment waits for threads that are reading the handle, a few nanoseconds each.
    @inlinable
    public var wrappedValue: T {
        get {
            if let value = cell.value { return value }
            return cell.fill(cell.header.context.resolve(nil))
        }
        nonmutating set { cell.assign(newValue) }
    }

    /// The handle itself.
    public var projectedValue: LazyDependency<T> { self }

    /// Resolves the service again, whether or not it is cached, and caches the result.
    ///
    /// ```swift
    /// let greeter = LazyDependency<any Greeter>(container: container)
    /// print(greeter.resolve().greeting(for: "Grace"))
    /// ```
    ///
    /// If several threads call this at once, each gets its own result, and the handle caches the last one. Traps on every error that
    /// ``require(fileID:line:)`` throws.
    ///
    /// - Complexity: That of ``DependencyContainer/resolve(_:fileID:line:)``. The call also waits for threads that are reading the handle,
    ///   a few nanoseconds each.
    @discardableResult
    public func resolve(fileID: StaticString = #fileID, line: UInt = #line) -> T {
        let service = cell.header.context.resolve(CallSite(fileID, line))
        cell.assign(service)
        return service
    }

    /// Resolves the service again and caches the result, or throws an error that explains the failure.
    ///
    /// On an error, the handle keeps the service that it has cached.
    ///
    /// - Throws: ``DependencyError`` in the same cases as ``DependencyContainer/require(_:named:fileID:line:)``; with the
    ///   reason ``DependencyError/Reason/containerGone`` if the container was released.
    /// - Complexity: That of ``resolve(fileID:line:)``.
    @discardableResult
    public func require(fileID: StaticString = #fileID, line: UInt = #line) throws(DependencyError) -> T {
        let service = try cell.header.context.require(CallSite(fileID, line))
        cell.assign(service)
        return service
    }

    /// Resolves the service again, asynchronously if necessary, and caches the result.
    ///
    /// ```swift
    /// let database = try await LazyDependency<Database>(container: container).asyncResolve()
    /// ```
    ///
    /// The call keeps the container alive until it returns. On an error, the handle keeps the service that it has cached.
    ///
    /// - Throws: ``DependencyError`` in the same cases as ``DependencyContainer/asyncResolve(_:named:fileID:line:isolation:)``;
    ///   with the reason ``DependencyError/Reason/containerGone`` if the container was released.
    /// - Complexity: That of ``DependencyContainer/asyncResolve(_:named:fileID:line:isolation:)``. The call also waits for threads that
    ///   are reading the handle, a few nanoseconds each.
    @discardableResult
    public func asyncResolve(isolation: isolated (any Actor)? = #isolation) async throws(DependencyError) -> T {
        let service = try await cell.header.context.asyncRequire().value
        cell.assign(service)
        return service
    }

    /// Releases the cached service; the next access resolves it again.
    ///
    /// ```swift
    /// let greeter = LazyDependency<any Greeter>(container: container)
    /// greeter.resolve()
    /// greeter.dispose()
    /// ```
    ///
    /// This runs no disposal hook. Other owners keep the service: the container, if it shares the instance, and threads that have read it.
    ///
    /// - Complexity: Constant. The call waits for threads that are reading the handle, a few nanoseconds each.
    public func dispose() { cell.clear() }
}

// Unchecked, because of the cell, and because the closures hold the arguments. Sound, because the cell is thread-safe and T is Sendable;
// and because `register` requires Sendable arguments, unless the service is registered unchecked.
extension LazyDependency: @unchecked Sendable where T: Sendable {}

extension LazyDependency: ParameterForm {
    static func make(in container: DependencyContainer, named name: DependencyName?) throws(DependencyError) -> Self {
        Self(DeferredResolution(container, name, nil, keepsInstance: true))
    }

    static func requirement(named name: DependencyName?) -> Requirement {
        Requirement(ServiceKey<T>(named: name), .later)
    }
}
