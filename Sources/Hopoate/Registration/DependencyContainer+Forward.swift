extension DependencyContainer {
    /// Registers a type as an alias for another service.
    ///
    /// ```swift
    /// container.register(Store.self) { _ in Store() }
    /// container.forward((any Reading).self, to: Store.self) { $0 }
    /// container.forward((any Writing).self, to: Store.self) { $0 }
    /// ```
    ///
    /// The target keeps its lifetime, and all aliases share its instances. The target is looked up at each resolve call, so it can be
    /// registered later. If the target is missing at that time, the resolve call fails. If the target is asynchronous, so is the alias.
    ///
    /// Traps if the container is sealed or shut down.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name to register under; nil for an unnamed service.
    ///   - target: The type of the target service.
    ///   - targetName: The name of the target service; nil for an unnamed one.
    ///   - conversion: Converts the target. `{ $0 }` suffices if the compiler knows the conformance.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: Amortised constant. Each resolve call costs one lookup more than that of the target.
    @discardableResult
    public func forward<Service: Sendable, Target: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, to target: Target.Type,
        targetNamed targetName: DependencyName? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        as conversion: @escaping @Sendable (Target) -> Service
    ) -> ServiceRegistration<Service> {
        let requirement = Requirement(ServiceKey<Target>(named: targetName), .required)
        return add(
            ServiceDefinition<Service, Void>(
                key: ServiceKey(named: name), name: name, lifetime: .transient, callSite: CallSite(fileID, line),
                closures: .both(
                    { container, _ in
                        conversion(try container.require(target, named: targetName, fileID: fileID, line: line))
                    },
                    { container, _ in
                        conversion(
                            try await container.asyncResolve(target, named: targetName, fileID: fileID, line: line))
                    }),
                requirements: [requirement]))
    }

    /// Registers a type as an alias for another service that takes arguments.
    ///
    /// ```swift
    /// container.register(FileLog.self) { (_, path: String) in FileLog(path) }
    /// container.forward((any Log).self, to: FileLog.self, arguments: String.self) { $0 }
    /// let log = container.resolve((any Log).self, arguments: "audit.log")
    /// ```
    ///
    /// The alias takes the same arguments and passes them on. Everything else is the same as for an alias without arguments:
    /// ``forward(_:named:to:targetNamed:fileID:line:as:)``.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: The name to register under; nil for an unnamed service.
    ///   - target: The type of the target service.
    ///   - targetName: The name of the target service; nil for an unnamed one.
    ///   - first: The type of the first argument.
    ///   - rest: The types of the other arguments.
    ///   - conversion: Converts the target. `{ $0 }` suffices if the compiler knows the conformance.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: That of ``forward(_:named:to:targetNamed:fileID:line:as:)``.
    @discardableResult
    public func forward<Service: Sendable, Target: Sendable, First: Sendable, each Rest: Sendable>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, to target: Target.Type,
        targetNamed targetName: DependencyName? = nil, arguments first: First.Type, _ rest: repeat (each Rest).Type,
        fileID: StaticString = #fileID, line: UInt = #line, as conversion: @escaping @Sendable (Target) -> Service
    ) -> ServiceRegistration<Service> {
        typealias Arguments = (First, (repeat each Rest))
        let requirement = Requirement(ServiceKey<Target>(arguments: Arguments.self, named: targetName), .required)
        return add(
            ServiceDefinition<Service, Arguments>(
                key: ServiceKey(arguments: Arguments.self, named: name), name: name, lifetime: .transient,
                callSite: CallSite(fileID, line),
                closures: .both(
                    { container, arguments in
                        conversion(
                            try container.require(
                                target, named: targetName, arguments: arguments.0, repeat each arguments.1,
                                fileID: fileID, line: line))
                    },
                    { container, arguments in
                        conversion(
                            try await container.asyncResolve(
                                target, named: targetName, arguments: arguments.0, repeat each arguments.1,
                                fileID: fileID, line: line))
                    }),
                requirements: [requirement]))
    }
}
