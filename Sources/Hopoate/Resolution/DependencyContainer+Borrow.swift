extension DependencyContainer {
    /// Lends the newest service of a type to a closure, without counting a reference; one has to be registered.
    ///
    /// ```swift
    /// let greeting = container.withService((any Greeter).self) { $0.greeting(for: "Grace") }
    /// container.withService((any Greeter).self, named: .formal) { print($0.greeting(for: "Grace")) }
    /// ```
    ///
    /// Threads that resolve the same service all write to its reference count; threads that borrow it write to nothing in
    /// common, so borrowing is as fast on every core at once as on one.
    ///
    /// Every call is legal in the closure: it may register, resolve, borrow, and remove the very service that it borrows,
    /// which then stays alive until the closure ends. Copying the service out of the closure keeps it, as usual. An uncached
    /// service is created for the closure and dropped after it.
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    ///   - body: What to do with the service. Synchronous. No other thread waits for it, however long it takes. A service
    ///     that is removed meanwhile from the same container is released when the closure ends.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    /// - Complexity: Constant, plus the closure.
    /// - Note: Concurrency. From any thread. Nothing is locked while the closure runs.
    @inlinable
    @inline(__always)  // So that a name that is not given costs nothing.
    public func withService<Service, Output, Failure: Error>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line,
        _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        guard let output = try withOptionalService(serviceType, named: name, body) else {
            failMissing(ServiceKey<Service>(named: name), in: self, CallSite(fileID, line))
        }
        return output
    }

    /// Lends the newest service of a type to a closure, or returns nil where none is registered.
    ///
    /// ```swift
    /// let greeting = container.withOptionalService((any Greeter).self, named: .formal) { $0.greeting(for: "Grace") }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - body: What to do with the service; see ``withService(_:named:fileID:line:_:)-1uwaq``.
    /// - Returns: What the closure returns; nil, without a call of it, where nothing is registered.
    /// - Throws: What the closure throws.
    /// - Complexity: Constant, plus the closure.
    /// - Note: Concurrency. As ``withService(_:named:fileID:line:_:)-1uwaq``.
    @inlinable
    @inline(__always)  // So that a name that is not given costs nothing.
    public func withOptionalService<Service, Output, Failure: Error>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        // Apart from each other: a tuple of both would retain the container.
        defer { withExtendedLifetime(name) {} }
        return try withExtendedLifetime(self) { () throws(Failure) -> Output? in
            try withFound(ServiceKey<Service>(named: name), body)
        }
    }
}

extension DependencyContainer {
    /// The newest service of a key, here or in the parents, lent.
    @inlinable
    @inline(__always)
    func withFound<Service, Output, Failure: Error>(
        _ key: ServiceKey<Service>, _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        if let output = try registry.withNewest(key, Resolution(container: self, owner: self), body) { return output }
        return try parent?.withFound(key, for: self, body)
    }

    /// As the other one, for one of the children, which was asked.
    @inlinable
    func withFound<Service, Output, Failure: Error>(
        _ key: ServiceKey<Service>, for container: DependencyContainer, _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        if let output = try registry.withNewest(key, Resolution(container: container, owner: self), body) {
            return output
        }
        return try parent?.withFound(key, for: container, body)
    }
}

/// Lends the newest service of a type in ``DependencyContainer/shared``, to a closure, without counting a
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
///   - body: What to do with the service; see ``DependencyContainer/withService(_:named:fileID:line:_:)-1uwaq``.
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
/// - Complexity: Constant, plus the closure.
/// - Note: Concurrency. As ``DependencyContainer/withService(_:named:fileID:line:_:)-1uwaq``.
@inlinable
@inline(__always)  // So that a name that is not given costs nothing.
public func withService<Service, Output, Failure: Error>(
    _ serviceType: Service.Type, named name: DependencyName? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    _ body: (Service) throws(Failure) -> Output
) throws(Failure) -> Output {
    guard let output = try withOptionalService(serviceType, named: name, body) else {
        failMissing(ServiceKey<Service>(named: name), in: .current, CallSite(fileID, line))
    }
    return output
}

/// Lends the newest service of a type in ``DependencyContainer/shared``, to a closure, or returns nil where
/// none is registered.
///
/// ```swift
/// let greeting = withOptionalService((any Greeter).self, named: .formal) { $0.greeting(for: "Grace") }
/// ```
///
/// - Parameters:
///   - serviceType: The type it was registered under.
///   - name: The name it was registered with; nil for one without.
///   - body: What to do with the service; see ``DependencyContainer/withService(_:named:fileID:line:_:)-1uwaq``.
/// - Returns: What the closure returns; nil, without a call of it, where nothing is registered.
/// - Throws: What the closure throws.
/// - Complexity: Constant, plus the closure.
/// - Note: Concurrency. As ``DependencyContainer/withService(_:named:fileID:line:_:)-1uwaq``.
@inlinable
@inline(__always)  // So that a name that is not given costs nothing.
public func withOptionalService<Service, Output, Failure: Error>(
    _ serviceType: Service.Type, named name: DependencyName? = nil, _ body: (Service) throws(Failure) -> Output
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
