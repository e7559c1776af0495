import CScaling
import Hopoate
import HopoateServer

/// A container with an async singleton whose factory waits until it is resumed, and a number of tasks.
private struct Waiting: Sendable {
    let executor = Executor()
    let gate = Gate()
    let container = DependencyContainer()

    init() {
        container.register(Inner.self) { [gate] _ async in
            await gate.pass()
            return Inner()
        }
        container.register(Outer.self, lifetime: .keyed) { (container, _: Int) async throws in
            _ = try await container.asyncResolve(Inner.self)
            return Outer()
        }
    }

    func waiters(_ n: Int) -> [Task<Void, Never>] {
        (0..<n).map { _ in executor.task { [container] in _ = try? await container.asyncResolve(Inner.self) } }
    }

    func creations(_ n: Int) -> [Task<Void, Never>] {
        (0..<n).map { key in
            executor.task { [container] in _ = try? await container.asyncResolve(Outer.self, arguments: key) }
        }
    }
}

let waitingChecks = [
    Check("asyncResolve by n tasks that wait for one creation", 256, .linear) { n, meter in
        let waiting = Waiting()
        let tasks = waiting.waiters(n)
        meter.count { waiting.executor.drain() }
        waiting.gate.open()
        waiting.executor.drain()
        withExtendedLifetime(tasks) {}
    },
    Check("end of a creation, n tasks wait for it", 256, .linear) { n, meter in
        let waiting = Waiting()
        let tasks = waiting.waiters(n)
        waiting.executor.drain()
        meter.count {
            waiting.gate.open()
            waiting.executor.drain()
        }
        withExtendedLifetime(tasks) {}
    },
    Check("cancellation of all n tasks that wait for a creation", 512, .linear) { n, meter in
        let waiting = Waiting()
        let tasks = waiting.waiters(n)
        waiting.executor.drain()
        meter.count {
            for task in tasks.reversed() { task.cancel() }
            waiting.executor.drain()
        }
        waiting.gate.open()
        waiting.executor.drain()
    },
    Check("cancellation of one task, n others wait as well", 512, .constant) { n, meter in
        let waiting = Waiting()
        let tasks = waiting.waiters(n)
        waiting.executor.drain()
        meter.count {
            for task in tasks.suffix(8) { task.cancel() }
            waiting.executor.drain()
        }
        waiting.gate.open()
        waiting.executor.drain()
    },
    Check("n creations begin to wait for one singleton", 128, .linear) { n, meter in
        let waiting = Waiting()
        let tasks = waiting.creations(n)
        meter.count { waiting.executor.drain() }
        waiting.gate.open()
        waiting.executor.drain()
        withExtendedLifetime(tasks) {}
    },
    Check("n creations stop waiting for one singleton", 128, .linear) { n, meter in
        let waiting = Waiting()
        let tasks = waiting.creations(n)
        waiting.executor.drain()
        meter.count {
            waiting.gate.open()
            waiting.executor.drain()
        }
        withExtendedLifetime(tasks) {}
    },
    Check("one more creation that waits, n others in the wait graph", 128, .constant) { n, meter in
        let waiting = Waiting()
        let tasks = waiting.creations(n)
        waiting.executor.drain()
        let more = waiting.executor.task { [container = waiting.container] in
            _ = try? await container.asyncResolve(Outer.self, arguments: -1)
        }
        meter.count { waiting.executor.drain() }
        waiting.gate.open()
        waiting.executor.drain()
        withExtendedLifetime((tasks, more)) {}
    },
    Check("asyncResolve of what exists, n tasks wait for another", 256, .constant) { n, meter in
        let waiting = Waiting()
        let tasks = waiting.waiters(n)
        waiting.executor.drain()
        waiting.container.register(Known.self) { _ async in Known() }
        let first = waiting.executor.task { [container = waiting.container] in
            for _ in 0..<2 { _ = try? await container.asyncResolve(Known.self) }
        }
        waiting.executor.drain()
        let second = waiting.executor.task { [container = waiting.container] in
            for _ in 0..<repetitions { _ = try? await container.asyncResolve(Known.self) }
        }
        meter.count { waiting.executor.drain() }
        waiting.gate.open()
        waiting.executor.drain()
        withExtendedLifetime((tasks, first, second)) {}
    },
]

// MARK: - Threads

/// Starts threads that each call a closure once and then stay alive. Returns when all of them have called it.
private func threads(_ count: Int, _ body: (Int) -> Void, meanwhile: () -> Void) {
    threads(count, body, pausing: { _ in meanwhile() })
}

/// The same. The closures of the threads may pause. The other closure gets a function that resumes them, and returns when all of them have
/// returned.
private func threads(_ count: Int, _ body: (Int) -> Void, pausing meanwhile: (_ resume: () -> Void) -> Void) {
    withoutActuallyEscaping(body) { body in
        withUnsafePointer(to: body) { pointer in
            let threads = sca_threads_start(
                UInt32(count),
                { number, context in
                    // The context is the pointer that was passed, and the closure outlives the threads.
                    context.assumingMemoryBound(to: ((Int) -> Void).self).pointee(Int(number))
                }, UnsafeMutableRawPointer(mutating: pointer))
            meanwhile { sca_threads_resume(threads) }
            sca_threads_end(threads)
        }
    }
}

/// Registers transient services in whose factories threads pause, and returns their names.
private func registerPausing(_ count: Int, in container: DependencyContainer) -> [DependencyName] {
    let names = names(count, "pausing")
    for name in names {
        container.register(Outer.self, named: name, lifetime: .transient) { _ in
            sca_threads_pause()
            return Outer()
        }
    }
    return names
}

let threadChecks = [
    Check("register and remove, n threads have been", 16, .constant) { n, meter in
        let container = filled([])
        for _ in 0..<n { threads(1, { _ in _ = container.resolve(Known.self) }, meanwhile: {}) }
        meter.count { repeated { container.remove(container.register(Service(), for: Service.self)) } }
    },
    Check("register and remove, n threads have been at once", 60, .constant) { n, meter in
        let container = filled([])
        threads(n, { _ in _ = container.resolve(Known.self) }, meanwhile: {})
        meter.count { repeated { container.remove(container.register(Service(), for: Service.self)) } }
    },
    Check("register and remove, n threads alive", 8, .linear) { n, meter in
        let container = filled([])
        threads(n, { _ in _ = container.resolve(Known.self) }) {
            meter.count { repeated { container.remove(container.register(Service(), for: Service.self)) } }
        }
    },
    Check("resolve, n threads alive", 8, .constant) { n, meter in
        let container = filled([])
        threads(n, { _ in _ = container.resolve(Known.self) }) {
            meter.count { repeated { _ = container.resolve(Known.self) } }
        }
    },
    Check("removeAll of 4 n names, n threads in a factory", 16, .linear) { n, meter in
        let container = filled(names(4 * n))
        let names = registerPausing(1, in: container)
        threads(
            n, { _ in _ = container.resolve(Outer.self, named: names[0]) },
            pausing: { resume in
                meter.count { container.removeAll() }
                resume()
            })
    },
    Check("removeAll of 4 n names, n threads in n factories", 16, .linear) { n, meter in
        let container = filled(names(4 * n))
        let names = registerPausing(n, in: container)
        threads(
            n, { _ = container.resolve(Outer.self, named: names[$0]) },
            pausing: { resume in
                meter.count { container.removeAll() }
                resume()
            })
    },
    Check("end of n factories whose service was removed", 16, .linear) { n, meter in
        let container = DependencyContainer()
        let names = registerPausing(1, in: container)
        threads(
            n, { _ in _ = container.resolve(Outer.self, named: names[0]) },
            pausing: { resume in
                container.removeAll()
                meter.count { resume() }
            })
    },
    Check("end of n factories whose services were removed", 16, .linear) { n, meter in
        let container = DependencyContainer()
        let names = registerPausing(n, in: container)
        threads(
            n, { _ = container.resolve(Outer.self, named: names[$0]) },
            pausing: { resume in
                container.removeAll()
                meter.count { resume() }
            })
    },
    Check("n threads that resolve once, one after the other", 8, .linear) { n, meter in
        let container = filled([])
        meter.count { for _ in 0..<n { threads(1, { _ in _ = container.resolve(Known.self) }, meanwhile: {}) } }
    },
]

// MARK: - Nesting

let nestingChecks = [
    Check("a creation within n others", 16, .linear) { n, meter in
        let container = chain(n, failing: false)
        meter.count { _ = container.resolve(Service.self, arguments: n) }
    },
    Check("an asynchronous creation within n others", 16, .linear) { n, meter in
        let container = DependencyContainer()
        container.register(Service.self, lifetime: .keyed) { (container, depth: Int) async throws in
            if depth > 0 { _ = try await container.asyncResolve(Service.self, arguments: depth - 1) }
            return Service()
        }
        let executor = Executor()
        let task = executor.task { _ = try? await container.asyncResolve(Service.self, arguments: n) }
        meter.count { executor.drain() }
        withExtendedLifetime(task) {}
    },
    Check("a transient creation within n others", 16, .linear) { n, meter in
        let container = DependencyContainer()
        container.register(Service.self) { (container, depth: Int) in
            if depth > 0 { _ = container.resolve(Service.self, arguments: depth - 1) }
            return Service()
        }
        meter.count { _ = container.resolve(Service.self, arguments: n) }
    },
    Check("n services of one object graph", 64, .linear) { n, meter in
        let names = names(n)
        let container = DependencyContainer()
        for name in names { container.register(Inner.self, named: name, lifetime: .graph) { _ in Inner() } }
        container.register(Outer.self, lifetime: .transient) { container in
            for name in names { _ = container.resolve(Inner.self, named: name) }
            return Outer()
        }
        meter.count { _ = container.resolve(Outer.self) }
    },
    Check("resolve of what was decorated n times", 16, .linear) { n, meter in
        let container = DependencyContainer()
        container.register(Service.self, lifetime: .transient) { _ in Service() }
        for _ in 0..<n { container.decorate(Service.self) { service, _ in service } }
        meter.count { repeated { _ = container.resolve(Service.self) } }
    },
    Check("resolve through n forwards", 16, .linear) { n, meter in
        let names = names(n + 1)
        let container = DependencyContainer()
        container.register(Service.self, named: names[0], lifetime: .transient) { _ in Service() }
        for index in 0..<n {
            container.forward(Service.self, named: names[index + 1], to: Service.self, targetNamed: names[index]) { $0 }
        }
        meter.count { repeated { _ = container.resolve(Service.self, named: names[n]) } }
    },
]

// MARK: - Modules and observers

private struct Module: DependencyModule {
    let names: [DependencyName]
    var modules: [any DependencyModule] = []

    func register(in container: DependencyContainer) {
        for name in names { container.register(Service(), for: Service.self, named: name) }
    }
}

/// A module that installs another one, and ignores its error.
private struct OuterModule: DependencyModule {
    let inner: ListModule

    func register(in container: DependencyContainer) { _ = try? container.install(inner) }
}

private struct Instrument: DependencyInstrument {
    struct Observer: DependencyObserver {}

    func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { Observer() }
}

/// A module that registers its services under one type, and removes or replaces them if it is told so.
private struct ListModule: DependencyModule {
    enum Change { case none, removal, replacement, failure }

    let count: Int
    var change = Change.none

    func register(in container: DependencyContainer) throws {
        let tokens = (0..<count).map { _ in container.register(Service(), for: Service.self) }
        switch change {
        case .none: break
        case .removal: for token in tokens { container.remove(token) }
        case .replacement:
            for _ in tokens { container.register(Service(), for: Service.self, replacing: true) }
        case .failure: throw CancellationError()
        }
    }
}

let moduleChecks = [
    Check("install and uninstall of n modules", 64, .linear) { n, meter in
        let modules = names(n).map { Module(names: [$0]) }
        let container = DependencyContainer()
        meter.count { container.uninstall(must { try container.install { modules } }) }
    },
    Check("install and uninstall of a module of n registrations", 64, .linear) { n, meter in
        let module = Module(names: names(n))
        let container = DependencyContainer()
        meter.count { container.uninstall(must { try container.install(module) }) }
    },
    Check("install and uninstall of a module, n times", 64, .linear) { n, meter in
        let module = Module(names: names(1))
        let container = DependencyContainer()
        meter.count { for _ in 0..<n { container.uninstall(must { try container.install(module) }) } }
    },
    Check("install and uninstall of a module, n others installed", 128, .constant) { n, meter in
        let others = Module(names: names(n))
        let container = DependencyContainer()
        _ = must { try container.install(others) }
        let module = Module(names: [DependencyName("another module")])
        meter.count { repeated { container.uninstall(must { try container.install(module) }) } }
    },
    Check("uninstall of n registrations of one type", 128, .linear) { n, meter in
        let container = DependencyContainer()
        let installation = must { try container.install(ListModule(count: n)) }
        meter.count { container.uninstall(installation) }
    },
    Check("uninstall of n registrations of one type, n newer ones", 128, .linear) { n, meter in
        let container = DependencyContainer()
        let installation = must { try container.install(ListModule(count: n)) }
        for _ in 0..<n { container.register(Service(), for: Service.self) }
        meter.count { container.uninstall(installation) }
    },
    Check("install of a module that removes its n registrations", 128, .linear) { n, meter in
        let container = DependencyContainer()
        meter.count { _ = must { try container.install(ListModule(count: n, change: .removal)) } }
    },
    Check("install of a module that replaces its registrations, n times", 128, .linear) { n, meter in
        let container = DependencyContainer()
        meter.count { _ = must { try container.install(ListModule(count: n, change: .replacement)) } }
    },
    Check("install of a module of n registrations that fails in another one", 128, .linear) { n, meter in
        let container = DependencyContainer()
        let outer = OuterModule(inner: ListModule(count: n, change: .failure))
        meter.count { _ = must { try container.install(outer) } }
    },
    Check("install of modules within modules, n deep", 16, .linear) { n, meter in
        var module = Module(names: names(1))
        for _ in 0..<n { module = Module(names: [], modules: [module]) }
        let container = DependencyContainer()
        meter.count { _ = must { try container.install(module) } }
    },
    Check("register and remove, n instruments", 16, .linear) { n, meter in
        let container = DependencyContainer()
        for _ in 0..<n { container.instrument(with: Instrument()) }
        meter.count { repeated { container.remove(container.register(Service.self) { _ in Service() }) } }
    },
    Check("resolve of what n instruments observe", 16, .linear) { n, meter in
        let container = DependencyContainer()
        for _ in 0..<n { container.instrument(with: Instrument()) }
        container.register(Service.self) { _ in Service() }
        _ = container.resolve(Service.self)
        meter.count { repeated { _ = container.resolve(Service.self) } }
    },
    Check("instrument, n times", 16, .linear) { n, meter in
        let container = DependencyContainer()
        meter.count { for _ in 0..<n { container.instrument(with: Instrument()) } }
    },
]

// MARK: - Surveys

let surveyChecks = [
    Check("warmUp of n asynchronous singletons", 64, .linear) { n, meter in
        let container = DependencyContainer()
        for name in names(n) { container.register(Service.self, named: name) { _ async in Service() } }
        let executor = Executor()
        let task = executor.task { try? await container.warmUp() }
        meter.count { executor.drain() }
        withExtendedLifetime(task) {}
    },
    Check("registrations, n names", 32, .linear) { n, meter in
        let container = filled(names(n))
        meter.count { if container.registrations.isEmpty { print() } }
    },
    Check("explain, n names", 32, .linear) { n, meter in
        let container = filled(names(n))
        meter.count { _ = container.explain(Known.self) }
    },
    Check("graph, n names", 32, .linear) { n, meter in
        let container = filled(names(n))
        meter.count { if container.graph().dot.isEmpty { print() } }
    },
    Check("validate, n names", 32, .linear) { n, meter in
        let container = filled(names(n))
        meter.count { _ = try? container.validate() }
    },
]
