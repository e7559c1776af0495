import Hopoate

/// An instance with a number, so that the reference knows the instance that was found and the live ones.
final class Tracked {
    let number: Int
    private let will: [Operation]
    private let cargo: DependencyContainer?

    init(number: Int, will: [Operation] = [], cargo: DependencyContainer? = nil) {
        self.number = number
        self.will = will
        self.cargo = cargo
        world.live.insert(number)
    }

    deinit { world.died(number, will: will) }
}

/// The error that closures of `withService` throw.
struct Interruption: Error, Equatable {
    let number: Int
}

/// A type to register under, with all operations on it.
protocol Kind: Sendable {
    var name: String { get }
    func register(_ form: Form, in container: DependencyContainer, _ create: @escaping () -> Tracked) -> AnyObject
    func remove(_ token: AnyObject, from container: DependencyContainer)
    // A nil container stands for the free functions.
    func resolve(in container: DependencyContainer?) -> Tracked
    func optionalResolve(in container: DependencyContainer?) -> Tracked?
    func canResolve(in container: DependencyContainer) -> Bool
    func resolveAll(in container: DependencyContainer) -> [Tracked]
    /// The body gets the number of the instance. After the body, the number is read from the instance again.
    func borrow(
        in container: DependencyContainer?, optional: Bool, _ body: (Int) throws(Interruption) -> Int?
    ) throws(Interruption) -> Int??
    func wrapper(in container: DependencyContainer?, optional: Bool) -> any Wrapper
}

/// A property wrapper of some kind.
protocol Wrapper {
    func read() -> Tracked?
    func assign(_ tracked: Tracked?)
}

/// The specializations correspond to concrete types in users' modules, the rest to generic code.
struct KindOf<Service>: Kind {
    let name: String
    let wrap: @Sendable (Tracked) -> Service
    let unwrap: @Sendable (Service) -> Tracked

    // Deprecated as the forms of Hopoate 1 are that it calls. Callers use the requirement, which is not.
    @available(swift, deprecated: 6)
    @_specialize(where Service == Tracked)
    @_specialize(where Service == any Speaker)
    func register(_ form: Form, in container: DependencyContainer, _ create: @escaping () -> Tracked) -> AnyObject {
        let cached = form.source == .cached
        switch (form.source, form.overwrites) {
        case (.instance, false): return container.register(wrap(create()), for: Service.self)
        case (.instance, true):
            return container.overwriteExistingRegistrations(withService: wrap(create()), for: Service.self)
        case (_, false):
            return container.register(service: Service.self, cacheService: cached) { wrap(create()) }
        case (_, true):
            return container.overwriteExistingRegistrations(service: Service.self, cacheService: cached) {
                wrap(create())
            }
        }
    }

    @_specialize(where Service == Tracked)
    @_specialize(where Service == any Speaker)
    func remove(_ token: AnyObject, from container: DependencyContainer) {
        guard let token = token as? ServiceRegistration<Service> else { fail("a token changed its type") }
        container.remove(token)
    }

    @_specialize(where Service == Tracked)
    @_specialize(where Service == any Speaker)
    func resolve(in container: DependencyContainer?) -> Tracked {
        unwrap(container?.resolve(Service.self) ?? Hopoate.resolve(Service.self))
    }

    @_specialize(where Service == Tracked)
    @_specialize(where Service == any Speaker)
    func optionalResolve(in container: DependencyContainer?) -> Tracked? {
        guard let container else { return Hopoate.optionalResolve(Service.self).map(unwrap) }
        return container.optionalResolve(Service.self).map(unwrap)
    }

    @_specialize(where Service == Tracked)
    @_specialize(where Service == any Speaker)
    func canResolve(in container: DependencyContainer) -> Bool { container.canResolve(Service.self) }

    func resolveAll(in container: DependencyContainer) -> [Tracked] { container.resolveAll(Service.self).map(unwrap) }

    @_specialize(where Service == Tracked)
    @_specialize(where Service == any Speaker)
    func borrow(
        in container: DependencyContainer?, optional: Bool, _ body: (Int) throws(Interruption) -> Int?
    ) throws(Interruption) -> Int?? {
        // Takes no reference: while the body runs, only the library holds the service.
        let watched = { (service: Service) throws(Interruption) -> Int? in
            let number = unwrap(service).number
            defer { expect(unwrap(service).number == number, "what is borrowed is another instance than before") }
            return try body(number)
        }
        switch (container, optional) {
        case (let container?, false): return try container.withService(Service.self, watched)
        case (let container?, true): return try container.withOptionalService(Service.self, watched)
        case (nil, false): return try withService(Service.self, watched)
        case (nil, true): return try DependencyContainer.shared.withOptionalService(Service.self, watched)
        }
    }

    func wrapper(in container: DependencyContainer?, optional: Bool) -> any Wrapper {
        optional ? OptionalWrapper(self, container) : RequiredWrapper(self, container)
    }
}

private struct RequiredWrapper<Service>: Wrapper {
    let kind: KindOf<Service>
    @Dependency var service: Service

    init(_ kind: KindOf<Service>, _ container: DependencyContainer?) {
        self.kind = kind
        _service = container.map { Dependency(container: $0) } ?? Dependency()
    }

    func read() -> Tracked? { kind.unwrap(service) }

    // Through a copy, because copies share the instance that the wrapper has cached.
    func assign(_ tracked: Tracked?) {
        let copy = self
        if let tracked { copy.service = kind.wrap(tracked) }
    }
}

private struct OptionalWrapper<Service>: Wrapper {
    let kind: KindOf<Service>
    @OptionalDependency var service: Service?

    init(_ kind: KindOf<Service>, _ container: DependencyContainer?) {
        self.kind = kind
        _service = container.map { OptionalDependency(container: $0) } ?? OptionalDependency()
    }

    func read() -> Tracked? { service.map(kind.unwrap) }

    func assign(_ tracked: Tracked?) {
        let copy = self
        copy.service = tracked.map(kind.wrap)
    }
}

// MARK: - The types

protocol Speaker {
    var tracked: Tracked { get }
}

extension Tracked: Speaker {
    var tracked: Tracked { self }
}

/// A value that is too large for an existential's inline buffer.
private struct Large: Speaker {
    let tracked: Tracked
    let words = (1, 2, 3, 4)
}

/// A distinct type for each parameter.
private struct Nested<Inner> {
    let tracked: Tracked
}

private func nestedKinds<Inner>(in type: Inner.Type, _ count: Int) -> [any Kind] {
    guard count > 0 else { return [] }
    let kind = KindOf<Nested<Inner>>(name: "N\(count)", wrap: { Nested(tracked: $0) }, unwrap: \.tracked)
    return [kind] + nestedKinds(in: Nested<Inner>.self, count - 1)
}

private func unwrapped<Value>(_ value: Value?) -> Value {
    guard let value else { fail("a service became another one") }
    return value
}

/// Types with all different memory layouts.
private let shapes: [any Kind] = [
    KindOf<Tracked>(name: "Object", wrap: { $0 }, unwrap: { $0 }),
    KindOf<any Speaker>(name: "any Speaker", wrap: { $0 }, unwrap: \.tracked),
    KindOf<Large>(name: "Large", wrap: { Large(tracked: $0) }, unwrap: \.tracked),
    KindOf<Tracked?>(name: "Object?", wrap: { $0 }, unwrap: { unwrapped($0) }),
    KindOf<() -> Tracked>(name: "() -> Object", wrap: { tracked in { tracked } }, unwrap: { $0() }),
    KindOf<(Int, Tracked)>(name: "(Int, Object)", wrap: { (7, $0) }, unwrap: \.1),
    KindOf<Any>(name: "Any", wrap: { Large(tracked: $0) }, unwrap: { unwrapped($0 as? Large).tracked }),
    KindOf<[Tracked]>(name: "[Object]", wrap: { [$0] }, unwrap: { $0[0] }),
]

/// The number of kinds that programs use often. The others make tables grow.
let kindsOfTheirOwn = shapes.count

let allKinds: [any Kind] = shapes + nestedKinds(in: Never.self, 64)
