import Hopoate

let allChecks: [Check] =
    plantedChecks + lookupChecks + writeChecks + errorChecks + nameChecks + childChecks + keyedChecks + disposalChecks
    + waitingChecks + threadChecks + nestingChecks + moduleChecks + surveyChecks

// MARK: - Planted

/// Quadratic work, which a check declares linear.
private func pairs(_ n: Int) -> Int {
    var sum = 0
    for first in 0..<n {
        for second in 0..<n { sum = sum &* 31 &+ (first ^ second) }
    }
    return sum
}

private let plantedChecks = [
    Check("planted: a quadratic operation", 64, .linear, isPlanted: true) { n, meter in
        meter.count { if pairs(n) == 1 { print() } }
    },
    Check("planted: a linear operation", 512, .constant, isPlanted: true) { n, meter in
        let container = DependencyContainer()
        meter.count { for _ in 0..<n { container.register(Service(), for: Service.self) } }
    },
    Check("planted: a text that grows", 64, .constant, isPlanted: true) { n, meter in
        meter.take(String(repeating: "x", count: n).utf8.count)
    },
]

// MARK: - Lookups

/// A check of an operation on containers with n names, whose work must not depend on n. The closure gets one of the containers
/// and one of its names.
func lookup(
    _ operation: String, _ body: @escaping @Sendable (DependencyContainer, DependencyName) -> Void
) -> Check {
    Check("\(operation), among n names", 512, .constant) { n, meter in
        let containers = Containers.with(n)
        meter.count { containers.each(body) }
    }
}

private let lookupChecks = [
    lookup("resolve") { container, _ in _ = container.resolve(Known.self) },
    lookup("resolve(named:)") { container, name in _ = container.resolve(Service.self, named: name) },
    lookup("optionalResolve") { container, _ in _ = container.optionalResolve(Known.self) },
    lookup("optionalResolve of an unknown type") { container, _ in _ = container.optionalResolve(Unknown.self) },
    lookup("optionalResolve of an unknown name") { container, _ in
        _ = container.optionalResolve(Service.self, named: "unknown")
    },
    lookup("canResolve") { container, _ in _ = container.canResolve(Known.self) },
    lookup("canResolve(named:)") { container, name in _ = container.canResolve(Service.self, named: name) },
    lookup("require") { container, _ in _ = must { try container.require(Known.self) } },
    lookup("withService") { container, _ in container.withService(Known.self) { _ in } },
    lookup("withService(named:)") { container, name in container.withService(Service.self, named: name) { _ in } },
    lookup("withOptionalService of an unknown type") { container, _ in
        container.withOptionalService(Unknown.self) { _ in }
    },
    lookup("resolveAll") { container, _ in _ = container.resolveAll(Known.self) },
    lookup("provider and lazy") { container, _ in
        _ = container.provider(Known.self)()
        LazyDependency<Known>(container: container).dispose()
    },
    lookup("resolve of a transient service") { container, _ in
        let token = container.register(Inner.self, lifetime: .transient) { _ in Inner() }
        _ = container.resolve(Inner.self)
        container.remove(token)
    },
    lookup("resolve of a new singleton") { container, _ in
        let token = container.register(Inner.self) { _ in Inner() }
        _ = container.resolve(Inner.self)
        container.remove(token)
    },
    lookup("resolve with arguments") { container, _ in
        let token = container.register(Inner.self) { (_, _: Int) in Inner() }
        _ = container.resolve(Inner.self, arguments: 7)
        container.remove(token)
    },
    Check("resolve, n registrations of the type", 512, .constant) { n, meter in
        let container = DependencyContainer()
        for _ in 0..<n { container.register(Service(), for: Service.self) }
        meter.count { repeated { _ = container.resolve(Service.self) } }
    },
    Check("resolveAll, n registrations of the type", 256, .linear) { n, meter in
        let container = DependencyContainer()
        for _ in 0..<n { container.register(Service(), for: Service.self) }
        meter.count { _ = container.resolveAll(Service.self) }
    },
    Check("resolve through n parents", 32, .linear) { n, meter in
        var container = filled([])
        for _ in 0..<n { container = container.makeChild() }
        meter.count { repeated { _ = container.resolve(Known.self) } }
    },
]

// MARK: - Registrations

private let writeChecks = [
    Check("register n names", 256, .linear) { n, meter in
        let names = names(n)
        let container = DependencyContainer()
        meter.count { for name in names { container.register(Service(), for: Service.self, named: name) } }
    },
    Check("register n times under one type", 256, .linear) { n, meter in
        let container = DependencyContainer()
        meter.count { for _ in 0..<n { container.register(Service(), for: Service.self) } }
    },
    lookup("register and remove") { container, _ in container.remove(container.register(Known(), for: Known.self)) },
    Check("register and remove, n registrations of the type below", 512, .constant) { n, meter in
        let container = DependencyContainer()
        for _ in 0..<n { container.register(Service(), for: Service.self) }
        meter.count { repeated { container.remove(container.register(Service(), for: Service.self)) } }
    },
    Check("remove below n newer registrations of the type, 64 times", 512, .constant) { n, meter in
        let container = DependencyContainer()
        let older = (0..<repetitions).map { _ in container.register(Service(), for: Service.self) }
        for _ in 0..<n { container.register(Service(), for: Service.self) }
        meter.count { for registration in older { container.remove(registration) } }
    },
    Check("remove of all n registrations of the type, oldest first", 128, .linear) { n, meter in
        let container = DependencyContainer()
        let all = (0..<n).map { _ in container.register(Service(), for: Service.self) }
        meter.count { for registration in all { container.remove(registration) } }
    },
    Check("remove of every other registration of n of the type", 128, .linear) { n, meter in
        let container = DependencyContainer()
        let all = (0..<n).map { _ in container.register(Service(), for: Service.self) }
        meter.count {
            for index in stride(from: 0, to: n, by: 2) { container.remove(all[index]) }
            if container.resolveAll(Service.self).count != n / 2 { print("not n / 2") }
        }
    },
    Check("register a new name and remove it, n times", 64, .linear) { n, meter in
        let names = names(n)
        let container = DependencyContainer()
        meter.count {
            for name in names {
                container.remove(container.register(Service(), for: Service.self, named: name))
            }
        }
    },
    Check("overwrite, n registrations of the type", 256, .linear) { n, meter in
        let container = DependencyContainer()
        for _ in 0..<n { container.register(Service(), for: Service.self) }
        meter.count { container.register(Service(), for: Service.self, replacing: true) }
    },
    lookup("overwrite") { container, _ in
        container.register(Known(), for: Known.self, replacing: true)
    },
    lookup("register a factory and remove it") { container, _ in
        container.remove(container.register(Inner.self) { _ in Inner() })
    },
    lookup("forward and remove") { container, _ in
        container.remove(container.forward(Service.self, to: Known.self) { _ in Service() })
    },
    lookup("decorate and remove") { container, _ in
        container.remove(container.decorate(Known.self) { known, _ in known })
    },
    Check("removeAll, n names", 256, .linear) { n, meter in
        let container = filled(names(n))
        meter.count { container.removeAll() }
    },
    Check("seal and isSealed, n names", 512, .constant) { n, meter in
        let container = filled(names(n))
        meter.count {
            container.seal()
            repeated { _ = container.isSealed }
        }
    },
]

// MARK: - Errors

private func unknownName(_ n: Int) -> (DependencyContainer, DependencyName, [DependencyName]) {
    let names = names(n, "tenant-of-some-length")
    return (filled(names), "tenant-of-some-lengths", names)
}

private let errorChecks = [
    Check("require of an unknown name, n names of the type", 512, .constant) { n, meter in
        let (container, unknown, _) = unknownName(n)
        meter.count { _ = try? container.require(Service.self, named: unknown) }
    },
    Check("require of an unknown name, n names: bytes of the error", 512, .constant) { n, meter in
        let (container, unknown, _) = unknownName(n)
        do throws(DependencyError) {
            _ = try container.require(Service.self, named: unknown)
        } catch {
            meter.take(error.description.utf8.count)
        }
    },
    Check("require of an unknown type, n names of another", 512, .constant) { n, meter in
        let (container, _, _) = unknownName(n)
        meter.count { _ = try? container.require(Unknown.self) }
    },
    Check("require of an unknown argument type, n names", 512, .constant) { n, meter in
        let (container, _, _) = unknownName(n)
        meter.count { _ = try? container.require(Service.self, arguments: 7) }
    },
    Check("require that fails in a chain of n creations", 16, .linear) { n, meter in
        let container = chain(n, failing: true)
        meter.count { _ = try? container.require(Service.self, arguments: n) }
    },
    Check("require that fails in a chain of n: bytes of the error", 16, .linear) { n, meter in
        let container = chain(n, failing: true)
        do throws(DependencyError) {
            _ = try container.require(Service.self, arguments: n)
        } catch {
            meter.take(error.description.utf8.count + error.chain.joined().utf8.count)
        }
    },
]

/// A container with a keyed service that depends on the one for the next smaller argument.
func chain(_ n: Int, failing: Bool) -> DependencyContainer {
    let container = DependencyContainer()
    container.register(Service.self, lifetime: .keyed) { (container, depth: Int) throws in
        if depth == 0 {
            if failing { throw CancellationError() }
            return Service()
        }
        _ = try container.require(Service.self, arguments: depth - 1)
        return Service()
    }
    return container
}

// MARK: - Names

private let nameChecks = [
    Check("a name of a text, n names alive", 512, .constant) { n, meter in
        let names = names(n)
        meter.count { repeated { _ = DependencyName("name-7") } }
        withExtendedLifetime(names) {}
    },
    Check("a name made and dropped, n names alive", 512, .constant) { n, meter in
        let names = names(n)
        meter.count { repeated { _ = DependencyName("another one") } }
        withExtendedLifetime(names) {}
    },
    Check("names made, n", 256, .linear) { n, meter in
        var made: [DependencyName] = []
        meter.count { made = names(n) }
        withExtendedLifetime(made) {}
    },
    Check("names dropped, n", 256, .linear) { n, meter in
        var made = names(n)
        meter.count { made = [] }
        withExtendedLifetime(made) {}
    },
    Check("== and hash of a name, n names alive", 512, .constant) { n, meter in
        let names = names(n)
        meter.count { repeated { if names[0] == names[1] || names[2].hashValue == 1 { print() } } }
    },
]
