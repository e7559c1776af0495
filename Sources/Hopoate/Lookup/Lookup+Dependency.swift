// Looking up the dependencies of an initializer.

/// What a lookup finds for a dependency.
enum FoundDependency {
    case missing
    /// An instance that lives as long as its registration, or as long as the container. The registration is not retained for it.
    case instance
    /// The newest registration, and the parent that holds it.
    case registration(AnyServiceRegistration, owner: UncountedContainer?)
}

extension DependencyContainer {
    /// Looks up a dependency, here or in the parents.
    func dependency(_ key: AnyServiceKey) -> FoundDependency {
        let lookup = lookUp(key)
        defer { lookup.end() }
        guard lookup.isRegistered else { return .missing }
        let registration = lookup.uncounted(as: AnyServiceRegistration.self)
        if registration.with({ $0.hasPermanentInstance }) { return .instance }
        if lookup.owner != nil, lookup.slotMemory(in: self) != nil { return .instance }
        return .registration(registration.object, owner: lookup.owner)
    }
}

extension Requirement {
    /// Looks the dependency up in the same way as `lookUp`.
    ///
    /// - Returns: The kind of the dependency, and the result of the first successful look-up. If all fail, it is `missing`.
    func dependency(in container: DependencyContainer) -> (kind: Kind, found: FoundDependency) {
        let found = container.dependency(key)
        if case .missing = found, let alternative { return alternative.value.dependency(in: container) }
        return (kind, found)
    }
}
