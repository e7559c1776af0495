extension DependencyContainer {
    /// Resolves a service for the time of a closure, and lets go of it afterwards, also where the closure throws.
    ///
    /// ```swift
    /// let count = container.withResolved(Report.self) { report in report.lines }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    ///   - body: What to do with the service.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    /// - Complexity: As ``resolve(_:fileID:line:)``, plus the closure.
    /// - Note: Concurrency. From any thread. The service belongs to this call: calls on other threads do not see it.
    @inlinable
    public func withResolved<Service, Output, Failure: Error>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        try body(resolve(named: name, fileID: fileID, line: line))
    }

    /// Resolves a service for arguments, for the time of a closure, and lets go of it afterwards.
    ///
    /// ```swift
    /// let total = container.withResolved(Invoice.self, arguments: 7, "EUR") { invoice in invoice.total }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - first: The first argument.
    ///   - rest: The others.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    ///   - body: What to do with the service.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    /// - Complexity: As ``resolve(_:named:arguments:_:fileID:line:)``, plus the closure.
    /// - Note: Concurrency. As the synchronous form.
    @inlinable
    public func withResolved<Service, First, each Rest, Output, Failure: Error>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest,
        fileID: StaticString = #fileID, line: UInt = #line, body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        try body(
            resolve(serviceType, named: name, arguments: first, repeat each rest, fileID: fileID, line: line))
    }

    /// Resolves a service, asynchronously where it has to be, for the time of an asynchronous closure, and lets go of it
    /// afterwards, also where the closure throws.
    ///
    /// ```swift
    /// let rows = try await container.withResolved(Database.self) { database in await database.rows() }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    ///   - isolation: The actor of the caller, on which the closure runs; filled in by the compiler.
    ///   - body: What to do with the service.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, or ``DependencyError`` where the service cannot be had.
    /// - Complexity: As ``asyncResolve(_:named:fileID:line:isolation:)``, plus the closure.
    /// - Note: Concurrency. From any task.
    public func withResolved<Service: Sendable, Output>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation, _ body: (Service) async throws -> Output
    ) async throws -> Output {
        try await body(try await asyncResolve(serviceType, named: name, fileID: fileID, line: line))
    }
}
