extension DependencyContainer {
    /// Returns the service for arguments; traps if no registration takes arguments of these types.
    ///
    /// ```swift
    /// let invoice = container.resolve(Invoice.self, arguments: 7, "EUR")
    /// ```
    ///
    /// Arguments are matched by their static types: a `Double` does not match a `Float`, nor a `String?` a `String`. If they do not match,
    /// the message lists the argument types that are registered.
    ///
    /// Traps on every error that ``require(_:named:arguments:_:fileID:line:)`` throws.
    ///
    /// - Parameters:
    ///   - serviceType: The type that the service is registered under.
    ///   - name: The name that the service is registered with; nil for an unnamed service.
    ///   - first: The first argument.
    ///   - rest: The other arguments.
    /// - Complexity: That of ``resolve(_:fileID:line:)``. A keyed lifetime also hashes and compares the arguments.
    @inlinable
    public func resolve<Service, First, each Rest>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Service {
        let key = ServiceKey<Service>(arguments: (First, (repeat each Rest)).self, named: name)
        let arguments = (first, (repeat each rest))
        defer { withExtendedLifetime(self) {} }
        let lookup = lookUp(key.erased)
        let isKeyed = lookup.isKeyed(key)
        if isKeyed, let instance = existing(lookup, key, arguments) { return instance }
        return withMemoryForFrame { resolveSlow(isKeyed ? nil : lookup, key, arguments, CallSite(fileID, line), $0) }
    }

    /// Returns the service for arguments, or nil if no registration takes arguments of these types.
    ///
    /// Traps if the service is registered but cannot be created. Arguments are matched in the same way as in
    /// ``resolve(_:named:arguments:_:fileID:line:)``.
    ///
    /// - Complexity: That of ``resolve(_:named:arguments:_:fileID:line:)``.
    @inlinable
    public func optionalResolve<Service, First, each Rest>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First, _ rest: repeat each Rest
    ) -> Service? {
        findOrFail(ServiceKey(arguments: (First, (repeat each Rest)).self, named: name), (first, (repeat each rest)))
    }

    /// Returns whether a registration takes arguments of the given types, here or in a parent, without running a factory.
    ///
    /// ```swift
    /// let canInvoice = container.canResolve(Invoice.self, arguments: Int.self, String.self)
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type that the service would be registered under.
    ///   - name: The name that the service would be registered with; nil for an unnamed service.
    ///   - first: The type of the first argument.
    ///   - rest: The types of the other arguments.
    /// - Returns: Whether ``resolve(_:named:arguments:_:fileID:line:)`` would find a registration.
    /// - Complexity: That of ``canResolve(_:)``.
    @inlinable
    public func canResolve<Service, First, each Rest>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First.Type,
        _ rest: repeat (each Rest).Type
    ) -> Bool {
        withExtendedLifetime(self) {
            isRegistered(ServiceKey<Service>(arguments: (First, (repeat each Rest)).self, named: name).erased)
        }
    }

    /// Returns the service for arguments, or throws an error that explains the failure.
    ///
    /// ```swift
    /// let invoice = try container.require(Invoice.self, arguments: 7, "EUR")
    /// ```
    ///
    /// This is the form of ``resolve(_:named:arguments:_:fileID:line:)`` that never traps.
    ///
    /// - Throws: ``DependencyError`` in the same cases as ``require(_:named:fileID:line:)``; with the reason
    ///   ``DependencyError/Reason/invalid`` if an argument of a keyed service is not equal to itself, such as a NaN.
    /// - Complexity: That of ``resolve(_:named:arguments:_:fileID:line:)``.
    @inlinable
    public func require<Service, First, each Rest>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest,
        fileID: StaticString = #fileID, line: UInt = #line
    ) throws(DependencyError) -> Service {
        try requireSlow(
            ServiceKey(arguments: (First, (repeat each Rest)).self, named: name), (first, (repeat each rest)),
            CallSite(fileID, line))
    }
}

// MARK: - The common part of the forms with arguments

extension DependencyContainer {
    /// Returns the service for arguments, creating it if necessary. Looks the key up if there is no lookup. Traps on an error.
    @usableFromInline
    @inline(never)
    func resolveSlow<Service, Arguments>(
        _ lookup: Lookup?, _ key: ServiceKey<Service>, _ arguments: Arguments, _ callSite: CallSite,
        _ frame: FramePointer
    ) -> Service {
        let lookup = lookup ?? lookUp(key.erased)
        guard lookup.isRegistered else {
            lookup.end()
            failMissing(key, in: self, callSite)
        }
        do throws(DependencyError) { return try lookup.resolve(key, arguments, in: self, frame) } catch {
            fail(error, callSite, in: self)
        }
    }

    /// Returns the service for arguments; nil if there is none. Traps on an error.
    @usableFromInline
    @inline(never)
    func findOrFail<Service, Arguments>(_ key: ServiceKey<Service>, _ arguments: Arguments) -> Service? {
        do throws(DependencyError) { return try find(key, arguments) } catch { fail(error, in: self) }
    }

    /// Returns the service for arguments.
    @usableFromInline
    @inline(never)
    func requireSlow<Service, Arguments>(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ callSite: CallSite
    ) throws(DependencyError) -> Service {
        if let service = try findSlow(key, arguments, callSite) { return service }
        throw missing(key, callSite)
    }

    /// Returns the service for arguments; nil if no registration takes arguments of these types.
    @usableFromInline
    @inline(never)
    func findSlow<Service, Arguments>(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ callSite: CallSite
    ) throws(DependencyError) -> Service? {
        do throws(DependencyError) { return try find(key, arguments) } catch {
            throw error.thrown(at: callSite, in: self)
        }
    }

    /// The newest service of a key with arguments, here or in the parents; nil if there is none.
    func find<Service, Arguments>(
        _ key: ServiceKey<Service>, _ arguments: Arguments
    ) throws(DependencyError) -> Service? {
        var lookup = lookUp(key.erased)
        if lookup.isKeyed(key) {
            if let instance = existing(lookup, key, arguments) { return instance }
            lookup = lookUp(key.erased)
        }
        guard lookup.isRegistered else {
            lookup.end()
            return nil
        }
        return try lookup.resolve(key, arguments, in: self)
    }
}

/// Returns the service for arguments in ``DependencyContainer/shared``; traps if no registration takes arguments of these types.
///
/// The same as calling ``DependencyContainer/resolve(_:named:arguments:_:fileID:line:)`` on ``DependencyContainer/shared``.
///
/// - Complexity: That of ``DependencyContainer/resolve(_:named:arguments:_:fileID:line:)``.
@inlinable
public func resolve<Service, First, each Rest>(
    _ serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First, _ rest: repeat each Rest,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Service {
    DependencyContainer.current.resolve(
        serviceType, named: name, arguments: first, repeat each rest, fileID: fileID, line: line)
}
