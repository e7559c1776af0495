import Hopoate
import Testing

extension DependencyName {
    fileprivate static let formal: DependencyName = "formal"
}
private protocol Greeter: Sendable { var text: String { get } }
private struct Plain: Greeter { var text: String }

/// Named instances, overwriting under a name, and borrows by name.
@Suite(.mayBlock) struct NamedRegistrationTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test func instanceIsFoundByItsNameOnly() {
        container.register(Plain(text: "Sir"), for: (any Greeter).self, named: .formal)
        #expect(container.resolve((any Greeter).self, named: .formal).text == "Sir")
        #expect(container.resolve((any Greeter).self, named: DependencyName("for" + "mal")).text == "Sir")
        #expect(container.optionalResolve((any Greeter).self) == nil)
        #expect(container.optionalResolve((any Greeter).self, named: "other") == nil)
    }

    @Test func instanceIsEvaluatedOnceBeforeItIsRegistered() {
        container.register(tracker.make(1), for: Tracked.self, named: .formal)
        #expect(container.resolve(Tracked.self, named: .formal) === container.resolve(Tracked.self, named: .formal))
        #expect(tracker.made == 1)
        func decorated() -> String { "\(container.optionalResolve(String.self, named: .formal) ?? "")+" }
        container.register(decorated(), for: String.self, named: .formal)
        container.register(decorated(), for: String.self, named: .formal)
        #expect(container.resolve(String.self, named: .formal) == "++")
    }

    @Test func dynamicNameLivesAsLongAsTheRegistration() {
        let registration = container.register("seven", for: String.self, named: DependencyName("tenant-\(7)"))
        for number in 8..<100 { _ = DependencyName("tenant-\(number)") }
        #expect(container.resolve(String.self, named: DependencyName("tenant-\(7)")) == "seven")
        container.remove(registration)
        #expect(container.optionalResolve(String.self, named: DependencyName("tenant-\(7)")) == nil)
    }

    @Test func overwritingLeavesOtherNamesAlone() {
        container.register("plain", for: String.self)
        let old = container.register("old", for: String.self, named: .formal)
        container.register("older", for: String.self, named: .formal)
        let new = container.register("new", for: String.self, named: .formal, replacing: true)
        #expect(container.resolve(String.self) == "plain")
        #expect(container.resolveAll(String.self, named: .formal) == ["new"])
        container.remove(old)
        #expect(container.resolve(String.self, named: .formal) == "new")
        container.remove(new)
        #expect(!container.canResolve(String.self, named: .formal))
    }

    @Test func factoryOverwritesWithItsLifetime() {
        container.register("old", for: String.self)
        container.register("old formal", for: String.self, named: .formal)
        let count = Locked(0)
        container.register(String.self, lifetime: .transient, replacing: true) { _ in
            "\(count.withLock { $0 += 1; return $0 })"
        }
        #expect(container.resolve(String.self) == "1")
        #expect(container.resolve(String.self) == "2")
        #expect(container.resolveAll(String.self).count == 1)
        container.register(String.self, named: .formal, replacing: true) { $0.resolve(String.self) + "!" }
        #expect(container.resolve(String.self, named: .formal) == container.resolve(String.self, named: .formal))
        #expect(container.resolveAll(String.self, named: .formal).count == 1)
    }

    @Test func eagerFactoryMayResolveTheReplacedService() {
        container.register("old", for: String.self)
        container.register(String.self, lifetime: .eager, replacing: true) {
            "new after " + $0.resolve(String.self)
        }
        #expect(container.resolveAll(String.self) == ["new after old"])
    }

    @Test func overwrittenInstanceIsDisposedOf() {
        let ended = Locked<[Int]>([])
        for number in 1...2 {
            container.register(Tracked.self, replacing: true) { [tracker] _ in
                tracker.make(number)
            } onDispose: { tracked in
                ended.withLock { $0.append(tracked.number) }
            }
            #expect(container.resolve(Tracked.self).number == number)
        }
        #expect(ended.current == [1])
        container.removeAll()
        #expect(ended.current == [1, 2])
        expectGone(tracker)
    }

    @Test func asynchronousFactoryOverwrites() async throws {
        container.register("old", for: String.self)
        container.register(String.self, replacing: true) { _ async in "later" }
        #expect(try await container.asyncResolve(String.self) == "later")
        #expect(container.resolveAll(String.self) == ["later"])
        container.register(String.self, replacing: true) { @MainActor _ in
            MainActor.assertIsolated()
            return "on the main actor"
        }
        #expect(try await container.asyncResolve(String.self) == "on the main actor")
        #expect(container.resolveAll(String.self).count == 1)
    }

    @Test func overwritingLeavesRegistrationsWithArguments() {
        container.register(String.self) { (_, number: Int) in "\(number)" }
        container.register(String.self, replacing: true) { _ in "plain" }
        #expect(container.resolve(String.self, arguments: 7) == "7")
    }

    @Test func namedServiceIsBorrowed() {
        container.register("text", for: String.self, named: .formal)
        let child = container.makeChild()
        #expect(child.withService(String.self, named: .formal) { $0 } == "text")
        #expect(child.withOptionalService(String.self, named: .formal) { $0.count } == 4)
        #expect(child.withOptionalService(String.self, named: "other") { $0 } == nil)
        #expect(child.withOptionalService(String.self, named: nil) { $0 } == nil)
        DependencyContainer.$shared.withValue(child) {
            #expect(withService(String.self, named: .formal) { $0 } == "text")
        }
    }

    @Test func lazilyCreatedNamedServiceIsBorrowed() {
        container.register(Tracked.self, named: .formal, lifetime: .transient) { [tracker] _ in tracker.make(7) }
        #expect(container.withService(Tracked.self, named: DependencyName("formal")) { $0.number } == 7)
        expectGone(tracker)
        container.register(Tracked.self, named: .formal) { [tracker] _ in tracker.make(8) }
        #expect(container.withService(Tracked.self, named: .formal) { $0.number } == 8)
    }

    #if compiler(>=6.2)
        @Test func borrowOfAMissingNameReportsTheNearMiss() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = DependencyContainer()
                container.register("text", for: String.self, named: .formal)
                container.withService(String.self, named: "other") { _ in }
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("'Swift.String named \"other\"'"))
            #expect(text.contains("Resolve it with `resolve(Swift.String.self, named: \"formal\")`."))
            #expect(text.contains("NamedRegistrationTests.swift"))
        }
    #endif
}
