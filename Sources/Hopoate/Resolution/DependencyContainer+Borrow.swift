extension DependencyContainer {
    /// Passes the newest service of a type to a closure, without counting a reference to it. Traps if there is none.
    ///
    /// ```swift
    /// let greeting = container.withService((any Greeter).self) { $0.greeting(for: "Grace") }
    /// container.withService((any Greeter).self, named: .formal) { print($0.greeting(for: "Grace")) }
    /// ```
    ///
    /// The closure *borrows* the service. Threads that resolve the same object contend on its reference count. Threads that borrow it
    /// contend on nothing, so borrowing scales linearly with the number of cores.
    ///
    /// No lock is held while the closure runs, and no other thread waits for it, however long it takes. The closure may call anything in
    /// this library. It may even remove the service that it borrows. If the service is removed from this container meanwhile, it is
    /// released when the closure ends. To keep the service, copy it out of the closure.
    ///
    /// Registered instances and existing singletons are borrowed in place, unless an instrument observes them. Any other service is
    /// resolved for the closure and released after it.
    ///
    /// Traps on every error that ``require(_:named:fileID:line:)`` throws.
    ///
    /// - Parameters:
    ///   - serviceType: The type that the service is registered under.
    ///   - name: The name that the service is registered with; nil for an unnamed service.
    ///   - body: A synchronous closure that uses the service.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    /// - Complexity: Constant, plus O(n) in the number of parents, plus the closure. Writes no shared cache line.
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

    /// Passes the newest service of a type to a closure, without counting a reference to it. Returns nil if there is none.
    ///
    /// ```swift
    /// let greeting = container.withOptionalService((any Greeter).self, named: .formal) { $0.greeting(for: "Grace") }
    /// ```
    ///
    /// The same as ``withService(_:named:fileID:line:_:)-1uwaq``, but nil for a missing service. Traps if the service is
    /// registered but cannot be created.
    ///
    /// - Returns: The result of the closure; nil if the service is not registered, and then the closure does not run.
    /// - Throws: The error of the closure.
    /// - Complexity: That of ``withService(_:named:fileID:line:_:)-1uwaq``.
    @inlinable
    @inline(__always)  // So that a name that is not given costs nothing.
    public func withOptionalService<Service, Output, Failure: Error>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        // Not in one call: a tuple of the name and the container would retain the container.
        defer { withExtendedLifetime(name) {} }
        return try withExtendedLifetime(self) { () throws(Failure) -> Output? in
            try withFound(ServiceKey<Service>(named: name), body)
        }
    }
}

extension DependencyContainer {
    /// Passes the newest service of a key, here or in the parents, to a closure that borrows it.
    @inlinable
    @inline(__always)
    func withFound<Service, Output, Failure: Error>(
        _ key: ServiceKey<Service>, _ body: (Service) throws(Failure) -> Output
    ) throws(Failure) -> Output? {
        if let output = try registry.withNewest(key, Resolution(container: self, owner: self), body) { return output }
        return try parent?.withFound(key, for: self, body)
    }

    /// The same as the other form, for a call that went to a child.
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

/// Passes the newest service of a type in ``DependencyContainer/shared`` to a closure, without counting a reference to it.
///
/// Traps if the service is not registered.
///
/// ```swift
/// let greeting = withService((any Greeter).self, named: .formal) { $0.greeting(for: "Grace") }
/// ```
///
/// The same as calling ``DependencyContainer/withService(_:named:fileID:line:_:)-1uwaq`` on ``DependencyContainer/shared``.
///
/// - Throws: The error of the closure.
/// - Complexity: That of ``DependencyContainer/withService(_:named:fileID:line:_:)-1uwaq``, without counting a reference to the
///   default container.
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

/// Passes the newest service of a type in ``DependencyContainer/shared`` to a closure, without counting a reference to it. Returns nil if
/// there is none.
///
/// The same as calling ``DependencyContainer/withOptionalService(_:named:_:)-959ov`` on ``DependencyContainer/shared``.
///
/// - Throws: The error of the closure.
/// - Complexity: That of ``DependencyContainer/withService(_:named:fileID:line:_:)-1uwaq``.
@inlinable
@inline(__always)  // So that a name that is not given costs nothing.
public func withOptionalService<Service, Output, Failure: Error>(
    _ serviceType: Service.Type, named name: DependencyName? = nil, _ body: (Service) throws(Failure) -> Output
) throws(Failure) -> Output? {
    // The registry of the process is static, so there is no reference to count, as there would be for the container.
    if mayBeOverriddenHere {
        return try DependencyContainer.currentSlow.withOptionalService(serviceType, named: name, body)
    }
    return try withExtendedLifetime(name) { () throws(Failure) -> Output? in
        try Registry.process.withNewest(
            ServiceKey<Service>(named: name), Resolution(container: .process, owner: .process), body)
    }
}
