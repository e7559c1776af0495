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
        container.forward((any Reading).self, named: "reader", to: Store.self, targetNamed: "main") { $0 }
        #expect(container.resolve((any Reading).self, named: "reader") === container.resolve(Store.self, named: "main"))
        #expect(container.optionalResolve((any Reading).self) == nil)
    }

    @Test func aliasOfANamedTargetNeedsNoNameOfItsOwn() {
        let name: DependencyName? = "main"
        container.register(Store.self, named: "main") { _ in Store() }
        container.forward((any Reading).self, to: Store.self, targetNamed: "main") { $0 }
        container.forward((any Writing).self, to: Store.self, targetNamed: name) { $0 }
        #expect(container.resolve((any Reading).self) === container.resolve(Store.self, named: "main"))
        #expect(container.resolve((any Writing).self) === container.resolve(Store.self, named: "main"))
    }

    @Test func aliasMayHaveANameWhenItsTargetHasNone() {
        container.register(Store.self) { _ in Store() }
        container.forward((any Reading).self, named: "reader", to: Store.self) { $0 }
        #expect(container.resolve((any Reading).self, named: "reader") === container.resolve(Store.self))
    }

    @Test func aliasPassesItsArgumentsOn() {
        container.register(Int.self) { (_, text: String) in text.count }
        container.register(Int.self) { (_, text: String, factor: Int) in text.count * factor }
        container.forward(Double.self, to: Int.self, arguments: String.self) { Double($0) }
        container.forward(Double.self, named: "times", to: Int.self, arguments: String.self, Int.self) { Double($0) }
        #expect(container.resolve(Double.self, arguments: "abc") == 3)
        #expect(container.resolve(Double.self, named: "times", arguments: "abc", 2) == 6)
        #expect(container.makeChild().resolve(Double.self, arguments: "ab") == 2)
        #expect(container.optionalResolve(Double.self) == nil)
    }

    @Test func aliasWithArgumentsHasTheLifetimeOfItsTarget() {
        container.register(Store.self, named: "main", lifetime: .keyed) { (_, _: Int) in Store() }
        container.forward((any Reading).self, to: Store.self, targetNamed: "main", arguments: Int.self) { $0 }
        let one = container.resolve((any Reading).self, arguments: 1)
        #expect(one === container.resolve(Store.self, named: "main", arguments: 1))
        #expect(one === container.resolve((any Reading).self, arguments: 1))
        #expect(one !== container.resolve((any Reading).self, arguments: 2))
    }

    @Test func aliasOfAnAsynchronousTargetIsAsynchronous() async throws {
        container.register(Store.self) { _ async in Store() }
        container.register(Store.self, named: "main", lifetime: .keyed) { (_, _: Int) async in Store() }
        container.forward((any Reading).self, to: Store.self) { $0 }
        container.forward((any Reading).self, to: Store.self, targetNamed: "main", arguments: Int.self) { $0 }
        let error = failure { () throws(DependencyError) in try container.require((any Reading).self, arguments: 1) }
        #expect(error?.reason == .onlyAsynchronous)
        let one = try await container.asyncResolve((any Reading).self, arguments: 1)
        #expect(one === container.resolve(Store.self, named: "main", arguments: 1))
        #expect(one === container.resolve((any Reading).self, arguments: 1))
        let plain = try await container.asyncResolve((any Reading).self)
        #expect(plain === container.resolve(Store.self))
    }

    @Test func missingTargetWithArgumentsIsFoundByValidation() {
        container.register(Int.self) { (_, text: String) in text.count }
        container.forward(Double.self, to: Int.self, arguments: Bool.self) { Double($0) }
        let error = failure { () throws(DependencyError) in try container.require(Double.self, arguments: true) }
        #expect(error?.chain == ["Swift.Double(Swift.Bool)", "Swift.Int(Swift.Bool)"])
        #expect(throws: DependencyValidationError.self) { try container.validate() }
        container.register(Int.self) { (_, flag: Bool) in flag ? 1 : 0 }
        #expect(throws: Never.self) { try container.validate() }
    }

    @Test func decoratedTargetIsFoundThroughItsAlias() {
        container.register(String.self) { (_, number: Int) in "\(number)" }
        container.forward(Substring.self, to: String.self, arguments: Int.self) { Substring($0) }
        container.decorate(String.self) { (inner, _, number: Int) in "(\(inner))" }
        #expect(container.resolve(Substring.self, arguments: 7) == "(7)")
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
