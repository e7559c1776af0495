// The children of `DependencyChildren`.
//
// The states of a key, all of which change under the lock:
//
//   no entry  --->  making  --->  alive  --->  ending  --->  no entry
//                   making  --->  no entry, if `prepare` has thrown, or the table was closed
//
// Invariants:
//
// 1. A key has at most one child. The entry of an ending child leaves after its hooks have ended, and callers of the key wait for that.
// 2. There are at most `limit` entries.
// 3. A child in use is not ended, except by the shutdown of its parent. A child is in use if anything but its entry refers to it.
//
// Race of invariant 3: one thread takes the child while another one checks whether it is in use. Both hold the lock. Any other strong
// reference is a copy of a reference that the check counts, or it comes from a weak reference. Code that reads a weak reference looks for
// a mark, and `isUnused` sets the mark before it counts.
//
// Race of a creation against a caller that needs room: the entry counts the callers that await the creation, and is in use until
// all of them have taken the child. So no child is ended before its first use, and each creation serves its callers.
//
// The task that makes a child refers to it no more when it wakes these callers. So once their uses have ended, nothing does.
//
// Race of the parent's shutdown: `close` takes all children that are alive, and the parent ends them. One that is being made finds the table
// closed when it is complete, and is ended. One that is being ended was noted in the parent before.

import Hopoate

/// The tables for which the current task prepares or shuts down a child, and the containers for which it commits. These must not wait for
/// themselves.
enum Inside {
    @TaskLocal static var objects: [ObjectIdentifier] = []
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
final class ChildTable<Key: Hashable & Sendable>: ChildContainers {
    private enum Phase {
        case making(SharedOutcome)
        case alive
        case ending(SharedOutcome)
    }

    private struct Entry {
        /// Greater than that of an older entry.
        let number: Int
        var phase: Phase
        /// Nil unless it is alive. Not copied where uses are counted.
        var child: DependencyContainer?
        /// The callers that await the creation and have not taken the child yet.
        var callers = 0
        var lastUse = Duration.zero
    }

    /// A child that has left its entry, which stays until it has ended.
    private struct Ending {
        let key: Key
        let child: DependencyContainer
        let outcome: SharedOutcome
    }

    private struct Contents {
        var entries: [Key: Entry] = [:]
        var made = 0
        var isClosed = false
        var timer: Task<Void, Never>?

        /// The indices of all entries. Those of the dictionary itself would hold a copy of it, and so of all children, as long as they are
        /// used.
        func indices() -> [[Key: Entry].Index] { Array(entries.indices) }
    }

    /// What a caller has to do.
    private enum Step {
        case take(DependencyContainer)
        case make(SharedOutcome, number: Int, in: DependencyContainer)
        case awaitCreation(SharedOutcome, number: Int)
        case awaitEnd(SharedOutcome)
        case end(Ending)
        case fail(DependencyChildrenError)
    }

    private let parent: WeakContainer
    private let limit: Int
    private let idle: Duration
    private let time: any ElapsedTime
    private let place: String
    private let prepare: @Sendable (Key, DependencyContainer) async throws -> Void
    private let report: @Sendable (Key, DependencyShutdownError) -> Void
    private let contents = Locked(Contents())

    init(
        of parent: DependencyContainer, limit: Int, idle: Duration, _ time: any ElapsedTime, place: String,
        prepare: @escaping @Sendable (Key, DependencyContainer) async throws -> Void,
        report: @escaping @Sendable (Key, DependencyShutdownError) -> Void
    ) {
        self.parent = WeakContainer(parent)
        self.limit = limit
        self.idle = idle
        self.time = time
        self.place = place
        self.prepare = prepare
        self.report = report
        if !parent.endsAfter(self) { _ = close() }
    }

    deinit {
        // No task makes or ends a child: it would hold this object.
        let (entries, timer) = contents.withLock { (exchange(&$0.entries, with: [:]), $0.timer) }
        timer?.cancel()
        for (key, entry) in entries {
            guard let child = entry.child else { continue }
            child.startEnd { [report] child in
                await child.shutdown(reportingTo: { report(key, $0) })
            }
        }
    }

    var keys: [Key] { contents.withLock { Array($0.entries.keys) } }

    func close() -> [DependencyContainer] {
        let (children, timer) = contents.withLock { contents in
            contents.isClosed = true
            let alive = contents.entries.filter { $0.value.child != nil }
            for key in alive.keys { contents.entries[key] = nil }
            return (alive.values.sorted { $0.number < $1.number }.compactMap(\.child), contents.timer)
        }
        timer?.cancel()
        return children
    }

    // MARK: - Use

    /// Returns the child of a key, and makes it if there is none. It is in use as long as the caller refers to it.
    func child(for key: Key) async throws -> DependencyContainer {
        if Inside.objects.contains(ObjectIdentifier(self)) { throw error(.nested, key) }
        while true {
            switch step(for: key) {
            case .take(let child): return child
            case .make(let outcome, let number, let parent):
                make(key, in: parent, outcome)
                if let child = try await created(key, number, outcome) { return child }
            case .awaitCreation(let outcome, let number):
                if let child = try await created(key, number, outcome) { return child }
            case .awaitEnd(let outcome): try await outcome.value()
            case .end(let ending):
                end(ending)
                try await ending.outcome.value()
            case .fail(let error): throw error
            }
        }
    }

    /// Notes that the child of a key was used until now.
    func noteUse(of key: Key, _ child: DependencyContainer) {
        let now = time.now
        contents.withLock { contents in
            guard let index = contents.entries.index(forKey: key), contents.entries.values[index].child === child
            else { return }
            contents.entries.values[index].lastUse = now
        }
    }

    private func step(for key: Key) -> Step {
        // Retained before the lock, because the last release of a container must not happen under it.
        guard let parent = parent.container else { return .fail(error(.shutDown, key)) }
        let now = time.now
        return contents.withLock { contents in
            if contents.isClosed { return .fail(error(.shutDown, key)) }
            if let index = contents.entries.index(forKey: key) {
                switch contents.entries.values[index].phase {
                case .making(let outcome):
                    contents.entries.values[index].callers += 1
                    return .awaitCreation(outcome, number: contents.entries.values[index].number)
                case .ending(let outcome): return .awaitEnd(outcome)
                case .alive: break
                }
                guard let child = contents.entries.values[index].child else { preconditionFailure("it is alive") }
                // Its user has shut it down, not the shutdown of a parent.
                if child.isShutDown, !parent.isShutDown { return .end(take(child, key, at: index, in: &contents)) }
                contents.entries.values[index].lastUse = now
                return .take(child)
            }
            if contents.entries.count >= limit { return room(for: key, in: &contents) }
            let outcome = SharedOutcome()
            contents.made += 1
            contents.entries[key] = Entry(number: contents.made, phase: .making(outcome), callers: 1)
            return .make(outcome, number: contents.made, in: parent)
        }
    }

    /// How a caller gets room for a new entry.
    private func room(for key: Key, in contents: inout Contents) -> Step {
        while true {
            var oldest: (index: [Key: Entry].Index, use: Duration, number: Int)?
            for index in contents.indices() {
                switch contents.entries.values[index].phase {
                case .making: continue
                // It makes room without costing another one.
                case .ending(let outcome): return .awaitEnd(outcome)
                case .alive: break
                }
                let (use, number) = (contents.entries.values[index].lastUse, contents.entries.values[index].number)
                if let oldest, (oldest.use, oldest.number) < (use, number) { continue }
                if isInUse(at: index, in: &contents) { continue }
                oldest = (index, use, number)
            }
            guard let oldest else { return .fail(error(.full, key)) }
            if let ending = takeUnused(at: oldest.index, in: &contents) { return .end(ending) }
        }
    }

    private func isInUse(at index: [Key: Entry].Index, in contents: inout Contents) -> Bool {
        contents.entries.values[index].callers > 0
            || !isKnownUniquelyReferenced(&contents.entries.values[index].child)
    }

    /// Takes a child out of its entry, unless a weak reference has led to it meanwhile.
    private func takeUnused(at index: [Key: Entry].Index, in contents: inout Contents) -> Ending? {
        guard var child = exchange(&contents.entries.values[index].child, with: nil) else { return nil }
        if DependencyContainer.isUnused(&child) {
            return take(child, contents.entries.keys[index], at: index, in: &contents)
        }
        contents.entries.values[index].child = child
        return nil
    }

    private func take(
        _ child: DependencyContainer, _ key: Key, at index: [Key: Entry].Index, in contents: inout Contents
    ) -> Ending {
        let outcome = SharedOutcome()
        contents.entries.values[index].child = nil
        contents.entries.values[index].phase = .ending(outcome)
        return Ending(key: key, child: child, outcome: outcome)
    }

    private func error(_ reason: DependencyChildrenError.Reason, _ key: Key) -> DependencyChildrenError {
        DependencyChildrenError(reason, key, limit, place)
    }

    // MARK: - The creation

    /// Makes a child in a task of its own, which no caller cancels, and which sees no task-local of a caller.
    private func make(_ key: Key, in parent: DependencyContainer, _ outcome: SharedOutcome) {
        let inside = Inside.objects + [ObjectIdentifier(self)]
        Task.detached { [self] in
            outcome.decide(await Inside.$objects.withValue(inside) { await failure(ofMaking: key, in: parent) })
        }
    }

    /// Makes a child, and puts it into its entry.
    ///
    /// - Returns: The error of `prepare`. Then the child has ended, and its entry has left.
    private func failure(ofMaking key: Key, in parent: DependencyContainer) async -> (any Error)? {
        let child = parent.makeChild()
        do {
            try await prepare(key, child)
            if place(child, key) { return nil }
            throw error(.shutDown, key)
        } catch {
            await child.shutdown(reportingTo: { report(key, $0) })
            contents.withLock { $0.entries[key] = nil }
            return error
        }
    }

    /// Puts a child into its entry, unless the table was closed.
    private func place(_ child: DependencyContainer, _ key: Key) -> Bool {
        let now = time.now
        return contents.withLock { contents in
            guard !contents.isClosed, let index = contents.entries.index(forKey: key) else { return false }
            contents.entries.values[index].phase = .alive
            contents.entries.values[index].child = child
            contents.entries.values[index].lastUse = now
            if contents.timer == nil { contents.timer = makeTimer() }
            return true
        }
    }

    /// Waits for the creation of an entry, and takes the child.
    ///
    /// - Returns: The child; nil if it was shut down meanwhile.
    private func created(_ key: Key, _ number: Int, _ outcome: SharedOutcome) async throws -> DependencyContainer? {
        let result: Result<Void, any Error>
        do { result = .success(try await outcome.value()) } catch { result = .failure(error) }
        let child = contents.withLock { contents -> DependencyContainer? in
            // After a failure, another caller may have begun anew.
            guard let index = contents.entries.index(forKey: key), contents.entries.values[index].number == number
            else { return nil }
            contents.entries.values[index].callers -= 1
            return contents.entries.values[index].child
        }
        try result.get()
        return child
    }

    // MARK: - The end

    /// Ends a child in a task of its own, for which a shutdown of the parent waits.
    private func end(_ ending: Ending) {
        let inside = Inside.objects + [ObjectIdentifier(self)]
        ending.child.startEnd { [self] child in
            await Inside.$objects.withValue(inside) { await child.shutdown(reportingTo: { report(ending.key, $0) }) }
            contents.withLock { $0.entries[ending.key] = nil }
            ending.outcome.decide(nil)
        }
    }

    /// Ends the children that have been out of use for the idle time.
    ///
    /// - Returns: The time of the next look; nil if there is nothing to look at.
    private func endIdle() -> Duration? {
        let now = time.now
        let (endings, next) = contents.withLock { contents in
            var endings: [Ending] = []
            var next: Duration?
            for index in contents.indices() where contents.entries.values[index].child != nil {
                if isInUse(at: index, in: &contents) {
                    contents.entries.values[index].lastUse = now
                } else if contents.entries.values[index].lastUse + idle <= now {
                    if let ending = takeUnused(at: index, in: &contents) {
                        endings.append(ending)
                        continue
                    }
                    contents.entries.values[index].lastUse = now
                }
                let end = contents.entries.values[index].lastUse + idle
                next = min(next ?? end, end)
            }
            if next == nil { contents.timer = nil }
            return (endings, next)
        }
        for ending in endings { end(ending) }
        // Rarely enough, because each look goes over all children.
        return next.map { max($0, now + max(idle / 8, .milliseconds(10))) }
    }

    /// Starts the task that looks for idle children. It does not keep this object.
    private func makeTimer() -> Task<Void, Never> {
        Task.detached { [weak self, time] in
            while let next = self?.endIdle() {
                await time.sleep(until: next)
                if Task.isCancelled { return }
            }
        }
    }
}
