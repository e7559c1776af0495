import CScaling
import Hopoate

// MARK: - Children

/// A container with a scoped service under each name.
private func scoped(_ names: [DependencyName], hooks: Bool = false) -> DependencyContainer {
    let container = DependencyContainer()
    for name in names {
        container.register(
            Service.self, named: name, lifetime: .scoped, factory: { _ in Service() },
            onDispose: hooks ? { @Sendable _ in } : nil)
    }
    return container
}

/// Registers scoped services, one after the other, and resolves each in a child.
private func churn(_ count: Int, in container: DependencyContainer, beside child: DependencyContainer) {
    for _ in 0..<count {
        let token = container.register(Service.self, lifetime: .scoped) { _ in Service() }
        _ = child.resolve(Service.self)
        container.remove(token)
    }
}

/// The same with services whose factories take an argument.
private func churn(_ count: Int, in container: DependencyContainer, withArgumentsBeside child: DependencyContainer) {
    for _ in 0..<count {
        let token = container.register(Service.self, lifetime: .scoped) { (_, _: Int) in Service() }
        _ = child.resolve(Service.self, arguments: 1)
        container.remove(token)
    }
}

/// Returns the number of bytes that a child keeps when services were registered, resolved in it and removed, one after the other.
///
/// The number includes 64 KiB: more bytes than those entries take that the child removes with its next additions.
private func keptBytes(_ count: Int, _ churn: (Int, DependencyContainer, DependencyContainer) -> Void) -> Int {
    let container = DependencyContainer()
    let child = container.makeChild()
    churn(64, container, child)
    let before = sca_heap()
    churn(count, container, child)
    return sca_heap() - before + 64 * 1_024
}

let childChecks = [
    Check("init and drop of a container, n others alive", 512, .constant) { n, meter in
        let others = (0..<n).map { _ in filled([]) }
        meter.count { repeated { _ = DependencyContainer() } }
        withExtendedLifetime(others) {}
    },
    lookup("makeChild and drop") { container, _ in _ = container.makeChild() },
    lookup("makeChild, resolve and drop") { container, _ in _ = container.makeChild().resolve(Known.self) },
    Check("makeChild and drop, n children alive", 512, .constant) { n, meter in
        let container = filled([])
        let children = (0..<n).map { _ in container.makeChild() }
        meter.count { repeated { _ = container.makeChild() } }
        withExtendedLifetime(children) {}
    },
    // Not for larger numbers: a child has a word for each 32 slots.
    Check("makeChild and drop, n scoped registrations", 48, .constant) { n, meter in
        let container = scoped(names(n))
        meter.count { repeated { _ = container.makeChild() } }
    },
    Check("makeChild and drop, n scoped registrations removed before", 64, .constant) { n, meter in
        let container = DependencyContainer()
        let tokens = (0..<n).map { _ in container.register(Service.self, lifetime: .scoped) { _ in Service() } }
        for token in tokens { container.remove(token) }
        meter.count { repeated { _ = container.makeChild() } }
    },
    Check("a scoped service in a new child, n scoped registrations", 64, .constant) { n, meter in
        let names = names(n)
        let container = scoped(names)
        meter.count { repeated { _ = container.makeChild().resolve(Service.self, named: names[n - 1]) } }
    },
    Check("a scoped service registered, resolved in a child and removed, n times", 256, .linear) { n, meter in
        let container = DependencyContainer()
        let child = container.makeChild()
        meter.count { churn(n, in: container, beside: child) }
    },
    Check("the same, bytes that the child keeps", 256, .constant) { n, meter in
        meter.take(keptBytes(n, churn(_:in:beside:)))
    },
    Check("the same with an argument, bytes that the child keeps", 256, .constant) { n, meter in
        meter.take(keptBytes(n, churn(_:in:withArgumentsBeside:)))
    },
    Check("resolve through a child, n children alive", 512, .constant) { n, meter in
        let container = filled([])
        let children = (0..<n).map { _ in container.makeChild() }
        meter.count { repeated { _ = children[0].resolve(Known.self) } }
    },
    Check("register and remove in the parent, n children alive", 512, .constant) { n, meter in
        let container = scoped(names(1))
        let children = (0..<n).map { _ in container.makeChild() }
        for child in children { _ = child.resolve(Service.self, named: "name-0") }
        meter.count { repeated { container.remove(container.register(Known(), for: Known.self)) } }
    },
    Check("a scoped service in each of n children, dropped", 64, .linear) { n, meter in
        let container = scoped(names(1), hooks: true)
        let name = DependencyName("name-0")
        meter.count { for _ in 0..<n { _ = container.makeChild().resolve(Service.self, named: name) } }
    },
    Check("a scoped service in a new child, n children dropped before", 512, .constant) { n, meter in
        let container = scoped(names(1), hooks: true)
        let name = DependencyName("name-0")
        for _ in 0..<n { _ = container.makeChild().resolve(Service.self, named: name) }
        meter.count { repeated { _ = container.makeChild().resolve(Service.self, named: name) } }
    },
    Check("n scoped services created in a child", 128, .linear) { n, meter in
        let names = names(n)
        let child = scoped(names).makeChild()
        meter.count { for name in names { _ = child.resolve(Service.self, named: name) } }
    },
    Check("n scoped services created in a child, with hooks", 128, .linear) { n, meter in
        let names = names(n)
        let child = scoped(names, hooks: true).makeChild()
        meter.count { for name in names { _ = child.resolve(Service.self, named: name) } }
    },
    Check("resolve of a scoped service that exists, n others", 128, .constant) { n, meter in
        let names = names(n)
        let child = scoped(names).makeChild()
        for name in names { _ = child.resolve(Service.self, named: name) }
        let some = stride(from: 0, to: n, by: max(1, n / repetitions)).prefix(repetitions).map { names[$0] }
        meter.count { for name in some { _ = child.resolve(Service.self, named: name) } }
    },
    Check("drop of a child, n scoped services", 128, .linear) { n, meter in
        let names = names(n)
        let container = scoped(names, hooks: true)
        var child: DependencyContainer? = container.makeChild()
        for name in names { _ = child?.resolve(Service.self, named: name) }
        meter.count { child = nil }
        withExtendedLifetime(child) {}
    },
    Check("$shared.withValue, n bindings around it", 64, .constant) { n, meter in
        let container = filled([])
        func bound(_ depth: Int, _ body: () -> Void) {
            if depth == 0 { return body() }
            DependencyContainer.$shared.withValue(container) { bound(depth - 1, body) }
        }
        bound(n) {
            meter.count {
                repeated {
                    DependencyContainer.$shared.withValue(container) {
                        _ = DependencyContainer.shared.resolve(Known.self)
                    }
                }
            }
        }
    },
    lookup("values set and read") { container, _ in
        container.values[NumberKey.self] = 7
        if container.values[NumberKey.self] == 1 { print() }
        container.values.removeValue(for: NumberKey.self)
    },
]

private enum NumberKey: DependencyKey {
    static var defaultValue: Int { 0 }
}

// MARK: - Keyed services

private func keyed() -> DependencyContainer {
    let container = DependencyContainer()
    container.register(Service.self, lifetime: .keyed) { (_, _: Int) in Service() }
    container.register(Outer.self, lifetime: .keyed) { (_, _: Colliding) in Outer() }
    return container
}

let keyedChecks = [
    Check("n keys of a .keyed service created", 256, .linear) { n, meter in
        let container = keyed()
        meter.count { for key in 0..<n { _ = container.resolve(Service.self, arguments: key) } }
    },
    Check("resolve of a key that exists, among n keys", 512, .constant) { n, meter in
        let container = keyed()
        for key in 0..<n { _ = container.resolve(Service.self, arguments: key) }
        meter.count { repeated { _ = container.resolve(Service.self, arguments: n / 2) } }
    },
    Check("a new key, among n keys", 512, .constant) { n, meter in
        let container = keyed()
        for key in 0..<n { _ = container.resolve(Service.self, arguments: key) }
        meter.count { _ = container.resolve(Service.self, arguments: n) }
    },
    Check("n keys of a .keyed(limit: 64) service created", 512, .linear) { n, meter in
        let container = DependencyContainer()
        container.register(
            Service.self, lifetime: .keyed(limit: 64), factory: { (_, _: Int) in Service() }, onDispose: { _ in })
        meter.count { for key in 0..<n { _ = container.resolve(Service.self, arguments: key) } }
    },
    Check("a new key above a limit of n, after a use of each", 512, .linear) { n, meter in
        let container = DependencyContainer()
        container.register(Service.self, lifetime: .keyed(limit: n)) { (_, _: Int) in Service() }
        for _ in 0..<3 { for key in 0..<n { _ = container.resolve(Service.self, arguments: key) } }
        meter.count { _ = container.resolve(Service.self, arguments: n) }
    },
    Check("n values of a .keyed(limit: 8) service at once", 64, .linear) { n, meter in
        let (container, executor, gate) = (DependencyContainer(), Executor(), Gate())
        container.register(
            Service.self, lifetime: .keyed(limit: 8),
            factory: { (_, _: Int) async in
                await gate.pass()
                return Service()
            }, onDispose: { _ in })
        let tasks = (0..<n).map { key in
            executor.task { _ = try? await container.asyncResolve(Service.self, arguments: key) }
        }
        executor.drain()
        meter.count {
            gate.open()
            executor.drain()
        }
        withExtendedLifetime(tasks) {}
    },
    Check("resolve of a key that exists, among n of one hash", 64, .linear) { n, meter in
        let container = keyed()
        for key in 0..<n { _ = container.resolve(Outer.self, arguments: Colliding(value: key)) }
        meter.count { repeated { _ = container.resolve(Outer.self, arguments: Colliding(value: n - 1)) } }
    },
    Check("a new key, among n of one hash", 64, .linear) { n, meter in
        let container = keyed()
        for key in 0..<n { _ = container.resolve(Outer.self, arguments: Colliding(value: key)) }
        meter.count { _ = container.resolve(Outer.self, arguments: Colliding(value: n)) }
    },
    Check("n keys whose factory throws, one after the other", 128, .linear) { n, meter in
        let container = DependencyContainer()
        container.register(Service.self, lifetime: .keyed) { (_, _: Int) throws -> Service in
            throw CancellationError()
        }
        meter.count { for key in 0..<n { _ = try? container.require(Service.self, arguments: key) } }
    },
    Check("remove of a .keyed service with n keys and a hook", 128, .linear) { n, meter in
        let container = DependencyContainer()
        let token = container.register(
            Service.self, lifetime: .keyed, factory: { (_, _: Int) in Service() }, onDispose: { _ in })
        for key in 0..<n { _ = container.resolve(Service.self, arguments: key) }
        meter.count { container.remove(token) }
    },
]

// MARK: - Disposal

private func disposable(_ names: [DependencyName], lifetime: Lifetime = .singleton) -> DependencyContainer {
    let container = DependencyContainer()
    for name in names {
        container.register(
            Service.self, named: name, lifetime: lifetime, factory: { _ in Service() }, onDispose: { _ in })
        _ = container.resolve(Service.self, named: name)
    }
    return container
}

let disposalChecks = [
    Check("shutdown, n disposals", 128, .linear) { n, meter in
        let container = disposable(names(n))
        meter.count { must { try container.shutdownWithoutAwaitingHooks() } }
    },
    Check("shutdown that awaits, n disposals", 128, .linear) { n, meter in
        let container = disposable(names(n))
        let executor = Executor()
        let task = executor.task { try? await container.shutdown() }
        meter.count { executor.drain() }
        withExtendedLifetime(task) {}
    },
    Check("shutdown, n hooks that throw: bytes of the error", 64, .linear) { n, meter in
        let container = DependencyContainer()
        for name in names(n) {
            container.register(
                Service.self, named: name, factory: { _ in Service() },
                onDispose: { _ throws in throw CancellationError() })
            _ = container.resolve(Service.self, named: name)
        }
        do throws(DependencyShutdownError) {
            try container.shutdownWithoutAwaitingHooks()
        } catch {
            meter.take(error.description.utf8.count)
        }
    },
    Check("drop of a container, n disposals", 128, .linear) { n, meter in
        var container: DependencyContainer? = disposable(names(n))
        meter.count { container = nil }
        withExtendedLifetime(container) {}
    },
    Check("removeAll, n disposals", 128, .linear) { n, meter in
        let container = disposable(names(n))
        meter.count { container.removeAll() }
    },
    Check("create and remove with a hook, n other disposals", 512, .constant) { n, meter in
        let container = disposable(names(n))
        meter.count {
            repeated {
                let token = container.register(Known.self, factory: { _ in Known() }, onDispose: { _ in })
                _ = container.resolve(Known.self)
                container.remove(token)
            }
        }
    },
    Check("reset of a scope, n members that have an instance", 128, .linear) { n, meter in
        let scope = DependencyScope("scaling")
        let container = disposable(names(n), lifetime: .cached(in: scope))
        meter.count { scope.reset() }
        withExtendedLifetime(container) {}
    },
    // The table of members never shrinks, so this is linear in the largest number of members so far.
    Check("reset of a scope, n members removed before", 512, .linear) { n, meter in
        let scope = DependencyScope("scaling")
        let container = disposable(names(n), lifetime: .cached(in: scope))
        container.removeAll()
        meter.count { repeated { scope.reset() } }
    },
    Check("register in a scope and remove, n members", 512, .constant) { n, meter in
        let scope = DependencyScope("scaling")
        let container = disposable(names(n), lifetime: .cached(in: scope))
        meter.count {
            repeated { container.remove(container.register(Known.self, lifetime: .cached(in: scope)) { _ in Known() }) }
        }
    },
    Check("reset and creation anew of one service, n times", 64, .linear) { n, meter in
        let scope = DependencyScope("scaling")
        let container = disposable(names(1), lifetime: .cached(in: scope))
        let name = DependencyName("name-0")
        meter.count {
            for _ in 0..<n {
                scope.reset()
                _ = container.resolve(Service.self, named: name)
            }
        }
    },
]
