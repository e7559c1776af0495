// The order in which a warm-up creates singletons.
//
// A singleton is created when those that it is known to depend on exist. Among those that are ready, the oldest registration comes
// first. Two lanes:
//
//   asynchronous factories   up to `width` at a time, in parallel
//   synchronous factories    one at a time: each occupies a thread, which the services that run need, too
//
// Synchronous factories of which the dependencies are not known come last, when nothing else is left. They do not come at all if a
// creation has failed before, because `resolve` traps if an asynchronous service does not exist.
//
// A factory that needs an asynchronous service, which does not exist yet, throws. It runs again in the next round: when nothing is
// running, and something has been created since. At the end, what still waits is in a cycle. It is created all the same, since its
// error names the cycle.

import Hopoate

/// The singletons that a warm-up creates, and what has become of each. Used by one task.
struct StartJobs {
    enum State {
        case waiting, ready, running, created
        /// The factory needs an asynchronous service that does not exist yet.
        case early(DependencyError)
        case failed(DependencyError)
        /// The creation of another singleton has failed, by its index, and with it this one.
        case failedWith(Int, DependencyError)
        /// A dependency could not be created, so this one was not tried.
        case skipped
        case unfinished
    }

    let nodes: [StartNode]
    private(set) var states: [State]
    /// The index of the singleton whose end let each one start; nil if it did not have to wait.
    private(set) var causes: [Int?]
    private let width: Int
    private var dependents: [[Int]]
    private var missing: [Int]
    /// The ready ones with asynchronous factories, newest first.
    private var readyInTasks: [Int] = []
    /// The ready ones with synchronous factories, newest first.
    private var readyOnThread: [Int] = []
    private var running = 0
    private var isThreadTaken = false
    private var isThreadLost = false
    private var hasFailed = false
    private var hasProgressed = false
    private var opaque: [Int] = []
    private var early: [Int] = []
    private var lastEnded: Int?

    init(_ nodes: [StartNode], width: Int, existing: [Bool]) {
        self.nodes = nodes
        self.width = max(1, width)
        states = existing.map { $0 ? .created : .waiting }
        causes = nodes.map { _ in nil }
        dependents = nodes.map { _ in [] }
        missing = nodes.map { _ in 0 }
        for (index, node) in nodes.enumerated() {
            guard case .waiting = states[index] else { continue }
            for dependency in node.dependencies {
                guard case .waiting = states[dependency] else { continue }
                dependents[dependency].append(index)
                missing[index] += 1
            }
        }
        for index in nodes.indices {
            if case .waiting = states[index], missing[index] == 0 { makeReady(index) }
        }
    }

    var isRunning: Bool { running > 0 }

    /// Returns the next singleton to create; nil if there is none until another one has ended.
    mutating func next() -> Int? {
        while true {
            if running < width {
                if let index = readyInTasks.popLast() { return start(index) }
                if !isThreadTaken, let index = readyOnThread.popLast() { return start(index) }
            }
            guard running == 0, beginRound() else { return nil }
        }
    }

    private mutating func start(_ index: Int) -> Int {
        states[index] = .running
        causes[index] = lastEnded
        running += 1
        if !nodes[index].isAsynchronous { isThreadTaken = true }
        return index
    }

    /// Notes the end of a creation that was running.
    mutating func end(_ index: Int, _ error: DependencyError?) {
        stop(index)
        if !nodes[index].isAsynchronous { isThreadTaken = false }
        guard let error else {
            states[index] = .created
            hasProgressed = true
            for dependent in dependents[index] {
                missing[dependent] -= 1
                if missing[dependent] == 0, case .waiting = states[dependent] { makeReady(dependent) }
            }
            return
        }
        if error.isOnlyAsynchronous {
            states[index] = .early(error)
            early.append(index)
            return
        }
        fail(index, error)
    }

    /// Notes that a running creation was left behind.
    mutating func leave(_ index: Int) {
        stop(index)
        states[index] = .unfinished
        hasFailed = true
        if !nodes[index].isAsynchronous {
            // Its thread may be occupied for ever. Other threads are left to the services that run.
            isThreadLost = true
            readyOnThread = []
        }
        skipDependents(of: index)
    }

    /// The errors that are not those of another singleton.
    var failures: [(index: Int, error: DependencyError)] {
        states.enumerated().compactMap { index, state in
            switch state {
            case .failed(let error): return (index, error)
            case .early(let error):
                return isExplained(owner(of: error, failedIn: index), by: [index]) ? nil : (index, error)
            case .failedWith(let owner, let error): return isExplained(owner, by: [index]) ? nil : (index, error)
            default: return nil
            }
        }
    }

    // MARK: -

    private mutating func stop(_ index: Int) {
        running -= 1
        lastEnded = index
    }

    private mutating func makeReady(_ index: Int) {
        let node = nodes[index]
        if node.isOpaque, !node.isAsynchronous {
            opaque.append(index)
            return
        }
        insert(index)
    }

    private mutating func insert(_ index: Int) {
        let isAsynchronous = nodes[index].isAsynchronous
        if isThreadLost, !isAsynchronous { return }
        states[index] = .ready
        if isAsynchronous {
            readyInTasks.insert(index, at: readyInTasks.firstIndex { $0 < index } ?? readyInTasks.endIndex)
        } else {
            readyOnThread.insert(index, at: readyOnThread.firstIndex { $0 < index } ?? readyOnThread.endIndex)
        }
    }

    /// Makes those ready that have to wait for all others. Called when nothing is running or ready.
    ///
    /// - Returns: Whether there are any.
    private mutating func beginRound() -> Bool {
        if hasProgressed, !early.isEmpty {
            hasProgressed = false
            for index in exchange(&early, with: []) { insert(index) }
            return true
        }
        if hasFailed { return false }
        let next = exchange(&opaque, with: [])
        if !next.isEmpty {
            hasProgressed = false
            for index in next + exchange(&early, with: []) { insert(index) }
            return true
        }
        // The others wait for one that stays early.
        if !early.isEmpty { return false }
        let inCycle = states.indices.first { if case .waiting = states[$0] { true } else { false } }
        if let inCycle { insert(inCycle) }
        return inCycle != nil
    }

    private mutating func fail(_ index: Int, _ error: DependencyError) {
        hasFailed = true
        let owner = owner(of: error, failedIn: index)
        if owner == index {
            states[index] = .failed(error)
        } else {
            states[index] = .failedWith(owner, error)
            // It would fail in the same way.
            if case .waiting = states[owner] { fail(owner, error) }
        }
        skipDependents(of: index)
    }

    private mutating func skipDependents(of index: Int) {
        var pending = dependents[index]
        while let dependent = pending.popLast() {
            guard case .waiting = states[dependent] else { continue }
            states[dependent] = .skipped
            pending += dependents[dependent]
        }
    }

    /// The singleton that an error is about: the newest one of the service that the error names, or the one that has failed.
    private func owner(of error: DependencyError, failedIn index: Int) -> Int {
        if nodes[index].identity == error.identity { return index }
        return nodes.lastIndex { $0.identity == error.identity } ?? index
    }

    /// Whether the error of a singleton follows from that of another one, which is reported.
    private func isExplained(_ owner: Int, by visited: Set<Int>) -> Bool {
        // Each is about the next one, in a circle: all are reported.
        if visited.contains(owner) { return false }
        switch states[owner] {
        case .failed, .unfinished, .skipped: return true
        // Not tried, because of another failure.
        case .waiting, .ready: return hasFailed
        case .failedWith(let next, _): return isExplained(next, by: visited.union([owner]))
        case .early(let error):
            return isExplained(self.owner(of: error, failedIn: owner), by: visited.union([owner]))
        case .running, .created: return false
        }
    }
}
