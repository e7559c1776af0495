extension DependencyContainer {
    /// Registers a type as another face of a service: whoever asks for the one gets the instance of the other.
    ///
    /// ```swift
    /// container.register(Store.self) { _ in Store() }
    /// container.forward((any Reading).self, to: Store.self) { $0 }
    /// container.forward((any Writing).self, to: Store.self) { $0 }
    /// ```
    ///
    /// There is one instance with one lifetime, which is the other service's.
    ///
    /// - Parameters:
    ///   - serviceType: The type to register under.
    ///   - name: Tells it apart from others of the type; nil for one without a name.
    ///   - target: The type of the service that is meant.
    ///   - targetName: The name of that; nil for one without.
    ///   - fileID: Where it is registered; filled in by the compiler.
    ///   - line: Where it is registered; filled in by the compiler.
    ///   - conversion: How the one becomes the other: `{ $0 }` where the compiler can see it.
    /// - Returns: A token for ``remove(_:)``.
    /// - Complexity: Constant, amortised. DeferredResolution costs one lookup more than asking for the other service.
    /// - Note: Concurrency. As for a creator.
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
                    { container, _ in conversion(try container.require(target, named: targetName)) },
                    { container, _ in
                        conversion(try await container.asyncResolve(target, named: targetName))
                    }),
                requirements: [requirement]))
    }
}
