extension DependencyContainer {
    /// Lends the newest service of a type that has a name to a closure, without counting a reference; one has to be registered.
    ///
    /// ```swift
    /// let greeting = container.withService((any Greeter).self, named: .formal) { $0.greeting(for: "Grace") }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    ///   - body: What to do with the service; see ``withService(_:fileID:line:_:)``.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    /// - Complexity: Constant, plus the closure.
    /// - Note: Concurrency. As ``withService(_:fileID:line:_:)``.
    @inlinable
    public func withService<Service, Output, Failure: Error>(
        _ serviceType: Service.Type, named name: DependencyName?, fileID: StaticString = #fileID, line: UInt = #line,
        _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        guard let output = try withOptionalService(serviceType, named: name, body) else {
            failMissing(ServiceKey<Service>(named: name), in: self, CallSite(fileID, line))
        }
        return output
    }

    /// Lends the newest service of a type that has a name to a closure, or returns nil where none is registered.
    ///
    /// ```swift
    /// let greeting = container.withOptionalService((any Greeter).self, named: .formal) { $0.greeting(for: "Grace") }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - body: What to do with the service; see ``withService(_:fileID:line:_:)``.
    /// - Returns: What the closure returns; nil, without a call of it, where nothing is registered.
    /// - Throws: What the closure throws.
    /// - Complexity: Constant, plus the closure.
    /// - Note: Concurrency. As ``withService(_:fileID:line:_:)``.
    @inlinable
    public func withOptionalService<Service, Output, Failure: Error>(
        _ serviceType: Service.Type, named name: DependencyName?, _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        try withExtendedLifetime((self, name)) { () throws(Failure) -> Output? in
            try withFound(ServiceKey<Service>(named: name), body)
        }
    }
}

/// Lends the newest service of a type that has a name, in ``DependencyContainer/shared``, to a closure, without counting a
/// reference; one has to be registered.
///
/// ```swift
/// let greeting = withService((any Greeter).self, named: .formal) { $0.greeting(for: "Grace") }
/// ```
///
/// - Parameters:
///   - serviceType: The type it was registered under.
///   - name: The name it was registered with; nil for one without.
///   - fileID: Where it is asked for; filled in by the compiler.
///   - line: Where it is asked for; filled in by the compiler.
///   - body: What to do with the service; see ``DependencyContainer/withService(_:fileID:line:_:)``.
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
/// - Complexity: Constant, plus the closure.
/// - Note: Concurrency. As ``DependencyContainer/withService(_:fileID:line:_:)``.
@inlinable
public func withService<Service, Output, Failure: Error>(
    _ serviceType: Service.Type, named name: DependencyName?, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (Service) throws(Failure) -> Output
) throws(Failure) -> Output {
    guard let output = try withOptionalService(serviceType, named: name, body) else {
        failMissing(ServiceKey<Service>(named: name), in: .current, CallSite(fileID, line))
    }
    return output
}

/// Lends the newest service of a type that has a name, in ``DependencyContainer/shared``, to a closure, or returns nil where
/// none is registered.
///
/// ```swift
/// let greeting = withOptionalService((any Greeter).self, named: .formal) { $0.greeting(for: "Grace") }
/// ```
///
/// - Parameters:
///   - serviceType: The type it was registered under.
///   - name: The name it was registered with; nil for one without.
///   - body: What to do with the service; see ``DependencyContainer/withService(_:fileID:line:_:)``.
/// - Returns: What the closure returns; nil, without a call of it, where nothing is registered.
/// - Throws: What the closure throws.
/// - Complexity: Constant, plus the closure.
/// - Note: Concurrency. As ``DependencyContainer/withService(_:fileID:line:_:)``.
@inlinable
public func withOptionalService<Service, Output, Failure: Error>(
    _ serviceType: Service.Type, named name: DependencyName?, _ body: (Service) throws(Failure) -> Output
) throws(Failure) -> Output? {
    // The registry, not the container: there is no reference to count.
    if mayBeOverriddenHere {
        return try DependencyContainer.currentSlow.withOptionalService(serviceType, named: name, body)
    }
    return try withExtendedLifetime(name) { () throws(Failure) -> Output? in
        try Registry.process.withNewest(
            ServiceKey<Service>(named: name), Resolution(container: .process, owner: .process), body)
    }
}
