// The driver for callers that suspend: it runs a factory in a task of its own or in the caller's task, and blocks no thread.

extension InstancePlace {
    /// Returns the instance. If there is none, the closure creates it in a task of its own.
    ///
    /// With a task of its own, a waiter can be cancelled without cancelling the others, and the factory runs outside the caller's
    /// task-locals. The closure `begin` is called before this task starts.
    func takeOrCreate(
        asynchronous identity: ServiceIdentity, isObserved: Bool, isolation: isolated (any Actor)? = #isolation,
        begin: (Creation) -> Void,
        create: @escaping @Sendable (Creation) async throws(DependencyError) -> Unchecked<Service>
    ) async throws(DependencyError) -> Unchecked<Service> {
        let place = Unchecked(self)
        return try await takeOrCreate(suspending: identity, { look(suspending: identity) }) {
            creation async throws(DependencyError) in
            creation.isObserved = isObserved
            begin(creation)
            let context = CreationContext(creation)
            let task = startTask(inContextOfOwner: container, isObserved: isObserved, in: context) {
                await place.value.run(creation, context, create)
            }
            creation.noteAdoption(by: task)
            return Unchecked(try shared.instance(of: try await outcome(of: creation, identity).value))
        }
    }

    /// Returns the instance. If there is none, the closure creates it in the caller's task, unless a creation is in flight.
    func takeOrCreate(
        synchronous identity: ServiceIdentity, isolation: isolated (any Actor)? = #isolation,
        create: (Creation) throws(DependencyError) -> Service
    ) async throws(DependencyError) -> Unchecked<Service> {
        try await takeOrCreate(suspending: identity, { look(identity) }) { creation async throws(DependencyError) in
            Unchecked(try run(creation, create))
        }
    }

    private func takeOrCreate(
        suspending identity: ServiceIdentity, isolation: isolated (any Actor)? = #isolation,
        _ look: () -> Cell.Look,
        run: (Creation) async throws(DependencyError) -> Unchecked<Service>
    ) async throws(DependencyError) -> Unchecked<Service> {
        while true {
            if let instance = shared.load() { return Unchecked(instance) }
            switch Step.next(look(), .suspends, Step.Caller()) {
            case .run(let creation): return try await run(creation)
            case .borrow(let lent):
                if let instance = borrow(lent) { return Unchecked(instance) }
            case .wait(let creation):
                // Invariant 5.
                let isForOthers = creation.generation != shared.generation
                let outcome = try await outcome(of: creation, identity).value
                if !isForOthers { return Unchecked(try shared.instance(of: outcome)) }
            case .refuse(let refusal): throw refusal.error(identity)
            }
        }
    }

    /// Looks for a creation in flight, and begins one that suspends if there is none.
    private func look(suspending identity: ServiceIdentity) -> Cell.Look {
        shared.cell.look {
            Creation(
                identity, ownership: ownership, inside: .current, suspendingFor: container, in: shared.cell,
                graph: ownership.isRegistration ? ObjectGraph() : graph ?? .currentOrNew,
                // The caller that begins the creation waits for it too.
                generation: shared.generation, joined: 1)
        }
    }

    /// Runs the factory of a creation in its task, and ends the creation.
    private func run(
        _ creation: Creation, _ context: CreationContext,
        _ create: @Sendable (Creation) async throws(DependencyError) -> Unchecked<Service>
    ) async {
        // After the end of the creation (invariant 8), as in Blocking.swift.
        var isPending = false
        defer { if !isPending { creation.disposeOfLeftovers() } }
        // Invariant 2. The context ends before the creation: a waiter that has the outcome must not find a task inside it any more.
        if let instance = shared.load() {
            creation.noteEnd(isCreated: false)
            context.end()
            return shared.end(creation, instance)
        }
        shared.prepare()
        do throws(DependencyError) {
            let instance = try await create(creation)
            if let group = creation.group {
                isPending = true
                try group.finish { context.end() }
            } else {
                context.end()
                shared.end(creation, instance.value)
            }
        } catch {
            context.end()
            shared.cell.end(creation, failure: error)
        }
    }

    /// Returns the outcome of a creation, without blocking a thread. Throws if the caller's task is cancelled.
    private func outcome(
        of creation: Creation, _ identity: ServiceIdentity, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Unchecked<Creation.Outcome> {
        guard let outcome = try await shared.cell.suspend(until: creation, from: .innermost) else {
            throw DependencyError(.cancelled, identity)
        }
        return Unchecked(outcome)
    }
}
