/// Coalesces concurrent creations of one instance: knows the creation in flight, and lets other callers wait for it.
///
/// The invariants and races are described in SharedInstance.swift. The lock is a part of the buffer: it needs no allocation of its
/// own, and its address is stable. Thread-safe: the variable is used only under the lock.
///
/// Behind the lock is a published word: that of `hasOwnerEnded`, or of a ``ScopeSlot``, which puts an instance behind it.
class SingleFlight: ManagedBuffer<SingleFlight.Contents, UInt32> {
    struct Contents {
        fileprivate var creation: Creation?
        /// The type of the instance in the memory behind the lock, if this is a ``ScopeSlot``.
        let typeOfInstance: (any Any.Type)?

        init(instancesOf type: (any Any.Type)? = nil) {
            typeOfInstance = type
        }
    }

    static func make() -> SingleFlight {
        let singleFlight = create(minimumCapacity: 2) { buffer in
            buffer.withUnsafeMutablePointerToElements { $0.initialize(repeating: 0, count: 2) }
            return Contents()
        }
        // `create` makes an instance of the class that it is called on.
        return unsafeDowncast(singleFlight, to: SingleFlight.self)
    }

    /// Whether the scoped registration that made this single flight has ended. A child may keep the single flight longer.
    final var hasOwnerEnded: Bool { withUnsafeMutablePointerToElements { loadPublished($0 + 1) != 0 } }

    /// Notes that the registration has ended. Not for a ``ScopeSlot``.
    final func noteEndOfOwner() { withUnsafeMutablePointerToElements { publish($0 + 1, 1) } }

    /// Begins a creation in a new single flight, which no other thread has seen. The caller has to end it.
    final func beginFirst(_ key: AnyServiceKey, inside surroundings: Creation.Surroundings) -> Creation {
        let creation = Creation(
            ServiceIdentity(key), ownership: .container, inside: surroundings, in: self, graph: nil)
        withUnsafeMutablePointerToHeader { $0.pointee.creation = creation }
        return creation
    }
}

extension SingleFlight {
    /// Runs a closure under the lock. The closure runs no user code, and returns the objects that it would release.
    private func withLock<Output>(_ body: (inout Creation?) -> Output) -> Output {
        withUnsafeMutablePointers { contents, lock in
            acquireLock(lock)
            defer { releaseLock(lock) }
            return body(&contents.pointee.creation)
        }
    }

    /// The creation in flight.
    var creation: Creation? { withLock { $0 } }

    /// Joins the creation in flight, or begins one, which the caller has to end.
    func join(_ make: () -> Creation) -> (creation: Creation, isNew: Bool) {
        func join(_ creation: Creation?) -> Creation? {
            creation?.joined += 1
            return creation
        }
        if let creation = withLock({ join($0) }) { return (creation, false) }
        let new = make()
        let other = withLock { creation in
            if creation == nil {
                creation = new
                return Creation?.none
            }
            return join(creation)
        }
        return (other ?? new, other == nil)
    }

    /// Ends a creation if nobody has joined it (invariant 7). An abandoned one has ended before.
    ///
    /// - Returns: Whether it has ended, so that nobody waits for its instance.
    func endIfNobodyJoined(_ ended: Creation) -> Bool {
        withLock { creation in
            if ended.hasEnded { return true }
            if ended.joined > 0 || ended.pending != nil { return false }
            ended.markAsEnded(nil)
            // Not the last reference, which would be released under the lock: the caller has one.
            creation = nil
            return true
        }
    }

    /// Ends a creation with an error.
    func end(_ creation: Creation, failure: DependencyError) { end(creation, .failure(failure)) }

    /// Ends a creation and wakes its waiters, unless it was abandoned and so has ended before.
    func end(_ ended: Creation, _ outcome: Creation.Outcome) { end(ended, outcome) { _ in true } }

    /// Ends a creation with an error because its code never will, unless it is claimed (invariant 6).
    func abandon(_ creation: Creation, _ error: DependencyError) {
        end(creation, .failure(error)) { !$0.isClaimed }
    }

    /// Ends a creation and wakes its waiters, if it is in flight and a condition holds under the lock.
    private func end(
        _ ended: Creation, _ outcome: Creation.Outcome, if condition: (Creation) -> Bool
    ) {
        let (waiters, pending) = withLock { creation -> (WaiterList, AnyObject?) in
            guard !ended.hasEnded, condition(ended) else { return (WaiterList(), nil) }
            ended.markAsEnded(outcome)
            creation = nil
            defer {
                ended.waiters = WaiterList()
                ended.pending = nil
            }
            return (ended.waiters, ended.pending)
        }
        waiters.wakeAll()
        withExtendedLifetime(pending) {}
    }

    /// Returns whether a creation has ended with an instance for its waiters.
    func hasEndedWithInstance(_ creation: Creation) -> Bool {
        withLock { _ in
            if case .instance = creation.outcome { true } else { false }
        }
    }

    /// Claims a creation whose instance is about to be stored. It cannot be abandoned from then on (invariant 6).
    ///
    /// - Returns: The error with which it was abandoned; nil if it was not.
    func claim(_ creation: Creation) -> DependencyError? {
        withLock { _ in
            if case .failure(let error) = creation.outcome { return error }
            creation.isClaimed = true
            return nil
        }
    }

    /// Returns the pending instance of a creation and its group; nil if it has none.
    func pending(of creation: Creation) -> (box: AnyObject, group: CompletionGroup)? {
        withLock { _ in
            // The group is set before the instance is shown, and until the creation has ended.
            if let box = creation.pending, let group = creation.group { (box, group) } else { nil }
        }
    }

    /// Publishes a pending instance to callers that may borrow it, and wakes those that wait for it.
    func show(_ box: AnyObject, of creation: Creation) {
        WaitForGraph.markAsExisting(creation)
        let borrowers = withLock { _ -> WaiterList in
            // It may have been abandoned.
            guard !creation.hasEnded else { return WaiterList() }
            creation.pending = box
            // One critical section (race A of CompletionGroup).
            return creation.waiters.takeBorrowers()
        }
        borrowers.wakeAll()
    }

    /// Adds a thread or task to the waiters, in one critical section with the check whether the creation has ended (race E).
    ///
    /// - Returns: Whether the creation is in flight, so that there is something to wait for.
    private func enqueue(_ waiter: Waiter, for creation: Creation) -> Bool {
        withLock { _ in
            guard !creation.hasEnded, !waiter.mayBorrow || creation.pending == nil else { return false }
            creation.waiters.append(waiter)
            return true
        }
    }

    /// Records in the wait-for graph that the creation around a caller waits for another one.
    ///
    /// - Returns: The edge; nil if no creation is around the caller, or if the other creation has an instance by now.
    private func waitEdge(from waiter: Creation?, to creation: Creation) throws(DependencyError) -> WaitEdge? {
        guard let waiter else { return nil }
        do throws(CircularWait) {
            let edge = try WaitForGraph.add(waiter, waitingFor: creation)
            edge?.noteBegin()
            return edge
        } catch {
            throw DependencyError(circular: error.chain)
        }
    }

    private func endWait(_ edge: WaitEdge) {
        edge.remove()
        edge.noteEnd()
    }

    /// Blocks the thread until a creation has ended, and returns its outcome; nil if the caller may borrow its pending instance.
    ///
    /// - Parameters:
    ///   - innermost: The innermost creation around the caller; nil if there is none.
    ///   - mayBorrow: Whether the caller is inside a creation of its thread.
    func wait(
        for creation: Creation, from innermost: Creation?, mayBorrow: Bool
    ) throws(DependencyError) -> Creation.Outcome? {
        // The pending instance of a group that has failed is for nobody. Its creation is about to end.
        let hasFailed = pending(of: creation)?.group.hasFailed ?? false
        let waiter = WaitingThread(mayBorrow: !hasFailed && mayBorrow)
        let edge = try waitEdge(from: innermost, to: creation)
        defer { if let edge { endWait(edge) } }
        if enqueue(waiter, for: creation) { waiter.sleep() }
        return withLock { _ in creation.outcome }
    }

    /// Suspends the task until a creation has ended, and returns its outcome; nil if the task was cancelled before.
    func suspend(
        until creation: Creation, from innermost: Creation?, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Creation.Outcome? {
        let waiter = WaitingTask()
        let edge = try waitEdge(from: innermost, to: creation)
        defer { if let edge { endWait(edge) } }
        if enqueue(waiter, for: creation) { await waiter.suspend() }
        return withLock { _ in
            if !creation.hasEnded { creation.waiters.remove(waiter) }
            return creation.outcome
        }
    }
}
