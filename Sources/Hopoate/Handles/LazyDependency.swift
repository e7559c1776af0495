/// A service that is asked for later: at the first access, or whenever you say.
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
/// It keeps what it got until ``dispose()``, and ``resolve(fileID:line:)`` asks again. Two services may know each other through
/// one: the circle is closed when both are complete. As a property wrapper it makes a property of the service, and `$` gives the
/// handle:
///
/// ```swift
/// struct Till {
///     @LazyDependency var log: any Log
///     func close() { $log.dispose() }
/// }
/// ```
///
/// A handle does not keep its container alive, so a service may hold one of the container that holds the service. What it got
/// it does keep: two services that hold handles of each other, both of them used, live until one of the handles is disposed of.
///
/// Copies of a handle share what they hold.
///
/// - Complexity: A few allocations for each handle; the first access costs a resolve, each later one less.
/// - Note: Concurrency. From any thread, without a lock for readers. Where two threads make the first access at once and the
///   service is not shared, its creator may run on both; one result is kept, and both get it.
@propertyWrapper
public struct LazyDependency<T> {
    @usableFromInline
    let cell: MemoCell<DeferredResolution<T>, T>

    init(_ asking: DeferredResolution<T>) {
        cell = .make(asking)
    }

    /// Remembers what to ask for; asks for nothing yet.
    ///
    /// ```swift
    /// struct Till {
    ///     @LazyDependency var log: any Log
    ///     @LazyDependency(named: .formal) var greeter: any Greeter
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name that the service is registered with; nil for one without.
    ///   - container: Whom to ask; not kept alive.
    ///   - fileID: Where the handle is made; filled in by the compiler.
    ///   - line: Where the handle is made; filled in by the compiler.
    /// - Complexity: A few allocations.
    /// - Note: Concurrency. From any thread.
    public init(
        named name: DependencyName? = nil, container: DependencyContainer = .shared, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(DeferredResolution(container, name, CallSite(fileID, line)))
    }

    /// Remembers what to ask for, and with which arguments; asks for nothing yet.
    ///
    /// ```swift
    /// struct Order {
    ///     @LazyDependency(arguments: 7, "EUR") var invoice: Invoice
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name that the service is registered with; nil for one without.
    ///   - first: The first argument.
    ///   - rest: The others.
    ///   - container: Whom to ask; not kept alive.
    ///   - fileID: Where the handle is made; filled in by the compiler.
    ///   - line: Where the handle is made; filled in by the compiler.
    /// - Complexity: A few allocations.
    /// - Note: Concurrency. From any thread. The creator gets the arguments on whichever thread asks.
    public init<First, each Rest>(
        named name: DependencyName? = nil, arguments first: First, _ rest: repeat each Rest,
        container: DependencyContainer = .shared, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(DeferredResolution(container, name, CallSite(fileID, line), arguments: first, repeat each rest))
    }

    /// What the handle holds; asked for at the first access.
    ///
    /// ```swift
    /// let greeter = container.lazy((any Greeter).self)
    /// print(greeter.object?.greeting(for: "Grace") ?? "Hello.")
    /// ```
    ///
    /// Nil where nothing is registered, or where the container does not exist any more; then the next access asks again. Where
    /// a service is registered but cannot be created, the process ends as by ``DependencyContainer/optionalResolve(_:)``.
    ///
    /// - Complexity: Wait-free after the first access, without an allocation.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public var object: T? {
        if let value = cell.value { return value }
        return cell.header.context.optionalResolve().map(cell.fill)
    }

    /// The service: what the handle holds, asked for at the first access; one has to be registered.
    ///
    /// - Complexity: As ``object``. An assignment waits for the reads under way, a few nanoseconds each.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public var wrappedValue: T {
        get {
            if let value = cell.value { return value }
            return cell.fill(cell.header.context.resolve(nil))
        }
        nonmutating set { cell.assign(newValue) }
    }

    /// The handle itself.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var projectedValue: LazyDependency<T> { self }

    /// Asks for the service, whether the handle holds one or not, and keeps what it gets; one has to be registered.
    ///
    /// ```swift
    /// let greeter = container.lazy((any Greeter).self)
    /// print(greeter.resolve().greeting(for: "Grace"))
    /// ```
    ///
    /// - Parameters:
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    /// - Returns: The service. The process ends where it cannot be had; ``require(fileID:line:)`` is the form that does not.
    /// - Complexity: As ``DependencyContainer/resolve(_:fileID:line:)``, and it waits for the reads of this handle under way.
    /// - Note: Concurrency. From any thread. Of two threads that do so at once, the handle keeps what the later one got.
    @discardableResult
    public func resolve(fileID: StaticString = #fileID, line: UInt = #line) -> T {
        let service = cell.header.context.resolve(CallSite(fileID, line))
        cell.assign(service)
        return service
    }

    /// Asks for the service, whether the handle holds one or not, and keeps what it gets; or says why it cannot be had.
    ///
    /// ```swift
    /// let greeter = try container.lazy((any Greeter).self).require()
    /// ```
    ///
    /// - Parameters:
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    /// - Returns: The service.
    /// - Throws: As ``DependencyContainer/require(_:named:fileID:line:)``; and ``DependencyError/Reason/containerGone`` where the
    ///   container does not exist any more. The handle holds then what it held before.
    /// - Complexity: As ``resolve(fileID:line:)``.
    /// - Note: Concurrency. As ``resolve(fileID:line:)``.
    @discardableResult
    public func require(fileID: StaticString = #fileID, line: UInt = #line) throws(DependencyError) -> T {
        let service = try cell.header.context.require(CallSite(fileID, line))
        cell.assign(service)
        return service
    }

    /// Asks for the service, created asynchronously where it has to be, and keeps what it gets.
    ///
    /// ```swift
    /// let database = try await container.lazy(Database.self).asyncResolve()
    /// ```
    ///
    /// - Parameter isolation: The actor of the caller; filled in by the compiler.
    /// - Returns: The service.
    /// - Throws: As ``DependencyContainer/asyncResolve(_:named:fileID:line:isolation:)``; and
    ///   ``DependencyError/Reason/containerGone`` where the container does not exist any more.
    /// - Complexity: As ``resolve(fileID:line:)`` where the service exists.
    /// - Note: Concurrency. From any task. The container is kept alive until the service is there.
    @discardableResult
    public func asyncResolve(isolation: isolated (any Actor)? = #isolation) async throws(DependencyError) -> T {
        let service = try await cell.header.context.asyncRequire().value
        cell.assign(service)
        return service
    }

    /// Lets go of what the handle holds; the next access asks again.
    ///
    /// ```swift
    /// let greeter = container.lazy((any Greeter).self)
    /// greeter.resolve()
    /// greeter.dispose()
    /// ```
    ///
    /// That is no end of the service: whoever else holds it keeps it, and a container that shares it does too.
    ///
    /// - Complexity: Constant; waits for the reads of this handle under way, a few nanoseconds each.
    /// - Note: Concurrency. From any thread, also while others read: what they got they keep.
    public func dispose() { cell.clear() }
}

// The cell is safe from any thread; what it holds is for T to say; and arguments go to the creator wherever it is asked for, to
// which whoever registered it agreed.
extension LazyDependency: @unchecked Sendable where T: Sendable {}

extension LazyDependency: ParameterForm {
    static func make(in container: DependencyContainer) throws(DependencyError) -> Self {
        Self(DeferredResolution(container, nil, nil))
    }

    static var requirement: Requirement { Requirement(ServiceKey<T>(), .later) }
}

extension DependencyContainer {
    /// A handle that asks for a service later and keeps it.
    ///
    /// ```swift
    /// let greeter = container.lazy((any Greeter).self)
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it is registered under.
    ///   - name: The name it is registered with; nil for one without.
    ///   - fileID: Where the handle is made; filled in by the compiler.
    ///   - line: Where the handle is made; filled in by the compiler.
    /// - Returns: A handle that holds nothing yet. It does not keep the container alive.
    /// - Complexity: A few allocations.
    /// - Note: Concurrency. From any thread.
    public func lazy<Service>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> LazyDependency<Service> {
        LazyDependency(named: name, container: self, fileID: fileID, line: line)
    }

    /// A handle that asks for a service later, with arguments, and keeps it.
    ///
    /// ```swift
    /// let invoice = container.lazy(Invoice.self, arguments: 7, "EUR")
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it is registered under.
    ///   - name: The name it is registered with; nil for one without.
    ///   - first: The first argument.
    ///   - rest: The others.
    ///   - fileID: Where the handle is made; filled in by the compiler.
    ///   - line: Where the handle is made; filled in by the compiler.
    /// - Returns: A handle that holds nothing yet. It does not keep the container alive.
    /// - Complexity: A few allocations.
    /// - Note: Concurrency. From any thread. The creator gets the arguments on whichever thread asks.
    public func lazy<Service, First, each Rest>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest, fileID: StaticString = #fileID, line: UInt = #line
    ) -> LazyDependency<Service> {
        LazyDependency(
            named: name, arguments: first, repeat each rest, container: self, fileID: fileID, line: line)
    }
}
