extension DependencyContainer {
    /// The service for arguments; one that takes such arguments has to be registered.
    ///
    /// ```swift
    /// let invoice = container.resolve(Invoice.self, arguments: 7, "EUR")
    /// ```
    ///
    /// The arguments are matched by their static types: a `Double` is not a `Float`, and a `String?` is not a `String`. Where
    /// they do not match, the message lists those that would.
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - first: The first argument.
    ///   - rest: The others.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    /// - Returns: The service, kept.
    /// - Complexity: As ``resolve(_:fileID:line:)``, plus the creator.
    /// - Note: Concurrency. From any thread.
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
            fail(error)
        }
        failMissing(key, in: self, CallSite(fileID, line))
    }

    /// The service for arguments, or nil where none that takes such arguments is registered.
    ///
    /// ```swift
    /// let invoice = container.optionalResolve(Invoice.self, arguments: 7, "EUR")
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - first: The first argument.
    ///   - rest: The others.
    /// - Returns: The service, kept; nil where none is registered.
    /// - Complexity: As ``resolve(_:fileID:line:)``, plus the creator.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public func optionalResolve<Service, First, each Rest>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First, _ rest: repeat each Rest
    ) -> Service? {
        do throws(DependencyError) {
            return try find(
                ServiceKey<Service>(arguments: (First, (repeat each Rest)).self, named: name),
                (first, (repeat each rest)))
        } catch {
            fail(error)
        }
    }

    /// The service for arguments; one that takes such arguments has to be registered. The short form for creators.
    ///
    /// ```swift
    /// struct Order { let invoice: Invoice }
    ///
    /// container.register(Order.self) { (container, customer: Int) in
    ///     Order(invoice: container(arguments: customer, "EUR"))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under; the context may say it.
    ///   - name: The name it was registered with; nil for one without.
    ///   - first: The first argument.
    ///   - rest: The others.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    /// - Returns: The service, kept.
    /// - Complexity: As ``resolve(_:named:arguments:_:fileID:line:)``.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public func callAsFunction<Service, First, each Rest>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Service {
        resolve(serviceType, named: name, arguments: first, repeat each rest, fileID: fileID, line: line)
    }

    /// Whether a service that takes such arguments is registered. Runs no creator.
    ///
    /// ```swift
    /// let canInvoice = container.canResolve(Invoice.self, arguments: Int.self, String.self)
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type to look for.
    ///   - name: The name to look for; nil for one without.
    ///   - first: The type of the first argument.
    ///   - rest: Those of the others.
    /// - Returns: Whether ``resolve(_:named:arguments:_:fileID:line:)`` would find a registration, here or in a parent.
    /// - Complexity: As ``canResolve(_:)``.
    /// - Note: Concurrency. As ``canResolve(_:)``.
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

    /// The service for arguments, or an error that says why it cannot be had.
    ///
    /// ```swift
    /// let invoice = try container.require(Invoice.self, arguments: 7, "EUR")
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - first: The first argument.
    ///   - rest: The others.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    /// - Returns: The service, kept.
    /// - Throws: As ``require(_:named:fileID:line:)``.
    /// - Complexity: As ``resolve(_:fileID:line:)``, plus the creator.
    /// - Note: Concurrency. From any thread.
    @inlinable
    public func require<Service, First, each Rest>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest,
        fileID: StaticString = #fileID, line: UInt = #line
    ) throws(DependencyError) -> Service {
        let key = ServiceKey<Service>(arguments: (First, (repeat each Rest)).self, named: name)
        if let service = try find(key, (first, (repeat each rest))) { return service }
        throw missing(key, CallSite(fileID, line))
    }

    /// The newest service of a key that has arguments, here or in the parents; nil where there is none.
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

    /// As `find`, for one of the children, which was asked.
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

/// The service for arguments, in ``DependencyContainer/shared``; one that takes such arguments has to be registered.
///
/// ```swift
/// let invoice = resolve(Invoice.self, arguments: 7, "EUR")
/// ```
///
/// - Parameters:
///   - serviceType: The type it was registered under.
///   - name: The name it was registered with; nil for one without.
///   - first: The first argument.
///   - rest: The others.
///   - fileID: Where it is asked for; filled in by the compiler.
///   - line: Where it is asked for; filled in by the compiler.
/// - Returns: The service, kept.
/// - Complexity: As ``DependencyContainer/resolve(_:fileID:line:)``, plus the creator.
/// - Note: Concurrency. From any thread.
@inlinable
public func resolve<Service, First, each Rest>(
    _ serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First, _ rest: repeat each Rest,
    fileID: StaticString = #fileID, line: UInt = #line
) -> Service {
    DependencyContainer.current.resolve(
        serviceType, named: name, arguments: first, repeat each rest, fileID: fileID, line: line)
}
