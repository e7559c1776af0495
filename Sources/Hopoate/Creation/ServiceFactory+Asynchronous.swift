// Creation for callers that suspend, so that they block no thread.

extension ServiceFactory {
    /// Returns the instance for a resolve call, creating it if necessary.
    func resolve(
        suspending key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        if hasScopedClosure { return try await scopedInstance(suspending: key, arguments, resolution) }
        return try await resolveSlow(suspending: key, arguments, resolution)
    }

    /// The slow path of `resolve`, which also tells the observer.
    ///
    /// - Parameter graph: The object graph of the resolve call, if it is known.
    func resolveSlow(
        suspending key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution,
        _ graph: ObjectGraph? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        let instance = try await resolveUnobserved(suspending: key, arguments, resolution, graph)
        observer?.didResolve()
        return instance
    }

    /// The same as `resolveSlow`, without telling the observer.
    func resolveUnobserved(
        suspending key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution,
        _ graph: ObjectGraph? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        var graph = graph
        guard var place = try instances?.place(key, arguments, resolution) else {
            guard let create = try suspendingClosure(key.erased, in: resolution.container, &graph) else {
                return try runFactory(key, arguments, resolution.container, graph: graph)
            }
            return try await runFactory(key, arguments, resolution.container, create, graph)
        }
        if place.graph == nil { place.graph = graph }
        var hasInstance = false
        defer { place.leave(hasInstance: hasInstance) }
        if let existing = place.shared.load() {
            hasInstance = true
            return existing
        }
        let create = try suspendingClosure(key.erased, in: place.container, &place.graph)
        let instance = try await sharedInstance(key, arguments, in: place, create).value
        hasInstance = place.hasInstance
        return instance
    }

    /// Returns the shared instance of a place whose storage was empty.
    ///
    /// - Parameter create: The closure that suspends; nil if the one that does not suspend should run.
    private func sharedInstance(
        _ key: ServiceKey<Service>, _ arguments: Arguments, in place: InstancePlace<Service>,
        _ create: (@Sendable (DependencyContainer, Arguments) async throws -> Service)?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Unchecked<Service> {
        guard let create else {
            return try await place.takeOrCreate(synchronous: key.identity) { creation throws(DependencyError) in
                try createAndKeep(key, arguments, in: place, creation)
            }
        }
        if let error = depthError(suspending: key.identity) { throw error }
        let arguments = Unchecked(arguments)
        let place = Unchecked(place)
        // The creation goes on even if all waiters are cancelled. So it holds the place by itself, and leaves it at its end.
        return try await place.value.takeOrCreate(asynchronous: key.identity, isObserved: observer != nil) { creation in
            place.value.entry?.hold()
            creation.noteBegin(by: self, in: place.value.container)
        } create: { [self] creation async throws(DependencyError) in
            let place = place.value
            var isKept = false
            var isCreated = false
            defer {
                place.leave(hasInstance: isKept, before: creation)
                creation.noteEnd(isCreated: isCreated)
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
                let failure = DependencyError(error, key, trail: creation.trail)
                noteFailure(failure, in: place.container)
                throw failure
            }
        }
    }

    /// Creates an instance that is not shared, in the caller's task, by a closure that suspends. Tells no observer.
    func runFactory(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ container: DependencyContainer,
        _ create: @Sendable (DependencyContainer, Arguments) async throws -> Service, _ graph: ObjectGraph?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        if let error = depthError(suspending: key.identity) { throw error }
        let context = CreationContext(
            Creation(
                key.identity, ownership: .caller, inside: .current, suspendingFor: container,
                graph: graph ?? .currentOrNew))
        defer { context.end() }
        let arguments = Unchecked(arguments)
        do {
            return try await TaskContext.inside(context).bind {
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
