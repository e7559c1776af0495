// Recording creations while a container is warmed up.
//
// A recorder is told when the creation of a singleton begins and ends, and when a creation waits for another one. No path on which an
// existing instance is found knows of recorders. A creation, and a wait for an instance in flight, read two words of the process. They are
// equal unless a call of `warmUp(limit:width:)` is running.
//
// Every recorder is told of every creation in the process, and takes those of its own container. It is called with no lock held.
//
// The list and the contents of each recorder are under one lock of the process: the child of a fork still has its parent's recorders.

/// Records the creations of singletons. Creations are identified by address, so a recorder retains those that it knows.
protocol CreationRecorder: AnyObject, Sendable {
    func begin(_ creation: InFlightCreation, by factory: AnyServiceFactory)
    /// Tells which task runs a creation. Called after `begin`, and maybe after `end`.
    func adopt(_ task: Task<Void, Never>, of creation: InFlightCreation)
    func end(_ creation: InFlightCreation, isCreated: Bool)
    func beginWait(_ edge: WaitEdge)
    func endWait(_ edge: WaitEdge)
}

/// All recorders of the process.
enum CreationRecorders {
    /// The recorder for which this task creates singletons.
    @TaskLocal
    static var current: (any CreationRecorder)?

    /// The numbers of recorders that were ever added and removed.
    private static let added = SharedCounter()
    private static let removed = SharedCounter()
    private static let recorders = Locked<[any CreationRecorder]>([], under: .recorders)

    /// Whether there may be a recorder.
    ///
    /// The order of the loads matters. Both numbers only grow, and `removed` never exceeds `added`. If `added` equals the older value of
    /// `removed`, there was no recorder at the first load. In the other order, one that was added in between would be missed.
    private static var isEmpty: Bool {
        let removed = removed.value
        return added.value == removed
    }

    private static var all: [any CreationRecorder] { isEmpty ? [] : recorders.withLock { $0 } }

    static func add(_ recorder: any CreationRecorder) {
        added.increment()
        replace { $0 + [recorder] }
    }

    static func remove(_ recorder: any CreationRecorder) {
        let old = replace { $0.filter { $0 !== recorder } }
        if old.contains(where: { $0 === recorder }) { removed.increment() }
    }

    /// Replaces the list by another one: readers use the old one outside the lock.
    ///
    /// - Returns: The old list, which may hold the last references to recorders.
    @discardableResult
    private static func replace(
        _ change: ([any CreationRecorder]) -> [any CreationRecorder]
    ) -> [any CreationRecorder] {
        recorders.withLock { list in exchange(&list, with: change(list)) }
    }

    static func begin(_ creation: InFlightCreation, by factory: AnyServiceFactory) {
        for recorder in all { recorder.begin(creation, by: factory) }
    }

    static func adopt(_ task: Task<Void, Never>, of creation: InFlightCreation) {
        for recorder in all { recorder.adopt(task, of: creation) }
    }

    static func end(_ creation: InFlightCreation, isCreated: Bool) {
        for recorder in all { recorder.end(creation, isCreated: isCreated) }
    }

    static func beginWait(_ edge: WaitEdge) {
        for recorder in all { recorder.beginWait(edge) }
    }

    static func endWait(_ edge: WaitEdge) {
        for recorder in all { recorder.endWait(edge) }
    }
}
