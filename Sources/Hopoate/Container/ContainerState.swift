/// The disposals, instruments and recording of a container, and whether it was shut down. Made on first use: most containers have none.
final class ContainerState: Sendable {
    private struct Contents {
        var serial = 0
        var disposals: [ObjectIdentifier: (serial: Int, disposal: Disposal)] = [:]
        var leaving = LeavingInstances()
        var instruments: [any DependencyInstrument] = []
        var hasLostRegistrations = false
        var recording: CreationRecording?
        var freeScopeIndices: FreeScopeIndices?
        var liveChild: LiveChild?
        var failedCreations = FailedCreations()
        var handleUses = HandleUses()
    }

    private let contents: Locked<Contents>
    /// 1 once shutdown has begun. Incremented under the lock (acquire and release). Also read without it (acquire): each creation
    /// of a scoped service checks the container and all its ancestors.
    private let ends = SharedCounter()

    init(ofDefaultContainer isDefault: Bool) { contents = Locked(Contents(), under: isDefault ? .defaultState : nil) }

    deinit {
        if !instruments.isEmpty { endWatching() }
        if recording != nil { endWatching() }
    }

    /// The instruments, in the order in which they were added.
    // A copy of its own, because the list is changed in place: see `Locked`.
    var instruments: [any DependencyInstrument] { contents.withLock { $0.instruments.map { $0 } } }

    /// Adds an instrument.
    ///
    /// - Returns: Whether it is the first one.
    func add(_ instrument: any DependencyInstrument) -> Bool {
        contents.withLock { contents in
            contents.instruments.append(instrument)
            return contents.instruments.count == 1
        }
    }

    /// The recording of creations; nil if the container does not record.
    var recording: CreationRecording? { contents.withLock { $0.recording } }

    /// Begins a recording, unless there is one.
    ///
    /// - Returns: Whether it began.
    func begin(_ recording: CreationRecording) -> Bool {
        contents.withLock { contents in
            if contents.recording != nil { return false }
            contents.recording = recording
            return true
        }
    }

    /// The indices of scope slots that removed registrations have left; made on first use.
    func freeScopeIndices(ofDefaultContainer isDefault: Bool) -> FreeScopeIndices {
        contents.withLock { contents in
            if let indices = contents.freeScopeIndices { return indices }
            let indices = FreeScopeIndices(ofDefaultContainer: isDefault)
            contents.freeScopeIndices = indices
            return indices
        }
    }

    /// Counts the container as a living child until this state ends.
    // Set once, for a new child, so that the lock drops no earlier value.
    var liveChild: LiveChild? {
        get { contents.withLock { $0.liveChild } }
        set { contents.withLock { $0.liveChild = newValue } }
    }

    /// Whether the shutdown of the container has begun.
    var hasEnded: Bool { ends.value != 0 }

    /// Whether there are disposals to run, or asynchronous hooks to await.
    var hasDisposals: Bool { contents.withLock { !$0.disposals.isEmpty || !$0.leaving.isEmpty } }

    /// Adds a disposal, unless shutdown has begun.
    ///
    /// - Returns: Whether it was added. If not, the caller has to run it.
    func add(_ disposal: Disposal) -> Bool {
        contents.withLock { contents in
            guard !hasEnded else { return false }
            contents.serial += 1
            contents.disposals[ObjectIdentifier(disposal)] = (contents.serial, disposal)
            return true
        }
    }

    /// Removes a disposal.
    ///
    /// - Returns: Whether it was there. If so, running it is up to the caller alone.
    func forget(_ disposal: Disposal) -> Bool {
        let entry = contents.withLock { contents in
            let entry = contents.disposals.removeValue(forKey: ObjectIdentifier(disposal))
            // In the same step, so that a shutdown finds it in one of the two.
            if entry != nil { contents.leaving.add(disposal) }
            return entry
        }
        return entry != nil
    }

    /// Notes that the asynchronous hook of an instance is about to run.
    func noteStart(of disposal: Disposal) { contents.withLock { $0.leaving.add(disposal) } }

    /// Notes that the asynchronous hook of an instance has ended.
    func noteEnd(of disposal: Disposal) {
        let (waiter, entry) = contents.withLock { $0.leaving.remove(disposal) }
        withExtendedLifetime(entry) { waiter?.wake() }
    }

    /// The instances whose asynchronous hooks a shutdown has to await, because they began before it.
    ///
    /// None if such a hook calls the shutdown. Otherwise these hooks could wait for each other, or for themselves.
    var leaving: [Disposal] { Disposal.isInStartedHook ? [] : contents.withLock { $0.leaving.all } }

    /// Waits until the hooks of `leaving` have ended, or the task is cancelled. Only the first call of a shutdown may call it.
    func awaitLeaving() async {
        if leaving.isEmpty { return }
        while !Task.isCancelled {
            let waiter = WaitingTask()
            guard contents.withLock({ $0.leaving.beginWait(waiter) }) else { return }
            await waiter.suspend()
        }
    }

    /// Records that registrations were removed or replaced.
    func noteRemoval() {
        contents.withLock { contents in
            if contents.serial > 0 { contents.hasLostRegistrations = true }
        }
    }

    /// Whether registrations were removed or replaced after the first disposal was added: an instance may use services that are no longer
    /// registered.
    var hasLostRegistrations: Bool { contents.withLock { $0.hasLostRegistrations } }

    /// Runs a closure on the failures of creations, under the lock.
    func withFailedCreations<Output>(_ body: (inout FailedCreations) -> Output) -> Output {
        contents.withLock { body(&$0.failedCreations) }
    }

    /// Runs a closure on the noted uses of handles, under the lock.
    func withHandleUses<Output>(_ body: (inout HandleUses) -> Output) -> Output {
        contents.withLock { body(&$0.handleUses) }
    }

    /// Removes all disposals and returns them, newest first.
    ///
    /// - Parameter areAwaited: Whether a later shutdown waits for their asynchronous hooks.
    func takeDisposals(areAwaited: Bool = false) -> [Disposal] {
        let taken = contents.withLock { contents in
            defer { contents.disposals = [:] }
            if areAwaited { for entry in contents.disposals.values { contents.leaving.add(entry.disposal) } }
            return contents.disposals
        }
        return taken.values.sorted { $0.serial > $1.serial }.map(\.disposal)
    }

    /// Marks the container as shut down.
    ///
    /// - Returns: Whether this call was the first one.
    func beginToEnd() -> Bool {
        contents.withLock { _ in
            guard !hasEnded else { return false }
            ends.increment()
            return true
        }
    }
}
