import Hopoate
import Testing

private protocol Open {}
private protocol Bound: AnyObject, Sendable {}
private protocol AlsoBound: AnyObject {}
private protocol Marked: Sendable {}
private protocol Box<Content>: AnyObject, Sendable {
    associatedtype Content
}
private protocol OpenBox<Content> {
    associatedtype Content
}
private class Base: @unchecked Sendable {}
private final class Object: Base, Bound, AlsoBound, Open, Box, @unchecked Sendable {
    typealias Content = Int
}
private struct Value: Open, OpenBox {
    typealias Content = Int
}
private struct MarkedValue: Marked {}
private final class Crate: OpenBox {
    typealias Content = Int
}
private enum Choice { case one }
private actor Person {}

/// `Lifetime.weak`: one instance as long as it is retained elsewhere.
@Suite(.mayBlock) struct WeakTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test(arguments: threadCounts)
    func concurrentFirstResolvesRunTheFactoryOnce(threads: Int) {
        for _ in 0..<rounds(200) {
            let tracker = Tracker()
            let container = DependencyContainer()
            container.register(Tracked.self, lifetime: .weak) { _ in tracker.make() }
            let services = race(threads) { _ in container.resolve(Tracked.self) }
            check(Tracker.count(services) == 1 && tracker.made == 1)
        }
    }

    @Test func instanceIsSharedWhileItIsRetained() {
        container.register(Tracked.self, lifetime: .weak) { [tracker] _ in tracker.make(tracker.made) }
        var held: Tracked? = container.resolve(Tracked.self)
        #expect(container.resolve(Tracked.self) === held)
        #expect(container.makeChild().resolve(Tracked.self) === held)
        held = nil
        #expect(tracker.live == 0)
        #expect(container.resolve(Tracked.self).number == 1)
        #expect(container.resolve(Tracked.self).number == 2)
    }

    @Test(arguments: threadCounts)
    func resolveAndReleaseMayRace(threads: Int) {
        let tracker = Tracker()
        let container = DependencyContainer()
        container.register(Tracked.self, lifetime: .weak) { _ in tracker.make() }
        for _ in 0..<rounds(100) {
            runThreads(threads) { _ in
                for _ in 0..<20 {
                    let service = container.resolve(Tracked.self)
                    check(service.isIntact)
                    // The service is retained, so all others get the same instance.
                    check(container.resolve(Tracked.self) === service)
                }
            }
        }
        expectGone(tracker)
    }

    @Test func throwingFactoryIsRetried() {
        let attempts = Locked(0)
        container.register(Tracked.self, lifetime: .weak) { [tracker] _ in
            try attempts.withLock { attempts in
                attempts += 1
                if attempts % 2 == 1 { throw Refusal.first }
            }
            return tracker.make()
        }
        for _ in 0..<3 {
            #expect(failure { () throws(DependencyError) in try container.require(Tracked.self) } != nil)
            #expect(container.resolve(Tracked.self).isIntact)
        }
        #expect(tracker.made == 3 && tracker.live == 0)
    }

    @Test func classBoundTypesAreAccepted() {
        container.register(Object.self, lifetime: .weak) { _ in Object() }
        container.register(Base.self, lifetime: .weak) { _ in Object() }
        container.register((any Bound).self, lifetime: .weak) { _ in Object() }
        container.register((any Bound & AlsoBound).self, lifetime: .weak) { _ in Object() }
        container.register((any Bound & AlsoBound & Open).self, lifetime: .weak) { _ in Object() }
        container.register((any Base & Open).self, lifetime: .weak) { _ in Object() }
        container.register((any Box<Int>).self, lifetime: .weak) { _ in Object() }
        container.register((any Box).self, lifetime: .weak) { _ in Object() }
        container.register(unchecked: AnyObject.self, lifetime: .weak) { _ in Object() }
        container.register((any AnyObject & Sendable).self, lifetime: .weak) { _ in Person() }
        container.register(Person.self, lifetime: .weak) { _ in Person() }
        container.register((any Actor).self, lifetime: .weak) { _ in Person() }
        expectShared(Object.self)
        expectShared(Base.self)
        expectShared((any Bound).self)
        expectShared((any Bound & AlsoBound).self)
        expectShared((any Bound & AlsoBound & Open).self)
        expectShared((any Base & Open).self)
        expectShared((any Box<Int>).self)
        expectShared((any Box).self)
        expectShared(AnyObject.self)
        expectShared((any AnyObject & Sendable).self)
        expectShared(Person.self)
        expectShared((any Actor).self)
    }

    private func expectShared<Service>(_ type: Service.Type, _ location: SourceLocation = #_sourceLocation) {
        let first = container.resolve(type)
        let second = container.resolve(type)
        #expect(first as AnyObject === second as AnyObject, sourceLocation: location)
        weak var kept: AnyObject?
        do {
            // Another container, so that no test object retains the instance.
            let other = container.makeChild()
            kept = other.resolve(type) as AnyObject
        }
        #expect(kept === first as AnyObject, sourceLocation: location)
    }

    @Test func classInstanceIsSharedUnderAnyProtocol() {
        container.register(unchecked: (any Open).self, lifetime: .weak) { _ in Object() }
        container.register(unchecked: Any.self, lifetime: .weak) { _ in Object() }
        container.register((any Sendable).self, lifetime: .weak) { _ in Person() }
        container.register(unchecked: (any OpenBox<Int>).self, lifetime: .weak) { _ in Crate() }
        expectShared((any Open).self)
        expectShared(Any.self)
        expectShared((any Sendable).self)
        expectShared((any OpenBox<Int>).self)
    }

    @Test func valueUnderAProtocolIsAnErrorThatNamesIt() async {
        let isValue = Locked(true)
        container.register(unchecked: (any Open).self, lifetime: .weak) { _ in
            isValue.current ? Value() as any Open : Object()
        }
        container.register((any Marked).self, lifetime: .weak) { _ async in MarkedValue() }
        for _ in 0..<2 {
            let error = failure { () throws(DependencyError) in try container.require((any Open).self) }
            #expect(error?.reason == .invalid)
            #expect(error?.description.contains("Open'") == true)
            #expect(error?.description.contains("Value'") == true)
            #expect(error?.description.contains("another lifetime") == true)
        }
        let asynchronous = await failure { () async throws(DependencyError) in
            try await container.asyncResolve((any Marked).self)
        }
        #expect(asynchronous?.reason == .invalid)
        #expect(asynchronous?.description.contains("MarkedValue'") == true)
        // Nothing is kept of the failure.
        isValue.withLock { $0 = false }
        expectShared((any Open).self)
    }

    @Test func valueTypeIsRefusedByRegister() {
        expectRefused(Value.self) { Value() }
        expectRefused(Choice.self) { .one }
        expectRefused(Int.self) { 1 }
        expectRefused(Object?.self) { Object() }
        expectRefused((any Bound)?.self) { Object() }
        expectRefused([Object].self) { [] }
        expectRefused((() -> Void).self) { {} }
        expectRefused((Object, Object).self) { (Object(), Object()) }
        expectRefused(Object.Type.self) { Object.self }
        expectRefused((any Bound.Type).self) { Object.self }
    }

    private func expectRefused<Service>(
        _ type: Service.Type, _ location: SourceLocation = #_sourceLocation, creator: @escaping () -> Service
    ) {
        let container = container
        let error = trap {
            container.register(unchecked: type, lifetime: .weak, fileID: "There.swift", line: 7) { _ in creator() }
        }
        #expect(error?.reason == .invalid, sourceLocation: location)
        #expect(error?.service == type, sourceLocation: location)
        for part in ["'\(shown(type))'", "There.swift:7", "value type", "another lifetime"] {
            #expect(error?.description.contains(part) == true, sourceLocation: location)
        }
        #expect(!container.canResolve(type), sourceLocation: location)
    }

    #if compiler(>=6.2)
        @Test func refusedTypeTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                DependencyContainer().register(Int.self, lifetime: .weak) { _ in 1 }
            }
            expectSaid(result, ["'Swift.Int'", "WeakTests.swift", "is a value type", "Register a class"])
        }
    #endif
}
