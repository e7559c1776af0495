import Hopoate

// Registers the services of a program. Types are known at run time only, so each function opens one type and goes on with it.

/// The containers of one run.
final class Containers {
    private let program: Program
    private let base: DependencyContainer?
    let app: DependencyContainer
    /// The scope of cached services.
    let scope = DependencyScope("session")

    init(_ program: Program) {
        self.program = program
        base = program.hasBase ? DependencyContainer() : nil
        app = base?.makeChild() ?? DependencyContainer()
        if let base { register(.base, in: base, for: .app) }
        register(.app, in: app, for: .app)
    }

    /// Makes the container of a caller. That of the app is its own.
    func container(for caller: Caller) -> DependencyContainer {
        if caller == .app { return app }
        let child = app.makeChild()
        register(.request, in: child, for: caller)
        return child
    }

    /// Registers the services of a level that a caller has.
    func register(_ level: Level, in container: DependencyContainer, for caller: Caller) {
        for (index, registration) in program.registrations.enumerated()
        where registration.level == level && program.registers(index, for: caller) {
            let wiring = Wiring(
                index: index, registration: registration, lifetime: lifetime(registration.life), caller: caller)
            wiring.register(in: container)
        }
    }

    private func lifetime(_ life: Life) -> Lifetime {
        switch life {
        case .transient: .transient
        case .graph: .graph
        case .scoped: .scoped
        case .singleton: .singleton
        case .eager: .eager
        case .weak: .weak
        case .cached: .cached(in: scope)
        case .keyed: .keyed
        case .keyedLimit: .keyed(limit: keyLimit)
        }
    }

    /// The keyed services of the app that leave for newer ones.
    var limited: [Key] {
        program.registrations.filter { $0.life == .keyedLimit && $0.level != .request }.map(\.key)
    }
}

/// The arguments that programs pass.
let arguments = 0..<2
/// The number of instances of a keyed service with a limit. All arguments of a program fit.
let keyLimit = 2

extension Key {
    var service: any Service.Type { nodes[type].service(form) }
    var dependencyName: DependencyName? { name.map { names[$0] } }
}

/// One registration in one container.
private struct Wiring: Sendable {
    let index: Int
    let registration: Registration
    let lifetime: Lifetime
    let caller: Caller

    private var name: DependencyName? { registration.key.dependencyName }
    /// So that messages name the line of the printed program.
    private var line: UInt { UInt(index + 1) }

    func register(in container: DependencyContainer) {
        if registration.isCreatedByRegister,
            !canCreate(registration.key.service, in: container)
        {
            var plain = registration
            plain.needs = []
            plain.usesHandles = false
            return Wiring(index: index, registration: plain, lifetime: lifetime, caller: caller)
                .register(plain.key.service, in: container)
        }
        register(registration.key.service, in: container)
    }

    private func register<S: Service>(_ service: S.Type, in container: DependencyContainer) {
        switch registration.source {
        case .value:
            container.register(S.make(contents), for: S.self, named: name, line: line, onDispose: hook())
        case .alias(let target):
            func open<Target: Service>(_ target: Target.Type, _ targetName: DependencyName?) {
                container.forward(S.self, named: name, to: Target.self, targetNamed: targetName, line: line) {
                    instance in
                    var contents = contents
                    instance.add(to: &contents)
                    return S.make(contents)
                }
            }
            open(target.service, target.dependencyName)
        case .initializer:
            let parameters = registration.needs.map { nodes[$0.type].parameter($0.form) }
            register(service, using: parameters[...], in: container)
        case .closure: registerClosure(service, in: container)
        }
    }

    /// Whether an eager factory would succeed now. `register` would trap otherwise.
    private func canCreate<S: Service>(_ service: S.Type, in container: DependencyContainer) -> Bool {
        var trial = registration
        trial.life = .transient
        trial.hasHook = false
        let child = container.makeChild()
        Wiring(index: index, registration: trial, lifetime: .transient, caller: caller).register(service, in: child)
        return (try? child.require(S.self, named: name)) != nil
    }

    // MARK: - Initializers

    /// Adds one parameter after the other to the type of the initializer.
    private func register<S: Service, each P: Parameter>(
        _ service: S.Type, using rest: ArraySlice<any Parameter.Type>, _ parameters: repeat (each P).Type,
        in container: DependencyContainer
    ) {
        if let first = rest.first {
            func open<Next: Parameter>(_ next: Next.Type) {
                register(service, using: rest.dropFirst(), repeat each parameters, next, in: container)
            }
            return open(first)
        }
        @Sendable func initialize(_ parameters: repeat each P) throws -> S {
            try make(S.self, contents(of: repeat each parameters))
        }
        @Sendable func initializeSuspending(_ parameters: repeat each P) async throws -> S {
            try await makeSuspending(S.self, contents(of: repeat each parameters))
        }
        if registration.isAsynchronous {
            container.register(
                S.self, named: name, lifetime: lifetime, line: line, using: initializeSuspending,
                afterCreation: completion(), onDispose: hook())
        } else {
            container.register(
                S.self, named: name, lifetime: lifetime, line: line, using: initialize, afterCreation: completion(),
                onDispose: hook())
        }
    }

    private func contents<each P: Parameter>(of parameters: repeat each P) -> Contents {
        var contents = contents
        repeat (each parameters).add(to: &contents)
        return contents
    }

    // MARK: - Closures

    private func registerClosure<S: Service>(_ service: S.Type, in container: DependencyContainer) {
        switch (registration.isAsynchronous, registration.takesArgument) {
        case (false, false):
            container.register(
                S.self, named: name, lifetime: lifetime, line: line,
                factory: { (container: DependencyContainer) throws -> S in
                    try make(S.self, contents(registration.needs, from: container))
                }, afterCreation: completion(), onDispose: hook())
        case (true, false):
            container.register(
                S.self, named: name, lifetime: lifetime, line: line,
                factory: { (container: DependencyContainer) async throws -> S in
                    try await makeSuspending(S.self, contents(registration.needs, suspendingFrom: container))
                }, afterCreation: completion(), onDispose: hook())
        case (false, true):
            container.register(
                S.self, named: name, lifetime: lifetime, line: line,
                factory: { (container: DependencyContainer, value: Int) throws -> S in
                    try make(S.self, contents(registration.needs, from: container, value))
                }, afterCreation: completion(), onDispose: hook())
        case (true, true):
            container.register(
                S.self, named: name, lifetime: lifetime, line: line,
                factory: { (container: DependencyContainer, value: Int) async throws -> S in
                    try await makeSuspending(S.self, contents(registration.needs, suspendingFrom: container, value))
                }, afterCreation: completion(), onDispose: hook())
        }
    }

    private func contents(
        _ needs: [Need], from container: DependencyContainer, _ value: Int? = nil
    ) throws -> Contents {
        var contents = contents
        if let value { contents.combine(value) }
        for need in needs {
            let key = Key(type: need.type, name: need.name)
            if need.adds(to: &contents, from: container) { continue }
            try add(key.service, key, need.argument, from: container, to: &contents)
        }
        return contents
    }

    private func contents(
        _ needs: [Need], suspendingFrom container: DependencyContainer, _ value: Int? = nil
    ) async throws -> Contents {
        var contents = contents
        if let value { contents.combine(value) }
        for need in needs {
            let key = Key(type: need.type, name: need.name)
            if need.adds(to: &contents, from: container) { continue }
            let added = try await resolve(key.service, key, need.argument, suspendingFrom: container)
            contents.add(added)
        }
        return contents
    }

    private func add<S: Service>(
        _ service: S.Type, _ key: Key, _ argument: Int?, from container: DependencyContainer,
        to contents: inout Contents
    ) throws {
        let name = key.dependencyName
        if let argument {
            try container.require(S.self, named: name, arguments: argument).add(to: &contents)
        } else {
            try container.require(S.self, named: name).add(to: &contents)
        }
    }

    private func resolve<S: Service>(
        _ service: S.Type, _ key: Key, _ argument: Int?, suspendingFrom container: DependencyContainer
    ) async throws -> Contents {
        let name = key.dependencyName
        if let argument {
            return Contents(holding: try await container.asyncResolve(S.self, named: name, arguments: argument))
        }
        return Contents(holding: try await container.asyncResolve(S.self, named: name))
    }

    // MARK: - The common part

    /// The contents of a new instance, so far without parts.
    private var contents: Contents {
        var contents = Contents(index)
        if registration.level == .request { contents.marks.values = caller.bit }
        return contents
    }

    private func make<S: Service>(_ service: S.Type, _ contents: Contents) throws -> S {
        // `register` would trap on the error.
        if Living.areTooMany, registration.life != .eager { throw Endless() }
        var contents = contents
        if registration.usesHandles {
            for handle in contents.handles { contents.add(try handle.use()) }
        }
        return S.make(contents)
    }

    private func makeSuspending<S: Service>(_ service: S.Type, _ contents: Contents) async throws -> S {
        if Living.areTooMany { throw Endless() }
        var contents = contents
        // So that other tasks run meanwhile.
        await Executor.pause()
        if registration.usesHandles {
            for handle in contents.handles { contents.add(try await handle.useSuspending()) }
        }
        return S.make(contents)
    }

    private func completion<S: Service>() -> (@Sendable (S, DependencyContainer) throws -> Void)? {
        if registration.completion.isEmpty { return nil }
        return { service, container in
            let added = try contents(registration.completion, from: container)
            for instance in service.instances { instance.late += added.parts.filter { !$0.reaches(instance) } }
        }
    }

    private func hook<S: Service>() -> (@Sendable (S) throws -> Void)? {
        guard registration.hasHook else { return nil }
        return { service in
            for instance in service.instances { instance.isDisposed = true }
        }
    }
}

extension Need {
    /// Adds a handle, or nothing for an optional service that is not registered. Otherwise the closure has to resolve the service.
    fileprivate func adds(to contents: inout Contents, from container: DependencyContainer) -> Bool {
        let key = Key(type: type, name: name)
        func canResolve<S: Service>(_ service: S.Type) -> Bool {
            container.canResolve(S.self, named: key.dependencyName)
        }
        switch form {
        case .node, .list: return false
        case .optional:
            if canResolve(key.service) { return false }
            contents.combine(2)
        case .lazy, .provider: contents.add(nodes[type].handle(form, named: key.dependencyName, in: container))
        }
        return true
    }
}
