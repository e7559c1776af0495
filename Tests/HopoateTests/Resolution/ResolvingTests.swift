import Hopoate
import Testing

/// `resolve`, `optionalResolve`, `canResolve` and `resolveAll`.
@Suite(.mayBlock) struct ResolvingTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test func unknownTypeIsNil() {
        #expect(container.optionalResolve(Int.self) == nil)
        #expect(!container.canResolve(Int.self))
        #expect(container.resolveAll(Int.self).isEmpty)
    }

    @Test func canResolveRunsNoFactory() {
        var runs = 0
        container.hopoate1.register(service: Int.self, cacheService: false) {
            runs += 1
            return runs
        }
        let child = container.makeChild()
        #expect(container.canResolve(Int.self))
        #expect(child.canResolve(Int.self))
        #expect(runs == 0)
    }

    @Test func cachedServiceIsTheSameEachTime() {
        container.register(tracker.make(), for: Tracked.self)
        let first = container.resolve(Tracked.self)
        #expect(container.resolve(Tracked.self) === first)
        #expect(container.optionalResolve(Tracked.self) === first)
        #expect(container.resolveAll(Tracked.self).first === first)
        #expect(tracker.made == 1)
    }

    @Test func uncachedServiceIsNewEachTime() {
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make() }
        let first = container.resolve(Tracked.self)
        #expect(container.resolve(Tracked.self) !== first)
        #expect(tracker.made == 2)
        withExtendedLifetime(first) { #expect(tracker.live == 1) }
    }

    @Test func uncachedServiceSeesRegistrationsAtTheTimeOfTheResolve() {
        // Unowned, because the container retains the factory.
        container.register(String.self, lifetime: .transient) { [unowned container] _ in
            "\(container.resolve(Int.self))"
        }
        container.register(1, for: Int.self)
        #expect(container.resolve(String.self) == "1")
        container.register(2, for: Int.self)
        #expect(container.resolve(String.self) == "2")
    }

    @Test func resolveAllReturnsTheNewestFirst() {
        let tokens = (0..<5).map { container.register($0, for: Int.self) }
        #expect(container.resolveAll(Int.self) == [4, 3, 2, 1, 0])
        container.remove(tokens[2])
        #expect(container.resolveAll(Int.self) == [4, 3, 1, 0])
    }

    @Test func resolveAllIncludesNewUncachedInstances() {
        container.register(tracker.make(1), for: Tracked.self)
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make(2) }
        container.register(tracker.make(3), for: Tracked.self)
        let first = container.resolveAll(Tracked.self)
        let second = container.resolveAll(Tracked.self)
        #expect(first.map(\.number) == [3, 2, 1])
        #expect(second.map(\.number) == [3, 2, 1])
        #expect(first[0] === second[0])
        #expect(first[1] !== second[1])
        #expect(tracker.made == 4)
    }

    @Test func factoryMayResolveAllOthersOfItsType() {
        container.register(1, for: Int.self)
        container.register(2, for: Int.self)
        container.register(Int.self, lifetime: .eager) { _ in container.resolveAll(Int.self).reduce(0, +) }
        #expect(container.resolveAll(Int.self) == [3, 2, 1])
        container.register([Int].self, lifetime: .transient) { [unowned container] _ in
            container.resolveAll(Int.self)
        }
        #expect(container.resolve([Int].self) == [3, 2, 1])
    }

    @Test func resolveAllReturnsManyRegistrations() {
        for number in 0..<1000 { container.register(number, for: Int.self) }
        #expect(container.resolveAll(Int.self) == Array((0..<1000).reversed()))
    }

    @Test func manyTypesAreResolvedIndependently() {
        struct Register: TypeVisitor {
            let container: DependencyContainer
            let tracker: Tracker
            func visit<Parameter>(_ type: Parameter.Type, number: Int) {
                container.register(Tag<Parameter>(tracked: tracker.make(number)), for: Tag<Parameter>.self)
            }
        }
        struct Check: TypeVisitor {
            let container: DependencyContainer
            let last: Int
            func visit<Parameter>(_ type: Parameter.Type, number: Int) {
                let found = container.optionalResolve(Tag<Parameter>.self)?.tracked.number
                #expect(found == (number < last ? number : nil))
            }
        }
        for count in [1, 10, 100, 400] {
            container.removeAll()
            visitTypes(count, Register(container: container, tracker: tracker))
            visitTypes(count + 10, Check(container: container, last: count))
        }
        container.removeAll()
        expectGone(tracker)
    }
}

/// Child containers.
@Suite(.mayBlock) struct ChildContainerTests {
    let parent = DependencyContainer()
    let tracker = Tracker()

    @Test func childSeesPresentAndLaterRegistrationsOfItsParent() {
        parent.register(1, for: Int.self)
        let child = parent.makeChild()
        #expect(child.resolve(Int.self) == 1)
        let token = parent.register(2, for: Int.self)
        #expect(child.resolve(Int.self) == 2)
        #expect(child.optionalResolve(Int.self) == 2)
        #expect(child.withService(Int.self) { $0 } == 2)
        #expect(child.canResolve(Int.self))
        parent.remove(token)
        #expect(child.resolve(Int.self) == 1)
        parent.removeAll()
        #expect(!child.canResolve(Int.self))
        #expect(child.optionalResolve(Int.self) == nil)
        #expect(child.withOptionalService(Int.self) { $0 } == nil)
    }

    @Test func childShadowsItsParentAndDoesNotChangeIt() {
        parent.register(1, for: Int.self)
        let child = parent.makeChild()
        let token = child.register(2, for: Int.self)
        child.register("own", for: String.self)
        #expect(child.resolve(Int.self) == 2)
        #expect(parent.resolve(Int.self) == 1)
        #expect(!parent.canResolve(String.self))
        child.remove(token)
        #expect(child.resolve(Int.self) == 1)
        child.register(3, for: Int.self, replacing: true)
        #expect(parent.resolve(Int.self) == 1)
        child.removeAll()
        #expect(child.resolve(Int.self) == 1)
    }

    @Test func resolveAllOfAChildListsItsOwnServicesFirst() {
        let child = parent.makeChild()
        let grandchild = child.makeChild()
        for number in [1, 2] { parent.register(number, for: Int.self) }
        for number in [5, 6] { grandchild.register(number, for: Int.self) }
        #expect(grandchild.resolveAll(Int.self) == [6, 5, 2, 1])
        for number in [3, 4] { child.register(number, for: Int.self) }
        #expect(grandchild.resolveAll(Int.self) == [6, 5, 4, 3, 2, 1])
        #expect(child.resolveAll(Int.self) == [4, 3, 2, 1])
    }

    @Test func removingAParentsRegistrationFromAChildDoesNothing() {
        let token = parent.register(1, for: Int.self)
        let child = parent.makeChild()
        child.remove(token)
        #expect(child.resolve(Int.self) == 1)
        let own = child.register(2, for: Int.self)
        parent.remove(own)
        child.remove(token)
        #expect(child.resolve(Int.self) == 2)
    }

    @Test func childKeepsItsParentAlive() {
        weak var weakParent: DependencyContainer?
        var child: DependencyContainer?
        do {
            let parent = DependencyContainer()
            parent.register(tracker.make(3), for: Tracked.self)
            weakParent = parent
            child = parent.makeChild().makeChild()
        }
        #expect(weakParent != nil)
        #expect(child?.resolve(Tracked.self).number == 3)
        child = nil
        #expect(weakParent == nil)
        expectGone(tracker)
    }

    @Test func droppedChildLeavesNoTrace() {
        parent.register(tracker.make(1), for: Tracked.self)
        weak var weakChild: DependencyContainer?
        do {
            let child = parent.makeChild()
            child.register(tracker.make(2), for: Tracked.self)
            weakChild = child
            #expect(parent.resolveAll(Tracked.self).count == 1)
        }
        #expect(weakChild == nil)
        #expect(parent.resolveAll(Tracked.self).map(\.number) == [1])
        parent.removeAll()
        expectGone(tracker)
    }

    @Test func childOfTheSharedContainerSeesIt() {
        struct Unique {}
        let token = DependencyContainer.shared.register(Unique(), for: Unique.self)
        let child = DependencyContainer.shared.makeChild()
        #expect(child.canResolve(Unique.self))
        DependencyContainer.shared.remove(token)
        #expect(!child.canResolve(Unique.self))
    }
}
