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
        let survey = Survey(self)
        return survey.entries.map { DependencyDescription($0, in: survey) }
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
        let survey = Survey(self)
        let plain = survey.all(Survey.Key(type: key.type, discriminator: key.discriminator), from: 0).first
        let entry = plain ?? survey.entries.first { $0.registration.subject.isCalled(like: key.subject) }
        guard let entry else { return DependencyTree(missing: key.subject, .required) }
        var seen: [Survey.Node.ID: Bool] = [:]
        return DependencyTree(survey.node(entry, askedAt: 0), .required, in: survey, &seen)
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
    public func graph() -> DependencyGraph { DependencyGraph(Survey(self)) }
}

extension Subject {
    /// Whether it differs in its arguments only.
    fileprivate func isCalled(like other: Subject) -> Bool { type == other.type && name == other.name }
}
