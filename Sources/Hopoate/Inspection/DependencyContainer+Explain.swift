extension DependencyContainer {
    /// All registrations of this container and its parents, with the places where they were made.
    ///
    /// ```swift
    /// for registration in container.registrations { print(registration) }
    /// // 'App.Store': singleton, registered at App/Main.swift:12, exists
    /// ```
    ///
    /// Registrations of this container come first, then those of its parent. In each container they are in the order of registration,
    /// over all types and names: the oldest comes first. A registration that replaced others counts from its own addition. No factory
    /// runs.
    ///
    /// - Complexity: O(n log n) in the number of registrations. Use it for debugging, not on fast paths.
    /// - Note: Concurrency. Registrations that other threads add or remove meanwhile may be included or not.
    public var registrations: [DependencyDescription] {
        let wiring = Wiring(self)
        return wiring.nodes.map { DependencyDescription($0, in: wiring) }
    }

    /// Returns how a service would be resolved: its registration, and the dependencies of its factory, as a tree. Also returns the
    /// services that cannot be resolved without it, ``DependencyTree/dependents``.
    ///
    /// ```swift
    /// print(container.explain((any Greeter).self))
    /// ```
    ///
    /// The tree shows the dependencies of initializers registered with `using:`. It cannot look into factory closures, so it
    /// shows none for them. No factory runs. If all registrations of the type take arguments, the tree shows the first one in
    /// ``registrations`` that is not shadowed.
    ///
    /// - Parameters:
    ///   - serviceType: The type of the service.
    ///   - name: The name of the service; nil for a service without a name.
    /// - Returns: The tree, which can be printed.
    /// - Complexity: That of ``registrations``.
    public func explain<Service>(_ serviceType: Service.Type, named name: DependencyName? = nil) -> DependencyTree {
        let key = ServiceKey<Service>(named: name)
        let wiring = Wiring(self)
        let node =
            wiring.newest(key.erased)
            ?? wiring.nodes.first { $0.registration.identity.isCalled(like: key.identity) && !wiring.isHidden($0) }
        var seen: [Wiring.Node: Bool] = [:]
        var tree =
            node.map { DependencyTree($0, .required, in: wiring, &seen) }
            ?? DependencyTree(missing: key.identity, .required)
        tree.dependents = wiring.dependents(of: node, key.identity).map { DependencyDescription($0, in: wiring) }
        return tree
    }
}

extension ServiceIdentity {
    /// Whether two services have the same type and name, whatever their arguments.
    fileprivate func isCalled(like other: ServiceIdentity) -> Bool { type == other.type && name == other.name }
}
