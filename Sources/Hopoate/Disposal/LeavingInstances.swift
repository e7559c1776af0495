/// The instances of a container whose asynchronous hooks run although the container was not shut down.
///
/// The container has released them because they were removed, replaced, reset or over a limit, or because their creation failed. Their hooks
/// run in tasks of their own. The shutdown waits for them before it runs other hooks, because they may use services that are still there. So a program
/// that ends after its shutdown cuts off no hook.
///
/// Invariant: an instance with an asynchronous hook is in the list of the container's disposals, or here, or the shutdown has taken it, or
/// its hook has ended. Callers move it under the lock of ``ContainerState``, in one step.
///
/// Race: a shutdown against a removal. If the shutdown is first, it runs the hook. Otherwise it finds the instance here, even if the
/// hook has not been started, and waits. If a creation ends after the shutdown has begun, the shutdown may also wait for the hook of that
/// instance.
///
/// No deadlock: a shutdown that one of these hooks has begun, directly or not, does not wait for any of them. So no two of them wait for
/// each other. A second call of a shutdown waits for nothing at all.
struct LeavingInstances {
    private var disposals: [ObjectIdentifier: Disposal] = [:]
    /// The shutdown that waits.
    private var waiter: WaitingTask?

    var isEmpty: Bool { disposals.isEmpty }

    /// Adds an instance, if it has an asynchronous hook.
    mutating func add(_ disposal: Disposal) {
        if disposal.isAsynchronous { disposals[ObjectIdentifier(disposal)] = disposal }
    }

    /// Removes an instance, if it is there.
    ///
    /// - Returns: The shutdown to wake; and the instance, which must not be released under the lock.
    mutating func remove(_ disposal: Disposal) -> (WaitingTask?, Disposal?) {
        (waiter.take(), disposals.removeValue(forKey: ObjectIdentifier(disposal)))
    }

    var all: [Disposal] { Array(disposals.values) }

    /// Makes a task the one that waits, if there is something to wait for.
    mutating func beginWait(_ waiter: WaitingTask) -> Bool {
        if disposals.isEmpty { return false }
        self.waiter = waiter
        return true
    }
}
