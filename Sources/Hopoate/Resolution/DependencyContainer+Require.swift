extension DependencyContainer {
    /// Returns the newest service of a type, or throws an error that explains the failure.
    ///
    /// ```swift
    /// do {
    ///     let greeter = try container.require((any Greeter).self)
    ///     print(greeter.greeting(for: "Grace"))
    /// } catch {
    ///     print(error)
    /// }
    /// ```
    ///
    /// This is the form of ``resolve(_:fileID:line:)`` that never traps.
    ///
    /// - Parameters:
    ///   - serviceType: The type that the service is registered under. You can omit it if the context determines it.
    ///   - name: The name that the service is registered with; nil for an unnamed service.
    /// - Returns: The service. You own a reference, so it lives for as long as you hold it.
    /// - Throws: ``DependencyError`` if:
    ///   - the service is not registered;
    ///   - its factory throws;
    ///   - it depends on itself, or factories nest too deeply;
    ///   - it would become a captive dependency;
    ///   - only an asynchronous factory can create it, and the instance does not exist yet;
    ///   - the container is shutting down or shut down.
    /// - Complexity: That of ``resolve(_:fileID:line:)``.
    @inlinable
    public func require<Service>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(DependencyError) -> Service {
        let key = ServiceKey<Service>(named: name)
        defer { withExtendedLifetime(self) {} }
        let lookup = lookUp(key.erased)
        if let instance = lookup.existing(key, in: self) { return instance }
        return try withMemoryForFrame { frame throws(DependencyError) in
            try requireSlow(lookup, key, CallSite(fileID, line), frame)
        }
    }

    /// Returns the newest service of the type that the context expects, or throws an error that explains the failure.
    ///
    /// ```swift
    /// container.register(Checkout.self) { container in try Checkout(greeter: container(), log: container()) }
    /// ```
    ///
    /// This is the short form of ``require(_:named:fileID:line:)`` for factories. If the context expects an optional, the compiler picks
    /// ``callAsFunction(named:fileID:line:)``, which returns nil for a missing service.
    ///
    /// - Throws: The same errors as ``require(_:named:fileID:line:)``.
    /// - Complexity: That of ``resolve(_:fileID:line:)``.
    @inlinable
    public func callAsFunction<Service>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(DependencyError) -> Service {
        try require(named: name, fileID: fileID, line: line)
    }

    /// Returns the instance of a lookup, creating it if necessary.
    @usableFromInline
    @inline(never)
    func requireSlow<Service>(
        _ lookup: Lookup, _ key: ServiceKey<Service>, _ callSite: CallSite,
        _ frame: FramePointer
    ) throws(DependencyError) -> Service {
        guard lookup.isRegistered else {
            lookup.end()
            throw missing(key, callSite)
        }
        do throws(DependencyError) { return try lookup.resolve(key, in: self, frame) } catch {
            throw error.thrown(at: callSite, in: self)
        }
    }

    /// Returns the newest service of a key, or nil if there is none. Throws any other error.
    @usableFromInline
    @inline(never)
    func findSlow<Service>(_ key: ServiceKey<Service>, _ callSite: CallSite) throws(DependencyError) -> Service? {
        do throws(DependencyError) { return try find(key) } catch { throw error.thrown(at: callSite, in: self) }
    }

    /// The error for a service that is not registered.
    func missing<Service: ~Copyable>(_ key: ServiceKey<Service>, _ callSite: CallSite?) -> DependencyError {
        DependencyError(missing: key.identity, in: self, callSite)
    }
}

/// Returns the newest service of a type in ``DependencyContainer/shared``, or throws an error that explains the failure.
///
/// The same as calling ``DependencyContainer/require(_:named:fileID:line:)`` on ``DependencyContainer/shared``.
///
/// - Throws: The same errors as ``DependencyContainer/require(_:named:fileID:line:)``.
/// - Complexity: That of ``DependencyContainer/resolve(_:fileID:line:)``.
@inlinable
public func require<Service>(
    _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
) throws(DependencyError) -> Service {
    try DependencyContainer.current.require(serviceType, named: name, fileID: fileID, line: line)
}
