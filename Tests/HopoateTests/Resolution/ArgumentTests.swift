import Hopoate
import Testing

/// Services whose factories take arguments.
@Suite(.mayBlock) struct ArgumentTests {
    let container = DependencyContainer()

    @Test func anyNumberOfArgumentsReachesTheFactory() {
        container.register(String.self) { (_, a: Int) in "\(a)" }
        container.register(String.self) { (_, a: Int, b: String) in "\(a)\(b)" }
        container.register(String.self) { (_, a: Int, b: String, c: Bool) in "\(a)\(b)\(c)" }
        container.register(String.self) {
            (_, a: Int, b: Int, c: Int, d: Int, e: Int, f: Int, g: Int, h: Int, i: Int, j: Int) in
            [a, b, c, d, e, f, g, h, i, j].map(String.init).joined()
        }
        #expect(container.resolve(String.self, arguments: 1) == "1")
        #expect(container.resolve(String.self, arguments: 1, "x") == "1x")
        #expect(container.resolve(String.self, arguments: 1, "x", true) == "1xtrue")
        #expect(container.resolve(String.self, arguments: 1, 2, 3, 4, 5, 6, 7, 8, 9, 0) == "1234567890")
    }

    @Test func argumentTypesArePartOfTheKey() {
        container.register(String.self) { _ in "none" }
        container.register(String.self) { (_, _: Int) in "int" }
        container.register(String.self) { (_, _: Int?) in "optional int" }
        container.register(String.self) { (_, _: String) in "string" }
        container.register(String.self) { (_, _: Int, _: String) in "int, string" }
        container.register(String.self) { (_, _: String, _: Int) in "string, int" }
        container.register(String.self) { (_, _: (Int, String)) in "pair" }
        container.register(String.self) { (_, _: Void) in "nothing" }
        #expect(container.resolve(String.self) == "none")
        #expect(container.resolve(String.self, arguments: 1) == "int")
        #expect(container.resolve(String.self, arguments: 1 as Int?) == "optional int")
        #expect(container.resolve(String.self, arguments: "") == "string")
        #expect(container.resolve(String.self, arguments: 1, "") == "int, string")
        #expect(container.resolve(String.self, arguments: "", 1) == "string, int")
        #expect(container.resolve(String.self, arguments: (1, "")) == "pair")
        #expect(container.resolve(String.self, arguments: ()) == "nothing")
    }

    @Test func nameAndArgumentsCombine() {
        container.register(String.self, named: "a") { (_, number: Int) in "a\(number)" }
        container.register(String.self, named: "b") { (_, number: Int) in "b\(number)" }
        let token = container.register(String.self) { (_, number: Int) in "\(number)" }
        #expect(container.resolve(String.self, named: "a", arguments: 1) == "a1")
        #expect(container.resolve(String.self, named: "b", arguments: 1) == "b1")
        #expect(container.resolve(String.self, arguments: 1) == "1")
        container.remove(token)
        #expect(container.optionalResolve(String.self, arguments: 1) == nil)
        #expect(container.optionalResolve(String.self, named: "a", arguments: 2) == "a2")
        #expect(container.optionalResolve(String.self, named: "a") == nil)
    }

    @Test func transientTakesArgumentsThatAreNeitherHashableNorSendable() {
        final class Unhashable { var number = 7 }
        container.register(unchecked: Int.self) { (_, object: Unhashable, make: @escaping () -> Int) in
            object.number + make()
        }
        let make: () -> Int = { 3 }
        #expect(container.resolve(Int.self, arguments: Unhashable(), make) == 10)
    }

    @Test func childFindsAndShadowsRegistrationsWithArguments() {
        container.register(String.self) { (container, number: Int) in
            "parent \(number) \(container.canResolve(Bool.self))"
        }
        let child = container.makeChild()
        child.register(true, for: Bool.self)
        #expect(child.makeChild().resolve(String.self, arguments: 1) == "parent 1 true")
        child.register(String.self) { (_, number: Int) in "child \(number)" }
        #expect(child.resolve(String.self, arguments: 1) == "child 1")
        #expect(container.resolve(String.self, arguments: 1) == "parent 1 false")
    }

    @Test func freeFunctionUsesTheDefaultContainer() {
        container.register(String.self, named: "x") { (_, number: Int, flag: Bool) in "\(number)\(flag)" }
        DependencyContainer.$shared.withValue(container) {
            #expect(resolve(String.self, named: "x", arguments: 1, true) == "1true")
        }
    }

    @Test func missListsTheRegisteredArgumentTypes() {
        container.register(String.self) { (_, _: Int, _: Bool) in "" }
        container.register(String.self, named: "named") { (_, _: Int) in "" }
        container.register(unchecked: String.self) {
            (_, _: [Int?], _: (Int, Bool), _: @escaping (Int) -> Bool, _: Void) in ""
        }
        container.register(unchecked: String.self) { (_, _: @escaping (Int) -> Bool, _: @escaping (Bool) -> Int) in "" }
        let error = failure { () throws(DependencyError) in
            try container.require(String.self, arguments: "x", fileID: "There.swift", line: 7)
        }
        #expect(error?.reason == .notRegistered)
        #expect(error?.service == String.self)
        let expected = [
            "Cannot resolve 'Swift.String(Swift.String)' at There.swift:7: no registration",
            "a factory that takes (Swift.String)",
            "'Swift.String(Swift.Int, Swift.Bool)' is registered at HopoateTests/ArgumentTests.swift:",
            "`resolve(Swift.String.self, arguments: …)` and arguments of the types (Swift.Int, Swift.Bool).",
            "`resolve(Swift.String.self, named: \"named\", arguments: …)` and arguments of the types (Swift.Int).",
            "[Swift.Int?], (Swift.Int, Swift.Bool), (Swift.Int) -> Swift.Bool, Swift.Void)' is registered",
            "'Swift.String((Swift.Int) -> Swift.Bool, (Swift.Bool) -> Swift.Int)' is registered",
        ]
        for part in expected {
            #expect(error?.description.contains(part) == true, "\(part) in \(error.map(String.init) ?? "nothing")")
        }
        let plain = failure { () throws(DependencyError) in try container.require(String.self) }
        #expect(plain?.description.contains("'Swift.String(Swift.Int, Swift.Bool)'") == true)
    }

    @Test func failureNamesTheArgumentTypes() {
        container.register(String.self) { (_, _: Int, _: Bool) in throw Refusal.second }
        let error = failure { () throws(DependencyError) in try container.require(String.self, arguments: 1, true) }
        #expect(error?.underlying as? Refusal == .second)
        #expect(error?.chain == ["Swift.String(Swift.Int, Swift.Bool)"])
    }

    @Test func lifetimesWithOneInstanceRefuseArguments() {
        let container = container
        for lifetime in [Lifetime.singleton, .eager] {
            let error = trap {
                container.register(Tracked.self, lifetime: lifetime) { (_, _: Int) in throw Refusal.first }
            }
            #expect(error?.reason == .invalid)
            let expected = [
                "'HopoateTests.Tracked(Swift.Int)'", "ArgumentTests.swift", "'\(lifetime)'", ".keyed", ".weak",
                ".transient",
            ]
            for part in expected {
                #expect(error?.description.contains(part) == true, "\(part) in \(error.map(String.init) ?? "nothing")")
            }
        }
        #expect(container.optionalResolve(Tracked.self, arguments: 1) == nil)
    }

    @Test func withResolvedTakesArguments() {
        let tracker = Tracker()
        container.register(Tracked.self) { (_, number: Int) in tracker.make(number) }
        #expect(container.withResolved(Tracked.self, arguments: 3) { $0.number } == 3)
        #expect(throws: Refusal.first) {
            try container.withResolved(Tracked.self, arguments: 3) { _ throws(Refusal) in throw .first }
        }
        #expect(tracker.made == 2 && tracker.live == 0)
    }

    #if compiler(>=6.2)
        @Test func missingArgumentsTrap() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = DependencyContainer()
                container.register(String.self) { (_, _: Int) in "" }
                _ = container.resolve(String.self, arguments: true)
            }
            expectSaid(
                result,
                ["'Swift.String(Swift.Bool)'", "ArgumentTests.swift", "'Swift.String(Swift.Int)' is registered"])
        }
    #endif
}

/// `canResolve` with argument types.
@Suite(.mayBlock) struct ArgumentTypeTests {
    let container = DependencyContainer()

    @Test func canResolveTakesArgumentTypes() {
        let calls = Locked(0)
        container.register(String.self, named: "name") { (_, number: Int, text: String) in
            calls.withLock { $0 += 1 }
            return text
        }
        #expect(container.canResolve(String.self, named: "name", arguments: Int.self, String.self))
        #expect(container.makeChild().canResolve(String.self, named: "name", arguments: Int.self, String.self))
        #expect(!container.canResolve(String.self, named: "name", arguments: Int.self))
        #expect(!container.canResolve(String.self, arguments: Int.self, String.self))
        #expect(!container.canResolve(String.self, named: "name"))
        #expect(calls.current == 0)
    }
}
