// The driver for callers that do not suspend: it runs a factory on the caller's thread, and blocks that thread to wait for others.

extension InstancePlace {
    /// Returns the instance. If there is none, the closure creates it in a frame of the creation, on one thread at a time.
    ///
    /// - Parameter way: `.blocks`, or `.findsOnly`, for which the closure is not called.
    func takeOrCreate(
        _ identity: ServiceIdentity, _ way: Step.Way, create: (Creation) throws(DependencyError) -> Service
    ) throws(DependencyError) -> Service {
        while true {
            if let instance = shared.load() { return instance }
            let look = way == .findsOnly ? shared.cell.look() : look(identity)
            switch Step.next(look, way, Step.Caller()) {
            case .run(let creation): return try run(creation, create)
            case .borrow(let lent):
                if let instance = borrow(lent) { return instance }
            case .wait(let creation):
                // Invariant 5.
                let isForOthers = creation.generation != shared.generation
                let outcome = try shared.cell.wait(
                    for: creation, from: .innermost, mayBorrow: ResolutionStack.outermostCreation != nil)
                // Without an outcome, the instance is pending.
                if let outcome, !isForOthers { return try shared.instance(of: outcome) }
            case .refuse(let refusal): throw refusal.error(identity)
            }
        }
    }

    /// Looks for a creation in flight, and begins one if there is none.
    func look(_ identity: ServiceIdentity) -> Cell.Look {
        shared.cell.look {
            Creation(
                identity, ownership: ownership, inside: .current, in: shared.cell, graph: graph,
                generation: shared.generation)
        }
    }

    /// Runs the factory of a creation on this thread, and ends the creation.
    func run(
        _ creation: Creation, _ create: (Creation) throws(DependencyError) -> Service
    ) throws(DependencyError) -> Service {
        // After the end of the creation (invariant 8). The leftovers of a pending instance belong to its group: a borrower may run them on
        // another thread.
        var isPending = false
        defer { if !isPending { creation.disposeOfLeftovers() } }
        do throws(DependencyError) {
            let instance: Service
            // Invariant 2: another creation may have ended since the caller found the storage empty.
            if let found = shared.load() {
                instance = found
            } else {
                shared.prepare()
                instance = try create(creation)
                if creation.group != nil {
                    isPending = true
                    try creation.finishIfOutermost()
                    return instance
                }
            }
            shared.end(creation, instance)
            return instance
        } catch {
            shared.cell.end(creation, failure: error)
            creation.finishOthers()
            throw error
        }
    }

    /// Returns a pending instance, after the group of the caller has borrowed it; nil if the other group has failed meanwhile.
    func borrow(_ lent: Cell.Lent) -> Service? {
        if let outermost = ResolutionStack.outermostCreation {
            guard CompletionGroup.ofOutermost(outermost).borrow(from: lent.group) else { return nil }
        }
        return shared.value(of: lent.instance)
    }
}
