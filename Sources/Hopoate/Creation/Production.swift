// The part of a creation that knows the types of the service and of its arguments: it runs a factory that does not suspend, and keeps
// the instance.

extension ServiceFactory {
    /// Creates an instance and stores it, unless it is pending. Notes a failure for health checks.
    func createAndKeep(
        _ key: ServiceKey<Service>, _ arguments: Arguments, in place: InstancePlace<Service>,
        _ creation: Creation
    ) throws(DependencyError) -> Service {
        do throws(DependencyError) {
            return try createAndStore(key, arguments, in: place, creation)
        } catch {
            noteFailure(error, in: place.container)
            throw error
        }
    }

    /// Runs the factory, in the context of the service's owner if the registration owns the instance. Stores the instance unless it is
    /// pending.
    private func createAndStore(
        _ key: ServiceKey<Service>, _ arguments: Arguments, in place: InstancePlace<Service>,
        _ creation: Creation
    ) throws(DependencyError) -> Service {
        if place.container.hasEnded { throw DependencyError(.shutDown, key.identity) }
        creation.noteBegin(by: self, in: place.container)
        var isCreated = false
        defer { creation.noteEnd(isCreated: isCreated) }
        let instance: Service
        if place.ownership.isRegistration {
            creation.isObserved = observer != nil
            let context = OwnerContext(place.container, isObserved: creation.isObserved)
            creation.ownerContext = context
            instance = try context.run { () throws(DependencyError) in
                try runFactory(key, arguments, place.container, creation, in: place)
            }
        } else {
            instance = try CreationContext.limit { () throws(DependencyError) in
                try runFactory(key, arguments, place.container, creation, in: place)
            }
        }
        if creation.group == nil { try keep(instance, in: place, creation) }
        isCreated = true
        return instance
    }

    /// Creates an instance. If it is shared and has to wait for a completion, it is pending afterwards.
    func runFactory(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ container: DependencyContainer,
        _ creation: Creation? = nil, in place: InstancePlace<Service>? = nil, graph: ObjectGraph? = nil
    ) throws(DependencyError) -> Service {
        guard let create = closures.synchronous else { throw DependencyError(.onlyAsynchronous, key.identity) }
        do {
            return try withThrowingFrame(
                key.erased, creation: creation, container: place?.sharedContainer,
                graph: graph ?? place?.graph
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

    /// Stores a complete instance and records its disposal.
    ///
    /// During the creation, something may have happened after which no later caller may get the instance:
    ///
    /// - The creation was abandoned, or the container was shut down. The instance is disposed of, and all callers get the error.
    /// - The registration was removed, or its instances were reset. The instance is disposed of after the end of the creation, but
    ///   callers that came before the removal or the reset still get it.
    func keep(
        _ instance: Service, in place: InstancePlace<Service>, _ creation: Creation
    ) throws(DependencyError) {
        let (shared, storage) = (place.shared, place.shared.storage)
        if let objection = storage?.objection(to: instance) {
            throw DependencyError(uncreatable: creation.identity, trail: creation.trail, because: objection)
        }
        if let error = shared.cell.claim(creation) {
            if let hooks {
                creation.disposeLater(Disposal(hooks, for: instance, mark: 0), in: place.container.state)
            }
            throw error
        }
        if !lifetime.isPermanent { forgetFailure(in: place.container) }
        guard let hooks, let disposals = place.disposals else {
            if place.container.hasEnded { throw DependencyError(.shutDown, creation.identity, trail: creation.trail) }
            return shared.store(instance)
        }
        let disposal = Disposal(
            hooks, for: instance, mark: storage?.mark ?? 0, storage: storage.map(ObjectIdentifier.init), origin,
            number: place.container.nextNumber(), place: CreationPlace(creation))
        let state = place.container.state
        guard state.add(disposal) else {
            creation.disposeLater(disposal, in: state)
            throw DependencyError(.shutDown, creation.identity, trail: creation.trail)
        }
        guard disposals.add(disposal, of: state) else {
            if state.forget(disposal) { creation.disposeLater(disposal, in: state) }
            // Callers that found the registration before its removal share this instance. A storage that was reset since the
            // creation began does not take it.
            return shared.store(instance)
        }
        shared.store(instance)
        // The storage has dropped its previous instance, and nothing else would dispose of it.
        if let last = place.exchangeLastDisposal(with: disposal), let state = disposals.forget(last) {
            creation.disposeLater(last, in: state)
        }
    }
}
