public import Hopoate

extension DependencyContainer {
    /// Runs a closure with a stub in place of a service.
    ///
    /// ```swift
    /// container.withStub(GreeterMock(), for: (any Greeter).self) {
    ///     _ = container.resolve((any Greeter).self)  // the stub
    /// }
    /// ```
    ///
    /// The stub shadows the service until the closure returns or throws. Then the service is found again, if there was one. If the whole
    /// test has a container of its own, use `register` instead: there is nothing to restore.
    ///
    /// - Parameters:
    ///   - stub: The stub.
    ///   - serviceType: The type to register it under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - body: The closure to run.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    /// - Complexity: That of registering and removing a service.
    /// - Note: Concurrency. All callers of the container get the stub meanwhile.
    public func withStub<Service, Output, Failure: Error>(
        _ stub: Service, for serviceType: Service.Type, named name: DependencyName? = nil,
        _ body: () throws(Failure) -> Output
    ) throws(Failure) -> Output {
        let registration = register(unchecked: serviceType, named: name, lifetime: .eager) { _ in stub }
        defer { remove(registration) }
        return try body()
    }

    /// Runs an asynchronous closure with a stub in place of a service.
    ///
    /// ```swift
    /// await container.withStub(GreeterMock(), for: (any Greeter).self, named: "formal") {
    ///     await Task.yield()
    /// }
    /// ```
    ///
    /// The stub shadows the service until the closure returns or throws. Then the service is found again, if there was one. Parameters are
    /// the same as for the synchronous form.
    ///
    /// - Complexity: That of registering and removing a service.
    /// - Note: Concurrency. All callers of the container get the stub meanwhile.
    public func withStub<Service, Output, Failure: Error>(
        _ stub: Service, for serviceType: Service.Type, named name: DependencyName? = nil,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        let registration = register(unchecked: serviceType, named: name, lifetime: .eager) { _ in stub }
        defer { remove(registration) }
        return try await body()
    }
}
