/// A handle that resolves a service on each call and caches nothing.
///
/// ```swift
/// final class Desk: Sendable {
///     let report: DependencyProvider<Report>
///     init(report: DependencyProvider<Report>) { self.report = report }
///     func work() { print(report().lines) }
/// }
/// container.register(Report.self, lifetime: .transient) { _ in Report() }
/// container.register(Desk.self, using: Desk.init)
/// ```
///
/// The lifetime of the service decides which instance a call returns: with ``Lifetime/transient``, a new one each time. With
/// ``Lifetime/graph``, a call inside a factory or `afterCreation` returns the instance of the object graph that is being built. A call
/// after the graph was built begins a new graph.
///
/// A handle does not keep its container alive. So a service may hold a handle even if the handle's container owns the service.
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyProvider<T> {
    private let asking: DeferredResolution<T>

    init(_ asking: DeferredResolution<T>) {
        self.asking = asking
    }

    /// Returns the service; traps if it cannot be resolved.
    ///
    /// ```swift
    /// let report = container.provider(Report.self)
    /// print(report().lines, report().lines)
    /// ```
    ///
    /// Traps on every error that ``require(fileID:line:)`` throws.
    ///
    /// - Complexity: That of ``DependencyContainer/resolve(_:fileID:line:)``.
    public func callAsFunction(fileID: StaticString = #fileID, line: UInt = #line) -> T {
        asking.resolve(CallSite(fileID, line))
    }

    /// Returns the service, or nil if the service is not registered or the container was released.
    ///
    /// Traps if the service is registered but cannot be created.
    ///
    /// - Complexity: That of ``DependencyContainer/resolve(_:fileID:line:)``.
    public func optionalResolve() -> T? { asking.optionalResolve() }

    /// Returns the service, or throws an error that explains the failure.
    ///
    /// - Throws: ``DependencyError`` in the same cases as ``DependencyContainer/require(_:named:fileID:line:)``; with the
    ///   reason ``DependencyError/Reason/containerGone`` if the container was released.
    /// - Complexity: That of ``DependencyContainer/resolve(_:fileID:line:)``.
    public func require(fileID: StaticString = #fileID, line: UInt = #line) throws(DependencyError) -> T {
        try asking.require(CallSite(fileID, line))
    }

    /// Returns the service, created asynchronously if necessary.
    ///
    /// ```swift
    /// let database = try await container.provider(Database.self).asyncResolve()
    /// ```
    ///
    /// The call keeps the container alive until it returns.
    ///
    /// - Throws: ``DependencyError`` in the same cases as ``DependencyContainer/asyncResolve(_:named:fileID:line:isolation:)``;
    ///   with the reason ``DependencyError/Reason/containerGone`` if the container was released.
    /// - Complexity: That of ``DependencyContainer/asyncResolve(_:named:fileID:line:isolation:)``.
    public func asyncResolve(isolation: isolated (any Actor)? = #isolation) async throws(DependencyError) -> T {
        try await asking.asyncRequire().value
    }
}

// Unchecked, because the closures hold the arguments, which go to the factory on any thread. Sound, because `register` requires Sendable
// arguments, unless the service is registered unchecked. The closures are immutable, and T is Sendable.
extension DependencyProvider: @unchecked Sendable where T: Sendable {}

extension DependencyProvider: ParameterForm {
    static func make(in container: DependencyContainer, named name: DependencyName?) throws(DependencyError) -> Self {
        Self(DeferredResolution(container, name, nil, keepsInstance: false))
    }

    static func requirement(named name: DependencyName?) -> Requirement {
        Requirement(ServiceKey<T>(named: name), .later, keepsInstance: false)
    }
}

extension DependencyContainer {
    /// Returns a handle that resolves a service on each call.
    ///
    /// ```swift
    /// let report = container.provider(Report.self)
    /// print(report().lines)
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type that the service is registered under. You can omit it if the context determines it.
    ///   - name: The name that the service is registered with; nil for an unnamed service.
    /// - Returns: A handle, which does not keep the container alive.
    /// - Complexity: A few allocations.
    public func provider<Service>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> DependencyProvider<Service> {
        DependencyProvider(DeferredResolution(self, name, CallSite(fileID, line), keepsInstance: false))
    }

    /// Returns a handle that resolves a service with the same arguments on each call.
    ///
    /// ```swift
    /// let invoice = container.provider(Invoice.self, arguments: 7, "EUR")
    /// print(invoice().total)
    /// ```
    ///
    /// The handle works like that of ``provider(_:named:fileID:line:)``. The factory gets the arguments on the thread of each
    /// call.
    ///
    /// - Returns: A handle, which does not keep the container alive.
    /// - Complexity: A few allocations.
    public func provider<Service, First, each Rest>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest, fileID: StaticString = #fileID, line: UInt = #line
    ) -> DependencyProvider<Service> {
        DependencyProvider(
            DeferredResolution(
                self, name, CallSite(fileID, line), keepsInstance: false, arguments: first, repeat each rest))
    }
}
