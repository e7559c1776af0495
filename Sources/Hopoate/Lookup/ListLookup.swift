// Looking up all registrations of a key, or of a type.

/// A registration, and the container that holds it. The container is not retained.
struct OwnedRegistration {
    private let registration: AnyServiceRegistration
    let owner: UncountedContainer

    fileprivate init(_ registration: AnyServiceRegistration, _ owner: UncountedContainer) {
        self.registration = registration
        self.owner = owner
    }

    fileprivate var number: Int { registration.number }

    /// The registration, which was found under the key of a service.
    func registration<Service>(of service: Service.Type) -> ServiceRegistration<Service> {
        // The key proves the type.
        registration.uncheckedCast(to: ServiceRegistration<Service>.self)
    }
}

extension DependencyContainer {
    /// Returns the registrations of a key, here and in the parents: nearest first, and in one container newest first. Those of one container
    /// are a snapshot.
    func allRegistrations(_ key: AnyServiceKey) -> [OwnedRegistration] {
        while true {
            var found: [OwnedRegistration] = []
            let views = visitOwners(of: key) { owner in
                for registration in owner.registry.stack(key) { found.append(OwnedRegistration(registration, owner)) }
            }
            // Otherwise a commit has come in between.
            if views == visitOwners(of: key, { _ in }) { return found }
        }
    }

    /// Calls a closure with each container that a list of a key takes registrations from: this container, and its parents, without those
    /// that a view hides.
    ///
    /// - Returns: The number of the views that hide a container.
    private func visitOwners(of key: AnyServiceKey, _ visit: (UncountedContainer) -> Void) -> Int {
        var views = 0
        var next: UncountedContainer? = UncountedContainer(self)
        while let owner = next {
            next = owner.parent
            if owner.hidesViewed(key) {
                views += 1
                next = next?.parent
            }
            visit(owner)
        }
        return views
    }

    /// Returns the registrations of a type without arguments, with and without names, here and in the parents: nearest first, and in one
    /// container newest first. Those of one name in one container are a snapshot.
    func allRegistrations<Service>(of service: Service.Type) -> [OwnedRegistration] {
        let type = ServiceKey<Service>().erased.type
        var keys: Set<AnyServiceKey> = []
        var levels: [ObjectIdentifier: Int] = [:]
        var level = 0
        for container in sequence(first: self, next: \.parent) {
            keys.formUnion(container.registry.keys().filter { $0.isOfRegistrations && $0.type == type })
            // A layer shows registrations of the container behind it.
            levels[ObjectIdentifier(container)] = level
            if container.role != .layer { level += 1 }
        }
        return keys.flatMap(allRegistrations)
            .map { (level: levels[ObjectIdentifier($0.owner.object)] ?? level, entry: $0) }
            .sorted { ($0.level, $1.entry.number) < ($1.level, $0.entry.number) }.map(\.entry)
    }
}
