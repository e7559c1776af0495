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
    /// this library. It may even remove the service that it borrows. If the service is removed meanwhile, it is released when the last
    /// closure that borrows it ends. The release of no other service is delayed. To keep the service, copy it out of the closure.
    ///
    /// Registered instances and existing singletons are borrowed in place, unless an instrument observes them. Any other service is
    /// resolved for the closure and released after it. So is every service if the thread borrows four others at the moment, if its
    /// thread-local destructors run, or if ``shared`` is overridden.
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
        // Not in one call: a tuple of the name and the container would retain the container.
        defer { withExtendedLifetime(name) {} }
        defer { withExtendedLifetime(self) {} }
        let key = ServiceKey<Service>(named: name)
        let lookup = lookUpBorrowed(key.erased)
        if let output = try lookup.withExisting(key, body) { return output }
        return try body(withMemoryForFrame { resolveSlow(lookup, key, CallSite(fileID, line), $0) })
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
        // Not in one call, as above.
        defer { withExtendedLifetime(name) {} }
        defer { withExtendedLifetime(self) {} }
        let key = ServiceKey<Service>(named: name)
        let lookup = lookUpBorrowed(key.erased)
        if let output = try lookup.withExisting(key, body) { return output }
        guard let service = withMemoryForFrame({ findSlow(lookup, key, $0) }) else { return nil }
        return try body(service)
    }
}

// MARK: - Instances that cannot be borrowed

// Such a service is resolved for the closure. The borrow of its registration ends first.

extension DependencyContainer {
    /// Ends a borrow, and returns the instance, creating it if necessary. Traps on an error.
    @usableFromInline
    @inline(never)
    func resolveSlow<Service>(
        _ lookup: BorrowedLookup, _ key: ServiceKey<Service>, _ callSite: CallSite,
        _ frame: FramePointer
    ) -> Service {
        lookup.end()
        return resolveSlow(lookUp(key.erased), key, callSite, frame)
    }

    /// Ends a borrow, and returns the instance, creating it if necessary; nil if there is no registration. Traps on an error.
    @usableFromInline
    @inline(never)
    func findSlow<Service>(
        _ lookup: BorrowedLookup, _ key: ServiceKey<Service>, _ frame: FramePointer
    ) -> Service? {
        lookup.end()
        let lookup = lookUp(key.erased)
        guard lookup.isRegistered else {
            lookup.end()
            return nil
        }
        return resolveSlow(lookup, key, nil, frame)
    }
}

/// The same as `DependencyContainer.resolveSlow`, in `shared`.
@usableFromInline
@inline(never)
func resolveSharedSlow<Service>(
    _ lookup: BorrowedLookup, _ key: ServiceKey<Service>, _ callSite: CallSite,
    _ frame: FramePointer
) -> Service {
    lookup.end()
    return resolveSharedSlow(nil, key, callSite, frame)
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
    defer { withExtendedLifetime(name) {} }
    let key = ServiceKey<Service>(named: name)
    let lookup = lookUpSharedBorrowed(key.erased)
    if let output = try lookup.withExisting(key, body) { return output }
    return try body(withMemoryForFrame { resolveSharedSlow(lookup, key, CallSite(fileID, line), $0) })
}
