public import Hopoate

extension DependencyContainer {
    /// Puts a stub in the place of a service for the time of a closure.
    ///
    /// ```swift
    /// container.withStub(GreeterMock(), for: (any Greeter).self) {
    ///     _ = container.resolve((any Greeter).self)  // the stub
    /// }
    /// ```
    ///
    /// Where the whole test has a container of its own, `register` does it, and there is nothing to restore.
    ///
    /// - Parameters:
    ///   - stub: What to find.
    ///   - serviceType: The type to register it under.
    ///   - name: The name to register it with; nil for none.
    ///   - body: What to run meanwhile.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    /// - Complexity: As registering and removing.
    /// - Note: Concurrency. From any thread. All who ask the container meanwhile find it.
    public func withStub<Service, Output, Failure: Error>(
        _ stub: Service, for serviceType: Service.Type, named name: DependencyName? = nil,
        _ body: () throws(Failure) -> Output
    ) throws(Failure) -> Output {
        let registration = register(unchecked: serviceType, named: name, lifetime: .eager) { _ in stub }
        defer { remove(registration) }
        return try body()
    }

    /// Puts a stub in the place of a service for the time of an asynchronous closure.
    ///
    /// ```swift
    /// await container.withStub(GreeterMock(), for: (any Greeter).self, named: "formal") {
    ///     await Task.yield()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - stub: What to find.
    ///   - serviceType: The type to register it under.
    ///   - name: The name to register it with; nil for none.
    ///   - isolation: Where it is called; filled in by the compiler.
    ///   - body: What to run meanwhile.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    /// - Complexity: As registering and removing.
    /// - Note: Concurrency. As the other form.
    public func withStub<Service, Output, Failure: Error>(
        _ stub: Service, for serviceType: Service.Type, named name: DependencyName? = nil,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        let registration = register(unchecked: serviceType, named: name, lifetime: .eager) { _ in stub }
        defer { remove(registration) }
        return try await body()
    }
}
