extension DependencyContainer {
    /// Returns the newest service of a type. Traps if there is none.
    ///
    /// ```swift
    /// let greeter = container.resolve((any Greeter).self)
    /// ```
    ///
    /// If this container has no registration of the type, its parents are searched. An instance that does not exist yet is created. If
    /// another thread is creating it already, the call waits for that creation.
    ///
    /// Traps on every error that ``require(_:named:fileID:line:)`` throws. The message names the type, the place of the call and similar
    /// registrations. To get nil for a missing service, use ``optionalResolve(_:)``.
    ///
    /// - Parameter serviceType: The type that the service is registered under.
    /// - Returns: The service. You own a reference, so it lives for as long as you hold it.
    /// - Complexity: Constant, plus O(n) in the number of parents; without a lock. A call for an existing instance allocates nothing. A
    ///   call for an instance that does not exist yet also costs its factory.
    @inlinable
    public func resolve<Service>(
        _ serviceType: Service.Type, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Service {
        let key = ServiceKey<Service>()
        defer { withExtendedLifetime(self) {} }
        let lookup = lookUp(key.erased)
        if let instance = lookup.existing(key, in: self) { return instance }
        return withMemoryForFrame { resolveSlow(lookup, key, CallSite(fileID, line), $0) }
    }

    /// Returns the newest service of a type. Traps if there is none.
    ///
    /// The same as ``resolve(_:fileID:line:)``, but the message of a trap does not name the file and line of the call. The compiler picks
    /// this form for protocol requirements and function references, which cannot use default arguments.
    ///
    /// - Complexity: That of ``resolve(_:fileID:line:)``.
    @inlinable
    @_disfavoredOverload
    public func resolve<Service>(_ serviceType: Service.Type) -> Service {
        let key = ServiceKey<Service>()
        defer { withExtendedLifetime(self) {} }
        let lookup = lookUp(key.erased)
        if let instance = lookup.existing(key, in: self) { return instance }
        return withMemoryForFrame { resolveSlow(lookup, key, nil, $0) }
    }

    /// Returns the newest service of a type, with a name if you pass one. Traps if there is none.
    ///
    /// ```swift
    /// let greeter = container.resolve((any Greeter).self, named: .formal)
    /// let other: any Greeter = container.resolve()
    /// ```
    ///
    /// Traps in the same cases as ``resolve(_:fileID:line:)``. If you omit the type and the context expects an optional, the compiler picks
    /// ``resolve(named:)``, which returns nil for a missing service.
    ///
    /// - Parameters:
    ///   - serviceType: The type that the service is registered under. You can omit it if the context determines it.
    ///   - name: The name that the service is registered with; nil for an unnamed service.
    /// - Complexity: That of ``resolve(_:fileID:line:)``.
    @inlinable
    @_disfavoredOverload  // Without a name, it is Hopoate's form.
    public func resolve<Service>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Service {
        let key = ServiceKey<Service>(named: name)
        defer { withExtendedLifetime(self) {} }
        let lookup = lookUp(key.erased)
        if let instance = lookup.existing(key, in: self) { return instance }
        return withMemoryForFrame { resolveSlow(lookup, key, CallSite(fileID, line), $0) }
    }

    /// Returns the newest service of a type, or nil if there is none.
    ///
    /// ```swift
    /// if let greeter = container.optionalResolve((any Greeter).self) {
    ///     print(greeter.greeting(for: "Grace"))
    /// }
    /// ```
    ///
    /// Traps if the service is registered but cannot be created. After a shutdown, the container's services count as not registered. A
    /// lookup of an unknown type adds nothing to the container.
    ///
    /// - Parameter serviceType: The type that the service is registered under.
    /// - Complexity: That of ``resolve(_:fileID:line:)``.
    @inlinable
    public func optionalResolve<Service>(_ serviceType: Service.Type) -> Service? {
        findOrFail(ServiceKey<Service>())
    }

    /// Returns the newest service of a type and a name, or nil if there is none.
    ///
    /// ```swift
    /// let greeting = container.optionalResolve((any Greeter).self, named: .formal)?.greeting(for: "Grace")
    /// ```
    ///
    /// Traps if the service is registered but cannot be created.
    ///
    /// - Parameters:
    ///   - serviceType: The type that the service is registered under.
    ///   - name: The name that the service is registered with; nil for an unnamed service.
    /// - Complexity: That of ``resolve(_:fileID:line:)``.
    @inlinable
    public func optionalResolve<Service>(_ serviceType: Service.Type, named name: DependencyName?) -> Service? {
        findOrFail(ServiceKey<Service>(named: name))
    }

    /// Returns whether a service is registered here or in a parent, without running a factory.
    ///
    /// ```swift
    /// if !container.canResolve((any Greeter).self) {
    ///     container.register(Polite(), for: (any Greeter).self)
    /// }
    /// ```
    ///
    /// Another thread may register or remove the service right after the return.
    ///
    /// - Parameter serviceType: The type that the service would be registered under.
    /// - Returns: Whether ``resolve(_:fileID:line:)`` would find a registration.
    /// - Complexity: Constant, plus O(n) in the number of parents.
    @inlinable
    public func canResolve<Service: ~Copyable>(_ serviceType: Service.Type) -> Bool {
        withExtendedLifetime(self) { isRegistered(ServiceKey<Service>().erased) }
    }

    /// Returns whether a service is registered with a name, here or in a parent, without running a factory.
    ///
    /// If the name is nil, this looks for the service without a name.
    ///
    /// - Returns: Whether ``resolve(_:named:fileID:line:)`` would find a registration.
    /// - Complexity: That of ``canResolve(_:)``.
    @inlinable
    public func canResolve<Service: ~Copyable>(_ serviceType: Service.Type, named name: DependencyName?) -> Bool {
        withExtendedLifetime(self) { isRegistered(ServiceKey<Service>(named: name).erased) }
    }
}

// MARK: - The common part of all forms of resolve

extension DependencyContainer {
    /// The newest service of a key, here or in the parents; nil if there is none. Traps on an error.
    @inlinable
    @inline(__always)
    func findOrFail<Service>(_ key: ServiceKey<Service>) -> Service? {
        defer { withExtendedLifetime(self) {} }
        let lookup = lookUp(key.erased)
        if let instance = lookup.existing(key, in: self) { return instance }
        guard lookup.isRegistered else {
            lookup.end()
            return nil
        }
        return withMemoryForFrame { resolveSlow(lookup, key, nil, $0) }
    }

    /// Returns the instance of a lookup, creating it if necessary. Traps on an error.
    @usableFromInline
    @inline(never)
    func resolveSlow<Service>(
        _ lookup: Lookup, _ key: ServiceKey<Service>, _ callSite: CallSite?,
        _ frame: FramePointer
    ) -> Service {
        instanceOrTrap(lookup, key, in: self, callSite, frame)
    }

    /// The newest service of a key, here or in the parents; nil if there is none.
    func find<Service>(_ key: ServiceKey<Service>) throws(DependencyError) -> Service? {
        let lookup = lookUp(key.erased)
        guard lookup.isRegistered else {
            lookup.end()
            return nil
        }
        return try lookup.resolve(key, in: self)
    }
}

/// Returns the newest service of a type in ``DependencyContainer/shared``. Traps if there is none.
///
/// ```swift
/// let greeter = resolve((any Greeter).self)
/// ```
///
/// The same as calling ``DependencyContainer/resolve(_:fileID:line:)`` on ``DependencyContainer/shared``.
///
/// - Complexity: That of ``DependencyContainer/resolve(_:fileID:line:)``, without counting a reference to the default
///   container.
@inlinable
@inline(__always)  // The compiler judges it too large, but a call of it costs half as much as the lookup.
public func resolve<Service>(
    _ serviceType: Service.Type, fileID: StaticString = #fileID, line: UInt = #line
) -> Service {
    let key = ServiceKey<Service>()
    let lookup = lookUpShared(key.erased)
    if let instance = lookup?.existing(key, in: .process) { return instance }
    return resolveSharedSlow(lookup, key, fileID, line)
}

/// Returns the newest service of a type in ``DependencyContainer/shared``. Traps if there is none.
///
/// The compiler picks this form for function references, which cannot use default arguments. The message of a trap does not
/// name the file and line of the call.
///
/// - Complexity: That of ``DependencyContainer/resolve(_:fileID:line:)``.
@inlinable
@_disfavoredOverload
public func resolve<Service>(_ serviceType: Service.Type) -> Service {
    let key = ServiceKey<Service>()
    let lookup = lookUpShared(key.erased)
    if let instance = lookup?.existing(key, in: .process) { return instance }
    return withMemoryForFrame { resolveSharedSlow(lookup, key, nil, $0) }
}

/// Returns the newest service of a type in ``DependencyContainer/shared``, or nil if there is none.
///
/// ```swift
/// let greeting = optionalResolve((any Greeter).self)?.greeting(for: "Grace") ?? "Hello."
/// ```
///
/// The same as calling ``DependencyContainer/optionalResolve(_:)`` on ``DependencyContainer/shared``.
///
/// - Complexity: That of ``DependencyContainer/resolve(_:fileID:line:)``.
@inlinable
public func optionalResolve<Service>(_ serviceType: Service.Type) -> Service? {
    let key = ServiceKey<Service>()
    let lookup = lookUpShared(key.erased)
    if let instance = lookup?.existing(key, in: .process) { return instance }
    return withMemoryForFrame { findSharedSlow(lookup, key, $0) }
}

/// The slow path of `optionalResolve`. Traps on an error.
@usableFromInline
@inline(never)
func findSharedSlow<Service>(
    _ lookup: Lookup?, _ key: ServiceKey<Service>, _ frame: FramePointer
) -> Service? {
    let container = lookup == nil ? DependencyContainer.current : .process
    let lookup = lookup ?? container.lookUp(key.erased)
    guard lookup.isRegistered else {
        lookup.end()
        return nil
    }
    return instanceOrTrap(lookup, key, in: container, nil, frame)
}

/// The rest of `resolve`: returns the instance of a lookup in `shared`, creating it if necessary. Traps on an error.
///
/// It has the memory for the frame itself, and takes the place of the call in parts. So a call that finds an instance sets up neither.
@usableFromInline
@inline(never)
func resolveSharedSlow<Service>(
    _ lookup: Lookup?, _ key: ServiceKey<Service>, _ fileID: StaticString, _ line: UInt
) -> Service {
    var memory = ResolutionStack.FrameMemory()
    // Not by a closure, which would be expensive here, because this is not specialised.
    return resolveShared(lookup, key, CallSite(fileID, line), &memory)
}

/// Returns the instance of a lookup in `shared`, creating it if necessary, with a frame in memory of a specialised caller.
@usableFromInline
@inline(never)
func resolveSharedSlow<Service>(
    _ lookup: Lookup?, _ key: ServiceKey<Service>, _ callSite: CallSite?,
    _ frame: FramePointer
) -> Service {
    resolveShared(lookup, key, callSite, frame)
}

/// The same, with a frame in memory that is valid during the call.
@inline(__always)
private func resolveShared<Service>(
    _ lookup: Lookup?, _ key: ServiceKey<Service>, _ callSite: CallSite?, _ memory: UnsafeMutableRawPointer
) -> Service {
    resolveShared(lookup, key, callSite, FramePointer(memory: memory))
}

/// Returns the instance of a lookup in `shared`, creating it if necessary. Looks the key up if `shared` may be overridden. Traps on an
/// error.
@inline(__always)
private func resolveShared<Service>(
    _ lookup: Lookup?, _ key: ServiceKey<Service>, _ callSite: CallSite?, _ frame: FramePointer
) -> Service {
    // Without a reference to the container of the process: nobody counts those.
    if let lookup { return instanceOrTrap(lookup, key, in: .process, callSite, frame) }
    let container = DependencyContainer.current
    return instanceOrTrap(container.lookUp(key.erased), key, in: container, callSite, frame)
}

/// Returns the instance of a lookup in a container, creating it if necessary. Traps on an error.
@inline(__always)
private func instanceOrTrap<Service>(
    _ lookup: Lookup, _ key: ServiceKey<Service>, in container: @autoclosure () -> DependencyContainer,
    _ callSite: CallSite?, _ frame: FramePointer
) -> Service {
    guard lookup.isRegistered else {
        lookup.end()
        failMissing(key, in: container(), callSite)
    }
    do throws(DependencyError) { return try lookup.resolve(key, in: container(), frame) } catch {
        fail(error, callSite, in: container())
    }
}

/// Returns the newest service of a type and a name in ``DependencyContainer/shared``. Traps if there is none.
///
/// ```swift
/// let greeter = resolve((any Greeter).self, named: .formal)
/// ```
///
/// The same as calling ``DependencyContainer/resolve(_:named:fileID:line:)`` on ``DependencyContainer/shared``, but you cannot
/// omit the name.
///
/// - Complexity: That of ``DependencyContainer/resolve(_:fileID:line:)``.
@inlinable
@inline(__always)  // As above.
public func resolve<Service>(
    _ serviceType: Service.Type, named name: DependencyName, fileID: StaticString = #fileID, line: UInt = #line
) -> Service {
    let key = ServiceKey<Service>(named: name)
    let lookup = lookUpShared(key.erased)
    if let instance = lookup?.existing(key, in: .process) { return instance }
    return resolveSharedSlow(lookup, key, fileID, line)
}
