extension DependencyContainer {
    /// Resolves a service, runs a closure with it, and releases it afterwards, also if the closure throws.
    ///
    /// ```swift
    /// let count = container.withResolved(Report.self) { report in report.lines }
    /// ```
    ///
    /// Use it for a transient service that should not outlive one operation. To use a shared instance without counting a reference, see
    /// ``withService(_:named:fileID:line:_:)-1uwaq``.
    ///
    /// Traps in the same cases as ``resolve(_:named:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - serviceType: The type that the service is registered under.
    ///   - name: The name that the service is registered with; nil for an unnamed service.
    ///   - body: A closure that uses the service.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    /// - Complexity: That of ``resolve(_:fileID:line:)``, plus the closure.
    @inlinable
    public func withResolved<Service, Output, Failure: Error>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        try body(resolve(named: name, fileID: fileID, line: line))
    }

    /// Resolves a service for arguments, runs a closure with it, and releases it afterwards.
    ///
    /// ```swift
    /// let total = container.withResolved(Invoice.self, arguments: 7, "EUR") { invoice in invoice.total }
    /// ```
    ///
    /// The same as ``withResolved(_:named:fileID:line:_:)``, but with arguments. Traps in the same cases as
    /// ``resolve(_:named:arguments:_:fileID:line:)``.
    ///
    /// - Throws: The error of the closure.
    /// - Complexity: That of ``resolve(_:named:arguments:_:fileID:line:)``, plus the closure.
    @inlinable
    public func withResolved<Service, First, each Rest, Output, Failure: Error>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest,
        fileID: StaticString = #fileID, line: UInt = #line, body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        try body(
            resolve(serviceType, named: name, arguments: first, repeat each rest, fileID: fileID, line: line))
    }

    /// Resolves a service asynchronously, runs an asynchronous closure with it, and releases it afterwards.
    ///
    /// ```swift
    /// let rows = try await container.withAsyncResolved(Database.self) { database in await database.rows() }
    /// ```
    ///
    /// It relates to ``withResolved(_:named:fileID:line:_:)`` as `asyncResolve` does to `resolve`: it also finds services that are created
    /// asynchronously, and throws instead of trapping. The closure runs on the caller's actor, and need not suspend.
    ///
    /// - Throws: The error of the closure, or ``DependencyError`` in the same cases as
    ///   ``asyncResolve(_:named:fileID:line:isolation:)``.
    /// - Complexity: That of ``asyncResolve(_:named:fileID:line:isolation:)``, plus the closure.
    public func withAsyncResolved<Service: Sendable, Output>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation, _ body: (Service) async throws -> Output
    ) async throws -> Output {
        try await body(try await asyncResolve(serviceType, named: name, fileID: fileID, line: line))
    }
}
