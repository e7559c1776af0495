extension DependencyContainer {
    /// Returns all services of a type: newest first, those of the parents last.
    ///
    /// ```swift
    /// for check in container.resolveAll((any HealthCheck).self) {
    ///     print(check.isHealthy)
    /// }
    /// ```
    ///
    /// Instances that do not exist yet are created. Traps if one of them cannot be created. The registrations of one container are read
    /// as an atomic snapshot.
    ///
    /// - Parameters:
    ///   - serviceType: The type that the services are registered under.
    ///   - name: The name that the services are registered with; nil for unnamed services.
    /// - Returns: The services; an empty array if none is registered.
    /// - Complexity: O(n) in the number of services and parents, plus the factories that run.
    @inlinable
    public func resolveAll<Service>(_ serviceType: Service.Type, named name: DependencyName? = nil) -> [Service] {
        withExtendedLifetime(self) { resolveAll(ServiceKey<Service>(named: name)) }
    }

    /// Returns all services of a type, also those with names: newest first, those of the parents last.
    ///
    /// ```swift
    /// for check in container.resolveAll((any HealthCheck).self, includingNamed: true) {
    ///     print(check.isHealthy)
    /// }
    /// ```
    ///
    /// Inside one container, the order is that of registration, over all names. Services that take arguments are not included.
    ///
    /// Instances that do not exist yet are created. Traps if one of them cannot be created. The registrations of one name in one container
    /// are read as an atomic snapshot. Registrations that other threads add or remove meanwhile under other names may be included or not.
    ///
    /// - Parameters:
    ///   - serviceType: The type that the services are registered under.
    ///   - isIncludingNamed: Whether services with names are included. If false, the call is the same as ``resolveAll(_:named:)``.
    /// - Returns: The services; an empty array if none is registered.
    /// - Complexity: O(n log n) in the number of registrations of all types, plus the factories that run.
    public func resolveAll<Service>(_ serviceType: Service.Type, includingNamed isIncludingNamed: Bool) -> [Service] {
        guard isIncludingNamed else { return resolveAll(serviceType) }
        // A resolution does not retain its containers.
        return withExtendedLifetime(self) {
            allRegistrations(of: serviceType).map { entry in
                let registration = entry.registration(of: serviceType)
                return registration.resolveOrTrap(
                    ServiceKey(of: registration), Resolution(container: self, owner: entry.owner.object))
            }
        }
    }

    /// Returns all services of a key. Creates those that do not exist yet, outside every read section.
    @inlinable
    func resolveAll<Service>(_ key: ServiceKey<Service>) -> [Service] {
        if heldParent != nil { return resolveAllWithParents(key) }
        return registry.resolveAll(key, Resolution(container: self, owner: self))
    }

    /// The same for a container with a parent. Not specialised, so that the code of each type is small.
    @usableFromInline
    @inline(never)
    func resolveAllWithParents<Service>(_ key: ServiceKey<Service>) -> [Service] {
        allRegistrations(key.erased).map { entry in
            entry.registration(of: Service.self).resolveOrTrap(
                key, Resolution(container: self, owner: entry.owner.object))
        }
    }
}

extension Registry {
    /// Returns all services of a key, newest first. Creates those that do not exist yet, outside every read section.
    @inlinable
    func resolveAll<Service>(_ key: ServiceKey<Service>, _ resolution: Resolution) -> [Service] {
        mapStack(key) { registration in
            if let holder = registration.holder { return holder.instance }
            return registration.resolveOrTrap(key, resolution)
        }
    }
}
