// Creation for callers that suspend, so that they block no thread.

extension ServiceFactory {
    /// Returns the instance for a resolve call, creating it if necessary.
    func instance(
        suspending key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        if hasScopedClosure { return try await scopedInstance(suspending: key, arguments, resolution) }
        return try await instanceSlow(suspending: key, arguments, resolution)
    }

    /// The slow path of `instance`, which also tells the observer.
    func instanceSlow(
        suspending key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        let instance = try await unobservedInstance(suspending: key, arguments, resolution)
        observer?.didResolve()
        return instance
    }

    /// The same as `instanceSlow`, without telling the observer.
    func unobservedInstance(
        suspending key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        guard let place = try instances?.place(key, arguments, resolution) else {
            guard let create = suspendingClosure(in: resolution.container) else {
                return try self.create(key, arguments, resolution.container)
            }
            return try await self.create(key, arguments, resolution.container, create)
        }
        var hasInstance = false
        defer { place.leave(hasInstance: hasInstance) }
        if let existing = place.shared.storage.load() {
            hasInstance = true
            return existing
        }
        let instance = try await sharedInstance(key, arguments, in: place).value
        hasInstance = place.hasInstance
        return instance
    }

    /// Returns the shared instance of a place whose storage was empty.
    private func sharedInstance(
        _ key: ServiceKey<Service>, _ arguments: Arguments, in place: InstancePlace<Service>,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Unchecked<Service> {
        guard let create = suspendingClosure(in: place.container) else {
            return try await place.shared.instance(
                synchronous: key.identity, place.graph, place.ownership
            ) { creation throws(DependencyError) in
                try createAndKeep(key, arguments, in: place, creation)
            }
        }
        if let error = depthError(suspending: key.identity) { throw error }
        let arguments = Unchecked(arguments)
        let place = Unchecked(place)
        // The creation goes on even if all waiters are cancelled. So it holds the place by itself, and leaves it at its end.
        return try await place.value.shared.instance(
            asynchronous: key.identity, place.value.graph, place.value.ownership, for: place.value.container,
            isObserved: observer != nil
        ) { creation in
            place.value.entry?.hold()
            CreationRecorders.begin(creation, by: self)
        } create: { [self] creation async throws(DependencyError) in
            let place = place.value
            var isKept = false
            var isCreated = false
            defer {
                place.leave(hasInstance: isKept, before: creation)
                CreationRecorders.end(creation, isCreated: isCreated)
            }
            if place.container.hasEnded { throw DependencyError(.shutDown, key.identity, trail: creation.trail) }
            do {
                let instance = Unchecked(try await create(place.container, arguments.value))
                if completion != nil {
                    makePending(key, instance.value, in: place, creation)
                } else {
                    try keep(instance.value, in: place, creation)
                    isKept = true
                }
                isCreated = true
                return instance
            } catch {
                throw DependencyError(error, key, trail: creation.trail)
            }
        }
    }

    /// Creates an instance that is not shared, in the caller's task, by a closure that suspends. Tells no observer.
    func create(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ container: DependencyContainer,
        _ create: @Sendable (DependencyContainer, Arguments) async throws -> Service,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        if let error = depthError(suspending: key.identity) { throw error }
        let context = CreationContext(
            Creation(key.identity, ownership: .caller, suspendingFor: container, graph: .currentOrNew))
        defer { context.end() }
        let arguments = Unchecked(arguments)
        do {
            return try await CreationContext.$current.withValue(context) {
                let instance = Unchecked(try await create(container, arguments.value))
                // Inside the creation, so that it sees the same object graph as the factory.
                try completion?(instance.value, container)
                return instance
            }.value
        } catch {
            throw DependencyError(error, key)
        }
    }
}
