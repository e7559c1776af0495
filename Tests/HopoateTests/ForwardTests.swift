import Hopoate
import Testing

private protocol Reading: AnyObject, Sendable { func read() -> Int }
private protocol Writing: AnyObject, Sendable { func write(_ number: Int) }

private final class Store: Reading, Writing, @unchecked Sendable {
    private var number = 0
    func read() -> Int { number }
    func write(_ number: Int) { self.number = number }
}

/// Aliases: one service under several types.
@Suite struct ForwardTests {
    let container = DependencyContainer()

    @Test func allAliasesResolveToOneInstance() {
        container.register(Store.self) { _ in Store() }
        container.forward((any Reading).self, to: Store.self) { $0 }
        container.forward((any Writing).self, to: Store.self) { $0 }
        container.resolve((any Writing).self).write(7)
        #expect(container.resolve((any Reading).self).read() == 7)
        #expect(container.makeChild().resolve((any Reading).self) === container.resolve(Store.self))
    }

    @Test func aliasHasTheLifetimeOfItsTarget() {
        container.register(Store.self, lifetime: .scoped) { _ in Store() }
        container.forward((any Reading).self, to: Store.self) { $0 }
        let child = container.makeChild()
        #expect(child.resolve((any Reading).self) === child.resolve(Store.self))
        #expect(child.resolve((any Reading).self) !== container.resolve((any Reading).self))
    }

    @Test func aliasAndTargetMayHaveDifferentNames() {
        container.register(Store.self, named: "main") { _ in Store() }
        container.forward((any Reading).self, named: "reader", to: Store.self, named: "main") { $0 }
        #expect(container.resolve((any Reading).self, named: "reader") === container.resolve(Store.self, named: "main"))
        #expect(container.optionalResolve((any Reading).self) == nil)
    }

    @Test func missingTargetIsReportedWithTheAlias() {
        container.forward(Int.self, to: String.self) { $0.count }
        let error = failure { () throws(DependencyError) in try container.require(Int.self) }
        #expect(error?.reason == .notRegistered)
        #expect(error?.chain == ["Swift.Int", "Swift.String"])
    }

    @Test func cycleOfAliasesIsReported() {
        container.forward(Int.self, to: String.self) { $0.count }
        container.forward(String.self, to: Int.self) { "\($0)" }
        let error = failure { () throws(DependencyError) in try container.require(Int.self) }
        #expect(error?.reason == .circular)
        #expect(error?.chain.count == 3)
    }

    @Test func removedAliasLeavesTheService() {
        container.register(Store.self) { _ in Store() }
        let face = container.forward((any Reading).self, to: Store.self) { $0 }
        container.remove(face)
        #expect(!container.canResolve((any Reading).self) && container.canResolve(Store.self))
    }
}
