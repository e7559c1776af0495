import CHarness
import History
import Hopoate
import Synchronization

/// One container that several threads use for some microseconds, and their recorded operations.
final class Round: CheckedRound {
    let number: Int
    private let plan: Plan
    private let container: DependencyContainer
    private let tokens: Tokens
    /// Lets commits run one after the other.
    private let turn = Mutex(())
    /// By thread. Each thread writes its own.
    private let recorded: UnsafeMutableBufferPointer<[Operation]>

    init(number: Int, plan: Plan) {
        self.number = number
        self.plan = plan
        container =
            plan.isChild
            ? Keys.parent.makeChild()
            : plan.isVersioned ? .allowingCommits { _ in } : DependencyContainer()
        tokens = Tokens(count: (plan.threads.count + 1) * Int(Identifier.perThread))
        recorded = .allocate(capacity: plan.threads.count)
        recorded.initialize(repeating: [])
        for (key, stack) in plan.initial.enumerated() {
            for identifier in stack {
                let step = Step(kind: .register, key: key, identifier: identifier)
                tokens.publish(access(key).register(step, container), of: identifier)
            }
        }
    }

    deinit {
        for (key, stack) in plan.initial.enumerated() { for identifier in stack { drop(identifier, of: key) } }
        for step in plan.threads.joined()
        where step.kind == .register || step.kind == .overwrite || step.kind == .commit {
            drop(step.identifier, of: step.key)
            if step.kind == .commit { drop(step.second, of: step.key + 1) }
        }
        recorded.deinitialize()
        recorded.deallocate()
    }

    private func drop(_ identifier: Identifier, of key: Int) {
        if let token = tokens.take(identifier) { access(key).drop(token) }
    }

    private func access(_ key: Int) -> Access {
        Keys.all[(plan.firstType + key) % Keys.all.count]
    }

    // MARK: Doing

    func run(thread: Int, start: () -> Void) {
        let steps = plan.threads[thread]
        var log = Log(thread: thread, capacity: steps.reduce(0) { $0 + $1.mostOperations })
        start()
        for step in steps {
            for _ in 0..<step.pauses { har_pause() }
            perform(step, &log)
        }
        recorded[thread] = log.operations
    }

    private func perform(_ step: Step, _ log: inout Log) {
        let access = access(step.key)
        switch step.kind {
        case .register:
            let token = log.record(step) { (access.register(step, container), step.identifier) }
            tokens.publish(token, of: step.identifier)
        case .overwrite:
            let token = log.record(step) { (access.overwrite(step, container), step.identifier) }
            tokens.publish(token, of: step.identifier)
        case .commit:
            commit(step, &log)
        case .remove:
            remove(step, &log)
        case .removeAll:
            log.record(step) { (container.removeAll(), .none) }
        case .resolve:
            log.record(step) { ((), access.resolve(container)) }
        case .optionalResolve, .look:
            log.record(step) { ((), access.optionalResolve(container)) }
        case .canResolve:
            log.record(step) { ((), access.canResolve(container) ? 1 : .none) }
        case .resolveAll:
            log.recordAll(step) { resolveAll(step.key) }
        case .borrow:
            borrow(step, &log)
        }
    }

    private func commit(_ step: Step, _ log: inout Log) {
        let staging = container.makeStaging()
        var other = step
        other.key += 1
        other.identifier = step.second
        let first = access(step.key).register(step, staging)
        let second = access(other.key).register(other, staging)
        turn.withLock { _ in
            let invoked = har_clock_read()
            _ = container.publish(staging)
            log.append(.commit, step.key, step.identifier, stack: [step.second], invoked: invoked)
        }
        tokens.publish(first, of: step.identifier)
        tokens.publish(second, of: step.second)
    }

    private func remove(_ step: Step, _ log: inout Log) {
        let identifier = step.identifier
        guard let token = plan.keepsTokens ? tokens.look(identifier) : tokens.take(identifier) else { return }
        let access = access(step.key)
        log.record(step) {
            access.remove(token, container)
            if !plan.keepsTokens { access.drop(token) }
            return ((), identifier)
        }
    }

    /// Several operations of one thread: it borrows a service once or more, perhaps removes it, resolves, and reads each borrowed service
    /// again.
    private func borrow(_ step: Step, _ log: inout Log) {
        let access = access(step.key)
        let invoked = har_clock_read()
        let found = access.borrow(container) { look in
            let borrowed = look()
            log.append(step.kind, step.key, borrowed, invoked: invoked)
            guard borrowed != .none else { return }
            if step.borrows > 1 {
                var inner = step
                inner.borrows -= 1
                borrow(inner, &log)
            } else {
                if step.removesBorrowed { remove(Step(kind: .remove, key: step.key, identifier: borrowed), &log) }
                perform(Step(kind: .optionalResolve, key: step.key), &log)
            }
            let looked = har_clock_read()
            log.append(.look, step.key, look(), stack: [borrowed], invoked: looked)
        }
        if !found { log.append(step.kind, step.key, .none, invoked: invoked) }
    }

    /// The container's own registrations. The parent adds one fallback, which is left out.
    private func resolveAll(_ key: Int) -> [Identifier] {
        var stack = access(key).resolveAll(container)
        if plan.isChild, stack.last == Identifier.none { stack.removeLast() }
        return stack
    }

    // MARK: Looking back

    /// Returns the recorded operations, and the final state of the container. Called after all threads have finished.
    private func history() -> History {
        var audit = Log(thread: .max, capacity: plan.initial.count)
        for key in plan.initial.indices {
            if plan.isChanging[key] {
                audit.recordAll(Step(kind: .resolveAll, key: key)) { resolveAll(key) }
            } else {
                perform(Step(kind: .optionalResolve, key: key), &audit)
            }
        }
        return History(
            keys: plan.initial.indices, initial: plan.initial,
            operations: recorded.reduce(into: audit.operations) { $0 += $1 })
    }

    func verify(threads: Int, warp: UInt64, _ result: inout CrewResult) {
        let history = history().widened(by: warp)
        var overlapping = 0
        for part in history.partitioned() {
            let verdict = check(part)
            overlapping += verdict.overlapping
            if !verdict.isLinearizable {
                result.violation = Violation(round: number, threads: threads, history: part, whole: history)
            }
        }
        result.tally.add(history, overlapping: overlapping)
    }
}

extension History {
    /// Returns the history with each operation lengthened at both ends.
    fileprivate func widened(by ticks: UInt64) -> History {
        if ticks == 0 { return self }
        var history = self
        for index in operations.indices {
            history.operations[index].invoked -= ticks
            history.operations[index].returned += ticks
        }
        return history
    }
}

/// The recorded operations of one thread.
private struct Log {
    private let thread: Int
    private(set) var operations: [Operation] = []

    init(thread: Int, capacity: Int) {
        self.thread = thread
        operations.reserveCapacity(capacity)
    }

    mutating func append(
        _ kind: Operation.Kind, _ key: Int, _ identifier: Identifier, stack: [Identifier] = [], invoked: UInt64
    ) {
        let returned = har_clock_read()
        operations.append(
            Operation(
                kind, thread: thread, key: key, identifier, stack: stack, invoked: invoked, returned: returned))
    }

    @inline(__always)
    mutating func record<Output>(_ step: Step, _ call: () -> (Output, Identifier)) -> Output {
        let invoked = har_clock_read()
        let (output, identifier) = call()
        append(step.kind, step.key, identifier, invoked: invoked)
        return output
    }

    @inline(__always)
    mutating func recordAll(_ step: Step, _ call: () -> [Identifier]) {
        let invoked = har_clock_read()
        let stack = call()
        append(step.kind, step.key, .none, stack: stack, invoked: invoked)
    }
}
