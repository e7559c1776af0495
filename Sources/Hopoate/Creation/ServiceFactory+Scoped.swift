// Creation of the instances that child containers keep in scope slots.
//
// A server runs this for each scoped service of each HTTP request, so it is faster than `resolveSlow`. It creates a service if the
// service has no disposal hook and no completion, and if its factory does not suspend. `resolveSlow` creates the other services.
//
// `resolveSlow` has two steps: it puts an empty slot into the container, and then begins a creation in it. Here the slot comes with
// its creation, so one step does both. The thread that puts it there runs the factory. The others find it and wait.
//
// Most of it does not know the type of the service: generic code that is not specialised would cost more than the rest.

extension ServiceFactory {
    /// Looks up the container's own instance of a scoped service in its slot. Throws if a service with a longer life would keep it.
    @inline(__always)
    func existingScoped(
        _ key: ServiceKey<Service>, _ resolution: Resolution
    ) throws(DependencyError) -> ScopedLookup<Service> {
        // The caller may be the factory of a service that all callers share, on this thread or in a task.
        if innermostFrame != nil || isWatched { try OwningService.checkForCaptivity(key, resolution) }
        return resolution.lookUpScoped(scopePlace, Service.self)
    }

    /// Returns the container's own instance of a scoped service that was not in its slot, creating it if necessary.
    @inline(never)
    func scopedInstance(
        _ key: ServiceKey<Service>, _ scopedKey: AnyServiceKey, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> Service {
        guard resolution.registry.hasScopeSlot(scopePlace) else {
            return try instanceInTable(key, scopedKey, arguments, resolution)
        }
        guard hasScopedClosure, resolution.isFromParent else { return try resolveSlow(key, arguments, resolution) }
        let cell = Cell.make(for: Service.self)
        switch try createInstance(in: cell, key, arguments, resolution) {
        case .stored: return cell.instance(as: Service.self)
        case .pending(let creation): return try pendingInstance(key, cell, resolution.container, creation)
        case .notFilled: return try resolveSlow(key, arguments, resolution)
        }
    }

    /// The same for a caller that may suspend. If another caller creates the instance, this one suspends.
    func scopedInstance(
        suspending key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        guard resolution.isFromParent, resolution.registry.hasScopeSlot(scopePlace) else {
            return try await resolveSlow(suspending: key, arguments, resolution)
        }
        let lookup = try existingScoped(key, resolution)
        if lookup.hasInstance { return lookup.takeInstance() }
        lookup.end()
        var graph: ObjectGraph?
        if try suspendingClosure(key.erased, in: resolution.container, &graph) == nil {
            let cell = Cell.make(for: Service.self)
            switch try createInstance(in: cell, key, arguments, resolution, graph) {
            case .stored: return cell.instance(as: Service.self)
            case .pending(let creation): return try pendingInstance(key, cell, resolution.container, creation)
            case .notFilled: break
            }
        }
        return try await resolveSlow(suspending: key, arguments, resolution, graph)
    }

    /// Creates a container's own instance in its slot, which the caller found empty. Never waits.
    ///
    /// - Returns: Whether it did; not if another caller was faster.
    func createInSlot(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> Bool {
        let cell = Cell.make(for: Service.self)
        switch try createInstance(in: cell, key, arguments, resolution) {
        case .stored: return true
        case .pending(let creation):
            _ = try pendingInstance(key, cell, resolution.container, creation)
            return true
        case .notFilled: return false
        }
    }

    /// Creates the instance in a new slot, unless the container has an instance or a creation. Never waits.
    @inline(__always)
    private func createInstance(
        in cell: Cell, _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution,
        _ graph: ObjectGraph? = nil
    ) throws(DependencyError) -> Cell.CreationOutcome {
        // The container and the closure are not copied here, because each reference counted costs as much as a lookup.
        try resolution.withContainer { container throws(DependencyError) in
            do throws(DependencyError) {
                return try cell.createFirst(key.erased, in: scopePlace, of: container, graph) { memory, container in
                    try memory.initialize { try directClosure(container, arguments) }
                }
            } catch {
                noteFailure(error, in: container)
                throw error
            }
        }
    }

    /// Returns the instance of a container that has no slot for it.
    @inline(never)
    private func instanceInTable(
        _ key: ServiceKey<Service>, _ scopedKey: AnyServiceKey, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> Service {
        if let instance = resolution.container.registry.scopedInstance(scopedKey, Service.self) { return instance }
        return try resolveSlow(key, arguments, resolution)
    }

    /// Makes a new instance pending, and returns it.
    @inline(never)
    private func pendingInstance(
        _ key: ServiceKey<Service>, _ cell: Cell, _ container: DependencyContainer, _ creation: Creation
    ) throws(DependencyError) -> Service {
        let instance = cell.takeInstance(as: Service.self)
        let place = InstancePlace(
            shared: SharedInstance<Service>(in: cell), container: container, disposals: nil,
            ownership: .container)
        makePending(key, instance, in: place, creation)
        do throws(DependencyError) {
            try creation.finishIfOutermost()
        } catch {
            cell.fail(creation, error)
            throw error
        }
        return instance
    }
}

extension Cell {
    /// How a creation in a new slot went on.
    enum CreationOutcome {
        /// The instance is there.
        case stored
        /// The factory has returned, and the instance has to wait for the end of the outermost creation. It is in its memory, but not
        /// published.
        case pending(Creation)
        /// Nothing was created: the container has ended, or this task creates another service; or the container has another object in the
        /// slot, because another thread was faster, the factory resolves its own service, or an earlier creation failed.
        case notFilled
    }

    /// Puts this new object into its slot, and creates the instance.
    ///
    /// - Parameters:
    ///   - graph: The object graph of the resolve call, if it is known.
    ///   - factory: Initialises the memory of the instance.
    func createFirst(
        _ key: AnyServiceKey, in place: ScopePlace, of container: DependencyContainer, _ graph: ObjectGraph?,
        _ factory: (InstanceMemory, DependencyContainer) throws -> Void
    ) throws(DependencyError) -> CreationOutcome {
        // `resolveSlow` binds the context for the tasks of the factory. So without a frame, there is no service that could keep the
        // instance longer; with one, the caller has checked.
        if container.hasEnded || CreationContext.creation != nil { return .notFilled }
        let creation = beginFirst(key, inside: .current)
        if !container.registry.fill(place, with: self) {
            // The cell and its creation refer to each other until the creation ends, so it ends here.
            _ = endIfNobodyJoined(creation)
            return .notFilled
        }
        do {
            // Not by `withThrowingFrame`, for which the compiler would retain the creation.
            var frame = ResolutionStack.Frame(
                key, inside: innermostFrame, creation: creation, container: container, graph: graph)
            try runUnlessTooDeep(key, in: &frame) {
                try withMemory { try factory($0, container) }
            }
        } catch {
            let error = DependencyError(error, creating: ServiceIdentity(key), trail: nil)
            fail(creation, error)
            throw error
        }
        // Before the next check: if the container has ended, the group refuses a pending instance, but only after the completions of all
        // its instances have run. `resolveSlow` does the same.
        if creation.isPendingAtEnd { return .pending(creation) }
        if container.hasEnded {
            discardInstance()
            let error = DependencyError(.shutDown, ServiceIdentity(key))
            fail(creation, error)
            throw error
        }
        // Without `claim`: the thread of an abandoned creation never returns from the factory, and this one has returned (race C of
        // `Cell`).
        publishInstance()
        end(creation, box: box())
        return .stored
    }

    /// Ends a creation that has failed.
    func fail(_ creation: Creation, _ error: DependencyError) {
        end(creation, .failure(error))
        creation.finishOthers()
    }
}
