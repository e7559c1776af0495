import CScheduler
import Hopoate

// Completions, and the instances that wait for them. The factory of a `Service` resolves the `Other`, and the completion of the
// `Other` resolves the `Service`.

extension Stage {
    /// Registers both services.
    ///
    /// - Parameters:
    ///   - owned: Whether both services have a disposal hook.
    ///   - failingFactory: The call of the factory of `Service` that throws.
    ///   - failingCompletion: The call of the completion that throws.
    ///   - failsEarly: Whether it throws before it resolves the `Service`, whose factory may have the `Other` already.
    fileprivate func registerPartners(
        _ lifetime: Lifetime = .singleton, owned: Bool = true, failingFactory: Int = 0, failingCompletion: Int = 0,
        failsEarly: Bool = false
    ) {
        let factoryCalls = Counter()
        let completionCalls = Counter()
        container.register(
            Service.self, lifetime: lifetime,
            factory: { container in
                pause()
                let other = try container.require(Other.self)
                if factoryCalls.next() == failingFactory { throw CancellationError() }
                if failsEarly {
                    pause()
                    expect(
                        Ledger.entries[other.number].disposals == 0, "a factory uses an instance that was disposed of")
                }
                return Service(owned: owned, part: other)
            }, onDispose: owned ? { @Sendable in Stage.dispose($0) } : nil)
        container.register(
            Other.self, lifetime: lifetime,
            factory: { _ in
                pause()
                return Other(owned: owned)
            },
            afterCreation: { other, container in
                pause()
                let fails = completionCalls.next() == failingCompletion
                if fails, failsEarly { throw CancellationError() }
                let service = try container.require(Service.self)
                if fails { throw CancellationError() }
                self.partners[other.number] = service.number
                pause()
            }, onDispose: owned ? { @Sendable in Stage.dispose($0) } : nil)
    }

    // Unchecked, because of the variable. Sound, because only the strand that has the baton uses it.
    private final class Counter: @unchecked Sendable {
        private var count = 0
        func next() -> Int {
            count += 1
            return count
        }
    }

    /// Resolves the `Other`, and checks that it is complete.
    fileprivate func askOther(or reasons: DependencyError.Reason...) -> Other? {
        do throws(DependencyError) {
            let other = try container.require(Other.self)
            expect(partners[other.number] != nil, "a caller got an instance before its completion")
            return other
        } catch {
            expect(reasons.contains(error.reason), "a caller got an error: \(error)")
            return nil
        }
    }

    /// Resolves the `Service`, and checks that the `Other` in it is complete.
    fileprivate func askService() -> Outcome {
        let outcome = ask()
        if case .success(let service) = outcome { expectPartners(service) }
        return outcome
    }

    fileprivate func expectPartners(_ service: Service) {
        guard let other = service.part as? Other else { schedule_finding("a service has no partner") }
        expect(
            partners[other.number] == service.number, "a caller got an instance before the completion of its partner")
    }

    /// The same as `expectOnePair`, and checks that no other instance was ever created.
    fileprivate func expectOnlyOnePair() {
        expectOnePair()
        expect(Ledger.entries.count == 2, "a singleton was created twice")
    }

    /// Checks that there is one instance of each, and that both refer to each other.
    fileprivate func expectOnePair() {
        outcomes[2] = askService()
        guard let service = service(2) else { return }
        expect(askOther() === service.part as? Other, "a singleton was created twice")
    }
}

/// One thread resolves the one service, another thread the other: singletons, or scoped services of a child.
func completion(_ stage: Stage, isScoped: Bool) {
    stage.registerPartners(isScoped ? .scoped : .singleton, owned: !isScoped)
    if isScoped { stage.container = stage.container.makeChild() }
    stage.thread { stage.outcomes[0] = stage.askService() }
    stage.thread { _ = stage.askOther() }
    stage.afterwards {
        stage.service(0)
        stage.expectOnlyOnePair()
    }
}

/// Two threads resolve the same service.
func completionCallers(_ stage: Stage) {
    stage.registerPartners()
    for index in 0..<2 { stage.thread { stage.outcomes[index] = stage.askService() } }
    stage.afterwards {
        stage.expectSame(0, 1)
        stage.expectOnlyOnePair()
    }
}

enum Third {}

/// The outermost creation creates a service without a completion that refers to one with a completion.
func completionOfAPart(_ stage: Stage) {
    stage.container.register(
        Other.self,
        factory: { _ in
            pause()
            return Other()
        },
        afterCreation: { other, _ in
            pause()
            stage.partners[other.number] = other.number
        })
    stage.container.register(Service.self) { container in Service(part: try container.require(Other.self)) }
    stage.container.register(Instance<Third>.self) { container in
        _ = try container.require(Other.self)
        let service = try container.require(Service.self)
        pause()
        return Instance<Third>(part: service)
    }
    stage.thread { stage.kept.append(stage.container.resolve(Instance<Third>.self)) }
    stage.thread {
        stage.outcomes[0] = stage.ask()
        guard let other = stage.service(0)?.part as? Other else { return }
        expect(stage.partners[other.number] != nil, "a caller got an instance before the completion of its part")
    }
    stage.afterwards {
        stage.service(0)
        expect(Ledger.entries.count == 3, "a singleton was created twice")
    }
}

/// The first completion throws.
func completionThrows(_ stage: Stage, early: Bool) {
    stage.registerPartners(failingCompletion: 1, failsEarly: early)
    stage.thread { stage.outcomes[0] = stage.askService() }
    stage.thread { _ = stage.askOther(or: .creationFailed) }
    stage.afterwards {
        let service = stage.service(0, or: .creationFailed)
        stage.expectOnePair()
        if let service { expect(service === stage.service(2), "a singleton was created twice") }
        let pair = stage.service(2)
        let living = [pair?.number, (pair?.part as? Other)?.number]
        Ledger.expectLetGo(Ledger.entries.indices.filter { !living.contains($0) })
    }
}

/// The factory of the service throws, after it has got the other one.
func completionOfAFailure(_ stage: Stage) {
    stage.registerPartners(failingFactory: 1)
    stage.thread { stage.outcomes[0] = stage.askService() }
    stage.thread { _ = stage.askOther(or: .creationFailed) }
    stage.afterwards {
        let service = stage.service(0, or: .creationFailed)
        stage.expectOnePair()
        if let service { expect(service === stage.service(2), "a singleton was created twice") }
        // If the factory fails inside the completion of the other, that fails too, and so does a service that has borrowed it.
        expect(Ledger.entries.count <= 4, "a singleton was created twice")
    }
}

/// The container is shut down meanwhile.
func completionShutdown(_ stage: Stage) {
    stage.registerPartners()
    stage.thread { stage.outcomes[0] = stage.askService() }
    stage.thread { _ = stage.askOther(or: .shutDown) }
    stage.thread { end(stage, by: .shutdown) }
    stage.afterwards { stage.service(0, or: .shutDown) }
}

/// A task and a thread resolve the two services.
func completionMixed(_ stage: Stage) {
    stage.registerPartners()
    stage.task {
        let outcome = await stage.askSuspending()
        if case .success(let service) = outcome { stage.expectPartners(service) }
        stage.outcomes[0] = outcome
    }
    stage.thread { _ = stage.askOther() }
    stage.afterwards {
        stage.service(0)
        stage.expectOnlyOnePair()
    }
}

/// The completion of an asynchronous service creates the service, which a thread resolves meanwhile.
func completionSuspending(_ stage: Stage) {
    stage.registerPartners()
    stage.container.register(
        Other.self, replacing: true,
        factory: { _ async in
            pause()
            return Other()
        },
        afterCreation: { other, container in
            pause()
            stage.partners[other.number] = try container.require(Service.self).number
        })
    stage.task {
        do throws(DependencyError) {
            let other = try await stage.container.asyncResolve(Other.self)
            expect(stage.partners[other.number] != nil, "a caller got an instance before its completion")
            stage.isMarked = true
        } catch {
            // The thread is creating the service, which cannot wait for a task.
            expect(error.reason == .onlyAsynchronous, "a caller got an error: \(error)")
        }
    }
    stage.thread { stage.outcomes[0] = stage.askService() }
    stage.afterwards {
        stage.service(0, or: .onlyAsynchronous)
        if stage.isMarked { stage.expectOnePair() }
    }
}

/// Three services form a ring: each takes the next one in its factory, and the last one the first in its completion.
func completionRing(_ stage: Stage) {
    let names: [DependencyName] = ["0", "1", "2"]
    for index in 0..<3 {
        stage.container.register(
            Service.self, named: names[index],
            factory: { container in
                pause()
                if index == 2 { return Service(owned: true, origin: index) }
                let next = try container.require(Service.self, named: names[index + 1])
                return Service(owned: true, origin: index, part: next)
            },
            afterCreation: { service, container in
                pause()
                let previous = try container.require(Service.self, named: names[(index + 2) % 3])
                expect(previous.origin == (index + 2) % 3, "a caller got another service")
                stage.partners[service.number] = previous.number
            }, onDispose: { Stage.dispose($0) })
    }
    for index in 0..<3 {
        stage.thread {
            do throws(DependencyError) {
                let service = try stage.container.require(Service.self, named: names[index])
                expect(stage.partners[service.number] != nil, "a caller got an instance before its completion")
                stage.outcomes[index] = .success(service)
            } catch {
                stage.outcomes[index] = .failure(error)
            }
        }
    }
    stage.afterwards {
        let services = (0..<3).map { stage.service($0) }
        for index in 0..<3 {
            guard let service = services[index], let previous = services[(index + 2) % 3] else { continue }
            expect(stage.partners[service.number] == previous.number, "a singleton was created twice")
        }
        expect(Ledger.entries.count == 3, "a singleton was created twice")
    }
}

let completionScenes: [Scene] = [
    Scene(name: "completion") { completion($0, isScoped: false) },
    Scene(name: "completion-scoped") { completion($0, isScoped: true) },
    Scene(name: "completion-callers") { completionCallers($0) },
    Scene(name: "completion-of-a-part") { completionOfAPart($0) },
    Scene(name: "completion-throws") { completionThrows($0, early: false) },
    Scene(name: "completion-throws-early") { completionThrows($0, early: true) },
    Scene(name: "completion-of-a-failure") { completionOfAFailure($0) },
    Scene(name: "completion-shutdown") { completionShutdown($0) },
    Scene(name: "completion-mixed", tasksMayBlock: true) { completionMixed($0) },
    Scene(name: "completion-suspending", tasksMayBlock: true) { completionSuspending($0) },
    Scene(name: "completion-ring", bound: 1) { completionRing($0) },
]
