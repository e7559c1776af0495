import Hopoate
import Testing

private enum First {
    struct Config: Equatable { var value = 1 }
    final class Log: Sendable {}
    enum Deep { struct Config {} }
}
private enum Second {
    struct Config: Equatable { var value = 2 }
    final class Log: Sendable {}
}
private protocol Reading: Sendable {}
private protocol Writing: Sendable {}
private class Base: Reading, Writing, @unchecked Sendable {}
private final class Derived: Base, @unchecked Sendable {}
private struct Generic<Element> { var number = 0 }

/// Services are identified by their type and not by the name of the type.
@Suite struct ServiceKeyTests {
    let container = DependencyContainer()

    @Test func equallyNamedTypesAreDifferentServices() {
        #expect(String(describing: First.Config.self) == String(describing: Second.Config.self))
        container.register(First.Config(), for: First.Config.self)
        #expect(!container.canResolve(Second.Config.self))
        #expect(!container.canResolve(First.Deep.Config.self))
        let second = container.register(Second.Config(), for: Second.Config.self)
        #expect(container.resolve(First.Config.self) == First.Config())
        #expect(container.resolve(Second.Config.self) == Second.Config())
        container.remove(second)
        #expect(container.canResolve(First.Config.self))
    }

    @Test func overwriteLeavesEquallyNamedTypesAlone() {
        container.register(First.Log(), for: First.Log.self)
        container.register(Second.Log(), for: Second.Log.self)
        let token = container.register(Second.Log(), for: Second.Log.self, replacing: true)
        container.remove(token)
        #expect(container.canResolve(First.Log.self))
        #expect(!container.canResolve(Second.Log.self))
    }

    @Test func equallyNamedLocalTypesAreDifferentServices() {
        func registerLocal() {
            struct Local {}
            container.register(Local(), for: Local.self)
            #expect(container.canResolve(Local.self))
        }
        func findLocal() -> Bool {
            struct Local {}
            return container.canResolve(Local.self)
        }
        registerLocal()
        #expect(!findLocal())
    }

    @Test func classAndItsBaseAreDifferentServices() {
        container.register(Derived(), for: Base.self)
        #expect(container.resolve(Base.self) is Derived)
        #expect(!container.canResolve(Derived.self))
        #expect(!container.canResolve((any Reading).self))
    }

    @Test func protocolsOfOneTypeAreDifferentServices() {
        let both = Base()
        container.register(both, for: (any Reading).self)
        #expect(!container.canResolve((any Writing).self))
        #expect(!container.canResolve((any Reading & Writing).self))
        container.register(both, for: (any Reading & Writing).self)
        #expect(container.resolve((any Reading & Writing).self) as? Base === both)
        // The order of a composition does not matter.
        #expect(container.resolve((any Writing & Reading).self) as? Base === both)
    }

    @Test func genericArgumentsDistinguishServices() {
        container.register(Generic<Int>(number: 1), for: Generic<Int>.self)
        #expect(!container.canResolve(Generic<String>.self))
        container.register(Generic<String>(number: 2), for: Generic<String>.self)
        #expect(container.resolve(Generic<Int>.self).number == 1)
        #expect(container.resolve(Generic<String>.self).number == 2)
    }

    @Test func aliasIsTheSameService() {
        typealias Alias = Generic<Int>
        container.register(Alias(number: 7), for: Alias.self)
        #expect(container.resolve(Generic<Int>.self).number == 7)
    }

    @Test func optionalAndWrappedTypeAreDifferentServices() {
        container.register(1, for: Int.self)
        #expect(!container.canResolve(Int?.self))
        container.register(2, for: Int?.self)
        #expect(container.resolve(Int?.self) == 2)
        #expect(container.resolve(Int.self) == 1)
    }

    @Test func typeReachedThroughAGenericParameterIsTheSame() {
        func register<Service: Sendable>(_ service: Service) { container.register(service, for: Service.self) }
        func find<Service>(_ type: Service.Type) -> Service? { container.optionalResolve(type) }
        register(First.Config(value: 5))
        #expect(container.resolve(First.Config.self).value == 5)
        #expect(find(First.Config.self)?.value == 5)
        #expect(find(Second.Config.self) == nil)
    }
}
