// Exactly-once creation of a shared instance.
//
// 1. Protocol
//
// A shared instance has a cell. The cell coalesces concurrent creations, and holds the instance in its memory. If the instance may end
// before the cell, a storage holds it instead (``InstanceStorage``): one of `.weak`, `.cached(in:)` or a custom lifetime.
//
// A caller that finds no instance joins the creation in flight. If there is none, it begins one and becomes the leader. The leader runs the
// factory, stores the instance and ends the creation; all other callers wait for the outcome. If the factory suspends, the leader
// is a task that the first caller starts. `Step.next` decides what a caller does.
//
//   empty, none in flight    ---- first caller ------------------>   empty, one in flight
//   empty, one in flight     ---- the factory returned ---------->   full, none in flight; or first pending, see CompletionGroup.swift
//   empty, one in flight     ---- the factory threw ------------->   empty, none in flight
//   full                     ---- cleared, or its object died --->   empty, none in flight; only with a storage
//
// 2. Synchronization
//
//   the memory of the cell   the leader writes it once, and then publishes a word, which readers load first
//   the storage              the leader fills it, any thread clears it; a lock of the storage serialises both
//   the creation in flight   under the lock of the cell; its variables: see Creation.swift
//
// 3. Invariants
//
// 1. No lock is held while a factory runs. The lock of a cell is held for a few instructions.
// 2. The leader looks for the instance once more before it runs the factory. A creation stores its instance before it ends, so an
//    instance that was created since the leader's first look is found. Two creations never fill the same gap (race A).
// 3. A caller inside the creation itself would wait for itself. It gets an error with the chain or, if the instance is pending, that
//    instance. Callers inside other creations may borrow it (CompletionGroup.swift).
// 4. A waiter gets the outcome of the creation that it joined, whatever happens to the instance meanwhile. A failure is not cached:
//    the next caller begins a new creation.
// 5. If the storage was reset since a creation began, the instance of that creation is not for later callers. They wait for its
//    end all the same, because only one creation is in flight at a time, and then begin their own (race D). A caller inside another
//    creation borrows a pending instance even so, because waiting for its end could deadlock.
// 6. A creation is claimed before its instance is stored. An abandoned creation cannot be claimed, and a claimed one cannot be
//    abandoned. Claiming, abandoning and ending take the same lock. So if a creation is abandoned and another one begins in its
//    place, exactly one of the two stores its instance (race C).
// 7. A creation that nobody has joined by its end passes its instance to nobody: later callers find it in its place. Joining and
//    ending take the same lock, so nobody joins in between (race B).
// 8. Disposal hooks of instances that were not stored run after the end of the creation, because they may resolve the service
//    again.
// 9. A thread never waits for a creation that suspends, because its factory may need that very thread.
//
// 4. Races
//
// A. Thread 1 finds no instance. Thread 2 creates the instance, stores it and ends its creation. Now thread 1 finds no
//    creation in flight and begins one. With a single look, it would run the factory a second time (invariant 2).
// B. The leader ends a creation while another caller is about to join it. If the caller is first, the leader sees that it has
//    joined, and passes it the instance. If the leader is first, the caller finds no creation in flight and begins one. As its
//    leader it finds the instance (invariants 7 and 2).
// C. A factory fails in `resolve`, and the failure handler parks its thread for ever. Its code never ends the creation, so the
//    creation is abandoned: the waiters get the error, and the next caller begins another one. But perhaps only a part of the
//    factory has stopped, such as one of its tasks, and the rest still returns an instance. So the leader claims the creation
//    before it stores the instance. If the creation was abandoned before, the instance is disposed of. If it was claimed before,
//    it is not abandoned, and the leader ends it (invariant 6). `Cell.createFirst` does not claim: a thread runs its
//    factory, and that thread never returns from the factory after the creation was abandoned.
// D. A scope is reset while a factory runs. A caller that joined the creation and compared the generations before the reset gets
//    the instance (invariant 4). A later one sees that the generation has changed, waits, and tries again (invariant 5).
// E. A creation ends while a waiter is about to sleep. Ending the creation takes all waiters from the list, and a waiter checks the
//    outcome before it adds itself, each in one critical section. So the waiter is woken, or does not sleep.
// F. Two creations wait for each other: see WaitForGraph.swift.

/// The place of one shared instance: coalesces the concurrent creations of the instance, and holds it unless a storage does.
///
/// It does not know the type of the service, so all services share this code. In one allocation there are the creation in flight, a lock, a
/// word that says whether there is an instance, and the memory of the instance. Thread-safe: the creation is used only under the lock. An
/// instance is written once, before its word is published, and stays until the cell ends.
final class Cell: ManagedBuffer<Cell.Contents, UInt32> {
    struct Contents: InstanceHeader {
        fileprivate var creation: Creation?
        /// Nil if a storage holds the instance.
        let typeOfInstance: (any Any.Type)?
    }

    /// What a caller finds that has no instance.
    enum Look {
        /// No creation is in flight.
        case empty
        /// The caller has begun this creation.
        case begun(Creation)
        /// The caller has joined this creation, which another caller has begun. It may have a pending instance.
        case busy(Creation, Lent?)
    }

    /// The pending instance of a creation.
    struct Lent {
        let instance: AnyBox
        /// The group that lends it to others.
        let group: CompletionGroup
    }

    /// Makes a cell with memory for an instance.
    static func make<Service>(for type: Service.Type) -> Cell { make(Contents(typeOfInstance: type), for: type) }

    /// Makes the cell of an instance that a storage holds.
    static func make() -> Cell { makeWithoutMemory(Contents(typeOfInstance: nil)) }

    deinit { endInstance() }

    /// Begins a creation in a new cell, which no other thread has seen. The caller has to end it.
    @inline(never)  // Inside its caller, it costs one more retain.
    func beginFirst(_ key: AnyServiceKey, inside surroundings: consuming Creation.Surroundings) -> Creation {
        let creation = Creation(
            ServiceIdentity(key), ownership: .container, inside: surroundings, in: self, graph: nil)
        withUnsharedHeader { $0.creation = creation }
        return creation
    }
}

// MARK: - The creation in flight

extension Cell {
    /// Runs a closure under the lock. The closure runs no user code, and returns the objects that it would release.
    fileprivate func withLock<Output>(_ body: (inout Creation?) -> Output) -> Output {
        withLockedHeader { body(&$0.creation) }
    }

    /// Whether a creation is in flight.
    var isBusy: Bool { withLock { $0 != nil } }

    /// Joins the creation in flight, if there is one.
    func look() -> Look { withLock { joinLocked($0) } }

    /// Joins the creation in flight. If there is none, begins one, which the caller has to end.
    func look(begin: () -> Creation) -> Look {
        let look = look()
        guard case .empty = look else { return look }
        let new = begin()
        return withLock { creation in
            let look = joinLocked(creation)
            guard case .empty = look else { return look }
            creation = new
            return .begun(new)
        }
    }

    private func joinLocked(_ creation: Creation?) -> Look {
        guard let creation else { return .empty }
        creation.joined += 1
        return .busy(creation, creation.lent)
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

    /// Ends a creation with its instance.
    ///
    /// - Parameter box: The instance. Evaluated only if another caller has joined the creation.
    @inline(__always)
    func end(_ creation: Creation, box: @autoclosure () -> AnyBox) {
        if !endIfNobodyJoined(creation) { end(creation, .instance(box())) }
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
        let (waiters, pending) = withLock { creation -> (WaiterList, AnyBox?) in
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

    /// Claims a creation, before its instance is stored. A claimed creation cannot be abandoned (invariant 6).
    ///
    /// - Returns: The error with which it was abandoned; nil if it was not.
    func claim(_ creation: Creation) -> DependencyError? {
        withLock { _ in
            if case .failure(let error) = creation.outcome { return error }
            creation.isClaimed = true
            return nil
        }
    }

    /// Publishes a pending instance to callers that may borrow it, and wakes those that wait for it.
    func show(_ instance: AnyBox, of creation: Creation) {
        WaitForGraph.markAsExisting(creation)
        let borrowers = withLock { _ -> WaiterList in
            // It may have been abandoned.
            guard !creation.hasEnded else { return WaiterList() }
            creation.pending = instance
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
        let hasFailed = withLock { _ in creation.lent }?.group.hasFailed ?? false
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

extension Creation {
    /// The pending instance; nil if there is none. Under the lock of the cell.
    fileprivate var lent: Cell.Lent? {
        // The group is set before the instance is shown, and until the creation has ended.
        if let pending, let group { Cell.Lent(instance: pending, group: group) } else { nil }
    }
}
