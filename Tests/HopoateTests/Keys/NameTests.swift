import Foundation
import Hopoate
import Testing

extension DependencyName {
    fileprivate static let formal: DependencyName = "formal"
    fileprivate static let casual: DependencyName = "casual"
}

/// Service names.
@Suite(.mayBlock) struct NameTests {
    let container = DependencyContainer()

    @Test func namesOfEqualTextAreEqual() {
        let literal: DependencyName = "formal"
        let dynamic = DependencyName(["for", "mal"].joined())
        let again = DependencyName("formal")
        #expect(literal == .formal && dynamic == .formal && again == dynamic)
        #expect(literal.hashValue == dynamic.hashValue)
        #expect(literal != .casual)
        #expect(dynamic.text == "formal" && "\(literal)" == "formal")
        #expect(Set([literal, dynamic, again, .formal, .casual]).count == 2)
    }

    @Test func unusualTextsAreValidNames() {
        // One scalar, which the compiler may represent without an address; an empty text; and texts that share an address.
        let literals: [DependencyName] = ["a", "ä", "🙂", "", "ab", "abc", "a\u{0}b", "e\u{301}"]
        let texts = ["a", "ä", "🙂", "", "ab", "abc", "a\u{0}b", "e\u{301}"]
        for (literal, text) in zip(literals, texts) {
            #expect(literal == DependencyName(text))
            #expect(literal.text == text)
        }
        #expect(Set(literals).count == literals.count)
    }

    @Test(arguments: threadCounts)
    func dynamicNamesAreThreadSafe(threads: Int) {
        container.register(String.self, named: .formal, lifetime: .eager) { _ in "polite" }
        runThreads(threads) { [container] index in
            for number in 0..<rounds(2000) {
                let name = DependencyName(number % 2 == 0 ? "formal" : "other \(number % 7)")
                check(name.text == (number % 2 == 0 ? "formal" : "other \(number % 7)"))
                check(container.optionalResolve(String.self, named: name) == (number % 2 == 0 ? "polite" : nil))
            }
        }
    }

    @Test(arguments: threadCounts)
    func lastNamesOfATextMayBeReleasedConcurrently(threads: Int) {
        runThreads(threads) { _ in
            for number in 0..<rounds(20_000) {
                let text = "racing \(number % 3)"
                check(DependencyName(text) == DependencyName(text))
            }
        }
    }

    @Test func registrationsOfDifferentNamesAreSeparate() {
        container.register("plain", for: String.self)
        let formal = container.register(String.self, named: .formal, lifetime: .eager) { _ in "formal" }
        container.register(String.self, named: .casual, lifetime: .eager) { _ in "casual" }
        container.register(String.self, named: .casual, lifetime: .eager) { _ in "more casual" }
        #expect(container.resolve(String.self) == "plain")
        #expect(container.resolve(String.self, named: "formal") == "formal")
        #expect(container.resolveAll(String.self, named: .casual) == ["more casual", "casual"])
        container.remove(formal)
        #expect(container.optionalResolve(String.self, named: .formal) == nil)
        #expect(container.optionalResolve(String.self, named: nil) == "plain")
        #expect(!container.canResolve(String.self, named: .formal))
        #expect(container.canResolve(String.self, named: .casual))
        container.register("new", for: String.self, replacing: true)
        #expect(container.resolve(String.self, named: .casual) == "more casual")
    }

    @Test func everyWayToResolveTakesAName() async throws {
        container.register(String.self, named: .formal) { _ in "formal" }
        #expect(container.resolve(String.self, named: .formal) == "formal")
        #expect(try container(named: .formal) == "formal")
        #expect(try container(String.self, named: .formal) == "formal")
        #expect(try container.require(String.self, named: .formal) == "formal")
        #expect(try await container.asyncResolve(String.self, named: .formal) == "formal")
        #expect(container.withResolved(String.self, named: .formal) { $0 } == "formal")
        #expect(container.makeChild().resolve(String.self, named: .formal) == "formal")
        DependencyContainer.$shared.withValue(container) {
            #expect(resolve(String.self, named: .formal) == "formal")
            #expect((try? require(String.self, named: .formal)) == "formal")
        }
    }

    @Test func wrappersTakeAName() {
        struct Client {
            @Dependency(.formal) var formal: String
            @Dependency var plain: String
            @OptionalDependency(.casual) var casual: String?
        }
        container.register("plain", for: String.self)
        container.register(String.self, named: .formal, lifetime: .eager) { _ in "formal" }
        let client = DependencyContainer.$shared.withValue(container) { Client() }
        #expect(client.formal == "formal" && client.plain == "plain" && client.casual == nil)
        container.register(String.self, named: .casual, lifetime: .eager) { _ in "casual" }
        #expect(client.casual == "casual")
    }

    @Test func wrapperKeepsItsDynamicName() {
        let wrapper = Dependency<Int>(DependencyName("dynamic \(7)"), container: container)
        // The registration has another name object with the same text.
        container.register(Int.self, named: DependencyName("dynamic 7"), lifetime: .eager) { _ in 7 }
        #expect(wrapper.wrappedValue == 7)
    }

    @Test func registrationKeepsItsDynamicNameAlive() {
        for number in 0..<100 {
            container.register(Int.self, named: DependencyName("number \(number)"), lifetime: .eager) { _ in number }
        }
        for number in 0..<100 {
            #expect(container.resolve(Int.self, named: DependencyName("number \(number)")) == number)
        }
    }

    @Test func missListsTheRegisteredNames() {
        container.register(String.self, named: .formal, lifetime: .eager) { _ in "" }
        container.register(String.self, named: .casual, lifetime: .eager) { _ in "" }
        container.register("", for: String.self)
        let name = DependencyName("frmal \(1)")
        let error = failure { () throws(DependencyError) in try container.require(String.self, named: name) }
        #expect(error?.reason == .notRegistered)
        let expected = [
            "'Swift.String named \"frmal 1\"'", "`resolve(Swift.String.self, named: \"formal\")`",
            "`resolve(Swift.String.self, named: \"casual\")`", "`resolve(Swift.String.self)`",
            "NameTests.swift",
        ]
        for part in expected {
            #expect(error?.description.contains(part) == true, "\(part) in \(error.map(String.init) ?? "nothing")")
        }
    }

    @Test func errorKeepsItsNameAlive() {
        func miss() -> DependencyError? {
            let name = DependencyName("gone \(1)")
            return failure { () throws(DependencyError) in try container.require(Int.self, named: name) }
        }
        let error = miss()
        #expect(error?.chain == ["Swift.Int named \"gone 1\""])
    }

    @Test func failedCreationNamesItsServiceAfterCallerAndRegistrationAreGone() async {
        let (isCreating, isGone) = (Signal(), Signal())
        let told = Locked<[String]>([])
        do {
            let name = DependencyName("short-lived \(1)")
            container.register(Int.self, named: name) { _ async throws in
                isCreating.raise()
                #expect(await isGone.wait())
                throw Refusal.first
            }
        }
        let container = container
        let asker = Task {
            let name = DependencyName("short-lived \(1)")
            let error = await failure { () async throws(DependencyError) in
                try await container.asyncResolve(Int.self, named: name)
            }
            told.withLock { $0 = error?.chain ?? [] }
        }
        #expect(await isCreating.wait())
        container.removeAll()
        asker.cancel()
        await asker.value
        isGone.raise()
        #expect(told.current == ["Swift.Int named \"short-lived 1\""])
    }

    @Test func equallySpelledTypesAreSeparate() {
        func first() -> any Any.Type {
            struct Twin {}
            container.register(Twin(), for: Twin.self)
            #expect(container.canResolve(Twin.self))
            return Twin.self
        }
        func second() -> any Any.Type {
            struct Twin {}
            #expect(!container.canResolve(Twin.self))
            return Twin.self
        }
        #expect("\(first())" == "\(second())")
    }

    #if compiler(>=6.2)
        @Test func dynamicNamesLeaveNothingBehind() async {
            await #expect(processExitsWith: .success) {
                let container = DependencyContainer()
                func use(_ count: Int, _ round: Int) {
                    for number in 0..<count {
                        let name = DependencyName("name \(round) \(number)")
                        precondition(container.optionalResolve(Int.self, named: name) == nil)
                        precondition(name.text.utf8.count > 6)
                    }
                }
                use(1000, 0)
                let before = allocatedBytes()
                for round in 1...10 { use(10_000, round) }
                let growth = allocatedBytes() - before
                #expect(growth < 100_000, "\(growth) bytes")
            }
        }

        @Test func registrationsUnderDynamicNamesLeaveNothingBehind() async {
            await #expect(processExitsWith: .success) {
                let container = DependencyContainer()
                func use(_ count: Int, _ round: Int) {
                    for number in 0..<count {
                        let name = DependencyName("name \(round) \(number)")
                        let token = container.register(Int.self, named: name, lifetime: .eager) { _ in number }
                        container.remove(token)
                    }
                }
                use(1000, 0)
                let before = allocatedBytes()
                for round in 1...10 { use(2000, round) }
                let growth = allocatedBytes() - before
                #expect(growth < 200_000, "\(growth) bytes")
            }
        }
    #endif
}
