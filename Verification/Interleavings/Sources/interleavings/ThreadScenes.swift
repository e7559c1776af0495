import CScheduler
import Hopoate

/// A scene: a few steps of two or three strands, and the conditions that must hold in every schedule.
struct Scene: Sendable {
    let name: String
    var bound: UInt32 = 2
    /// Whether a task may block its thread, because its factories resolve services without `await`.
    var tasksMayBlock = false
    let set: @Sendable (Stage) -> Void
}

// MARK: Creation

/// Two threads resolve a singleton that does not exist yet.
func singleton(_ stage: Stage, owned: Bool) {
    stage.register(owned: owned)
    stage.thread { stage.outcomes[0] = stage.ask() }
    stage.thread { stage.outcomes[1] = stage.ask() }
    stage.afterwards {
        stage.expectSame(0, 1)
        expect(Ledger.entries.count == 1, "a singleton was created twice")
    }
}

/// The factory of the first creation throws.
func failing(_ stage: Stage) {
    stage.container.register(
        Service.self,
        factory: { _ in
            expect(!stage.isMarked, "two creations of one singleton run at once")
            stage.isMarked = true
            defer { stage.isMarked = false }
            stage.calls += 1
            pause()
            if stage.calls == 1 { throw CancellationError() }
            return Service(owned: true)
        }, onDispose: { Stage.dispose($0) })
    stage.thread { stage.outcomes[0] = stage.ask() }
    stage.thread { stage.outcomes[1] = stage.ask() }
    stage.afterwards {
        let services = [stage.service(0, or: .creationFailed), stage.service(1, or: .creationFailed)]
        expect(services.contains { $0 == nil }, "a failure reached nobody")
        stage.outcomes[2] = stage.ask()
        let last = stage.service(2)
        for case let service? in services { expect(service === last, "a singleton was created twice") }
    }
}

/// Two threads resolve a scoped service in the same container.
func scoped(_ stage: Stage, owned: Bool) {
    stage.register(.scoped, owned: owned)
    let child = stage.container.makeChild()
    stage.thread { stage.outcomes[0] = stage.ask(child) }
    stage.thread { stage.outcomes[1] = stage.ask(child) }
    stage.afterwards {
        stage.expectSame(0, 1)
        expect(Ledger.entries.count == 1, "a scoped service was created twice in one container")
    }
}

/// Two threads resolve a keyed service with equal arguments; the first creation fails.
func keyed(_ stage: Stage) {
    stage.container.register(
        Service.self, lifetime: .keyed,
        factory: { (_: DependencyContainer, key: Int) in
            stage.calls += 1
            pause()
            if stage.calls == 1 { throw CancellationError() }
            return Service(owned: true, origin: key)
        }, onDispose: { Stage.dispose($0) })
    stage.thread { stage.outcomes[0] = stage.askKeyed(1) }
    stage.thread { stage.outcomes[1] = stage.askKeyed(1) }
    stage.afterwards {
        let services = [stage.service(0, or: .creationFailed), stage.service(1, or: .creationFailed)]
        expect(services.contains { $0 == nil }, "a failure reached nobody")
        stage.outcomes[2] = stage.askKeyed(1)
        let last = stage.service(2)
        for case let service? in services { expect(service === last, "a keyed service was created twice") }
    }
}

/// An instance of a keyed service with a limit of one instance leaves for another value, while another thread resolves it.
///
/// The second lookup of the instance adds it to the index. So each of the calls may be the first one that finds it there.
func keyedLimit(_ stage: Stage) {
    stage.registerKeyed(.keyed(limit: 1))
    _ = stage.askKeyed(1)
    stage.thread {
        _ = stage.askKeyed(1)
        stage.outcomes[0] = stage.askKeyed(2)
    }
    stage.thread {
        stage.outcomes[1] = stage.askKeyed(1)
        stage.outcomes[2] = stage.askKeyed(1)
        guard let first = stage.service(1), let second = stage.service(2) else { return }
        expect(first.number <= second.number, "a caller got an instance that had left before another one was created")
    }
    stage.afterwards {
        for index in 0...2 {
            expect(stage.service(index)?.origin == (index == 0 ? 2 : 1), "a caller got the instance of another value")
        }
        stage.outcomes = [nil, nil, nil]
        // Whichever instance was left leaves now.
        _ = stage.askKeyed(3)
        expect(Ledger.entries.count { $0.disposals == 0 } == 1, "there are not as many instances as the limit")
        expect(Ledger.entries.count { !$0.hasEnded } == 1, "an instance that has left is still alive")
    }
}

/// A keyed registration with a limit of one instance is ended while an instance leaves for another value.
func keyedLimit(_ stage: Stage, endedBy ending: Ending) {
    stage.tokens.append(stage.registerKeyed(.keyed(limit: 1)))
    _ = stage.askKeyed(1)
    stage.thread { stage.outcomes[0] = stage.askKeyed(2) }
    stage.thread { end(stage, by: ending) }
    stage.afterwards {
        stage.service(0, or: .notRegistered, .shutDown)
        stage.expectLetGo()
    }
}

/// A thread drops a weak service while another thread resolves it.
func weak(_ stage: Stage) {
    stage.container.register(Service.self, lifetime: .weak) { _ in
        expect(Ledger.allEnded, "a weak service was created while an instance of it is alive")
        pause()
        return Service()
    }
    for _ in 0..<2 {
        stage.thread {
            let outcome = stage.ask()
            pause()
            guard case .success(let service) = outcome else { schedule_finding("a weak service cannot be had") }
            expect(!Ledger.entries[service.number].hasEnded, "a caller got an instance that has ended")
        }
    }
    stage.afterwards { expect(Ledger.allEnded, "a weak service is kept") }
}

/// A thread resolves a service for a value whose instance is gone. Another thread adds a value, and so checks the first one.
func values(_ stage: Stage, isWeak: Bool) {
    let scope = DependencyScope("scope")
    stage.container.register(Service.self, lifetime: isWeak ? .weak : .cached(in: scope)) {
        (_: DependencyContainer, key: Int) in
        pause()
        return Service(origin: key)
    }
    _ = stage.askKeyed(1)
    scope.reset()
    stage.thread { stage.outcomes[0] = stage.askKeyed(1) }
    stage.thread { stage.outcomes[1] = stage.askKeyed(2) }
    stage.afterwards {
        stage.service(1)
        stage.outcomes[2] = stage.askKeyed(1)
        expect(stage.service(0) === stage.service(2), "a service was created twice for a value")
    }
}

// MARK: Cycles

/// Two singletons depend on each other.
func circle(_ stage: Stage) {
    registerPair(stage)
    stage.thread { stage.outcomes[0] = stage.ask() }
    stage.thread { stage.calls += stage.hasCycle(Other.self) ? 1 : 0 }
    stage.afterwards {
        expect(stage.service(0, or: .circular) == nil, "a service was made although it needs itself")
        expect(stage.calls == 1, "a service was made although it needs itself")
    }
}

/// Two singletons depend on each other. One of them catches the error and does without the other.
func circleCaught(_ stage: Stage) {
    registerPair(stage, needsFirst: false)
    stage.thread { stage.outcomes[0] = stage.ask() }
    stage.thread { _ = stage.hasCycle(Other.self) }
    stage.afterwards {
        stage.service(0, or: .circular)
        stage.outcomes[1] = stage.ask()
        stage.service(1)
    }
}

/// A singleton depends on another one that is resolved at the same time.
func need(_ stage: Stage) {
    registerNeed(stage)
    stage.thread { stage.outcomes[0] = stage.ask() }
    stage.thread { stage.kept.append(stage.container.resolve(Other.self)) }
    stage.afterwards {
        let part = stage.service(0)?.part as? Other
        expect(part === stage.kept.first as? Other, "a singleton was created twice")
        expect(Ledger.entries.count == 2, "a singleton was created twice")
    }
}

private func registerNeed(_ stage: Stage) {
    stage.container.register(Service.self) { container in
        pause()
        return Service(part: try container.require(Other.self))
    }
    stage.container.register(Other.self) { _ in
        pause()
        return Other()
    }
}

private func registerPair(_ stage: Stage, needsFirst: Bool = true) {
    stage.container.register(Service.self) { container in
        pause()
        return Service(part: try container.require(Other.self))
    }
    stage.container.register(Other.self) { container in
        pause()
        do throws(DependencyError) {
            return Other(part: try container.require(Service.self))
        } catch {
            if needsFirst { throw error }
            return Other()
        }
    }
}

extension Stage {
    fileprivate func hasCycle<Needed>(_ service: Needed.Type) -> Bool {
        do throws(DependencyError) {
            _ = try container.require(service)
            return false
        } catch {
            expect(error.reason == .circular, "a caller got an error: \(error)")
            return true
        }
    }
}

// MARK: Removal

enum Ending { case removal, overwriting, emptying, shutdown }

/// A registration ends while its instance is created.
func ended(_ stage: Stage, by ending: Ending, callers: Int = 1) {
    stage.tokens.append(stage.register(origin: 1))
    for index in 0..<callers { stage.thread { stage.outcomes[index] = stage.ask() } }
    stage.thread { end(stage, by: ending) }
    stage.afterwards { expectEnded(stage, by: ending) }
}

func end(_ stage: Stage, by ending: Ending) {
    switch ending {
    case .removal: stage.container.remove(stage.tokens[0])
    case .emptying: stage.container.removeAll()
    case .shutdown:
        do { try stage.container.shutdownWithoutAwaitingHooks() } catch {
            schedule_finding("a shutdown failed: \(error)")
        }
    case .overwriting:
        stage.container.register(
            Service.self, replacing: true,
            factory: { _ in
                pause()
                return Service(owned: true, origin: 2)
            }, onDispose: { Stage.dispose($0) })
    }
}

func expectEnded(_ stage: Stage, by ending: Ending) {
    let isSecondCaller = stage.outcomes[1] != nil
    switch ending {
    case .removal, .emptying:
        stage.service(0, or: .notRegistered)
        if isSecondCaller { stage.service(1, or: .notRegistered) }
        expect(!stage.container.canResolve(Service.self), "a registration is found although it was removed")
        stage.expectLetGo()
    case .shutdown:
        stage.service(0, or: .shutDown)
        if isSecondCaller { stage.service(1, or: .shutDown) }
        stage.outcomes[2] = stage.ask()
        expect(stage.service(2, or: .shutDown) == nil, "a container that was shut down has a service")
        stage.expectLetGo()
    case .overwriting:
        stage.service(0)
        if isSecondCaller { stage.service(1) }
        stage.outcomes[2] = stage.ask()
        expect(stage.service(2)?.origin == 2, "a registration is found although it was overwritten")
        stage.expectLetGo(origin: 1)
    }
}

/// A factory removes its own registration.
func removesItself(_ stage: Stage) {
    stage.tokens.append(
        stage.container.register(
            Service.self,
            factory: { container in
                container.remove(stage.tokens[0])
                return Service(owned: true)
            }, onDispose: { Stage.dispose($0) }))
    stage.thread { stage.outcomes[0] = stage.ask() }
    stage.afterwards {
        stage.service(0)
        stage.expectLetGo()
    }
}

/// A child is shut down while its instance of a scoped service is created.
func scopedShutdown(_ stage: Stage) {
    stage.register(.scoped)
    let child = stage.container.makeChild()
    stage.thread { stage.outcomes[0] = stage.ask(child) }
    stage.thread {
        do { try child.shutdownWithoutAwaitingHooks() } catch { schedule_finding("a shutdown failed: \(error)") }
    }
    stage.afterwards {
        stage.service(0, or: .shutDown)
        stage.expectLetGo()
    }
}

/// A keyed registration is removed while an instance of it is created.
func keyedRemoval(_ stage: Stage) {
    stage.tokens.append(
        stage.container.register(
            Service.self, lifetime: .keyed,
            factory: { (_: DependencyContainer, key: Int) in
                pause()
                return Service(owned: true, origin: key)
            }, onDispose: { Stage.dispose($0) }))
    stage.thread { stage.outcomes[0] = stage.askKeyed(1) }
    stage.thread { stage.container.remove(stage.tokens[0]) }
    stage.afterwards {
        stage.service(0, or: .notRegistered)
        stage.expectLetGo()
    }
}

/// A child is shut down while its instance of a scoped service is created. The service needs no disposal.
func scopedPlainShutdown(_ stage: Stage) {
    stage.register(.scoped, owned: false)
    let child = stage.container.makeChild()
    stage.thread { stage.outcomes[0] = stage.ask(child) }
    stage.thread {
        do { try child.shutdownWithoutAwaitingHooks() } catch { schedule_finding("a shutdown failed: \(error)") }
    }
    stage.afterwards {
        stage.service(0, or: .shutDown)
        stage.outcomes[0] = nil
        expect(Ledger.allEnded, "a container that was shut down keeps an instance")
    }
}

/// A service is borrowed while its registration is removed.
func borrowed(_ stage: Stage) {
    stage.tokens.append(stage.register())
    _ = stage.ask()
    stage.thread {
        stage.container.withOptionalService(Service.self) { service in
            pause()
            expect(Ledger.entries[service.number].disposals == 0, "a borrowed instance was disposed of")
            expect(!Ledger.entries[service.number].hasEnded, "a borrowed instance has ended")
        }
    }
    stage.thread { stage.container.remove(stage.tokens.removeLast()) }
    stage.afterwards { stage.expectLetGo() }
}

/// The factory of a transient service runs while its registration is removed. The closure is borrowed, so it lives until it returns.
func transientRemoval(_ stage: Stage) {
    let captured = Service()
    let number = captured.number
    stage.tokens.append(
        stage.container.register(Service.self, lifetime: .transient) { _ in
            pause()
            expect(!Ledger.entries[captured.number].hasEnded, "a closure was released while it runs")
            return Service()
        })
    stage.thread { stage.outcomes[0] = stage.ask() }
    stage.thread { stage.container.remove(stage.tokens.removeLast()) }
    stage.afterwards {
        stage.service(0, or: .notRegistered)
        expect(Ledger.entries[number].hasEnded, "a closure whose registration was removed is still alive")
    }
}

/// Two threads end the registration of an existing service, in the same way or in different ways.
func endedTwice(_ stage: Stage, by first: Ending, and second: Ending) {
    stage.tokens.append(stage.register(origin: 1))
    _ = stage.ask()
    stage.thread { end(stage, by: first) }
    stage.thread { end(stage, by: second) }
    stage.afterwards { stage.expectLetGo() }
}

/// A child with a scoped instance is dropped while its parent is shut down.
func childDrop(_ stage: Stage) {
    stage.register(.scoped)
    let child = stage.container.makeChild()
    stage.outcomes[0] = stage.ask(child)
    stage.outcomes[0] = nil
    stage.kept.append(child)
    stage.thread { stage.kept = [] }
    stage.thread { end(stage, by: .shutdown) }
    // No closure may capture `child`, or it would keep the child alive.
    stage.afterwards { stage.expectLetGo() }
}

/// A service is borrowed for the first time, and so created, while its registration is removed. The borrow keeps it alive. But it
/// does not defer the disposal hook, as a borrow of an existing service does.
func borrowedFirst(_ stage: Stage) {
    stage.tokens.append(stage.register())
    stage.thread {
        stage.container.withOptionalService(Service.self) { service in
            pause()
            expect(!Ledger.entries[service.number].hasEnded, "a borrowed instance has ended")
        }
    }
    stage.thread { stage.container.remove(stage.tokens.removeLast()) }
    stage.afterwards { stage.expectLetGo() }
}

/// A registration is removed while another service is borrowed, of another container or of the same one.
func borrowedElsewhere(_ stage: Stage, in other: DependencyContainer) {
    other.register(Other(), for: Other.self)
    stage.tokens.append(stage.register())
    _ = stage.ask()
    stage.thread { other.withService(Other.self) { _ in pause() } }
    stage.thread {
        stage.container.remove(stage.tokens.removeLast())
        Ledger.expectDisposals(of: Ledger.owned(), "a borrow of another service has put a removal off")
    }
}

/// A scope is reset while an instance in it is created.
func reset(_ stage: Stage, asksAgain: Bool, callers: Int = 1) {
    let scope = DependencyScope("scene")
    stage.container.register(
        Service.self, lifetime: .cached(in: scope),
        factory: { _ in
            let isStale = !stage.isMarked
            pause()
            return Service(owned: true, origin: isStale ? 1 : 2)
        }, onDispose: { Stage.dispose($0) })
    for index in 0..<callers { stage.thread { stage.outcomes[index] = stage.ask() } }
    stage.thread {
        stage.isMarked = true
        scope.reset()
        if asksAgain { stage.outcomes[2] = stage.ask() }
    }
    stage.afterwards {
        for index in 0..<callers { stage.service(index) }
        if asksAgain {
            expect(stage.service(2)?.origin == 2, "a caller that asks after a reset got an instance from before it")
        }
        stage.expectLetGo(origin: 1)
    }
}

/// A scope is reset while an instance in it is created. The instance's disposal hook resolves the service again.
func resetHook(_ stage: Stage) {
    let scope = DependencyScope("scene")
    stage.container.register(
        Service.self, lifetime: .cached(in: scope),
        factory: { _ in
            let isStale = !stage.isMarked
            pause()
            return Service(owned: true, origin: isStale ? 1 : 2)
        },
        onDispose: { service in
            if service.origin == 1 { stage.outcomes[1] = stage.ask() }
            Ledger.dispose(service.number)
        })
    stage.thread { stage.outcomes[0] = stage.ask() }
    stage.thread {
        stage.isMarked = true
        scope.reset()
    }
    stage.afterwards {
        stage.service(0)
        if stage.outcomes[1] != nil {
            expect(stage.service(1)?.origin == 2, "a hook that asks after a reset got an instance from before it")
        }
        stage.expectLetGo(origin: 1)
    }
}

/// A module is uninstalled while its service is created, or the container is shut down.
func uninstalled(_ stage: Stage, isShutDown: Bool) {
    var installation: Installation?
    do {
        installation = try stage.container.install(Module(stage: stage))
    } catch {
        schedule_finding("a module was not installed: \(error)")
    }
    stage.thread {
        if isShutDown { end(stage, by: .shutdown) } else { stage.outcomes[0] = stage.ask() }
    }
    stage.thread {
        if let installed = installation { stage.container.uninstall(installed) }
        installation = nil
    }
    stage.afterwards {
        if !isShutDown { stage.service(0, or: .notRegistered) }
        expect(!stage.container.canResolve(Service.self), "a registration is found although its module was uninstalled")
        stage.expectLetGo()
    }
}

// Unchecked, because of the stage. Sound, because only the strand that has the baton runs.
private struct Module: DependencyModule, @unchecked Sendable {
    let stage: Stage

    func register(in container: DependencyContainer) {
        stage.register(in: container)
        if stage.isMarked { _ = stage.ask() }
    }
}

/// A caller resolves a type without a registration. The error names the registrations, which change meanwhile.
func missing(_ stage: Stage) {
    stage.tokens.append(stage.register())
    stage.thread {
        do throws(DependencyError) {
            _ = try stage.container.require(Other.self)
            schedule_finding("a caller got a service that is not registered")
        } catch {
            expect(error.reason == .notRegistered, "a caller got an error: \(error)")
            expect(!error.description.isEmpty, "an error says nothing")
        }
    }
    stage.thread {
        stage.container.remove(stage.tokens.removeLast())
        stage.register(.transient, owned: false)
    }
}

/// The failure handler of a creation does not return. Another thread waits for that creation.
func givenUp(_ stage: Stage) {
    stage.mayLeak = true
    stage.container.register(Service.self) { container in
        stage.calls += 1
        if stage.calls == 1 {
            pause()
            _ = container.resolve(Other.self)
        }
        return Service()
    }
    for index in 0..<2 {
        stage.thread {
            DependencyContainer.withFailureHandler { _ in
                schedule_park()
            } operation: {
                stage.outcomes[index] = stage.ask()
            }
        }
    }
    stage.afterwards {
        let left = stage.outcomes.compactMap(\.self)
        expect(left.count == 1, "a thread was given up that had no failure, or none was")
        stage.outcomes[0] = left[0]
        stage.service(0, or: .notRegistered)
        stage.outcomes[1] = stage.ask()
        stage.service(1)
    }
}

/// A decorated registration is removed while the decorated service is created.
func decorated(_ stage: Stage) {
    stage.tokens.append(stage.register(origin: 1))
    stage.tokens.append(
        stage.container.decorate(Service.self) { inner, _ in Service(origin: 2, part: inner) })
    stage.thread {
        stage.outcomes[0] = stage.ask()
        stage.container.remove(stage.tokens[1])
    }
    stage.thread { stage.container.remove(stage.tokens[0]) }
    stage.afterwards {
        expect(stage.service(0)?.origin == 2, "a caller got a service without its decorator")
        stage.expectLetGo()
    }
}

/// A registration is removed while another thread decorates it.
func decorating(_ stage: Stage) {
    stage.tokens.append(stage.register(origin: 1))
    // It shadows the first registration, so that there is always one to decorate.
    stage.tokens.append(stage.register(origin: 3))
    stage.thread {
        let decorator = stage.container.decorate(Service.self) { inner, _ in Service(origin: 2, part: inner) }
        stage.outcomes[0] = stage.ask()
        if case .success(let service)? = stage.outcomes[0], let inner = service.part as? Service {
            expect(Ledger.entries[inner.number].disposals == 0, "a decorated instance was disposed of")
        }
        stage.container.remove(decorator)
    }
    stage.thread { stage.container.remove(stage.tokens.removeLast()) }
    stage.afterwards {
        expect(stage.service(0)?.origin == 2, "a caller got a service without its decorator")
        stage.expectLetGo(origin: 3)
    }
}

/// A scope is reset while a thread reads the instance.
func resetRead(_ stage: Stage) {
    let scope = DependencyScope("scene")
    stage.register(.cached(in: scope), origin: 1)
    _ = stage.ask()
    stage.thread {
        guard case .success(let service) = stage.ask() else { schedule_finding("a cached service cannot be had") }
        expect(!Ledger.entries[service.number].hasEnded, "a caller got an instance that has ended")
    }
    stage.thread { scope.reset() }
    stage.afterwards { expect(Ledger.entries[0].hasEnded, "a container keeps an instance from before a reset") }
}

/// A lazy dependency forgets its instance while another thread reads it.
func lazily(_ stage: Stage) {
    stage.register(.transient, owned: false)
    let lazy = LazyDependency<Service>(container: stage.container)
    _ = lazy.wrappedValue
    stage.thread {
        let service = lazy.wrappedValue
        expect(!Ledger.entries[service.number].hasEnded, "a caller got an instance that has ended")
    }
    stage.thread { lazy.dispose() }
    stage.afterwards {
        lazy.dispose()
        expect(Ledger.allEnded, "a lazy dependency keeps an instance")
    }
}

/// Two threads read a property with a wrapper for the first time.
func wrapper(_ stage: Stage) {
    stage.register(.transient, owned: false)
    let client = Client(stage.container)
    stage.thread { stage.outcomes[0] = .success(client.service) }
    stage.thread { stage.outcomes[1] = .success(client.service) }
    stage.afterwards { stage.expectSame(0, 1) }
}

// Unchecked, because a wrapper is not declared to be Sendable. Sound, because its cell is thread-safe.
private final class Client: @unchecked Sendable {
    @Dependency var service: Service

    init(_ container: DependencyContainer) {
        _service = Dependency(container: container)
    }
}

let threadScenes: [Scene] = [
    Scene(name: "singleton", bound: 3) { singleton($0, owned: true) },
    Scene(name: "singleton-plain", bound: 3) { singleton($0, owned: false) },
    Scene(name: "failing", bound: 3, set: failing),
    Scene(name: "scoped") { scoped($0, owned: true) },
    Scene(name: "scoped-plain", bound: 3) { scoped($0, owned: false) },
    Scene(name: "keyed", bound: 3, set: keyed),
    Scene(name: "keyed-limit", set: { keyedLimit($0) }),
    Scene(name: "keyed-limit-removal", bound: 3) { keyedLimit($0, endedBy: .removal) },
    Scene(name: "keyed-limit-shutdown", bound: 3) { keyedLimit($0, endedBy: .shutdown) },
    Scene(name: "weak", bound: 3, set: weak),
    Scene(name: "weak-values", bound: 3) { values($0, isWeak: true) },
    Scene(name: "cached-values", bound: 3) { values($0, isWeak: false) },
    Scene(name: "circle", set: circle),
    Scene(name: "circle-caught", set: circleCaught),
    Scene(name: "need", set: need),
    Scene(name: "removal", bound: 3) { ended($0, by: .removal) },
    Scene(name: "overwriting", bound: 3) { ended($0, by: .overwriting) },
    Scene(name: "emptying", bound: 3) { ended($0, by: .emptying) },
    Scene(name: "shutdown", bound: 3) { ended($0, by: .shutdown) },
    Scene(name: "removal-callers") { ended($0, by: .removal, callers: 2) },
    Scene(name: "overwriting-callers") { ended($0, by: .overwriting, callers: 2) },
    Scene(name: "shutdown-callers") { ended($0, by: .shutdown, callers: 2) },
    Scene(name: "removes-itself", set: removesItself),
    Scene(name: "scoped-shutdown", bound: 3, set: scopedShutdown),
    Scene(name: "scoped-plain-shutdown", bound: 3, set: scopedPlainShutdown),
    Scene(name: "keyed-removal", bound: 3, set: keyedRemoval),
    Scene(name: "removal-shutdown", bound: 3) { endedTwice($0, by: .removal, and: .shutdown) },
    Scene(name: "removal-removal", bound: 3) { endedTwice($0, by: .removal, and: .removal) },
    Scene(name: "emptying-shutdown", bound: 3) { endedTwice($0, by: .emptying, and: .shutdown) },
    Scene(name: "shutdown-shutdown", bound: 3) { endedTwice($0, by: .shutdown, and: .shutdown) },
    Scene(name: "child-drop", bound: 3, set: childDrop),
    Scene(name: "borrowed-first", bound: 3, set: borrowedFirst),
    Scene(name: "borrowed-elsewhere", bound: 3) { borrowedElsewhere($0, in: DependencyContainer()) },
    Scene(name: "borrowed-beside", bound: 3) { borrowedElsewhere($0, in: $0.container) },
    Scene(name: "borrowed", bound: 3, set: borrowed),
    Scene(name: "transient-removal", bound: 3, set: transientRemoval),
    Scene(name: "reset", bound: 3) { reset($0, asksAgain: false) },
    Scene(name: "reset-and-ask") { reset($0, asksAgain: true) },
    Scene(name: "reset-callers") { reset($0, asksAgain: false, callers: 2) },
    Scene(name: "reset-hook", set: resetHook),
    Scene(name: "uninstalled", bound: 3) { uninstalled($0, isShutDown: false) },
    Scene(name: "uninstalled-shutdown", bound: 3) {
        $0.isMarked = true
        uninstalled($0, isShutDown: true)
    },
    Scene(name: "missing", bound: 3, set: missing),
    Scene(name: "given-up", bound: 3, set: givenUp),
    Scene(name: "decorated", bound: 3, set: decorated),
    Scene(name: "decorating", bound: 3, set: decorating),
    Scene(name: "reset-read", bound: 3, set: resetRead),
    Scene(name: "lazy", bound: 3, set: lazily),
    Scene(name: "wrapper", set: wrapper),
]
