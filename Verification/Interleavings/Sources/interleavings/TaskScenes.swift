import CScheduler
import Hopoate

// MARK: Creation in tasks

/// Two tasks wait for one creation; one of them is cancelled.
func cancelled(_ stage: Stage) {
    stage.registerSuspending(suspends: false)
    stage.task { stage.outcomes[0] = await stage.askSuspending() }
    stage.task { stage.outcomes[1] = await stage.askSuspending() }
    stage.thread { stage.cancel(1) }
    stage.afterwards {
        let first = stage.service(0)
        let second = stage.service(1, or: .cancelled)
        expect(second == nil || second === first, "two callers got two instances of one shared service")
        expect(Ledger.entries.count == 1, "a singleton was created twice")
    }
}

/// Two tasks wait for one creation of a keyed service, which fails; one of them is cancelled.
func keyedCancelled(_ stage: Stage) {
    stage.container.register(
        Service.self, lifetime: .keyed,
        factory: { (_: DependencyContainer, key: Int) async throws in
            stage.calls += 1
            let call = stage.calls
            pause()
            if call == 1 { throw CancellationError() }
            return Service(owned: true, origin: key)
        }, onDispose: { Stage.dispose($0) })
    for index in 0..<2 { stage.task { stage.outcomes[index] = await stage.askKeyedSuspending(1) } }
    stage.thread { stage.cancel(1) }
    stage.afterwards {
        stage.service(0, or: .creationFailed)
        stage.service(1, or: .creationFailed, .cancelled)
        expect(Ledger.entries.count <= 1, "a keyed service was created twice")
    }
}

/// A task and a thread resolve a service whose factory does not suspend.
func mixed(_ stage: Stage) {
    stage.register()
    stage.task { stage.outcomes[0] = await stage.askSuspending() }
    stage.thread { stage.outcomes[1] = stage.ask() }
    stage.afterwards {
        stage.expectSame(0, 1)
        expect(Ledger.entries.count == 1, "a singleton was created twice")
    }
}

/// Two tasks, or a task and a thread, resolve a scoped service in the same container. Its factory does not suspend.
func scopedMixed(_ stage: Stage, otherIsTask: Bool) {
    stage.register(.scoped, owned: false)
    let child = stage.container.makeChild()
    stage.task { stage.outcomes[0] = await stage.askSuspending(child) }
    if otherIsTask {
        stage.task { stage.outcomes[1] = await stage.askSuspending(child) }
    } else {
        stage.thread { stage.outcomes[1] = stage.ask(child) }
    }
    stage.afterwards {
        stage.expectSame(0, 1)
        expect(Ledger.entries.count == 1, "a scoped service was created twice in one container")
    }
}

/// A task resolves a service that needs a scoped one, while a thread or another such task resolves the scoped one.
func scopedDependency(_ stage: Stage, owned: Bool, otherIsTask: Bool) {
    stage.register(.scoped, owned: owned)
    stage.container.register(Other.self, lifetime: .transient, using: { (part: Service) in Other(part: part) })
    let child = stage.container.makeChild()
    @Sendable func ask(_ index: Int) async {
        do throws(DependencyError) {
            let other = try await child.asyncResolve(Other.self)
            stage.outcomes[index] = (other.part as? Service).map { .success($0) }
        } catch {
            stage.outcomes[index] = .failure(error)
        }
    }
    stage.task { await ask(0) }
    if otherIsTask {
        stage.task { await ask(1) }
    } else {
        stage.thread { stage.outcomes[1] = stage.ask(child) }
    }
    stage.afterwards {
        stage.expectSame(0, 1)
        expect(
            Ledger.entries.count == (otherIsTask ? 3 : 2), "a scoped service was created twice in one container")
    }
}

/// The factory of the first creation throws, in a task.
func suspendingFailing(_ stage: Stage) {
    stage.container.register(
        Service.self,
        factory: { _ async throws in
            stage.calls += 1
            let call = stage.calls
            pause()
            if call == 1 { throw CancellationError() }
            return Service(owned: true)
        }, onDispose: { Stage.dispose($0) })
    stage.task { stage.outcomes[0] = await stage.askSuspending() }
    stage.task { stage.outcomes[1] = await stage.askSuspending() }
    stage.afterwards {
        stage.service(0, or: .creationFailed)
        stage.service(1, or: .creationFailed)
        expect(Ledger.entries.count <= 1, "a singleton was created twice")
    }
}

/// Two services that tasks create depend on each other.
func suspendingCircle(_ stage: Stage) {
    stage.container.register(Service.self) { container async throws in
        Service(part: try await container.asyncResolve(Other.self))
    }
    stage.container.register(Other.self) { container async throws in
        Other(part: try await container.asyncResolve(Service.self))
    }
    stage.task { stage.outcomes[0] = await stage.askSuspending() }
    stage.task {
        do throws(DependencyError) {
            _ = try await stage.container.asyncResolve(Other.self)
            schedule_finding("a service was made although it needs itself")
        } catch {
            expect(error.reason == .circular, "a caller got an error: \(error)")
        }
    }
    stage.afterwards {
        expect(stage.service(0, or: .circular) == nil, "a service was made although it needs itself")
    }
}

/// A creation is abandoned: a task that its factory started ends in a failure handler that does not return. The factory returns
/// an instance nevertheless.
func abandoned(_ stage: Stage, callers: Int) {
    stage.mayLeak = true
    stage.container.register(
        Service.self,
        factory: { container async in
            stage.calls += 1
            let call = stage.calls
            if call == 1 {
                Task {
                    DependencyContainer.withFailureHandler { _ in
                        schedule_park()
                    } operation: {
                        _ = container.resolve(Other.self)
                    }
                }
                pause()
            }
            return Service(owned: true, origin: call)
        }, onDispose: { Stage.dispose($0) })
    for index in 0..<callers { stage.task { stage.outcomes[index] = await stage.askSuspending() } }
    stage.afterwards {
        let services = (0..<callers).map { stage.service($0, or: .notRegistered) }
        // The caller that began the first creation has waited for it.
        let origin = services.contains { $0 == nil } ? 2 : 1
        for case let service? in services {
            expect(service.origin == origin, "a caller got the instance of a creation that was abandoned")
        }
        if case .success(let service) = stage.ask() {
            expect(service.origin == origin, "the instance of a creation that was abandoned was stored")
        }
        end(stage, by: .shutdown)
        Ledger.expectDisposals(of: Ledger.owned(), "an instance was never disposed of")
    }
}

/// A registration ends while a task creates its instance.
func suspendingEnded(_ stage: Stage, by ending: Ending) {
    stage.tokens.append(stage.registerSuspending())
    stage.task { stage.outcomes[0] = await stage.askSuspending() }
    stage.thread { end(stage, by: ending) }
    stage.afterwards {
        stage.tasks = []
        expectEnded(stage, by: ending)
    }
}

/// A decorated registration is removed while a task creates the decorated service.
func suspendingDecorated(_ stage: Stage) {
    stage.tokens.append(stage.registerSuspending(suspends: false))
    stage.tokens.append(stage.container.decorate(Service.self) { inner, _ in Service(origin: 2, part: inner) })
    stage.task {
        stage.outcomes[0] = await stage.askSuspending()
        stage.container.remove(stage.tokens[1])
    }
    stage.thread { stage.container.remove(stage.tokens[0]) }
    stage.afterwards {
        stage.tasks = []
        expect(stage.service(0)?.origin == 2, "a caller got a service without its decorator")
        stage.expectLetGo()
        expect(Ledger.allEnded, "a decorator that was removed is kept")
    }
}

// MARK: Tasks of a factory

/// A factory starts a task that resolves the factory's own service, during the creation or after it.
func ownTask(_ stage: Stage) {
    stage.container.register(
        Service.self,
        factory: { container async in
            Task { stage.outcomes[1] = await stage.askSuspending(container) }
            await suspend()
            return Service(owned: true)
        }, onDispose: { Stage.dispose($0) })
    stage.task { stage.outcomes[0] = await stage.askSuspending() }
    stage.afterwards {
        let first = stage.service(0)
        let second = stage.service(1, or: .circular)
        expect(second == nil || second === first, "two callers got two instances of one shared service")
    }
}

/// A factory starts a task that outlives the creation; the registration is removed.
func backgroundTask(_ stage: Stage) {
    let bell = Bell()
    stage.tokens.append(
        stage.container.register(
            Service.self,
            factory: { _ async in
                let service = Service(owned: true)
                Task { await bell.wait() }
                return service
            }, onDispose: { Stage.dispose($0) }))
    stage.task {
        stage.outcomes[0] = await stage.askSuspending()
        stage.outcomes[0] = nil
        stage.container.remove(stage.tokens.removeLast())
    }
    stage.afterwards {
        stage.tasks = []
        stage.expectLetGo()
        bell.ring()
    }
}

/// An event that a task waits for.
// Unchecked, because of the variables. Sound, because only the strand that has the baton runs.
private final class Bell: @unchecked Sendable {
    private var hasRung = false
    private var waiting: UnsafeContinuation<Void, Never>?

    func wait() async {
        if hasRung { return }
        await withUnsafeContinuation { waiting = $0 }
    }

    func ring() {
        hasRung = true
        waiting?.resume()
        waiting = nil
    }
}

/// Two tasks of one factory resolve a service that has one instance in the object graph.
func graph(_ stage: Stage) {
    stage.register(.graph, owned: false)
    stage.container.register(Other.self, lifetime: .transient) { container async throws in
        async let left = container.asyncResolve(Service.self)
        async let right = container.asyncResolve(Service.self)
        let parts = try await (left, right)
        expect(parts.0 === parts.1, "a graph has two instances of one service")
        return Other(part: parts.0)
    }
    stage.task {
        do {
            _ = try await stage.container.asyncResolve(Other.self)
        } catch {
            schedule_finding("a caller got an error: \(error)")
        }
    }
    stage.afterwards { expect(Ledger.allEnded, "a graph is kept") }
}

/// A task shuts a container down during the creation of a service whose disposal hook suspends.
func suspendingHook(_ stage: Stage) {
    stage.container.register(
        Service.self,
        factory: { _ in
            pause()
            return Service(owned: true)
        },
        onAsyncDispose: { service in
            await suspend()
            Ledger.dispose(service.number)
        })
    stage.thread { stage.outcomes[0] = stage.ask() }
    stage.task {
        do { try await stage.container.shutdown() } catch { schedule_finding("a shutdown failed: \(error)") }
    }
    stage.afterwards {
        stage.service(0, or: .shutDown)
        stage.expectLetGo()
    }
}

/// A thread resolves a service that a task is creating. The thread never waits.
func onlyAsynchronous(_ stage: Stage) {
    stage.registerSuspending()
    stage.task { stage.outcomes[0] = await stage.askSuspending() }
    stage.thread { stage.outcomes[1] = stage.ask() }
    stage.afterwards {
        let first = stage.service(0)
        let second = stage.service(1, or: .onlyAsynchronous)
        expect(second == nil || second === first, "two callers got two instances of one shared service")
    }
}

let taskScenes: [Scene] = [
    Scene(name: "cancelled", set: cancelled),
    Scene(name: "keyed-cancelled", bound: 1, set: keyedCancelled),
    Scene(name: "mixed", bound: 3, set: mixed),
    Scene(name: "scoped-mixed", bound: 3) { scopedMixed($0, otherIsTask: false) },
    Scene(name: "scoped-tasks") { scopedMixed($0, otherIsTask: true) },
    Scene(name: "scoped-dependency", bound: 3) { scopedDependency($0, owned: false, otherIsTask: false) },
    Scene(name: "scoped-dependency-owned") { scopedDependency($0, owned: true, otherIsTask: false) },
    Scene(name: "scoped-dependencies") { scopedDependency($0, owned: false, otherIsTask: true) },
    Scene(name: "suspending-failing", set: suspendingFailing),
    Scene(name: "suspending-circle", bound: 1, set: suspendingCircle),
    Scene(name: "abandoned") { abandoned($0, callers: 1) },
    Scene(name: "abandoned-callers", bound: 1) { abandoned($0, callers: 2) },
    Scene(name: "suspending-removal") { suspendingEnded($0, by: .removal) },
    Scene(name: "suspending-emptying") { suspendingEnded($0, by: .emptying) },
    Scene(name: "suspending-shutdown") { suspendingEnded($0, by: .shutdown) },
    Scene(name: "suspending-decorated", set: suspendingDecorated),
    Scene(name: "own-task", set: ownTask),
    Scene(name: "background-task", bound: 3, set: backgroundTask),
    Scene(name: "graph", set: graph),
    Scene(name: "suspending-hook", set: suspendingHook),
    Scene(name: "only-asynchronous", set: onlyAsynchronous),
]
