/// A way to ask for a service as often as you like: each call asks anew, and the handle keeps nothing.
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
/// What a call gives is for the lifetime of the service to say: a new one each time where that is transient. A handle does not
/// keep its container alive, so a service may hold one of the container that holds the service.
///
/// - Note: Concurrency. Immutable; from any thread.
public struct DependencyProvider<T> {
    private let asking: DeferredResolution<T>

    init(_ asking: DeferredResolution<T>) {
        self.asking = asking
    }

    /// The service; one has to be registered.
    ///
    /// ```swift
    /// let report = container.provider(Report.self)
    /// print(report().lines, report().lines)
    /// ```
    ///
    /// - Parameters:
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    /// - Returns: The service. The process ends where it cannot be had; ``require(fileID:line:)`` is the form that does not.
    /// - Complexity: As ``DependencyContainer/resolve(_:fileID:line:)``.
    /// - Note: Concurrency. From any thread.
    public func callAsFunction(fileID: StaticString = #fileID, line: UInt = #line) -> T {
        asking.resolve(CallSite(fileID, line))
    }

    /// The service, or nil where none is registered, or where the container does not exist any more.
    ///
    /// ```swift
    /// let lines = container.provider(Report.self).optionalResolve()?.lines ?? 0
    /// ```
    ///
    /// - Returns: The service. Where one is registered but cannot be created, the process ends.
    /// - Complexity: As ``DependencyContainer/resolve(_:fileID:line:)``.
    /// - Note: Concurrency. From any thread.
    public func optionalResolve() -> T? { asking.optionalResolve() }

    /// The service, or an error that says why it cannot be had.
    ///
    /// ```swift
    /// let report = try container.provider(Report.self).require()
    /// ```
    ///
    /// - Parameters:
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    /// - Returns: The service.
    /// - Throws: As ``DependencyContainer/require(_:named:fileID:line:)``; and ``DependencyError/Reason/containerGone`` where the
    ///   container does not exist any more.
    /// - Complexity: As ``DependencyContainer/resolve(_:fileID:line:)``.
    /// - Note: Concurrency. From any thread.
    public func require(fileID: StaticString = #fileID, line: UInt = #line) throws(DependencyError) -> T {
        try asking.require(CallSite(fileID, line))
    }

    /// The service, created asynchronously where it has to be.
    ///
    /// ```swift
    /// let database = try await container.provider(Database.self).asyncResolve()
    /// ```
    ///
    /// - Parameter isolation: The actor of the caller; filled in by the compiler.
    /// - Returns: The service.
    /// - Throws: As ``DependencyContainer/asyncResolve(_:named:fileID:line:isolation:)``; and
    ///   ``DependencyError/Reason/containerGone`` where the container does not exist any more.
    /// - Complexity: As ``DependencyContainer/resolve(_:fileID:line:)`` where the service exists.
    /// - Note: Concurrency. From any task. The container is kept alive until the service is there.
    public func asyncResolve(isolation: isolated (any Actor)? = #isolation) async throws(DependencyError) -> T {
        try await asking.asyncRequire().value
    }
}

// Unchecked, because of the closures, which are immutable. Arguments go to the creator wherever it is asked for, to which
// whoever registered it agreed; what comes back is for T to say.
extension DependencyProvider: @unchecked Sendable where T: Sendable {}

extension DependencyProvider: ParameterForm {
    static func make(in container: DependencyContainer) throws(DependencyError) -> Self {
        Self(DeferredResolution(container, nil, nil))
    }

    static var requirement: Requirement { Requirement(ServiceKey<T>(), .later) }
}

extension DependencyContainer {
    /// A handle that asks for a service each time it is called.
    ///
    /// ```swift
    /// let report = container.provider(Report.self)
    /// print(report().lines)
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it is registered under.
    ///   - name: The name it is registered with; nil for one without.
    ///   - fileID: Where the handle is made; filled in by the compiler.
    ///   - line: Where the handle is made; filled in by the compiler.
    /// - Returns: A handle, which does not keep the container alive.
    /// - Complexity: A few allocations.
    /// - Note: Concurrency. From any thread.
    public func provider<Service>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> DependencyProvider<Service> {
        DependencyProvider(DeferredResolution(self, name, CallSite(fileID, line)))
    }

    /// A handle that asks for a service, with the same arguments, each time it is called.
    ///
    /// ```swift
    /// let invoice = container.provider(Invoice.self, arguments: 7, "EUR")
    /// print(invoice().total)
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it is registered under.
    ///   - name: The name it is registered with; nil for one without.
    ///   - first: The first argument.
    ///   - rest: The others.
    ///   - fileID: Where the handle is made; filled in by the compiler.
    ///   - line: Where the handle is made; filled in by the compiler.
    /// - Returns: A handle, which does not keep the container alive.
    /// - Complexity: A few allocations.
    /// - Note: Concurrency. From any thread. The creator gets the arguments on whichever thread asks.
    public func provider<Service, First, each Rest>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest, fileID: StaticString = #fileID, line: UInt = #line
    ) -> DependencyProvider<Service> {
        DependencyProvider(DeferredResolution(self, name, CallSite(fileID, line), arguments: first, repeat each rest))
    }
}
