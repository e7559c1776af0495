import Hopoate
import Testing

private final class Parent {
    var child: Child?
}
private final class Child: @unchecked Sendable {}

/// Calls of the container in the context of an optional type.
@Suite struct OptionalResultTests: Sendable {
    let container = DependencyContainer()
    private let child = Child()

    @Test func optionalContextResolvesTheWrappedType() throws {
        let parent = Parent()
        container.register(child, for: Child.self)
        parent.child = container.resolve()
        #expect(parent.child === child)
        parent.child = try container()
        #expect(parent.child === child)
        parent.child = try container.require()
        #expect(parent.child === child)
        parent.child = container.resolve(Child.self)
        #expect(parent.child === child)
        parent.child = try container(Child.self)
        #expect(parent.child === child)
    }

    @Test func optionalContextTakesNames() throws {
        container.register(Child.self, named: "own") { _ in self.child }
        let resolved: Child? = container.resolve(named: "own")
        let called: Child? = try container(named: "own")
        let required: Child? = try container.require(named: "own")
        #expect(resolved === child && called === child && required === child)
        let missing: Child? = try container(named: "other")
        #expect(missing == nil)
    }

    @Test func optionalContextIsNilWithoutARegistration() throws {
        let resolved: Child? = container.resolve()
        let called: Child? = try container()
        #expect(resolved == nil && called == nil)
    }

    @Test func requireIntoAnOptionalThrowsForTheWrappedType() {
        let error = #expect(throws: DependencyError.self) {
            let child: Child? = try container.require()
            _ = child
        }
        #expect(error?.service == Child.self)
    }

    @Test func otherContextsResolveTheirOwnType() throws {
        container.register(child, for: Child.self)
        func take(_ child: Child) -> Child { child }
        #expect(take(container.resolve()) === child)
        #expect(take(try container()) === child)
        #expect(take(try container.require()) === child)
        let inferred: Child = try container()
        #expect(inferred === child)
        #expect((try container() as Child) === child)
        if let bound: Child = try container() { #expect(bound === child) } else { Issue.record("nothing found") }
        let chosen = try container() ?? Child()
        #expect(chosen === child)
    }
}
