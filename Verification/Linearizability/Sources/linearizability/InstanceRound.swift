import CHarness
import History
import Hopoate

enum FirstKey {}
enum SecondKey {}
enum ThirdKey {}

/// A container with two children. Several threads use its lazily created services for some microseconds.
final class InstanceRound: CheckedRound {
    let number: Int
    private let plan: InstancePlan
    private let containers: [DependencyContainer]
    private let tokens: Tokens
    /// By thread; the last one is the round's own. Each thread writes its own.
    private var logs: [InstanceLog] = []

    init(number: Int, plan: InstancePlan) {
        self.number = number
        self.plan = plan
        let container = DependencyContainer()
        containers = [container, container.makeChild(), container.makeChild()]
        tokens = Tokens(count: (plan.threads.count + 1) * Int(Identifier.perThread))
        for (thread, steps) in plan.threads.enumerated() {
            logs.append(InstanceLog(thread: thread, round: self, capacity: steps.count * 3))
        }
        let own = InstanceLog(thread: .max, round: self, capacity: 16)
        logs.append(own)
        for registration in plan.initial {
            perform(InstanceStep(kind: .register, registration: registration), own)
        }
    }

    deinit {
        for (identifier, registration) in plan.registrations {
            guard let token = tokens.take(identifier) else { continue }
            switch registration.key {
            case 0: Unmanaged<ServiceRegistration<Item<FirstKey>>>.fromOpaque(token).release()
            case 1: Unmanaged<ServiceRegistration<Item<SecondKey>>>.fromOpaque(token).release()
            default: Unmanaged<ServiceRegistration<Item<ThirdKey>>>.fromOpaque(token).release()
            }
        }
    }

    /// The number of one of the containers of the round.
    func number(of container: DependencyContainer) -> Int {
        guard let index = containers.firstIndex(where: { $0 === container }) else {
            preconditionFailure("a factory got a container that is none of the round")
        }
        return index
    }

    // MARK: Doing

    func run(thread: Int, start: () -> Void) {
        let log = logs[thread]
        let steps = plan.threads[thread]
        log.whileCurrent {
            start()
            for step in steps {
                for _ in 0..<step.pauses { har_pause() }
                perform(step, log)
            }
        }
    }

    private func perform(_ step: InstanceStep, _ log: InstanceLog) {
        let container = containers[step.container]
        switch step.kind {
        case .register, .overwrite:
            var token: UnsafeRawPointer?
            log.record(step) {
                token = register(step.registration, overwriting: step.kind == .overwrite)
                return (.missing, .none)
            }
            if let token { tokens.publish(token, of: step.registration) }
        case .remove:
            guard let token = tokens.look(step.registration) else { return }
            log.record(step) {
                remove(token, plan.registrations[step.registration]?.key ?? 0)
                return (.missing, .none)
            }
        case .removeAll:
            log.record(step) {
                container.removeAll()
                return (.missing, .none)
            }
        case .shutDown:
            log.record(step) {
                do {
                    try container.shutdownWithoutAwaitingHooks()
                } catch {
                    preconditionFailure("the hooks of a round do not throw: \(error)")
                }
                return (.missing, .none)
            }
        case .resolve:
            log.record(step) {
                switch step.key {
                case 0: resolve(Item<FirstKey>.self, container)
                case 1: resolve(Item<SecondKey>.self, container)
                default:
                    answer { () throws(DependencyError) in
                        try container.require(Item<ThirdKey>.self, arguments: step.argument).instance
                    }
                }
            }
        }
    }

    /// Registers a service, and returns the retained token.
    private func register(_ identifier: Identifier, overwriting: Bool) -> UnsafeRawPointer {
        guard let registration = plan.registrations[identifier] else {
            preconditionFailure("an unplanned registration")
        }
        return switch registration.key {
        case 0: register(FirstKey.self, identifier, registration, overwriting)
        case 1: register(SecondKey.self, identifier, registration, overwriting)
        default: registerKeyed(identifier, registration, overwriting)
        }
    }

    private func register<Key>(
        _: Key.Type, _ identifier: Identifier, _ registration: LazyRegistration, _ overwriting: Bool
    ) -> UnsafeRawPointer {
        let isScoped = registration.lifetime == .scoped
        let factory: @Sendable (DependencyContainer) throws -> Item<Key> = { container in
            try InstanceLog.create(identifier, isScoped ? .scoped : .singleton, container, argument: 0)
        }
        let hook: (@Sendable (Item<Key>) throws -> Void)? =
            registration.hasHook ? { @Sendable in InstanceLog.dispose($0) } : nil
        let lifetime: Lifetime = isScoped ? .scoped : .singleton
        let token = containers[0].register(
            Item<Key>.self, lifetime: lifetime, replacing: overwriting, factory: factory, onDispose: hook)
        return UnsafeRawPointer(Unmanaged.passRetained(token).toOpaque())
    }

    private func registerKeyed(
        _ identifier: Identifier, _ registration: LazyRegistration, _ overwriting: Bool
    ) -> UnsafeRawPointer {
        typealias Keyed = Item<ThirdKey>
        let factory: @Sendable (DependencyContainer, Int) throws -> Keyed = { container, argument in
            try InstanceLog.create(identifier, .keyed, container, argument: argument)
        }
        let hook: (@Sendable (Keyed) throws -> Void)? =
            registration.hasHook ? { @Sendable in InstanceLog.dispose($0) } : nil
        let token = containers[0].register(
            Keyed.self, lifetime: .keyed, replacing: overwriting, factory: factory, onDispose: hook)
        return UnsafeRawPointer(Unmanaged.passRetained(token).toOpaque())
    }

    private func remove(_ token: UnsafeRawPointer, _ key: UInt8) {
        func remove<Key>(_: Key.Type) {
            containers[0].remove(
                Unmanaged<ServiceRegistration<Item<Key>>>.fromOpaque(token).takeUnretainedValue())
        }
        switch key {
        case 0: remove(FirstKey.self)
        case 1: remove(SecondKey.self)
        default: remove(ThirdKey.self)
        }
    }

    // MARK: Looking back

    /// Returns everything that was recorded. Shuts the containers down, children first, which disposes of the remaining instances.
    private func history() -> InstanceHistory {
        let own = logs[logs.count - 1]
        let quiet = har_clock_read()
        own.whileCurrent {
            for container in containers.indices.reversed() {
                perform(InstanceStep(kind: .shutDown, container: container), own)
            }
        }
        return InstanceHistory(
            registrations: plan.registrations, calls: logs.flatMap(\.calls), creations: logs.flatMap(\.creations),
            disposals: logs.flatMap(\.disposals), quiet: quiet)
    }

    func verify(threads: Int, warp: UInt64, _ result: inout CrewResult) {
        var history = history()
        history.warp = warp
        let verdict = check(history)
        result.tally.add(history, overlapping: verdict.overlapping)
        if !verdict.flaws.isEmpty {
            result.violation = InstanceViolation(
                round: number, threads: threads, history: history, flaws: verdict.flaws)
        }
    }
}
