import Hopoate
import Testing

// The tests of SwinjectAutoregistration's public API, as Tests/README.md lists them.

private protocol Engine: AnyObject, Sendable { var power: Int { get } }
private final class Diesel: Engine, @unchecked Sendable { let power = 80 }
private protocol Named: Sendable { var text: String { get } }
private struct Label: Named, Equatable { let text: String }

private struct Car: Sendable {
    let engine: any Engine
    let label: any Named
    let year: Int
    let model: String
    let seats: Int

    init(engine: any Engine, label: any Named, year: Int = 2000, model: String = "", seats: Int = 4) {
        self.engine = engine
        self.label = label
        self.year = year
        self.model = model
        self.seats = seats
    }

    init(engine: any Engine, label: any Named) {
        self.init(engine: engine, label: label, year: 2000)
    }
}

/// A distinct type for each dependency of a long initializer.
private struct Part<Tag>: Equatable { let number: Int }
private enum A {}
private enum B {}
private enum C {}
private enum D {}
private enum E {}

private struct Machine {
    let numbers: [Int]

    init(
        _ a: Part<A>, _ b: Part<B>, _ c: Part<C>, _ d: Part<D>, _ e: Part<E>, _ f: Part<[A]>, _ g: Part<[B]>,
        _ h: Part<[C]>, _ i: Part<[D]>, _ j: Part<[E]>, _ k: Part<A?>, _ l: Part<B?>
    ) {
        numbers = [
            a.number, b.number, c.number, d.number, e.number, f.number, g.number, h.number, i.number, j.number,
            k.number, l.number,
        ]
    }
}

/// A type whose initializer takes twenty dependencies.
private struct Plant {
    let numbers: [Int]

    init(
        _ a: Part<A>, _ b: Part<B>, _ c: Part<C>, _ d: Part<D>, _ e: Part<E>, _ f: Part<[A]>, _ g: Part<[B]>,
        _ h: Part<[C]>, _ i: Part<[D]>, _ j: Part<[E]>, _ k: Part<A?>, _ l: Part<B?>, _ m: Part<C?>, _ n: Part<D?>,
        _ o: Part<E?>, _ p: Part<[A?]>, _ q: Part<[B?]>, _ r: Part<[C?]>, _ s: Part<[D?]>, _ t: Part<[E?]>
    ) {
        let most = [a.number, b.number, c.number, d.number, e.number, f.number, g.number, h.number, i.number, j.number]
        let rest = [k.number, l.number, m.number, n.number, o.number, p.number, q.number, r.number, s.number, t.number]
        numbers = most + rest
    }
}

@Suite struct SwinjectAutoregistrationTests {
    let container = DependencyContainer()

    init() {
        container.register((any Engine).self) { _ in Diesel() }
        container.register((any Named).self) { _ in Label(text: "label") }
    }

    private func registerParts() {
        func register<Tag>(_ tag: Tag.Type, _ number: Int) {
            container.register(Part<Tag>(number: number), for: Part<Tag>.self)
        }
        register(A.self, 1)
        register(B.self, 2)
        register(C.self, 3)
        register(D.self, 4)
        register(E.self, 5)
        register([A].self, 6)
        register([B].self, 7)
        register([C].self, 8)
        register([D].self, 9)
        register([E].self, 10)
        register(A?.self, 11)
        register(B?.self, 12)
        register(C?.self, 13)
        register(D?.self, 14)
        register(E?.self, 15)
        register([A?].self, 16)
        register([B?].self, 17)
        register([C?].self, 18)
        register([D?].self, 19)
        register([E?].self, 20)
    }

    @Test func autoregistersWithoutDependencies() {
        container.register(Diesel.self, using: Diesel.init)
        #expect(container.resolve(Diesel.self).power == 80)
    }

    @Test func autoregistersDependenciesOfTheInitializer() {
        container.register(Car.self, using: Car.init(engine:label:))
        let car = container.resolve(Car.self)
        #expect(car.engine === container.resolve((any Engine).self))
        #expect(car.label.text == "label")
    }

    @Test func autoregistersUnderNames() {
        container.register(Car.self, named: "rental", using: Car.init(engine:label:))
        #expect(container.canResolve(Car.self, named: "rental"))
        #expect(!container.canResolve(Car.self))
    }

    @Test func autoregistersTwelveDependencies() {
        registerParts()
        container.register(Machine.self, using: Machine.init)
        #expect(container.resolve(Machine.self).numbers == Array(1...12))
    }

    @Test func autoregistersTwentyDependencies() {
        registerParts()
        container.register(Plant.self, using: Plant.init)
        #expect(container.resolve(Plant.self).numbers == Array(1...20))
    }

    @Test func autoregistersOneArgument() {
        container.register(Car.self) { (container, year: Int) in
            try Car(engine: container(), label: container(), year: year)
        }
        #expect(container.resolve(Car.self, arguments: 1999).year == 1999)
    }

    @Test func autoregistersThreeArguments() {
        container.register(Car.self, named: "rental") { (container, year: Int, model: String, seats: Int) in
            try Car(engine: container(), label: container(), year: year, model: model, seats: seats)
        }
        let car = container.resolve(Car.self, named: "rental", arguments: 1999, "T", 2)
        #expect((car.year, car.model, car.seats) == (1999, "T", 2))
    }

    @Test func argumentsMayHaveEqualTypes() {
        container.register(Car.self) { (container, year: Int, seats: Int) in
            try Car(engine: container(), label: container(), year: year, seats: seats)
        }
        let car = container.resolve(Car.self, arguments: 1999, 2)
        #expect((car.year, car.seats) == (1999, 2))
    }

    @Test func argumentsAreNeverInjectedAsDependencies() {
        // The argument conforms to the protocol of the dependency, but is not injected as one.
        container.register(Car.self) { (container, label: Label) in
            try Car(engine: container(), label: container(), model: label.text)
        }
        let car = container.resolve(Car.self, arguments: Label(text: "T"))
        #expect((car.model, car.label.text) == ("T", "label"))
    }

    @Test func missingDependencyIsAnErrorWithTheChain() {
        container.removeAll()
        container.register((any Named).self) { _ in Label(text: "label") }
        container.register(Car.self, using: Car.init(engine:label:))
        let error = #expect(throws: DependencyError.self) { try container.require(Car.self) }
        #expect(error?.reason == .notRegistered)
        #expect(error?.chain.count == 2)
        #expect("\(error as Any)".contains("Engine"))
    }

    @Test func missingDependencyIsFoundWithoutCreation() {
        container.removeAll()
        container.register(Car.self, using: Car.init(engine:label:))
        let error = #expect(throws: DependencyValidationError.self) { try container.validate() }
        #expect(error?.findings.count == 2)
    }

    @Test func namedDependenciesAreResolvedInAClosure() {
        container.register((any Named).self, named: "rental") { _ in Label(text: "rental") }
        container.register(Car.self) { container in try Car(engine: container(), label: container(named: "rental")) }
        #expect(container.resolve(Car.self).label.text == "rental")
    }

    @Test func autoregisteredServicesHaveAnyLifetime() {
        container.register(Diesel.self, lifetime: .transient, using: Diesel.init)
        #expect(container.resolve(Diesel.self) !== container.resolve(Diesel.self))
        container.register(Diesel.self, lifetime: .weak, replacing: true) { _ in Diesel() }
        let diesel = container.resolve(Diesel.self)
        #expect(container.resolve(Diesel.self) === diesel)
    }

    @Test func postfixArrowIsACall() throws {
        let engine: any Engine = try container()
        #expect(engine.power == 80)
    }

    @Test func infixArrowIsACallWithTheType() throws {
        #expect(try container((any Engine).self).power == 80)
    }

    @Test func infixArrowWithANameIsACallWithAName() throws {
        container.register((any Named).self, named: "rental") { _ in Label(text: "rental") }
        #expect(try container((any Named).self, named: "rental").text == "rental")
    }

    @Test func infixArrowWithArgumentsIsACallWithArguments() throws {
        container.register(Label.self) { (_, text: String) in Label(text: text) }
        container.register(Label.self, named: "twice") { (_, text: String, other: String, number: Int) in
            Label(text: "\(text)\(other)\(number)")
        }
        #expect(try container.require(Label.self, arguments: "a").text == "a")
        let label = try container.require(Label.self, named: "twice", arguments: "a", "b", 7)
        #expect(label.text == "ab7")
    }
}
