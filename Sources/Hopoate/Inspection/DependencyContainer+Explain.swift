extension DependencyContainer {
    /// All that is registered here and in the parents, with where it was registered.
    ///
    /// ```swift
    /// for registration in container.registrations { print(registration) }
    /// // 'App.Store': singleton, registered at App/Main.swift:12, exists
    /// ```
    ///
    /// The container's own come first, then its parent's; in each the types by their names, and of a type the newest first.
    /// Nothing is created.
    ///
    /// - Complexity: Linear in the number of registrations, and not fast: for people.
    /// - Note: Concurrency. From any thread. What others register or remove meanwhile may be in it or not.
    public var registrations: [DependencyDescription] {
        let snapshot = ContainerSnapshot(self)
        return snapshot.entries.map { DependencyDescription($0, in: snapshot) }
    }

    /// How a service would be had: the registration that would be found, and in turn what its creator asks for.
    ///
    /// ```swift
    /// print(container.explain((any Greeter).self))
    /// ```
    ///
    /// Creators that are closures do not say what they ask for; initializers that are registered with `using:` do. Nothing is
    /// created. Where there is none that takes no arguments, one that takes some is explained.
    ///
    /// - Parameters:
    ///   - serviceType: The type to ask for.
    ///   - name: Its name; nil for one without.
    /// - Returns: The tree, which prints.
    /// - Complexity: As ``registrations``.
    /// - Note: Concurrency. As ``registrations``.
    public func explain<Service>(_ serviceType: Service.Type, named name: DependencyName? = nil) -> DependencyTree {
        let key = ServiceKey<Service>(named: name)
        let snapshot = ContainerSnapshot(self)
        let plain = snapshot.all(key.erased, from: 0).first
        let entry = plain ?? snapshot.entries.first { $0.registration.identity.isCalled(like: key.identity) }
        guard let entry else { return DependencyTree(missing: key.identity, .required) }
        var seen: [ContainerSnapshot.Node.ID: Bool] = [:]
        return DependencyTree(snapshot.node(entry, askedAt: 0), .required, in: snapshot, &seen)
    }

    /// What is registered here and in the parents, and what depends on what, to be drawn.
    ///
    /// ```swift
    /// print(container.graph().mermaid)
    /// ```
    ///
    /// - Returns: The graph.
    /// - Complexity: As ``registrations``.
    /// - Note: Concurrency. As ``registrations``.
    public func graph() -> DependencyGraph { DependencyGraph(ContainerSnapshot(self)) }
}

extension ServiceIdentity {
    /// Whether it differs in its arguments only.
    fileprivate func isCalled(like other: ServiceIdentity) -> Bool { type == other.type && name == other.name }
}
