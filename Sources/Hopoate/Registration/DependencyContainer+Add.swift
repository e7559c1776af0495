// What the ways to register have in common.

extension DependencyContainer {
    /// Registers what a closure makes that asks for nothing: now, once, or each time somebody asks.
    @inlinable
    func add<Service>(
        cached: Bool, _ creator: @escaping () -> Service, _ callSite: CallSite?, replacing: Bool = false
    ) -> ServiceRegistration<Service> {
        if _slowPath(isWatched) { return addWatched(cached, nil, callSite, replacing, creator) }
        let key = ServiceKey<Service>()
        return put(
            ServiceRegistration(
                key, cached ? .instance(makeEagerly(key, creator)) : .closure(creator), callSite: callSite),
            replacing: replacing)
    }

    /// Registers an instance. Its expression is no creator, so there is no creation to observe.
    @inlinable
    func add<Service>(
        _ instance: Service, named name: DependencyName? = nil, _ callSite: CallSite?, replacing: Bool = false
    ) -> ServiceRegistration<Service> {
        if _slowPath(isWatched) { return addWatched(instance, name, callSite, replacing) }
        let key = ServiceKey<Service>(named: name)
        return put(
            ServiceRegistration(key, .instance(instance), name: name, callSite: callSite), replacing: replacing)
    }

    /// Puts a registration into the registry, on top of those of its key or in the place of all of them.
    @inlinable
    func add<Service: ~Copyable>(
        _ registration: ServiceRegistration<Service>, replacing: Bool = false
    ) -> ServiceRegistration<Service> {
        _ = put(registration, replacing: replacing)
        if _slowPath(isWatched) { noteAddition(of: registration, replacing: replacing) }
        return registration
    }

    /// As `add`, where nobody is told.
    @inlinable
    func put<Service: ~Copyable>(
        _ registration: ServiceRegistration<Service>, replacing: Bool
    ) -> ServiceRegistration<Service> {
        let isTaken = withExtendedLifetime(self) {
            replacing ? registry.replace(registration) : registry.push(registration)
        }
        if !isTaken { failSealed(registration, self) }
        return registration
    }
}
