// The end of an outermost creation: its completions, and the instances that wait for them.
//
// 1. Protocol
//
// Two services may need each other: the factory of A resolves B, and the completion of B (`afterCreation`) resolves A. So a
// completion runs when all instances of the outermost creation exist:
//
//   A begins --- B begins --- B is pending --- A is pending --- completion of B --- A and B are handed out
//
// The outermost creation is that of the first shared instance on the stack of the thread. As soon as it contains an instance with
// a completion, it has a group. Every instance that comes into existence in it from then on is pending: the factory has returned, and
// the instance is in the group. That includes instances without a completion, because they may refer to the others. When the
// outermost instance is pending too, the thread runs the completions in the order of the instances. They may add more instances.
// Then it hands all instances out: it stores them and ends their creations.
//
// If the factory of the outermost instance throws, its creation ends with the error. The other instances exist, so they are
// completed and handed out all the same. If a completion throws, all creations of the group end with that error, and all its instances
// are disposed of, complete or not: each factory has returned, so its hook has something to close.
//
// 2. Other threads
//
// A caller that is inside no creation waits until an instance is handed out. A caller inside a creation must not:
//
//   thread 1:  runs the factory of A      ---- resolves B ---->  B is pending in the group of thread 2
//   thread 2:  runs the completion of B   ---- resolves A ---->  waits until A exists
//
// So thread 1 borrows: it gets the pending instance, and its own group hands nothing out before the group of B is complete.
//
// 3. Synchronization
//
//   `instances`, `completed`, `ended`, `Creation.group`           the thread of the outermost creation; other threads read the group of a
//                                                                 pending instance under the lock of its cell
//   `state`, `lenders`, `waiters`, `borrowers`, `failed`,
//   `undisposed`                                                  under `ProcessLock.groups`
//   `Creation.hasInstance`                                        under the lock of `WaitForGraph`
//
// 4. Invariants
//
// 1. A caller gets a pending instance in three cases only: inside the outermost creation of the instance; inside another one, after
//    the group of that one has borrowed from the group of the instance; or after the group has ended, when the instance is complete.
// 2. A group hands out its instances when it is complete, and all groups that it has borrowed from, directly or not, are complete
//    or have ended. A complete group runs no user code before it ends, so it borrows nothing more, and the answer stays true.
// 3. A thread waits for another one only in two ways. Inside a creation it waits until an instance exists; `WaitForGraph` refuses
//    cycles of these waits. At the end it waits until groups are complete. A group becomes complete when factories and completions
//    return, and these wait only in the first way. So there is no deadlock.
// 4. Groups belong to code that does not suspend. A creation that suspends is never inside a group. It has one of its own while its
//    completion runs. So no thread waits for a task.
// 5. The instances of a failed group are disposed of and released when each group that has borrowed from it, directly or not, has ended
//    or failed too, and then together with theirs. Until then, factories and completions of those groups may use them. So a borrower
//    gets an error at its end, and never a closed or released instance before.
// 6. The leftovers of a pending instance (`Creation.disposeLater`) belong to the group: it runs them once, after the instances were handed
//    out or disposed of. So the driver that has run the factory must not touch them any more: a borrower may run them meanwhile.
//
// 5. Races
//
// A. Thread 1 waits until B exists, while thread 2 makes it pending. `Cell.show` publishes the instance and takes the
//    waiters that may borrow in one critical section. A waiter checks for a pending instance before it sleeps, under the same lock.
// B. Thread 1 was woken because B is pending, but its edge is still in the wait-for graph. The completion of B resolves A, which
//    thread 1 creates. The search for a cycle would find this old edge. So it ignores edges to creations with an instance.
// C. A group fails after another one has borrowed from it. The state of a group stays, so the other one finds it at its end. If the
//    other one is open, it gets the failed group, and disposes of its instances at its own end (invariant 5). Recording a borrow,
//    failing and ending are critical sections: a group that borrows later finds the failure, and gets nothing.

/// An instance that exists, but is not handed out before its group is complete.
struct PendingInstance {
    let creation: Creation
    /// Runs the completion; nil if there is none.
    let complete: (() throws(DependencyError) -> Void)?
    /// Hands the instance out; nil for one that is not shared, since its caller has it.
    let handOut: (() throws(DependencyError) -> Void)?
    /// Ends the creation with an error; nil for an instance that is not shared.
    let fail: ((DependencyError) -> Void)?
    /// Disposes of the instance, if its creation has failed; nil if it has no hooks.
    let dispose: (() -> Void)?
}

/// The pending instances of one outermost creation.
// Unchecked, because it has variables. Sound, because each is used by one thread or under a lock, see above.
final class CompletionGroup: @unchecked Sendable {
    private enum State {
        case open
        /// All completions have returned.
        case complete
        /// The instances are being handed out, or have been.
        case ended
        case failed(DependencyError)
    }

    /// In the order in which they came into existence.
    private var instances: [PendingInstance] = []
    /// The number of completed instances. They come first in `instances`.
    private var completed = 0
    /// The number of instances that were handed out or have failed. They come first in `instances`.
    private var ended = 0
    private var state = State.open
    /// The groups that this one has borrowed from, each once.
    private var lenders: [CompletionGroup] = []
    private var isLender: Set<ObjectIdentifier> = []
    /// The groups that have borrowed from this one, until it ends or its instances are disposed of.
    private var borrowers: [CompletionGroup] = []
    /// The instances of this group after all their creations have failed, until they are disposed of; nil before.
    private var failed: [PendingInstance]?
    /// Failed groups that this group has borrowed from. When this group ends, it disposes of their instances.
    private var undisposed: [CompletionGroup] = []
    private var waiters = WaiterList()

    /// Returns the group of an outermost creation, and makes it if necessary.
    static func ofOutermost(_ creation: Creation) -> CompletionGroup {
        if let group = creation.group { return group }
        let group = CompletionGroup()
        creation.group = group
        return group
    }

    /// Adds a pending instance.
    func add(_ instance: PendingInstance) {
        instances.append(instance)
        instance.creation.group = self
    }

    /// Whether the instances are being handed out. If so, they are complete, and every caller may get them.
    var hasEnded: Bool {
        ProcessLock.groups.withLock {
            if case .ended = state { true } else { false }
        }
    }

    /// Whether the creations have failed, or are about to.
    var hasFailed: Bool {
        ProcessLock.groups.withLock {
            if case .failed = state { true } else { false }
        }
    }

    /// Records that an instance of this group may refer to the pending instances of another one.
    ///
    /// - Returns: Whether it may have them. Not if the other group has failed.
    func borrow(from other: CompletionGroup) -> Bool {
        if other === self { return true }
        return ProcessLock.groups.withLock {
            switch other.state {
            case .failed: return false
            // Complete for good, as are its lenders.
            case .ended: return true
            case .open, .complete:
                if isLender.insert(ObjectIdentifier(other)).inserted {
                    lenders.append(other)
                    other.borrowers.append(self)
                }
                return true
            }
        }
    }

    /// Runs the completions, and hands the instances out. Called when the outermost factory has returned or thrown.
    ///
    /// The closure is called before the first creation ends.
    func finish(_ willEnd: () -> Void = {}) throws(DependencyError) {
        do throws(DependencyError) {
            // A completion may add instances.
            while completed < instances.count {
                try instances[completed].complete?()
                completed += 1
            }
            leave(.complete)
            if !instances.isEmpty { try waitForBorrowed() }
            leave(.ended)
        } catch {
            willEnd()
            fail(error)
            throw error
        }
        willEnd()
        try handOut()
    }

    private func handOut() throws(DependencyError) {
        while let instance = next() {
            // Until its creation has ended, other threads may read its group.
            defer { instance.creation.group = nil }
            do throws(DependencyError) {
                try instance.handOut?()
            } catch {
                // The others may refer to this instance.
                fail(error)
                throw error
            }
        }
        // Only at the end, because releases and disposal hooks may resolve the other instances of the group.
        for instance in exchange(&instances, with: []) { instance.creation.disposeOfLeftovers() }
        for group in ProcessLock.groups.withLock({ exchange(&undisposed, with: []) }) { group.disposeIfUnused() }
    }

    /// Ends the creations that have not ended with an error: a completion has failed, or their code never ends them. Disposes of their
    /// instances now or, if another group may use them, at the end of that one.
    func fail(_ error: DependencyError) {
        guard leave(.failed(error)) else { return }
        let handedOut = instances.prefix(ended)
        let others = instances.dropFirst(ended)
        while let instance = next() {
            instance.fail?(error)
            instance.creation.group = nil
        }
        instances = []
        let waiting = ProcessLock.groups.withLock {
            failed = Array(others)
            return exchange(&undisposed, with: [])
        }
        for instance in handedOut { instance.creation.disposeOfLeftovers() }
        disposeIfUnused()
        for group in waiting { group.disposeIfUnused() }
    }

    /// Disposes of the instances of this failed group and of the groups that have borrowed from it, if none of them is still undecided
    /// (invariant 5). Otherwise one that is does it at its end.
    private func disposeIfUnused() {
        let unused = ProcessLock.groups.withLock { takeUnused() }
        for instance in unused {
            instance.dispose?()
            instance.creation.disposeOfLeftovers()
        }
    }

    /// Takes the instances for `disposeIfUnused`, latest first. Called under the lock.
    private func takeUnused() -> [PendingInstance] {
        var groups = [self]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var next = 0
        while next < groups.count {
            for group in groups[next].borrowers where seen.insert(ObjectIdentifier(group)).inserted {
                if group.isUndecided {
                    group.undisposed.append(self)
                    return []
                }
                groups.append(group)
            }
            next += 1
        }
        return groups.reversed().flatMap { group in
            group.borrowers = []
            return (exchange(&group.failed, with: []) ?? []).reversed()
        }
    }

    /// Whether code of this group may still run, or its creations have not all failed. Called under the lock.
    private var isUndecided: Bool {
        if case .ended = state { false } else { failed == nil }
    }

    /// Returns the next instance to end; nil at the end.
    private func next() -> PendingInstance? {
        guard ended < instances.count else { return nil }
        ended += 1
        return instances[ended - 1]
    }

    /// Changes the state, and wakes the threads that wait for it. A group that has failed stays so.
    ///
    /// - Returns: Whether the state has changed.
    @discardableResult
    private func leave(_ new: State) -> Bool {
        let (hasChanged, waiters, lenders) = ProcessLock.groups.withLock {
            () -> (Bool, WaiterList, [CompletionGroup]) in
            if case .failed = state { return (false, WaiterList(), []) }
            state = new
            let waiters = exchange(&self.waiters, with: WaiterList())
            // A complete group is still asked for its lenders. Afterwards they are released: two groups may be lenders of each other.
            if case .complete = new { return (true, waiters, []) }
            if case .ended = new { borrowers = [] }
            isLender = []
            return (true, waiters, exchange(&self.lenders, with: []))
        }
        waiters.wakeAll()
        withExtendedLifetime(lenders) {}
        return hasChanged
    }

    /// Blocks the thread until all groups that this one has borrowed from, directly or not, are complete (invariant 2).
    private func waitForBorrowed() throws(DependencyError) {
        while true {
            let waiter = WaitingThread(mayBorrow: false)
            let found = ProcessLock.groups.withLock { enqueueIfOpen(waiter) }
            switch found {
            case .open: waiter.sleep()
            case .failed(let error): throw error
            case .complete, .ended: return
            }
        }
    }

    /// Searches the borrowed groups for one that is open, and adds a waiter to it. Called under the lock.
    private func enqueueIfOpen(_ waiter: WaitingThread) -> State {
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var next = lenders
        while let group = next.popLast() {
            guard seen.insert(ObjectIdentifier(group)).inserted else { continue }
            switch group.state {
            case .open:
                group.waiters.append(waiter)
                return .open
            case .complete: next += group.lenders
            case .ended: break
            case .failed: return group.state
            }
        }
        return .complete
    }
}
