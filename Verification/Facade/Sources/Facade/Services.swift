import Hopoate

/// The core of all services: an instance with a number.
// Unchecked, because of the variables. Sound, because one thread runs at any time.
final class Core: @unchecked Sendable {
    let number: Int
    /// The instances that were injected.
    var injected: [Any] = []
    var wrappers: Wrappers?

    init(_ number: Int) {
        self.number = number
        world.live.insert(number)
    }

    deinit { world.live.remove(number) }
}

/// The property wrappers and handles of a service.
struct Wrappers {
    @Dependency var alpha: Alpha
    @OptionalDependency var beta: Beta?
    @LazyDependency var lazy: Alpha
    let provider: DependencyProvider<Beta>

    init() {
        provider = DependencyContainer.shared.provider(Beta.self)
    }

    init(_ container: DependencyContainer) {
        _alpha = Dependency(container: container)
        _beta = OptionalDependency(container: container)
        _lazy = LazyDependency(container: container)
        provider = container.provider(Beta.self)
    }

    func lazyHandle() -> LazyDependency<Alpha> { _lazy }
}

final class Alpha: Sendable {
    let mark: UInt64 = 0xA1FA
    let core: Core
    init(_ core: Core) { self.core = core }
}

final class Beta: Sendable {
    let core: Core
    let mark: UInt64 = 0xBE7A
    init(_ core: Core) { self.core = core }
}

final class Gamma: Sendable {
    let core: Core
    let words: (UInt64, UInt64)
    init(_ core: Core) {
        self.core = core
        words = (0x6A, 0x33A)
    }
}

/// A value type.
struct Delta: Sendable {
    let mark: UInt64
    let core: Core
}

protocol Face: AnyObject, Sendable {
    var core: Core { get }
}

final class Mask: Face {
    let core: Core
    init(_ core: Core) { self.core = core }
}

protocol Open: Sendable {
    var core: Core { get }
}

/// A value that is too large for an existential's inline buffer.
struct Wide: Open {
    let words: (UInt64, UInt64, UInt64) = (1, 2, 3)
    let core: Core
}

/// A reference to an instance.
struct Held {
    let core: Core
    let service: Any
}

/// A type of service, with all operations on it.
protocol Kind: Sendable {
    var name: String { get }
    var isClassBound: Bool { get }
    func register(_ registration: Registration, in container: DependencyContainer, overwriting: Bool) -> AnyObject
    func registerInstance(_ registration: Registration, in container: DependencyContainer, overwriting: Bool)
        -> AnyObject
    func decorate(_ registration: Registration, in container: DependencyContainer) -> AnyObject
    func forward(_ registration: Registration, in container: DependencyContainer) -> AnyObject
    func remove(_ token: AnyObject, from container: DependencyContainer)
    func require(_ ask: Ask, in container: DependencyContainer) throws -> Held
    func asyncRequire(_ ask: Ask, in container: DependencyContainer) async throws -> Held
    /// Resolves with a function that traps if there is no registration.
    func useAgain(_ ask: Ask, _ way: Int, in container: DependencyContainer) -> Held?
    func resolveAll(_ name: DependencyName?, in container: DependencyContainer) -> [Held]
    func borrow(_ container: DependencyContainer, _ name: DependencyName?, _ body: (Core) -> Void)
    func canResolve(_ ask: Ask, in container: DependencyContainer) -> Bool
    func handle(_ ask: Ask, in container: DependencyContainer) -> any Handle
}

/// A handle that resolves later.
protocol Handle {
    func require() throws -> Held
    func asyncRequire() async throws -> Held
}

struct ProviderHandle<Service: Sendable>: Handle {
    let kind: KindOf<Service>
    let provider: DependencyProvider<Service>

    func require() throws -> Held { kind.held(try provider.require()) }
    func asyncRequire() async throws -> Held { kind.held(try await provider.asyncResolve()) }
}

struct KindOf<Service: Sendable>: Kind {
    let name: String
    let isClassBound: Bool
    let wrap: @Sendable (Core) -> Service
    let unwrap: @Sendable (Service) -> Core
    /// Whether an instance really has the expected type.
    let isGenuine: @Sendable (Service) -> Bool

    func held(_ service: Service) -> Held {
        if !isGenuine(service) {
            // The program cannot go on with it.
            violation("S1", "resolving \(name) returned an instance of another type", isFatal: true)
        }
        return Held(core: unwrap(service), service: service)
    }

    /// Makes an instance, and records it.
    private func make(_ core: Core) -> Service {
        let service = wrap(core)
        if isClassBound { world.runs[core.number].object = service as AnyObject }
        return service
    }

    func register(_ registration: Registration, in container: DependencyContainer, overwriting: Bool) -> AnyObject {
        let serial = registration.serial
        let name = registration.name
        let lifetime = registration.lifetime.real(registration.scope, registration.serial)
        var onDispose: (@Sendable (Service) throws -> Void)?
        if registration.hasHook { onDispose = { [self] in try world.dispose(serial, of: held($0).core) } }
        var onAsyncDispose: (@Sendable (Service) async throws -> Void)?
        if registration.hasAsyncHook {
            onAsyncDispose = { [self] in try await world.disposeLater(serial, of: held($0).core) }
        }
        var afterCreation: (@Sendable (Service, DependencyContainer) throws -> Void)?
        if registration.hasCompletion {
            afterCreation = { [self] in try world.complete(serial, held($0).core, $1) }
        }
        if registration.takesArgument {
            if registration.isAsync {
                return container.register(
                    Service.self, named: name, lifetime: lifetime,
                    factory: { @Sendable (container: DependencyContainer, argument: Double) async throws -> Service in
                        make(try await world.createLater(serial, container, argument))
                    }, afterCreation: afterCreation, onDispose: onDispose, onAsyncDispose: onAsyncDispose)
            }
            return container.register(
                Service.self, named: name, lifetime: lifetime, replacing: overwriting,
                factory: { @Sendable (container: DependencyContainer, argument: Double) throws -> Service in
                    make(try world.create(serial, container, argument))
                }, afterCreation: afterCreation, onDispose: onDispose, onAsyncDispose: onAsyncDispose)
        }
        if registration.isAsync {
            return container.register(
                Service.self, named: name, lifetime: lifetime, replacing: overwriting,
                factory: { @Sendable (container: DependencyContainer) async throws -> Service in
                    make(try await world.createLater(serial, container, nil))
                }, afterCreation: afterCreation, onDispose: onDispose, onAsyncDispose: onAsyncDispose)
        }
        if registration.takesService {
            return container.register(
                Service.self, named: name, lifetime: lifetime, replacing: overwriting,
                using: { @Sendable (alpha: Alpha) throws -> Service in
                    make(try world.create(serial, with: Held(core: alpha.core, service: alpha)))
                }, afterCreation: afterCreation, onDispose: onDispose, onAsyncDispose: onAsyncDispose)
        }
        return container.register(
            Service.self, named: name, lifetime: lifetime, replacing: overwriting,
            factory: { @Sendable (container: DependencyContainer) throws -> Service in
                make(try world.create(serial, container, nil))
            }, afterCreation: afterCreation, onDispose: onDispose, onAsyncDispose: onAsyncDispose)
    }

    func registerInstance(
        _ registration: Registration, in container: DependencyContainer, overwriting: Bool
    ) -> AnyObject {
        let service = make(world.createInstance(registration, in: container))
        return container.register(service, for: Service.self, named: registration.name, replacing: overwriting)
    }

    func decorate(_ registration: Registration, in container: DependencyContainer) -> AnyObject {
        let serial = registration.serial
        return container.decorate(Service.self, named: registration.name) { inner, container in
            make(try world.decorate(serial, held(inner), container))
        }
    }

    func forward(_ registration: Registration, in container: DependencyContainer) -> AnyObject {
        // Makes a service of this type with the core of a Gamma. Programs use this for the last kind only.
        container.forward(Service.self, named: registration.name, to: Gamma.self) { gamma in wrap(gamma.core) }
    }

    func remove(_ token: AnyObject, from container: DependencyContainer) {
        guard let token = token as? ServiceRegistration<Service> else { return }
        container.remove(token)
    }

    func require(_ ask: Ask, in container: DependencyContainer) throws -> Held {
        if let argument = ask.argument {
            return held(try container.require(Service.self, named: ask.key.name, arguments: argument))
        }
        return held(try container.require(Service.self, named: ask.key.name))
    }

    func asyncRequire(_ ask: Ask, in container: DependencyContainer) async throws -> Held {
        if let argument = ask.argument {
            return held(try await container.asyncResolve(Service.self, named: ask.key.name, arguments: argument))
        }
        return held(try await container.asyncResolve(Service.self, named: ask.key.name))
    }

    func useAgain(_ ask: Ask, _ way: Int, in container: DependencyContainer) -> Held? {
        let name = ask.key.name
        if let argument = ask.argument {
            return way.isMultiple(of: 2)
                ? held(container.resolve(Service.self, named: name, arguments: argument))
                : container.optionalResolve(Service.self, named: name, arguments: argument).map(held)
        }
        switch way % 7 {
        case 0:
            return name.map { held(container.resolve(Service.self, named: $0)) }
                ?? held(container.resolve(Service.self))
        case 1: return container.optionalResolve(Service.self, named: name).map(held)
        case 2: return container.withResolved(Service.self, named: name) { held($0) }
        case 3: return (try? container(Service.self, named: name)).map(held)
        case 4: return LazyDependency<Service>(named: name, container: container).object.map(held)
        case 5: return container.provider(Service.self, named: name).optionalResolve().map(held)
        default:
            return DependencyContainer.$shared.withValue(container) {
                let shared = name.map { DependencyContainer.shared.optionalResolve(Service.self, named: $0) }
                return (shared ?? Hopoate.optionalResolve(Service.self)).map(held)
            }
        }
    }

    func resolveAll(_ name: DependencyName?, in container: DependencyContainer) -> [Held] {
        container.resolveAll(Service.self, named: name).map(held)
    }

    func borrow(_ container: DependencyContainer, _ name: DependencyName?, _ body: (Core) -> Void) {
        if let name {
            container.withService(Service.self, named: name) { body(held($0).core) }
        } else {
            container.withService(Service.self) { body(held($0).core) }
        }
    }

    func canResolve(_ ask: Ask, in container: DependencyContainer) -> Bool {
        if ask.argument != nil {
            return container.canResolve(Service.self, named: ask.key.name, arguments: Double.self)
        }
        return container.canResolve(Service.self, named: ask.key.name)
    }

    func handle(_ ask: Ask, in container: DependencyContainer) -> any Handle {
        if let argument = ask.argument {
            return ProviderHandle(
                kind: self, provider: container.provider(Service.self, named: ask.key.name, arguments: argument))
        }
        return ProviderHandle(kind: self, provider: container.provider(Service.self, named: ask.key.name))
    }
}

/// The class of an object, read from the object. The compiler must not infer it from the static type.
@inline(never)
@_optimize(none)
func dynamicClass(of object: AnyObject) -> ObjectIdentifier { ObjectIdentifier(type(of: object)) }

private func isExactly<Class: AnyObject>(_ type: Class.Type) -> @Sendable (Class) -> Bool {
    { dynamicClass(of: $0) == ObjectIdentifier(Class.self) }
}

/// The kinds. An instance may hold instances of earlier kinds only, so that there are no reference cycles.
let kinds: [any Kind] = [
    KindOf<Alpha>(
        name: "Alpha", isClassBound: true, wrap: { Alpha($0) }, unwrap: { $0.core }, isGenuine: isExactly(Alpha.self)),
    KindOf<Beta>(
        name: "Beta", isClassBound: true, wrap: { Beta($0) }, unwrap: { $0.core }, isGenuine: isExactly(Beta.self)),
    KindOf<Gamma>(
        name: "Gamma", isClassBound: true, wrap: { Gamma($0) }, unwrap: { $0.core }, isGenuine: isExactly(Gamma.self)),
    KindOf<Delta>(
        name: "Delta", isClassBound: false, wrap: { Delta(mark: 0xDE17A, core: $0) }, unwrap: { $0.core },
        isGenuine: { $0.mark == 0xDE17A && dynamicClass(of: $0.core) == ObjectIdentifier(Core.self) }),
    KindOf<any Face>(
        name: "Face", isClassBound: true, wrap: { Mask($0) }, unwrap: { $0.core },
        isGenuine: { dynamicClass(of: $0) == ObjectIdentifier(Mask.self) }),
    KindOf<any Open>(
        name: "Open", isClassBound: false, wrap: { Wide(core: $0) }, unwrap: { $0.core },
        isGenuine: { $0 is Wide }),
]
