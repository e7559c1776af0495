/// What a caller does next that has found no instance in its place. `next` is the only function that decides this.
///
/// The drivers carry a step out, and then look again if they have no instance yet: Blocking.swift for callers that block their thread,
/// Suspending.swift for callers that suspend, and ServiceFactory+Dependencies.swift for those that never wait.
enum Step {
    /// Run the factory. The creation is the caller's, who has to end it.
    case run(Creation)
    /// Take the pending instance, if its group lends it to that of the caller.
    case borrow(Cell.Lent)
    /// Wait for the outcome of a creation.
    case wait(Creation)
    case refuse(Refusal)

    /// What the caller may do.
    enum Way {
        /// Block its thread, but not for a creation that suspends: the factory of that one may need the thread (invariant 9 of
        /// `Cell`).
        case blocks
        case suspends
        /// Take an instance only: a factory that suspends creates the service, and asynchronous factories promise that no thread is blocked
        /// for them.
        case findsOnly
        /// Create the instance only.
        case neverWaits
    }

    enum Refusal {
        /// The caller is inside this creation, and would wait for itself.
        case circular(Creation)
        /// Only a caller that suspends can get the instance.
        case onlyAsynchronous
    }

    /// The creations around a caller.
    struct Caller {
        let innermost = Creation.innermost
        /// The outermost creation of its thread. Its group borrows pending instances.
        let outermost = ResolutionStack.outermostCreation

        func isInside(_ creation: Creation) -> Bool { innermost?.isInside(creation) ?? false }

        /// Whether the caller may have a pending instance of a creation (invariant 1 of `CompletionGroup`). The instance of a group that
        /// has failed is for nobody, and its creation is about to end with the error.
        func mayTake(_ lent: Cell.Lent, of creation: Creation) -> Bool {
            guard let outermost else { return isInside(creation) || lent.group.hasEnded }
            return outermost.group === lent.group || !lent.group.hasFailed
        }
    }

    /// Decides from what a caller has found. Changes nothing.
    ///
    /// - Parameter caller: Evaluated only if the creation of another caller is in flight.
    static func next(_ look: Cell.Look, _ way: Way, _ caller: @autoclosure () -> Caller) -> Step {
        switch look {
        case .begun(let creation): return .run(creation)
        case .empty: return .refuse(.onlyAsynchronous)
        case .busy(let creation, let lent):
            if way == .neverWaits { return .refuse(.onlyAsynchronous) }
            let caller = caller()
            if let lent {
                if caller.mayTake(lent, of: creation) { return .borrow(lent) }
            } else if caller.isInside(creation) {
                return .refuse(.circular(creation))
            }
            let mayWait = way == .suspends || way == .blocks && !creation.isSuspending
            return mayWait ? .wait(creation) : .refuse(.onlyAsynchronous)
        }
    }
}

extension Step.Refusal {
    /// Returns the error for a service that was asked for.
    func error(_ identity: ServiceIdentity) -> DependencyError {
        switch self {
        case .onlyAsynchronous: return DependencyError(.onlyAsynchronous, identity)
        case .circular(let creation):
            let chain = Creation.currentTrail.dropFirst(creation.trail.count - 1)
            return DependencyError(circular: chain + [creation.identity])
        }
    }
}
