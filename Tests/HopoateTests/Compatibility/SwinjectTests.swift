import Foundation
import Hopoate
import Testing

// The tests of Swinject's public API, as Tests/README.md lists them.

private protocol Animal: AnyObject, Sendable { var name: String { get } }
private protocol Pet: AnyObject, Sendable {}
private final class Cat: Animal, Pet {
    let name: String
    init(name: String = "Mimi") { self.name = name }
}
private final class Owner: @unchecked Sendable {
    let pet: any Animal
    init(pet: any Animal) { self.pet = pet }
}
private final class Household: @unchecked Sendable {
    let owner: Owner
    let pet: any Animal
    init(owner: Owner, pet: any Animal) {
        self.owner = owner
        self.pet = pet
    }
}

private final class Parent: @unchecked Sendable {
    var child: Child?
}
private final class Child: @unchecked Sendable {
    unowned let parent: Parent
    init(parent: Parent) { self.parent = parent }
}

/// As `Parent` and `Child`, but the second one keeps the first one alive.
private final class Perch: @unchecked Sendable {
    weak var bird: Bird?
}
private final class Bird: @unchecked Sendable {
    let perch: Perch
    init(perch: Perch) { self.perch = perch }
}

extension DependencyName {
    fileprivate static let stray: DependencyName = "stray"
}

/// Replaces `Container(defaultObjectScope:)`: a constant of the application instead of a property of the container.
extension Lifetime {
    fileprivate static let usual = Lifetime.graph
}

/// `Container`.
@Suite(.mayBlock) struct SwinjectContainerTests {
    let container = DependencyContainer()

    @Test func registersAndResolves() {
        container.register((any Animal).self) { _ in Cat() }
        #expect(container.resolve((any Animal).self).name == "Mimi")
    }

    @Test func factoriesAreLazyAndGetTheContainer() {
        let calls = Locked(0)
        container.register((any Animal).self) { _ in Cat() }
        container.register(Owner.self) { container in
            calls.withLock { $0 += 1 }
            return Owner(pet: container.resolve())
        }
        #expect(calls.current == 0)
        #expect(container.resolve(Owner.self).pet === container.resolve((any Animal).self))
        #expect(calls.current == 1)
    }

    @Test func namedServicesCoexist() {
        container.register((any Animal).self) { _ in Cat() }
        container.register((any Animal).self, named: .stray) { _ in Cat(name: "Felix") }
        #expect(container.resolve((any Animal).self, named: .stray).name == "Felix")
        #expect(container.resolve((any Animal).self, named: "stray").name == "Felix")
        #expect(container.resolve((any Animal).self).name == "Mimi")
    }

    @Test func argumentsDistinguishRegistrations() {
        container.register((any Animal).self) { _ in Cat() }
        container.register((any Animal).self) { (_, name: String) in Cat(name: name) }
        container.register((any Animal).self) { (_, name: String, age: Int) in Cat(name: "\(name) (\(age))") }
        #expect(container.resolve((any Animal).self).name == "Mimi")
        #expect(container.resolve((any Animal).self, arguments: "Tom").name == "Tom")
        #expect(container.resolve((any Animal).self, arguments: "Tom", 7).name == "Tom (7)")
    }

    @Test func nineArgumentsReachTheFactory() {
        container.register(String.self) { (_, a: Int, b: Int, c: Int, d: Int, e: Int, f: Int, g: Int, h: Int, i: Int) in
            "\(a)\(b)\(c)\(d)\(e)\(f)\(g)\(h)\(i)"
        }
        #expect(container.resolve(String.self, arguments: 1, 2, 3, 4, 5, 6, 7, 8, 9) == "123456789")
    }

    @Test func namesAndArgumentsCombine() {
        container.register((any Animal).self, named: .stray) { (_, name: String) in Cat(name: "stray \(name)") }
        container.register((any Animal).self) { (_, name: String) in Cat(name: name) }
        #expect(container.resolve((any Animal).self, named: .stray, arguments: "Tom").name == "stray Tom")
        #expect(container.resolve((any Animal).self, arguments: "Tom").name == "Tom")
    }

    @Test func missingServiceIsNilOrAnError() {
        #expect(container.optionalResolve((any Animal).self) == nil)
        #expect(container.optionalResolve((any Animal).self, arguments: 7) == nil)
        let error = #expect(throws: DependencyError.self) { try container.require((any Animal).self) }
        #expect(error?.reason == .notRegistered)
    }

    @Test func missingServiceIsNilWithNamesAndArgumentsToo() throws {
        #expect(container.optionalResolve((any Animal).self, named: .stray) == nil)
        #expect(container.optionalResolve((any Animal).self, arguments: "Tom") == nil)
        #expect(container.optionalResolve((any Animal).self, named: .stray, arguments: "Tom", 7) == nil)
        let named: (any Animal)? = try container(named: .stray)
        let withArguments = container.optionalResolve((any Animal).self, arguments: "Tom")
        let withBoth = container.optionalResolve((any Animal).self, named: .stray, arguments: "Tom", 7)
        #expect(named == nil && withArguments == nil && withBoth == nil)
    }

    @Test func missingServiceIsAnErrorIfItsTypeIsPassed() {
        let error = #expect(throws: DependencyError.self) {
            let animal: (any Animal)? = try container((any Animal).self)
            _ = animal
        }
        #expect(error?.reason == .notRegistered)
    }

    @Test func registeringAgainReplaces() {
        container.register((any Animal).self) { _ in Cat() }
        #expect(container.resolve((any Animal).self).name == "Mimi")
        container.register((any Animal).self, replacing: true) { _ in Cat(name: "Tom") }
        #expect(container.resolveAll((any Animal).self).map(\.name) == ["Tom"])
    }

    @Test func removeAllLeavesAnEmptyUsableContainer() {
        container.register((any Animal).self) { _ in Cat() }
        container.removeAll()
        #expect(!container.canResolve((any Animal).self))
        container.register((any Animal).self) { _ in Cat(name: "Tom") }
        #expect(container.resolve((any Animal).self).name == "Tom")
    }

    @Test func hasAnyRegistrationIsCanResolve() {
        let calls = Locked(0)
        container.register((any Animal).self, named: .stray) { _ in
            calls.withLock { $0 += 1 }
            return Cat()
        }
        #expect(container.canResolve((any Animal).self, named: .stray))
        #expect(!container.canResolve((any Animal).self))
        #expect(container.makeChild().canResolve((any Animal).self, named: .stray))
        #expect(calls.current == 0)
    }

    @Test func hasAnyRegistrationWithArgumentsIsCanResolveWithTheirTypes() {
        container.register((any Animal).self, named: .stray) { (_, name: String) in Cat(name: name) }
        #expect(container.canResolve((any Animal).self, named: .stray, arguments: String.self))
        #expect(!container.canResolve((any Animal).self, named: .stray))
        // With any argument types:
        #expect(container.registrations.contains { $0.service == (any Animal).self && $0.name == .stray })
    }

    @Test func behaviorIsAnInstrument() {
        struct Journal: DependencyInstrument {
            let lines = Locked<[String]>([])
            func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? {
                let name = dependency.name?.description ?? "-"
                lines.withLock { $0.append("\(dependency.service) \(name) \(dependency.lifetime)") }
                return nil
            }
        }
        let journal = Journal()
        container.register(Int.self) { _ in 1 }
        container.instrument(with: journal)
        container.register(Cat.self, named: .stray) { (_, name: String) in Cat(name: name) }
        container.register(Cat.self) { _ in Cat() }
        container.forward((any Pet).self, to: Cat.self) { $0 }
        container.makeChild().register("of the child", for: String.self)
        let expected = ["Cat stray transient", "Cat - singleton", "Pet - transient", "String - eager"]
        #expect(journal.lines.current == expected)
    }

    @Test func registrationsListTypesNamesArgumentsAndPlaces() {
        container.register((any Animal).self, named: .stray, lifetime: .transient) { (_, name: String) in
            Cat(name: name)
        }
        container.register(Owner.self, using: Owner.init)
        let listed = container.registrations
        #expect(listed.count == 2)
        #expect(listed.contains { $0.service == Owner.self && $0.lifetime.description == "singleton" })
        let animal = listed.first { $0.service == (any Animal).self }
        #expect(animal?.name == .stray)
        #expect(animal?.arguments?.contains("Swift.String") == true)
        #expect(animal?.place?.contains("SwinjectTests.swift") == true)
    }

    @Test func descriptionIsThatOfTheRegistrations() {
        container.register(Owner.self, using: Owner.init)
        let text = container.registrations.map(\.description).joined(separator: "\n")
        #expect(text.contains("Owner") && text.contains("singleton") && text.contains("SwinjectTests.swift"))
    }

    @Test func registeringClosureIsAModule() throws {
        struct Animals: DependencyModule {
            func register(in container: DependencyContainer) {
                container.register((any Animal).self) { _ in Cat() }
                container.register(Owner.self, using: Owner.init)
            }
        }
        try container.install(Animals())
        #expect(container.resolve(Owner.self).pet.name == "Mimi")
    }

    @Test func synchronizeIsNotNeeded() {
        let container = container
        let calls = Locked(0)
        runThreads(8) { index in
            container.register(Int.self, named: DependencyName("\(index)")) { _ in index }
            container.register((any Animal).self) { _ in
                calls.withLock { $0 += 1 }
                return Cat()
            }
            _ = container.resolve((any Animal).self)
        }
        #expect((1...8).contains(calls.current))
        #expect((0..<8).map { container.resolve(Int.self, named: DependencyName("\($0)")) } == Array(0..<8))
    }

    @Test func serviceKeyOptionIsAPartOfTheName() {
        struct Storyboard {
            let identifier: String
            var name: DependencyName { DependencyName("storyboard:\(identifier)") }
        }
        container.register((any Animal).self, named: Storyboard(identifier: "a").name) { _ in Cat() }
        #expect(container.canResolve((any Animal).self, named: Storyboard(identifier: "a").name))
        #expect(!container.canResolve((any Animal).self, named: Storyboard(identifier: "b").name))
    }
}

/// `ServiceEntry`.
@Suite(.mayBlock) struct SwinjectServiceEntryTests {
    let container = DependencyContainer()

    @Test func initCompletedIsAfterCreation() {
        container.register(Child.self) { container in try Child(parent: container()) }
        container.register(Parent.self) { _ in
            Parent()
        } afterCreation: { parent, container in
            parent.child = container.resolve()
        }
        let parent = container.resolve(Parent.self)
        #expect(parent.child?.parent === parent)
        #expect(parent.child === container.resolve(Child.self))
    }

    @Test(arguments: [Lifetime.singleton, .scoped, .graph])
    func cycleThroughAPropertyIsResolvedFromBothSides(lifetime: Lifetime) throws {
        func register() -> DependencyContainer {
            let container = DependencyContainer()
            container.register(Perch.self, lifetime: lifetime) { _ in
                Perch()
            } afterCreation: { perch, container in
                perch.bird = try container.require(Bird.self)
            }
            container.register(Bird.self, lifetime: lifetime) { container in Bird(perch: try container.require()) }
            return container
        }
        var container = register()
        let bird = try container.require(Bird.self)
        #expect(bird.perch.bird === bird)
        container = register()
        let perch = try container.require(Perch.self)
        // In a graph nobody owns the bird.
        #expect(lifetime.description == "graph" ? perch.bird == nil : perch.bird?.perch === perch)
    }

    @Test(arguments: threadCounts) func threadsMayResolveBothSidesOfACycle(threads: Int) {
        for _ in 0..<rounds(50) {
            let container = DependencyContainer()
            let made = Locked(0)
            container.register(Parent.self) { _ in
                made.withLock { $0 += 1 }
                return Parent()
            } afterCreation: { parent, container in
                parent.child = try container.require(Child.self)
            }
            container.register(Child.self) { container in
                made.withLock { $0 += 1 }
                return Child(parent: try container.require())
            }
            let areComplete = race(threads) { index in
                index.isMultiple(of: 2)
                    ? (try? container.require(Parent.self))?.child != nil
                    : (try? container.require(Child.self))?.parent.child != nil
            }
            check(areComplete.allSatisfy { $0 } && made.current == 2)
        }
    }

    @Test func cycleOfTransientsIsAnError() {
        container.register(Perch.self, lifetime: .transient) { _ in
            Perch()
        } afterCreation: { perch, container in
            perch.bird = try container.require(Bird.self)
        }
        container.register(Bird.self, lifetime: .transient) { container in Bird(perch: try container.require()) }
        #expect(failure { () throws(DependencyError) in try container.require(Bird.self) }?.reason == .circular)
        #expect(failure { () throws(DependencyError) in try container.require(Perch.self) }?.reason == .circular)
    }

    @Test func initCompletedWiresGraphsOfTransients() {
        // Swinject may create the first resolved service twice. Hopoate creates each service once.
        let made = Locked(0)
        container.register(Child.self, lifetime: .graph) { container in try Child(parent: container()) }
        container.register(Parent.self, lifetime: .graph) { _ in
            made.withLock { $0 += 1 }
            return Parent()
        } afterCreation: { parent, container in
            parent.child = container.resolve()
        }
        let parent = container.resolve(Parent.self)
        #expect(parent.child?.parent === parent)
        #expect(made.current == 1)
        #expect(container.resolve(Parent.self) !== parent)
    }

    @Test func furtherInitCompletedAreStepsOfOneClosure() {
        let order = Locked<[Int]>([])
        let steps: [@Sendable (Parent, DependencyContainer) -> Void] = (1...2).map { number in
            { _, _ in order.withLock { $0.append(number) } }
        }
        container.register(Parent.self) { _ in
            Parent()
        } afterCreation: { parent, container in
            for step in steps { step(parent, container) }
        }
        _ = container.resolve(Parent.self)
        _ = container.resolve(Parent.self)
        #expect(order.current == [1, 2])
    }

    @Test func implementsIsForward() {
        container.register(Cat.self) { _ in Cat() }
        container.forward((any Animal).self, to: Cat.self) { $0 }
        container.forward((any Pet).self, to: Cat.self) { $0 }
        container.forward((any Pet).self, named: .stray, to: Cat.self) { $0 }
        let cat = container.resolve(Cat.self)
        #expect(container.resolve((any Animal).self) === cat)
        #expect(container.resolve((any Pet).self) === cat)
        #expect(container.resolve((any Pet).self, named: .stray) === cat)
    }

    @Test func forwardedServicesHaveTheLifetimeOfTheOther() {
        container.register(Cat.self, lifetime: .transient) { _ in Cat() }
        container.forward((any Animal).self, to: Cat.self) { $0 }
        #expect(container.resolve((any Animal).self) !== container.resolve((any Animal).self))
    }

    @Test func implementsTakesAnyNumberOfTypes() {
        container.register(Int.self) { _ in 7 }
        container.forward((any BinaryInteger & Sendable).self, to: Int.self) { $0 }
        container.forward((any SignedInteger & Sendable).self, to: Int.self) { $0 }
        container.forward((any FixedWidthInteger & Sendable).self, to: Int.self) { $0 }
        container.forward((any Numeric & Sendable).self, to: Int.self) { $0 }
        container.forward((any Strideable & Sendable).self, to: Int.self) { $0 }
        container.forward((any Hashable & Sendable).self, to: Int.self) { $0 }
        container.forward((any Comparable & Sendable).self, to: Int.self) { $0 }
        container.forward((any Codable & Sendable).self, to: Int.self) { $0 }
        container.forward((any LosslessStringConvertible & Sendable).self, to: Int.self) { $0 }
        container.forward((any CustomStringConvertible & Sendable).self, to: Int.self) { $0 }
        #expect(container.resolve((any CustomStringConvertible & Sendable).self).description == "7")
        #expect(container.resolve((any BinaryInteger & Sendable).self) as? Int == 7)
        #expect(container.resolve((any Codable & Sendable).self) as? Int == 7)
    }
}

/// `ObjectScope` and its storages.
@Suite(.mayBlock) struct SwinjectObjectScopeTests {
    let container = DependencyContainer()

    @Test func transientScopeCreatesANewInstanceEachTime() {
        container.register((any Animal).self, lifetime: .transient) { _ in Cat() }
        #expect(container.resolve((any Animal).self) !== container.resolve((any Animal).self))
    }

    @Test func graphScopeSharesWithinOneResolveCall() {
        container.register((any Animal).self, lifetime: .graph) { _ in Cat() }
        container.register(Owner.self, lifetime: .transient, using: Owner.init)
        container.register(Household.self, lifetime: .transient, using: Household.init)
        let household = container.resolve(Household.self)
        #expect(household.owner.pet === household.pet)
        #expect(container.resolve(Household.self).pet !== household.pet)
    }

    @Test func containerScopeIsSharedWithChildren() {
        container.register((any Animal).self, lifetime: .singleton) { _ in Cat() }
        let child = container.makeChild()
        #expect(child.resolve((any Animal).self) === container.resolve((any Animal).self))
    }

    @Test func weakScopeSharesWhileTheInstanceIsRetained() {
        let tracker = Tracker()
        container.register(Tracked.self, lifetime: .weak) { _ in tracker.make() }
        do {
            let first = container.resolve(Tracked.self)
            #expect(container.resolve(Tracked.self) === first)
        }
        expectGone(tracker)
        _ = container.resolve(Tracked.self)
        #expect(tracker.made == 2)
    }

    @Test func graphAndWeakScopesHaveAnInstancePerArgumentValue() {
        container.register((any Animal).self, lifetime: .weak) { (_, name: String) in Cat(name: name) }
        let tom = container.resolve((any Animal).self, arguments: "Tom")
        #expect(container.resolve((any Animal).self, arguments: "Tom") === tom)
        #expect(container.resolve((any Animal).self, arguments: "Mimi").name == "Mimi")

        container.register((any Animal).self, lifetime: .usual, replacing: true) { (_, name: String) in
            Cat(name: name)
        }
        container.register([any Animal].self, lifetime: .transient) { container in
            ["Tom", "Mimi", "Tom"].map { container.resolve((any Animal).self, arguments: $0) }
        }
        let cats = container.resolve([any Animal].self)
        #expect(cats.map(\.name) == ["Tom", "Mimi", "Tom"])
        #expect(cats[0] === cats[2] && cats[0] !== tom)
    }

    @Test func containerScopeWithArgumentsIsKeyed() {
        container.register((any Animal).self, lifetime: .keyed) { (_, name: String) in Cat(name: name) }
        let tom = container.resolve((any Animal).self, arguments: "Tom")
        #expect(container.makeChild().resolve((any Animal).self, arguments: "Tom") === tom)
        #expect(container.resolve((any Animal).self, arguments: "Mimi") !== tom)
    }

    @Test func customScopeIsSharedUntilItIsReset() {
        let session = DependencyScope("session")
        container.register((any Animal).self, lifetime: .cached(in: session)) { _ in Cat() }
        container.register(Owner.self, lifetime: .cached(in: session), using: Owner.init)
        let owner = container.resolve(Owner.self)
        #expect(container.resolve(Owner.self) === owner)
        session.reset()
        #expect(container.resolve(Owner.self) !== owner)
        #expect(container.resolve((any Animal).self) !== owner.pet)
    }

    @Test func resetObjectScopeReachesParentsAndChildren() {
        let session = DependencyScope("session")
        container.register((any Animal).self, lifetime: .cached(in: session)) { _ in Cat() }
        let child = container.makeChild()
        child.register(Owner.self, lifetime: .cached(in: session), using: Owner.init)
        let owner = child.resolve(Owner.self)
        session.reset()
        #expect(child.resolve(Owner.self) !== owner)
        #expect(child.resolve((any Animal).self) !== owner.pet)
    }

    @Test func resetObjectScopeOfOneServiceIsAScopeOfItsOwn() {
        let animals = DependencyScope("animals")
        let owners = DependencyScope("owners")
        container.register((any Animal).self, lifetime: .cached(in: animals)) { _ in Cat() }
        container.register(Owner.self, lifetime: .cached(in: owners), using: Owner.init)
        let owner = container.resolve(Owner.self)
        owners.reset()
        #expect(container.resolve(Owner.self) !== owner)
        #expect(container.resolve((any Animal).self) === owner.pet)
    }

    @Test func defaultObjectScopeIsAConstant() {
        container.register((any Animal).self, lifetime: .usual) { _ in Cat() }
        #expect(container.resolve((any Animal).self) !== container.resolve((any Animal).self))
    }

    @Test func customObjectScopeIsALifetimeWithAStorage() {
        /// Returns each instance twice.
        struct Twice: LifetimePolicy {
            func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> { TwiceStorage() }
        }
        let twice = Lifetime("twice", policy: Twice())
        container.register((any Animal).self, lifetime: twice) { _ in Cat() }
        let animals = (0..<4).map { _ in container.resolve((any Animal).self) }
        #expect(animals[0] === animals[1])
        #expect(animals[1] !== animals[2])
        #expect(animals[2] === animals[3])
        #expect("\(twice)" == "twice")
    }

    @Test func compositeStorageIsAStorageThatOverridesAnother() {
        /// Retains the instance until it is released, and then finds it as long as it is retained elsewhere.
        struct Releasable: LifetimePolicy {
            let released: Locked<Bool>
            var ownsInstances: Bool { false }
            func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> {
                ReleasableStorage(released)
            }
        }
        let tracker = Tracker()
        let released = Locked(false)
        container.register(
            Tracked.self, lifetime: Lifetime("releasable", policy: Releasable(released: released))
        ) { _ in tracker.make() }
        var tracked: Tracked? = container.resolve(Tracked.self)
        #expect(tracker.live == 1)
        released.withLock { $0 = true }
        #expect(container.resolve(Tracked.self) === tracked)
        tracked = nil
        expectGone(tracker)
    }
}

// Sound, because only one thread at a time uses it in these tests.
private final class TwiceStorage<Instance>: InstanceStorage<Instance>, @unchecked Sendable {
    private var left = 0

    override func load() -> Instance? {
        left -= 1
        return left < 0 ? nil : super.load()
    }

    override func store(_ instance: Instance) {
        left = 1
        super.store(instance)
    }
}

// Sound for the same reason.
private final class ReleasableStorage<Instance>: InstanceStorage<Instance>, @unchecked Sendable {
    private let released: Locked<Bool>
    private weak var object: AnyObject?

    init(_ released: Locked<Bool>) { self.released = released }

    override func load() -> Instance? {
        if released.current { super.clear() }
        return super.load() ?? object as? Instance
    }

    override func store(_ instance: Instance) {
        object = instance as AnyObject
        super.store(instance)
    }
}

/// Containers with parents.
@Suite(.mayBlock) struct SwinjectHierarchyTests {
    let container = DependencyContainer()

    @Test func childFindsRegistrationsOfItsParent() {
        container.register((any Animal).self) { _ in Cat() }
        #expect(container.makeChild().resolve((any Animal).self) === container.resolve((any Animal).self))
    }

    @Test func childShadowsRegistrationsOfItsParent() {
        container.register((any Animal).self) { _ in Cat() }
        let child = container.makeChild()
        child.register((any Animal).self) { _ in Cat(name: "Tom") }
        #expect(child.resolve((any Animal).self).name == "Tom")
        #expect(container.resolve((any Animal).self).name == "Mimi")
    }

    @Test func parentDoesNotFindRegistrationsOfItsChild() {
        let child = container.makeChild()
        child.register((any Animal).self) { _ in Cat() }
        #expect(!container.canResolve((any Animal).self))
    }

    @Test func continuedObjectGraphIsAChildContainer() {
        // `withObjectGraph` continues a graph by its identifier. Here, a child container takes the place of the graph.
        container.register((any Animal).self, lifetime: .scoped) { _ in Cat() }
        container.register(Owner.self, lifetime: .transient, using: Owner.init)
        let graph = container.makeChild()
        let first = graph.resolve(Owner.self)
        #expect(graph.resolve(Owner.self).pet === first.pet)
        #expect(container.makeChild().resolve(Owner.self).pet !== first.pet)
    }
}

/// Records its registrations and `didInstall`, in order.
private struct Animals: DependencyModule {
    let log: Locked<[String]>
    func register(in container: DependencyContainer) {
        log.withLock { $0.append("animals") }
        container.register((any Animal).self) { _ in Cat() }
    }
    func didInstall(in container: DependencyContainer) {
        log.withLock { $0.append("animals: \(container.resolve(Owner.self).pet.name)") }
    }
}

private struct Owners: DependencyModule {
    let log: Locked<[String]>
    func register(in container: DependencyContainer) {
        log.withLock { $0.append("owners") }
        container.register(Owner.self, using: Owner.init)
    }
}

/// `Assembly` and `Assembler`.
@Suite(.mayBlock) struct SwinjectAssemblerTests {
    let container = DependencyContainer()
    let log = Locked<[String]>([])

    @Test func assemblyIsAModule() throws {
        try container.install(Owners(log: log))
        try container.install(Animals(log: log))
        #expect(container.resolve(Owner.self).pet.name == "Mimi")
    }

    @Test func loadedRunsAfterAllAreAssembled() throws {
        try container.install {
            Animals(log: log)
            Owners(log: log)
        }
        #expect(log.current == ["animals", "owners", "animals: Mimi"])
    }

    @Test func assemblerTakesAList() throws {
        let modules: [any DependencyModule] = [Animals(log: log), Owners(log: log)]
        try container.install { modules }
        #expect(container.resolve(Owner.self).pet.name == "Mimi")
    }

    @Test func assemblerWithAParentIsAChildContainer() throws {
        try container.install {
            Animals(log: log)
            Owners(log: log)
        }
        let child = container.makeChild()
        try child.install(Owners(log: log))
        #expect(child.resolve(Owner.self) !== container.resolve(Owner.self))
        #expect(child.resolve(Owner.self).pet === container.resolve(Owner.self).pet)
    }

    @Test func resolverOfAnAssemblerIsTheContainer() throws {
        let resolver: DependencyContainer = container
        try container.install {
            Animals(log: log)
            Owners(log: log)
        }
        #expect(resolver.resolve(Owner.self) === container.resolve(Owner.self))
    }
}

/// Wrapper types around a service, such as `Lazy` and `Provider`.
@Suite(.mayBlock) struct SwinjectWrapperTests {
    let container = DependencyContainer()

    @Test func lazyCreatesTheServiceAtTheFirstAccess() {
        let calls = Locked(0)
        container.register((any Animal).self) { _ in
            calls.withLock { $0 += 1 }
            return Cat()
        }
        let animal = LazyDependency<any Animal>(container: container)
        #expect(calls.current == 0)
        #expect(animal.wrappedValue === animal.wrappedValue)
        #expect(calls.current == 1)
    }

    @Test func lazyOfAMissingServiceIsAHandle() {
        let animal = LazyDependency<any Animal>(container: container)
        #expect(animal.object == nil)
        #expect(container.provider((any Animal).self).optionalResolve() == nil)
        container.register((any Animal).self) { _ in Cat() }
        #expect(animal.object?.name == "Mimi")
    }

    @Test func lazyIsAParameterOfAnInitializer() {
        final class Cage: @unchecked Sendable {
            let animal: LazyDependency<any Animal>
            init(animal: LazyDependency<any Animal>) { self.animal = animal }
        }
        container.register(Cage.self, using: Cage.init)
        let cage = container.resolve(Cage.self)
        container.register((any Animal).self) { _ in Cat() }
        #expect(cage.animal.object?.name == "Mimi")
    }

    @Test func providerResolvesAtEachCall() {
        container.register((any Animal).self, lifetime: .transient) { _ in Cat() }
        container.register((any Animal).self, named: .stray, lifetime: .transient) { (_, name: String) in
            Cat(name: name)
        }
        let animal = container.provider((any Animal).self)
        #expect(animal() !== animal())
        #expect(container.provider((any Animal).self, named: .stray, arguments: "Tom")().name == "Tom")
    }

    @Test func optionalIsAParameterOfAnInitializer() {
        final class Cage: @unchecked Sendable {
            let animal: (any Animal)?
            init(animal: (any Animal)?) { self.animal = animal }
        }
        container.register(Cage.self, lifetime: .transient, using: Cage.init)
        #expect(container.resolve(Cage.self).animal == nil)
        container.register((any Animal).self) { _ in Cat() }
        #expect(container.resolve(Cage.self).animal?.name == "Mimi")
    }
}
