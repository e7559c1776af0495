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
        do throws(DependencyError) {
            if let service = try find(key, (first, (repeat each rest))) { return service }
        } catch {
            fail(error, CallSite(fileID, line), in: self)
        }
        failMissing(key, in: self, CallSite(fileID, line))
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
        do throws(DependencyError) {
            return try find(
                ServiceKey<Service>(arguments: (First, (repeat each Rest)).self, named: name),
                (first, (repeat each rest)))
        } catch {
            fail(error, in: self)
        }
    }

    /// Returns the service for arguments; traps if no registration takes arguments of these types.
    ///
    /// ```swift
    /// struct Order { let invoice: Invoice }
    ///
    /// container.register(Order.self) { (container, customer: Int) in
    ///     Order(invoice: container(arguments: customer, "EUR"))
    /// }
    /// ```
    ///
    /// This is the short form of ``resolve(_:named:arguments:_:fileID:line:)`` for factories. You can omit the type if the context
    /// determines it. If the context expects an optional, the compiler picks ``callAsFunction(named:arguments:_:)``.
    ///
    /// - Complexity: That of ``resolve(_:named:arguments:_:fileID:line:)``.
    @inlinable
    public func callAsFunction<Service, First, each Rest>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Service {
        resolve(serviceType, named: name, arguments: first, repeat each rest, fileID: fileID, line: line)
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
            let key = ServiceKey<Service>(arguments: (First, (repeat each Rest)).self, named: name)
            if registry.contains(key) { return true }
            return parent?.canResolve(serviceType, named: name, arguments: first, repeat each rest) ?? false
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
        let key = ServiceKey<Service>(arguments: (First, (repeat each Rest)).self, named: name)
        do throws(DependencyError) {
            if let service = try find(key, (first, (repeat each rest))) { return service }
        } catch {
            throw error.thrown(at: CallSite(fileID, line), in: self)
        }
        throw missing(key, CallSite(fileID, line))
    }

    /// The newest service of a key with arguments, here or in the parents; nil if there is none.
    @inlinable
    func find<Service, Arguments>(
        _ key: ServiceKey<Service>, _ arguments: Arguments
    ) throws(DependencyError) -> Service? {
        defer { withExtendedLifetime(self) {} }
        if let service = try registry.resolve(key, arguments, Resolution(container: self, owner: self)) {
            return service
        }
        return try parent?.find(key, arguments, for: self)
    }

    /// The same as `find`, for a resolve call that went to a child.
    @inlinable
    func find<Service, Arguments>(
        _ key: ServiceKey<Service>, _ arguments: Arguments, for container: DependencyContainer
    ) throws(DependencyError) -> Service? {
        if let service = try registry.resolve(key, arguments, Resolution(container: container, owner: self)) {
            return service
        }
        return try parent?.find(key, arguments, for: container)
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
