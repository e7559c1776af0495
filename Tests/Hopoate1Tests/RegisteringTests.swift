import Hopoate
import Testing

/// The `register` methods of Hopoate 1.
@Suite struct RegisteringTests {
    let container = DependencyContainer()

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
        final class Service {}
        weak var context: Service?
        do {
            let captured = Service()
            context = captured
            container.register(service: Service.self, cacheService: false) {
                container.removeAll()
                return captured
            }
        }
        #expect(container.resolve(Service.self) === context)
        #expect(!container.canResolve(Service.self))
        #expect(context == nil)
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
}
