extension SharedInstance {
    /// Returns the instance. If there is none, the closure `create` creates it in a task of its own.
    ///
    /// With a task of its own, a waiter can be cancelled without cancelling the others, and the factory runs outside the caller's
    /// task-locals. The closure `begin` is called before this task starts.
    func instance(
        asynchronous identity: ServiceIdentity, _ graph: ObjectGraph?, _ ownership: Ownership,
        for container: DependencyContainer, isObserved: Bool, isolation: isolated (any Actor)? = #isolation,
        begin: (Creation) -> Void,
        create: @escaping @Sendable (Creation) async throws(DependencyError) -> Unchecked<Service>
    ) async throws(DependencyError) -> Unchecked<Service> {
        while true {
            if let instance = storage.load() { return Unchecked(instance) }
            // The caller that begins the creation waits for it too.
            let (creation, isNew) = join(
                identity, ownership.isRegistration ? ObjectGraph() : graph ?? .currentOrNew, ownership,
                suspendingFor: container, joined: 1)
            if isNew {
                creation.isObserved = isObserved
                begin(creation)
                let context = CreationContext(creation)
                let task = startTask(inContextOfOwner: container, isObserved: isObserved, in: context) {
                    await lead(creation, context, create)
                }
                creation.noteAdoption(by: task)
                return Unchecked(try instance(of: try await outcome(of: creation, identity).value))
            }
            if let instance = try await wait(for: creation, identity) { return instance }
        }
    }

    /// Returns the instance. If there is none, the closure creates it in the caller's task, unless a creation is in flight.
    func instance(
        synchronous identity: ServiceIdentity, _ graph: ObjectGraph?, _ ownership: Ownership,
        isolation: isolated (any Actor)? = #isolation,
        create: (Creation) throws(DependencyError) -> Service
    ) async throws(DependencyError) -> Unchecked<Service> {
        while true {
            if let instance = storage.load() { return Unchecked(instance) }
            let (creation, isNew) = join(identity, graph, ownership)
            if isNew { return Unchecked(try lead(creation, create)) }
            if let instance = try await wait(for: creation, identity) { return instance }
        }
    }

    /// Waits for a creation that the caller has joined. Returns nil if its instance is not for this caller (invariant 5).
    private func wait(
        for creation: Creation, _ identity: ServiceIdentity, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Unchecked<Service>? {
        if let instance = try instanceInside(creation) { return Unchecked(instance) }
        let isForOthers = creation.generation != storage.generation
        let outcome = try await outcome(of: creation, identity).value
        return isForOthers ? nil : Unchecked(try instance(of: outcome))
    }

    /// Runs the factory of a creation in its task, and ends the creation.
    private func lead(
        _ creation: Creation, _ context: CreationContext,
        _ create: @Sendable (Creation) async throws(DependencyError) -> Unchecked<Service>
    ) async {
        // After the end of the creation (invariant 8).
        defer { creation.disposeOfLeftovers() }
        // Invariant 2. The context ends before the creation: a waiter that has the outcome must not find a task inside it any more.
        if let instance = storage.load() {
            creation.noteEnd(isCreated: false)
            context.end()
            return end(creation, instance)
        }
        storage.prepare()
        do throws(DependencyError) {
            let instance = try await create(creation)
            if let group = creation.group {
                try group.finish { context.end() }
            } else {
                context.end()
                end(creation, instance.value)
            }
        } catch {
            context.end()
            singleFlight.end(creation, .failure(error))
        }
    }

    /// Returns the outcome of a creation, without blocking a thread. Throws if the caller's task is cancelled.
    private func outcome(
        of creation: Creation, _ identity: ServiceIdentity, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Unchecked<Creation.Outcome> {
        guard let outcome = try await singleFlight.suspend(until: creation, from: .innermost) else {
            throw DependencyError(.cancelled, identity)
        }
        return Unchecked(outcome)
    }
}
