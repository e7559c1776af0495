import Hopoate
import Testing

// The tests of KOInject's public API, as Tests/README.md lists them.

private protocol Service: AnyObject, Sendable { var text: String { get } }
private final class ServiceImplementation: Service {
    let text: String
    init(_ text: String = "") { self.text = text }
}
private struct Refused: Error {}

@Suite(.mayBlock) struct KOInjectContainerTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test func sharedIsSingleton() {
        container.register((any Service).self) { _ in ServiceImplementation() }
        #expect(container.resolve((any Service).self) === container.resolve((any Service).self))
    }

    @Test func weakSharedIsWeak() {
        container.register(Tracked.self, lifetime: .weak) { [tracker] _ in tracker.make() }
        do {
            let first = container.resolve(Tracked.self)
            #expect(container.resolve(Tracked.self) === first)
        }
        expectGone(tracker)
        _ = container.resolve(Tracked.self)
        #expect(tracker.made == 2)
    }

    @Test func separateIsTransient() {
        container.register((any Service).self, lifetime: .transient) { _ in ServiceImplementation() }
        #expect(container.resolve((any Service).self) !== container.resolve((any Service).self))
    }

    @Test func fabricGetsTheContainer() {
        container.register(String.self) { _ in "text" }
        container.register((any Service).self) { container in try ServiceImplementation(container()) }
        #expect(container.resolve((any Service).self).text == "text")
    }

    @Test func resultTypeIsInferred() {
        container.register((any Service).self) { _ in ServiceImplementation("a") }
        let optional: (any Service)? = container.resolve()
        let plain: any Service = container.resolve()
        #expect(optional === plain)
        #expect(container.optionalResolve((any Service).self) === plain)
    }

    @Test func missingServiceIsNil() throws {
        let service: (any Service)? = container.resolve()
        #expect(service == nil)
        #expect(container.optionalResolve((any Service).self, arguments: 7) == nil)
        let serviceWithArguments = container.optionalResolve((any Service).self, arguments: 7, "a")
        #expect(serviceWithArguments == nil)
    }

    @Test func zeroToNineArgumentsReachTheFabric() {
        typealias Numbers = [Int]
        container.register(Numbers.self) { _ in [] }
        container.register(Numbers.self) { (_, a: Int) in [a] }
        container.register(Numbers.self) { (_, a: Int, b: Int) in [a, b] }
        container.register(Numbers.self) { (_, a: Int, b: Int, c: Int) in [a, b, c] }
        container.register(Numbers.self) { (_, a: Int, b: Int, c: Int, d: Int) in [a, b, c, d] }
        container.register(Numbers.self) { (_, a: Int, b: Int, c: Int, d: Int, e: Int) in [a, b, c, d, e] }
        container.register(Numbers.self) { (_, a: Int, b: Int, c: Int, d: Int, e: Int, f: Int) in [a, b, c, d, e, f] }
        container.register(Numbers.self) { (_, a: Int, b: Int, c: Int, d: Int, e: Int, f: Int, g: Int) in
            [a, b, c, d, e, f, g]
        }
        container.register(Numbers.self) { (_, a: Int, b: Int, c: Int, d: Int, e: Int, f: Int, g: Int, h: Int) in
            [a, b, c, d, e, f, g, h]
        }
        container.register(Numbers.self) {
            (_, a: Int, b: Int, c: Int, d: Int, e: Int, f: Int, g: Int, h: Int, i: Int) in
            [a, b, c, d, e, f, g, h, i]
        }
        #expect(container.resolve(Numbers.self) == [])
        #expect(container.resolve(Numbers.self, arguments: 1) == [1])
        #expect(container.resolve(Numbers.self, arguments: 1, 2) == [1, 2])
        #expect(container.resolve(Numbers.self, arguments: 1, 2, 3) == [1, 2, 3])
        #expect(container.resolve(Numbers.self, arguments: 1, 2, 3, 4) == [1, 2, 3, 4])
        #expect(container.resolve(Numbers.self, arguments: 1, 2, 3, 4, 5) == [1, 2, 3, 4, 5])
        #expect(container.resolve(Numbers.self, arguments: 1, 2, 3, 4, 5, 6) == [1, 2, 3, 4, 5, 6])
        #expect(container.resolve(Numbers.self, arguments: 1, 2, 3, 4, 5, 6, 7) == [1, 2, 3, 4, 5, 6, 7])
        #expect(container.resolve(Numbers.self, arguments: 1, 2, 3, 4, 5, 6, 7, 8) == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(container.resolve(Numbers.self, arguments: 1, 2, 3, 4, 5, 6, 7, 8, 9) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
    }

    @Test func resultTypeIsInferredWithArgumentsToo() throws {
        container.register((any Service).self) { (_, text: String) in ServiceImplementation(text) }
        let optional = container.optionalResolve((any Service).self, arguments: "a")
        let plain = try container.require((any Service).self, arguments: "b")
        #expect(optional?.text == "a")
        #expect(plain.text == "b")
    }

    @Test func sharedWithArgumentsIsKeyedByTheirValues() {
        container.register((any Service).self, lifetime: .keyed) { (_, text: String) in ServiceImplementation(text) }
        let first = container.resolve((any Service).self, arguments: "a")
        #expect(container.resolve((any Service).self, arguments: "a") === first)
        #expect(container.resolve((any Service).self, arguments: "b").text == "b")
    }

    @Test func weakSharedWithArgumentsIsWeakPerValue() {
        container.register(Tracked.self, lifetime: .weak) { [tracker] (_, number: Int) in tracker.make(number) }
        do {
            let one = container.resolve(Tracked.self, arguments: 1)
            #expect(container.resolve(Tracked.self, arguments: 1) === one)
            #expect(container.resolve(Tracked.self, arguments: 2).number == 2)
        }
        expectGone(tracker)
        #expect(container.resolve(Tracked.self, arguments: 1).number == 1)
    }

    @Test func wrongArgumentTypesAreAnErrorThatListsTheRegisteredOnes() {
        container.register((any Service).self) { (_, text: String) in ServiceImplementation(text) }
        let error = #expect(throws: DependencyError.self) {
            try container.require((any Service).self, arguments: "ab".dropFirst())
        }
        #expect("\(error as Any)".contains("Swift.String"))
    }

    @Test func sharedWithArgumentsKeepsTheInstanceOfEachValue() {
        container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, number: Int) in tracker.make(number) }
        for number in 0..<3 { _ = container.resolve(Tracked.self, arguments: number) }
        #expect(tracker.live == 3)
        container.removeAll()
        expectGone(tracker)
    }

    @Test func registeringAgainReplacesAndForgetsTheInstance() {
        container.register((any Service).self) { _ in ServiceImplementation("old") }
        #expect(container.resolve((any Service).self).text == "old")
        container.register((any Service).self, replacing: true) { _ in ServiceImplementation("new") }
        #expect(container.resolve((any Service).self).text == "new")
        #expect(container.resolveAll((any Service).self).count == 1)
    }

    @Test func registrationsWithOtherArgumentsCoexist() {
        container.register((any Service).self) { _ in ServiceImplementation("none") }
        container.register((any Service).self) { (_, text: String) in ServiceImplementation(text) }
        container.register((any Service).self, replacing: true) { _ in ServiceImplementation("new") }
        #expect(container.resolve((any Service).self).text == "new")
        #expect(container.resolve((any Service).self, arguments: "a").text == "a")
    }

    @Test func registeringAgainWithTheSameArgumentsReplaces() {
        container.register((any Service).self, lifetime: .keyed) { (_, text: String) in ServiceImplementation(text) }
        let old = container.register((any Service).self, lifetime: .keyed) { (_, text: String) in
            ServiceImplementation("second \(text)")
        }
        #expect(container.resolve((any Service).self, arguments: "a").text == "second a")
        let new = container.register((any Service).self, lifetime: .keyed, replacing: true) { (_, text: String) in
            ServiceImplementation("new \(text)")
        }
        #expect(container.resolve((any Service).self, arguments: "a").text == "new a")
        container.remove(old)
        #expect(container.resolve((any Service).self, arguments: "a").text == "new a")
        container.remove(new)
        #expect(!container.canResolve((any Service).self, arguments: String.self))
    }

    @Test func disposeIsRemoveAllAndTheContainerStaysUsable() {
        let log = Locked<[Int]>([])
        container.register(Tracked.self) { [tracker] _ in
            tracker.make(1)
        } onDispose: { tracked in
            log.withLock { $0.append(tracked.number) }
        }
        _ = container.resolve(Tracked.self)
        container.removeAll()
        #expect(log.current == [1])
        expectGone(tracker)
        #expect(!container.canResolve(Tracked.self))
        container.register(Tracked.self) { [tracker] _ in tracker.make(2) }
        #expect(container.resolve(Tracked.self).number == 2)
    }

    @Test func cycleIsAnErrorWithItsChain() {
        struct Hen { init(_ egg: Egg) {} }
        struct Egg { init(_ hen: Hen) {} }
        container.register(Hen.self, using: Hen.init)
        container.register(Egg.self, using: Egg.init)
        let error = #expect(throws: DependencyError.self) { try container.require(Hen.self) }
        #expect(error?.reason == .circular)
        #expect(error?.chain.first == error?.chain.last)
    }
}

@Suite(.mayBlock) struct KOInjectLazyResolverTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test func objectIsResolvedAtTheFirstAccess() {
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make() }
        let lazy = LazyDependency<Tracked>(container: container)
        #expect(tracker.made == 0)
        #expect(lazy.object === lazy.object)
        #expect(tracker.made == 1)
    }

    @Test func objectStaysNilWithoutARegistration() {
        let lazy = LazyDependency<Tracked>(container: container)
        #expect(lazy.object == nil)
        container.register(Tracked.self) { [tracker] _ in tracker.make() }
        #expect(lazy.object != nil)
    }

    @Test func resolveLooksUpAgain() {
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make() }
        let lazy = LazyDependency<Tracked>(container: container)
        let first = lazy.resolve()
        let second = lazy.resolve()
        #expect(first !== second)
        #expect(lazy.object === second)
    }

    @Test func disposeReleasesTheObject() {
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make() }
        let lazy = LazyDependency<Tracked>(container: container)
        lazy.resolve()
        #expect(tracker.live == 1)
        lazy.dispose()
        expectGone(tracker)
        #expect(lazy.object != nil)
    }

    @Test func objectThatMayBeNilIsAPropertyOfItsOwn() {
        final class Connection {
            let connecting: DependencyProvider<Tracked>
            private(set) var object: Tracked?
            init(connecting: DependencyProvider<Tracked>) { self.connecting = connecting }
            func resolve() { object = connecting() }
            func dispose() { object = nil }
        }
        container.register(Tracked.self, lifetime: .transient) { [tracker] (_, number: Int) in tracker.make(number) }
        let connection = Connection(connecting: container.provider(arguments: 7))
        #expect(connection.object == nil)
        connection.resolve()
        #expect(connection.object?.number == 7)
        connection.dispose()
        #expect(connection.object == nil)
        expectGone(tracker)
    }

    @Test func lazyResolversTakeArguments() {
        container.register(String.self) { (_, a: Int, b: Int, c: Int, d: Int, e: Int, f: Int, g: Int, h: Int, i: Int) in
            "\(a)\(b)\(c)\(d)\(e)\(f)\(g)\(h)\(i)"
        }
        container.register(String.self) { (_, a: Int) in "\(a)" }
        #expect(LazyDependency<String>(arguments: 1, container: container).object == "1")
        #expect(
            LazyDependency<String>(arguments: 1, 2, 3, 4, 5, 6, 7, 8, 9, container: container).object == "123456789")
    }

    @Test func objectsMayHoldLazyResolversOfTheirContainer() {
        final class Holder: @unchecked Sendable {
            let tracked: Tracked
            let lazy: LazyDependency<String>
            init(tracked: Tracked, lazy: LazyDependency<String>) {
                self.tracked = tracked
                self.lazy = lazy
            }
        }
        do {
            let container = DependencyContainer()
            container.register("text", for: String.self)
            container.register(Holder.self) { [tracker] container in
                Holder(tracked: tracker.make(), lazy: LazyDependency(container: container))
            }
            #expect(container.resolve(Holder.self).lazy.object == "text")
        }
        expectGone(tracker)
    }
}

@Suite(.mayBlock) struct KOInjectIsolatedResolverTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    init() {
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make(1) }
        container.register(Tracked.self, lifetime: .transient) { [tracker] (_, number: Int) in tracker.make(number) }
    }

    @Test func isolatedObjectIsReleasedAfterTheAction() {
        container.withResolved(Tracked.self) { tracked in
            #expect(tracked.isIntact)
            #expect(tracker.live == 1)
        }
        expectGone(tracker)
    }

    @Test func storedIsolatedResolverIsAProvider() {
        struct Billing {
            let tracked: DependencyProvider<Tracked>
            func number() -> Int? { tracked.optionalResolve()?.number }
        }
        container.register(Billing.self) { (container, number: Int) in
            Billing(tracked: container.provider(arguments: number))
        }
        let billing = container.resolve(Billing.self, arguments: 7)
        #expect(billing.number() == 7)
        expectGone(tracker)
        container.removeAll()
        #expect(billing.number() == nil)
    }

    @Test func isolatedActionReturnsAndThrows() {
        #expect(container.withResolved(Tracked.self) { $0.number } == 1)
        #expect(throws: Refused.self) {
            try container.withResolved(Tracked.self) { _ in throw Refused() }
        }
        expectGone(tracker)
    }

    @Test func isolatedActionMayBeAsynchronous() async throws {
        let number = try await container.withAsyncResolved(Tracked.self) { tracked in
            await Task.yield()
            return tracked.number
        }
        #expect(number == 1)
        #expect(tracker.live == 0)
    }

    @Test func isolatedResolversTakeArguments() {
        let number = container.withResolved(Tracked.self, arguments: 7) { tracked in tracked.number }
        #expect(number == 7)
        expectGone(tracker)
    }

    @Test func isolatedActionsDoNotSeeEachOther() {
        let container = container
        runThreads(4) { index in
            container.withResolved(Tracked.self, arguments: index) { outer in
                container.withResolved(Tracked.self, arguments: index + 10) { inner in
                    check(outer.number == index && inner.number == index + 10)
                }
            }
        }
        expectGone(tracker)
    }

    @Test func isolatedSharedObjectStays() {
        let container = DependencyContainer()
        container.register(Tracked.self) { [tracker] _ in tracker.make() }
        container.withResolved(Tracked.self) { _ in }
        #expect(tracker.live == 1)
        container.removeAll()
        expectGone(tracker)
    }
}
