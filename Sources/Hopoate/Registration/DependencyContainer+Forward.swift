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
    /// registered later. If the target is missing at that time, the resolve call fails.
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
        named targetName: DependencyName? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        as conversion: @escaping @Sendable (Target) -> Service
    ) -> ServiceRegistration<Service> {
        let requirement = Requirement(ServiceKey<Target>(named: targetName), .required)
        return add(
            ServiceDefinition<Service, Void>(
                ServiceKey(named: name), name, .transient, CallSite(fileID, line),
                .both(
                    { container, _ in
                        conversion(try container.require(target, named: targetName, fileID: fileID, line: line))
                    },
                    { container, _ in
                        conversion(
                            try await container.asyncResolve(target, named: targetName, fileID: fileID, line: line))
                    }),
                requirements: [requirement]))
    }
}
