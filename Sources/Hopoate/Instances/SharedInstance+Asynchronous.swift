extension SharedInstance {
    /// The instance, created by the closure if there is none: in a task of its own, so that waiters can be cancelled without
    /// cancelling each other, and outside the caller's task-locals. The other closure is called before that task begins.
    func instance(
        asynchronous identity: ServiceIdentity, _ graph: ObjectGraph?, _ ownership: Creation.Ownership,
        for container: DependencyContainer, isObserved: Bool, isolation: isolated (any Actor)? = #isolation,
        begin: () -> Void,
        create: @escaping @Sendable (InFlightCreation) async throws(DependencyError) -> Unchecked<Service>
    ) async throws(DependencyError) -> Unchecked<Service> {
        while true {
            if let instance = storage.load() { return Unchecked(instance) }
            // The caller that begins the creation waits for it too.
            let (creation, isNew) = join(
                identity, graph ?? .currentOrNew, ownership, suspendingFor: container, joined: 1)
            if isNew {
                begin()
                let context = CreationContext(creation)
                startTask(inContextOfOwner: container, isObserved: isObserved, in: context) {
                    await lead(creation, context, create)
                }
                return Unchecked(try instance(of: try await outcome(of: creation, identity).value))
            }
            if let instance = try await wait(for: creation, identity) { return instance }
        }
    }

    /// The instance, created by the closure here and now if there is none, unless it is under creation already.
    func instance(
        synchronous identity: ServiceIdentity, _ graph: ObjectGraph?, _ ownership: Creation.Ownership,
        isolation: isolated (any Actor)? = #isolation,
        create: (InFlightCreation) throws(DependencyError) -> Service
    ) async throws(DependencyError) -> Unchecked<Service> {
        while true {
            if let instance = storage.load() { return Unchecked(instance) }
            let (creation, isNew) = join(identity, graph, ownership)
            if isNew { return Unchecked(try lead(creation, create)) }
            if let instance = try await wait(for: creation, identity) { return instance }
        }
    }

    /// The instance of a creation that was joined; nil if it is not for this caller.
    private func wait(
        for creation: InFlightCreation, _ identity: ServiceIdentity, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Unchecked<Service>? {
        if let instance = try instanceInside(creation) { return Unchecked(instance) }
        let isForOthers = creation.generation != storage.generation
        let outcome = try await outcome(of: creation, identity).value
        return isForOthers ? nil : Unchecked(try instance(of: outcome))
    }

    private func lead(
        _ creation: InFlightCreation, _ context: CreationContext,
        _ create: @Sendable (InFlightCreation) async throws(DependencyError) -> Unchecked<Service>
    ) async {
        // The context ends first: a waiter that learns of the end of the creation finds no task inside it any more.
        defer { creation.disposeOfLeftovers() }
        if let instance = storage.load() {
            context.end()
            return end(creation, instance)
        }
        storage.prepare()
        do throws(DependencyError) {
            let instance = try await create(creation)
            context.end()
            end(creation, instance.value)
        } catch {
            context.end()
            singleFlight.end(creation, .failure(error))
        }
    }

    /// Waits for the outcome of a creation, without blocking a thread.
    private func outcome(
        of creation: InFlightCreation, _ identity: ServiceIdentity, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Unchecked<InFlightCreation.Outcome> {
        guard let outcome = try await singleFlight.suspend(until: creation) else {
            throw DependencyError(.cancelled, identity)
        }
        return Unchecked(outcome)
    }
}
