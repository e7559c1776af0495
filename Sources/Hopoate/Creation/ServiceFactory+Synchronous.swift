// Creation for callers that do not suspend.

/// Creates an instance by a closure without parameters. Out of line: pushing a frame would bloat the fast path.
@inlinable
@inline(never)
func makeInstance<Service>(_ key: ServiceKey<Service>, _ create: () -> Service) -> Service {
    withFrame(key) { create() }
}

/// Creates an instance that is not shared.
@inlinable
@inline(__always)
func makeInstance<Service, Arguments>(
    _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution,
    _ create: (DependencyContainer, Arguments) throws -> Service
) throws(DependencyError) -> Service {
    do {
        return try withThrowingFrame(key) { try create(resolution.container, arguments) }
    } catch {
        throw DependencyError(error, key)
    }
}

extension ServiceFactory {
    /// Returns the instance for a resolve call, creating it if necessary.
    @inlinable
    @inline(__always)
    func instance(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: @autoclosure () -> Resolution
    ) throws(DependencyError) -> Service {
        if let transientClosure { return try makeInstance(key, arguments, resolution(), transientClosure) }
        if let scopedKey {
            // The caller may be the factory of a service that all callers share, on this thread or in a task.
            if innermostFrame != nil || isWatched { try OwningService.checkForCaptivity(key, resolution()) }
            if let instance = resolution().container.registry.scopedInstance(in: scopePlace, Service.self) {
                return instance
            }
            return try scopedInstance(key, scopedKey, arguments, resolution())
        }
        return try instanceSlow(key, arguments, resolution())
    }

    /// The slow path of `instance`, which also tells the observer.
    @usableFromInline
    @inline(never)
    func instanceSlow(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> Service {
        let instance = try unobservedInstance(key, arguments, resolution)
        observer?.didResolve()
        return instance
    }

    private func unobservedInstance(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> Service {
        guard let place = try instances?.place(key, arguments, resolution) else {
            return try create(key, arguments, resolution.container)
        }
        var hasInstance = false
        defer { place.leave(hasInstance: hasInstance) }
        let shared = place.shared
        let instance: Service
        if let existing = shared.storage.load() {
            hasInstance = true
            return existing
        }
        if isAsynchronous {
            instance = try shared.instanceWithoutCreation(key.identity)
        } else {
            instance = try shared.instance(key.identity, place.graph, place.ownership) {
                creation throws(DependencyError) in try createAndKeep(key, arguments, in: place, creation)
            }
        }
        hasInstance = place.hasInstance
        return instance
    }

    /// Runs the factory, in the context of the service's owner if the registration owns the instance. Stores the instance unless it is
    /// pending.
    func createAndKeep(
        _ key: ServiceKey<Service>, _ arguments: Arguments, in place: InstancePlace<Service>,
        _ creation: InFlightCreation
    ) throws(DependencyError) -> Service {
        if place.container.hasEnded { throw DependencyError(.shutDown, key.identity) }
        CreationRecorders.begin(creation, by: self)
        var isCreated = false
        defer { CreationRecorders.end(creation, isCreated: isCreated) }
        let instance: Service
        if place.ownership == .registration {
            instance = try inContext(ofOwner: place.container, isObserved: observer != nil) {
                () throws(DependencyError) in
                try create(key, arguments, place.container, creation, in: place)
            }
        } else {
            instance = try create(key, arguments, place.container, creation, in: place)
        }
        if creation.group == nil { try keep(instance, in: place, creation) }
        isCreated = true
        return instance
    }

    /// Creates an instance. If it is shared and has to wait for a completion, it is pending afterwards.
    func create(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ container: DependencyContainer,
        _ creation: InFlightCreation? = nil, in place: InstancePlace<Service>? = nil
    ) throws(DependencyError) -> Service {
        guard let create = closures.synchronous else { throw DependencyError(.onlyAsynchronous, key.identity) }
        do {
            return try withThrowingFrame(
                key, creation: creation, container: place?.sharedContainer, graph: place?.graph
            ) {
                let instance = try create(container, arguments)
                if let creation, let place {
                    if completion != nil || CompletionGroup.current != nil {
                        makePending(key, instance, in: place, creation)
                    }
                } else if let completion {
                    try complete(key, instance, for: container, completion)
                }
                return instance
            }
        } catch {
            throw DependencyError(error, key)
        }
    }
}
