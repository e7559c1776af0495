import CScheduler
import Hopoate

/// A service of two others.
enum Both {}

extension Stage {
    /// Lets the container allow commits, and registers a service of the first generation.
    fileprivate func begin(_ lifetime: Lifetime = .singleton) {
        container = .allowingCommits { _ in }
        tokens.append(register(lifetime, origin: 1))
    }

    /// Replaces the service by one of the second generation, which exists.
    fileprivate func commit() {
        let staging: DependencyContainer = container.makeStaging()
        register(origin: 2, in: staging)
        _ = ask(staging)
        _ = container.publish(staging)
    }

    /// Checks that the second generation is left, and nothing of the first one.
    fileprivate func expectSecond() {
        outcomes[2] = ask()
        expect(service(2)?.origin == 2, "a commit was lost")
        expectLetGo(origin: 1)
    }
}

/// A child that began before a commit resolves a service which the commit replaces.
func commit(_ stage: Stage, exists: Bool) {
    stage.begin()
    let child: DependencyContainer = stage.container.makeChild()
    if exists { _ = stage.ask(child) }
    stage.thread {
        stage.outcomes[0] = stage.ask(child)
        stage.outcomes[1] = stage.ask(child)
    }
    stage.thread { stage.commit() }
    stage.afterwards {
        stage.expectSame(0, 1)
        expect(stage.service(0)?.origin == 1, "a child got a service of a later generation")
        stage.expectSecond()
    }
}

/// Children begin, resolve a service and end, while a commit replaces it.
func commitChildren(_ stage: Stage, threads: Int) {
    stage.begin()
    for index in 0..<threads {
        stage.thread {
            let child: DependencyContainer = stage.container.makeChild()
            guard case .success(let service) = stage.ask(child) else { schedule_finding("a child got no service") }
            pause()
            expect(
                Ledger.entries[service.number].disposals == 0,
                "a service was disposed of before its last child had ended")
            stage.outcomes[index] = stage.ask(child)
            expect(stage.service(index) === service, "a child got services of two generations")
        }
    }
    stage.thread { stage.commit() }
    stage.afterwards { stage.expectSecond() }
}

/// The last child of a container ends in one thread, and the container in another one.
func commitLastChild(_ stage: Stage) {
    stage.begin()
    nonisolated(unsafe) var child: DependencyContainer? = stage.container.makeChild()
    stage.thread {
        if let child { stage.outcomes[0] = stage.ask(child) }
        child = nil
    }
    stage.thread {
        stage.commit()
        stage.tokens = []
        stage.container = nil
    }
    stage.afterwards {
        expect(stage.service(0)?.origin == 1, "a child got a service of a later generation")
        stage.outcomes = [nil, nil, nil]
        Ledger.expectDisposals(of: Ledger.owned(), "an instance was not disposed of")
        expect(Ledger.allEnded, "an instance is kept")
    }
}

/// A registration is removed, or replaced without a commit, while a commit replaces it. A child that began before must not find it any more,
/// and find another one if it was replaced.
func commit(_ stage: Stage, beside ending: Ending) {
    stage.begin()
    let child: DependencyContainer = stage.container.makeChild()
    stage.kept = [child]
    stage.thread {
        stage.outcomes[0] = stage.ask(child)
        if ending == .overwriting { stage.service(0) }
    }
    stage.thread { end(stage, by: ending) }
    stage.thread { stage.commit() }
    stage.afterwards {
        stage.service(0, or: .notRegistered, .shutDown)
        guard let child = stage.kept.first as? DependencyContainer else { return }
        stage.outcomes[1] = stage.ask(child)
        switch ending {
        case .overwriting: stage.service(1)
        case .emptying: stage.service(1, or: .notRegistered)
        case .removal:
            expect(stage.service(1, or: .notRegistered) == nil, "a child finds a registration that was removed")
        case .shutdown: expect(stage.service(1, or: .shutDown) == nil, "a child finds a service after the shutdown")
        }
        stage.kept = []
    }
    stage.afterwards { stage.expectLetGo(origin: 1) }
}

/// A commit replaces two services while the container creates one that uses both.
func commitOfTwo(_ stage: Stage, _ lifetime: Lifetime) {
    stage.begin()
    func registerOther(_ origin: Int, in container: DependencyContainer) {
        container.register(Other.self, lifetime: .singleton) { _ in Other(origin: origin) }
    }
    registerOther(1, in: stage.container)
    stage.container.register(Instance<Both>.self, lifetime: lifetime) { container in
        let first = try container.require(Service.self)
        pause()
        let second = try container.require(Other.self)
        return Instance<Both>(origin: first.origin * 10 + second.origin, part: first)
    }
    stage.thread {
        guard let both = try? stage.container.require(Instance<Both>.self) else {
            schedule_finding("a creation failed")
        }
        expect(both.origin == 11 || both.origin == 22, "a service was created from two generations")
        if let first = both.part as? Service, both.origin == 22 {
            expect(Ledger.entries[first.number].disposals == 0, "a new service was disposed of")
        }
    }
    stage.thread {
        let staging: DependencyContainer = stage.container.makeStaging()
        stage.register(origin: 2, in: staging)
        registerOther(2, in: staging)
        _ = stage.container.publish(staging)
    }
    stage.afterwards {
        stage.outcomes[0] = stage.ask()
        expect(stage.service(0)?.origin == 2, "a commit was lost")
    }
}

let commitScenes: [Scene] = [
    Scene(name: "commit") { commit($0, exists: true) },
    Scene(name: "commit-creation") { commit($0, exists: false) },
    Scene(name: "commit-child") { commitChildren($0, threads: 1) },
    Scene(name: "commit-children", bound: 1) { commitChildren($0, threads: 2) },
    Scene(name: "commit-last-child", set: commitLastChild),
    Scene(name: "commit-removal", bound: 1) { commit($0, beside: .removal) },
    Scene(name: "commit-overwriting", bound: 1) { commit($0, beside: .overwriting) },
    Scene(name: "commit-emptying", bound: 1) { commit($0, beside: .emptying) },
    Scene(name: "commit-shutdown", bound: 1) { commit($0, beside: .shutdown) },
    Scene(name: "commit-of-two") { commitOfTwo($0, .singleton) },
    Scene(name: "commit-of-two-transient") { commitOfTwo($0, .transient) },
]
