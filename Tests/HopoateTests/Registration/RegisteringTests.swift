import Hopoate
import Testing

/// The `register` methods of Hopoate 1, and removal.
@Suite(.mayBlock) struct RegisteringTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test func cachedFactoryRunsOnceInsideRegister() {
        var runs = 0
        container.register(service: Int.self) {
            runs += 1
            return runs
        }
        #expect(runs == 1)
        #expect(container.resolve(Int.self) == 1)
        #expect(container.resolve(Int.self) == 1)
        #expect(runs == 1)
    }

    @Test func uncachedFactoryRunsAtEachResolveOnly() {
        var runs = 0
        container.register(service: Int.self, cacheService: false) {
            runs += 1
            return runs
        }
        #expect(runs == 0)
        #expect(container.resolve(Int.self) == 1)
        #expect(container.optionalResolve(Int.self) == 2)
        #expect(container.withService(Int.self) { $0 } == 3)
    }

    @Test func autoclosureIsEvaluatedOnceInsideRegister() {
        var runs = 0
        func make() -> Int {
            runs += 1
            return runs
        }
        container.register(make(), for: Int.self)
        #expect(runs == 1)
        container.overwriteExistingRegistrations(withService: make(), for: Int.self)
        #expect(runs == 2)
        #expect(container.resolve(Int.self) == 2)
        #expect(container.resolve(Int.self) == 2)
    }

    @Test func serviceIsNotVisibleToItsOwnFactory() {
        container.register(service: Int.self) {
            #expect(!container.canResolve(Int.self))
            return 1
        }
        #expect(container.canResolve(Int.self))
    }

    @Test func factoryMayDecorateThePreviousRegistration() {
        container.register("inner", for: String.self)
        let middle = container.register(service: String.self) { "<\(container.resolve(String.self))>" }
        container.register("[\(container.resolve(String.self))]", for: String.self)
        #expect(container.resolve(String.self) == "[<inner>]")
        container.remove(middle)
        #expect(container.resolve(String.self) == "[<inner>]")
    }

    @Test func overwritingFactoryMayDecorateTheReplacedService() {
        container.register("inner", for: String.self)
        let token = container.overwriteExistingRegistrations(service: String.self) {
            "<\(container.resolve(String.self))>"
        }
        #expect(container.resolve(String.self) == "<inner>")
        container.remove(token)
        #expect(!container.canResolve(String.self))
    }

    @Test func factoryMayRegisterRemoveAndOverwrite() {
        let first = container.register(1, for: Int.self)
        container.register(service: String.self) {
            container.remove(first)
            container.register(2, for: Int.self)
            container.overwriteExistingRegistrations(withService: 3, for: Int.self)
            container.register("inside", for: String.self)
            return "outside"
        }
        #expect(container.resolve(Int.self) == 3)
        #expect(container.resolveAll(String.self) == ["outside", "inside"])
    }

    @Test func uncachedFactoryMayChangeItsOwnContainer() {
        container.register(service: Tracked.self, cacheService: false) {
            container.removeAll()
            return tracker.make(7)
        }
        #expect(container.resolve(Tracked.self).number == 7)
        #expect(!container.canResolve(Tracked.self))
        expectGone(tracker)
    }

    @Test func newestRegistrationWins() {
        for number in 1...5 {
            container.register(number, for: Int.self)
            #expect(container.resolve(Int.self) == number)
        }
    }

    @Test(arguments: 0..<5) func removalFromAnyDepthUncoversTheRest(depth: Int) {
        var tokens = (0..<5).map { container.register($0, for: Int.self) }
        container.remove(tokens.remove(at: 4 - depth))
        let expected = [4, 3, 2, 1, 0].filter { $0 != 4 - depth }
        #expect(container.resolveAll(Int.self) == expected)
        for (token, number) in zip(tokens.reversed(), expected) {
            #expect(container.resolve(Int.self) == number)
            container.remove(token)
        }
        #expect(!container.canResolve(Int.self))
    }

    @Test func removingTwiceDoesNothing() {
        container.register(1, for: Int.self)
        let token = container.register(2, for: Int.self)
        container.remove(token)
        container.remove(token)
        #expect(container.resolveAll(Int.self) == [1])
    }

    @Test func removingFromAnotherContainerDoesNothing() {
        let other = DependencyContainer()
        let token = container.register(1, for: Int.self)
        other.register(2, for: Int.self)
        other.remove(token)
        DependencyContainer().remove(token)
        #expect(container.resolve(Int.self) == 1)
        #expect(other.resolve(Int.self) == 2)
    }

    @Test func tokenOutlivesItsContainer() {
        let token = DependencyContainer().register(1, for: Int.self)
        container.register(2, for: Int.self)
        container.remove(token)
        #expect(container.resolve(Int.self) == 2)
    }

    @Test func nothingIsLeftWhenTheOverwritingRegistrationIsRemoved() {
        container.register(1, for: Int.self)
        container.register(2, for: Int.self)
        let token = container.overwriteExistingRegistrations(withService: 3, for: Int.self)
        #expect(container.resolveAll(Int.self) == [3])
        container.remove(token)
        #expect(container.optionalResolve(Int.self) == nil)
    }

    @Test func olderTokensHaveNoEffectAfterAnOverwrite() {
        let tokens = (0..<3).map { container.register($0, for: Int.self) }
        container.overwriteExistingRegistrations(service: Int.self, cacheService: false) { 3 }
        for token in tokens { container.remove(token) }
        #expect(container.resolve(Int.self) == 3)
        container.register(4, for: Int.self)
        for token in tokens { container.remove(token) }
        #expect(container.resolveAll(Int.self) == [4, 3])
    }

    @Test func overwriteWithoutARegistrationRegisters() {
        let token = container.overwriteExistingRegistrations(withService: 1, for: Int.self)
        #expect(container.resolve(Int.self) == 1)
        container.remove(token)
        container.overwriteExistingRegistrations(withService: 2, for: Int.self)
        #expect(container.resolveAll(Int.self) == [2])
    }

    @Test func overwriteLeavesOtherTypesAlone() {
        container.register("text", for: String.self)
        container.register(1, for: Int.self)
        container.overwriteExistingRegistrations(withService: 2, for: Int.self)
        #expect(container.resolve(String.self) == "text")
    }

    @Test func removeAllLeavesTheContainerUsable() {
        let tokens = (0..<3).map { container.register($0, for: Int.self) }
        container.register("text", for: String.self)
        container.removeAll()
        #expect(!container.canResolve(Int.self))
        #expect(!container.canResolve(String.self))
        container.removeAll()
        for token in tokens { container.remove(token) }
        container.register(9, for: Int.self)
        for token in tokens { container.remove(token) }
        #expect(container.resolveAll(Int.self) == [9])
    }

    @Test func containersAreIndependent() {
        let other = DependencyContainer()
        container.register(1, for: Int.self)
        #expect(!other.canResolve(Int.self))
        #expect(!DependencyContainer.shared.canResolve(Tracked.self))
    }
}
