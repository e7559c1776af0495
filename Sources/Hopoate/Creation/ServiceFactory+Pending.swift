// Instances that wait for the end of the outermost creation. See CompletionGroup.swift.

extension ServiceFactory {
    /// Makes a shared instance pending, in the group of the outermost creation. Called when its factory has returned.
    func makePending(
        _ key: ServiceKey<Service>, _ instance: Service, in place: InstancePlace<Service>, _ creation: Creation
    ) {
        // A creation that suspends is the outermost one of its completion.
        let outermost = creation.isSuspending ? creation : ResolutionStack.outermostCreation ?? creation
        let group = CompletionGroup.ofOutermost(outermost)
        // The caller leaves the place before the instance is complete.
        place.entry?.hold()
        group.add(
            PendingInstance(
                creation: creation,
                complete: completion.map { completion in
                    inContextOfFactory(of: creation, key) { try completion(instance, place.container) }
                },
                handOut: { () throws(DependencyError) in try self.handOut(instance, in: place, creation) },
                fail: { error in self.fail(creation, error, in: place) },
                dispose: hooks.map { hooks in
                    { Disposal(hooks, for: instance, mark: 0).run(in: place.container.state) }
                }))
        place.shared.showPending(instance, of: creation)
    }

    /// Runs the completion of an instance that is not shared: at the end of the outermost creation, or now if there is none.
    func complete(
        _ key: ServiceKey<Service>, _ instance: Service, for container: DependencyContainer,
        _ completion: @escaping (Service, DependencyContainer) throws -> Void
    ) throws {
        guard let outermost = ResolutionStack.outermostCreation else { return try completion(instance, container) }
        let group = CompletionGroup.ofOutermost(outermost)
        // For the dependency chain: the frame of the instance ends before its completion runs.
        let creation = Creation(key.identity, ownership: .caller, inside: .ofInnermostFrame, graph: nil)
        // A completion that resolves its own service would go on for ever: it runs outside the frames of the earlier ones.
        if creation.depth > ResolutionStack.deepestOwnCompletion {
            let isRepeated = creation.completionsOfOwnService > ResolutionStack.deepestOwnCompletion
            if isRepeated, let error = DependencyError(endless: creation.trail) { throw error }
            if creation.depth > ResolutionStack.deepestSuspending { throw DependencyError(tooDeep: creation.trail) }
        }
        let complete = inContextOfFactory(of: creation, key) { try completion(instance, container) }
        group.add(PendingInstance(creation: creation, complete: complete, handOut: nil, fail: nil, dispose: nil))
    }

    /// Returns a closure that runs a completion later, in the context in which the factory runs now.
    ///
    /// Later, all frames up to that of the outermost creation have ended. Without the context, the completion of a part of a singleton
    /// would see the caller of the singleton (J4 in Design.md).
    private func inContextOfFactory(
        of creation: Creation, _ key: ServiceKey<Service>, _ body: @escaping () throws -> Void
    ) -> () throws(DependencyError) -> Void {
        if creation.ownership == .caller { creation.owningService = .current }
        let shared = Override.current
        // That of the factory's region. The frames around the completion may be in another one.
        let graph = ObjectGraph.current
        let run = { () throws(DependencyError) in
            defer { withExtendedLifetime(shared) {} }
            do {
                try withThrowingFrame(key.erased, creation: creation, container: shared, graph: graph, body)
            } catch {
                throw DependencyError(error, key, trail: creation.trail)
            }
        }
        // A factory that suspends runs in a task with the right context already, and has no frame.
        guard let context = ResolutionStack.ownerContext?.ofCompletion else { return run }
        creation.ownerContext = context
        let owner = context.owner.container
        return { () throws(DependencyError) in
            defer { withExtendedLifetime(owner) {} }
            try context.run(run)
        }
    }

    /// Stores a complete instance, and ends its creation.
    private func handOut(
        _ instance: Service, in place: InstancePlace<Service>, _ creation: Creation
    ) throws(DependencyError) {
        do throws(DependencyError) {
            try keep(instance, in: place, creation)
            place.leave(hasInstance: true, before: creation)
            place.shared.end(creation, instance)
        } catch {
            fail(creation, error, in: place)
            throw error
        }
    }

    /// Ends the creation of a pending instance with an error.
    private func fail(_ creation: Creation, _ error: DependencyError, in place: InstancePlace<Service>) {
        noteFailure(error, in: place.container)
        place.leave(hasInstance: false, before: creation)
        place.shared.cell.end(creation, failure: error)
    }
}

// MARK: - Ending an outermost creation

extension Creation {
    /// Whether the instance has to wait for the end of the outermost creation.
    var isPendingAtEnd: Bool { group != nil || innermostFrame != nil && CompletionGroup.current != nil }

    /// Called when the factory has returned, and its instance is pending: ends the group if this is the outermost creation.
    func finishIfOutermost() throws(DependencyError) {
        guard ResolutionStack.outermostCreation == nil, let group else { return }
        do throws(DependencyError) {
            try group.finish()
        } catch {
            // A later instance may have been refused after this one was handed out.
            if !isHandedOut { throw error }
        }
    }

    /// Called when the factory has thrown, after the end of the creation: completes the other instances of its group, if it has one.
    func finishOthers() {
        guard let group else { return }
        self.group = nil
        // Their own callers get an error of theirs. This one's caller gets the error of the factory.
        try? group.finish()
    }
}
