import Hopoate
import Testing

/// Decorators around services with arguments, and decorators that suspend.
@Suite(.mayBlock) struct DecoratorFormsTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    // MARK: Arguments

    @Test func decoratorGetsTheArgumentsOfTheResolveCall() {
        container.register(String.self) { _ in "none" }
        container.register(String.self) { (_, number: Int) in "\(number)" }
        container.register(String.self) { (_, number: Int, flag: Bool) in "\(number) \(flag)" }
        let one = container.decorate(String.self) { (inner, _, number: Int) in "(\(inner), \(number + 1))" }
        container.decorate(String.self) { (inner, _, number: Int, flag: Bool) in "[\(inner), \(!flag)]" }
        #expect(container.resolve(String.self) == "none")
        #expect(container.resolve(String.self, arguments: 1) == "(1, 2)")
        #expect(container.resolve(String.self, arguments: 1, true) == "[1 true, false]")
        container.remove(one)
        #expect(container.resolve(String.self, arguments: 1) == "1")
        #expect(container.resolve(String.self, arguments: 1, true) == "[1 true, false]")
    }

    @Test func decoratorsOfANamedServiceWithArgumentsNest() {
        container.register(String.self) { (_, number: Int) in "\(number)" }
        container.register(String.self, named: "a") { (_, number: Int) in "a\(number)" }
        container.decorate(String.self, named: "a") { (inner, _, number: Int) in "(\(inner))" }
        container.decorate(String.self, named: "a") { (inner, _, number: Int) in "[\(inner)]" }
        #expect(container.resolve(String.self, named: "a", arguments: 1) == "[(a1)]")
        #expect(container.resolve(String.self, arguments: 1) == "1")
    }

    @Test(arguments: threadCounts)
    func decoratedKeyedServiceHasOneInstancePerArgumentValue(threads: Int) {
        let decorated = Locked<[Int]>([])
        container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, number: Int) in tracker.make(number) }
        container.decorate(Tracked.self) { [tracker] (inner, _, number: Int) in
            decorated.withLock { $0.append(number) }
            return tracker.make(inner.number + 10)
        }
        let services = race(threads) { [container] _ in
            [1, 2].map { container.resolve(Tracked.self, arguments: $0) }
        }
        #expect(Tracker.count(services.map { $0[0] }) == 1 && Tracker.count(services.map { $0[1] }) == 1)
        #expect(services[0].map(\.number) == [11, 12])
        #expect(decorated.current.sorted() == [1, 2] && tracker.made == 4)
    }

    @Test func transientServiceWithArgumentsIsDecoratedInEachCall() {
        container.register(Tracked.self) { [tracker] (_, number: Int) in tracker.make(number) }
        container.decorate(Tracked.self) { [tracker] (inner, _, number: Int) in tracker.make(inner.number + number) }
        #expect(
            container.resolve(Tracked.self, arguments: 2) !== container.resolve(Tracked.self, arguments: 2))
        #expect(container.resolve(Tracked.self, arguments: 2).number == 4)
        #expect(tracker.made == 6)
    }

    @Test func decoratedScopedServiceHasOneInstancePerContainerAndArgumentValue() {
        container.register(Tracked.self, lifetime: .scoped) { [tracker] (_, number: Int) in tracker.make(number) }
        container.decorate(Tracked.self) { [tracker] (inner, _, number: Int) in tracker.make(inner.number + number) }
        let child = container.makeChild()
        let one = child.resolve(Tracked.self, arguments: 1)
        #expect(one === child.resolve(Tracked.self, arguments: 1) && one.number == 2)
        #expect(one !== child.resolve(Tracked.self, arguments: 2))
        #expect(one !== container.resolve(Tracked.self, arguments: 1))
        #expect(tracker.made == 6)
    }

    @Test func decoratorWithArgumentsInAChildAppliesToTheChildOnly() {
        container.register(1, for: Int.self)
        container.register(String.self) { (container, text: String) in "\(text) with \(container.resolve(Int.self))" }
        let child = container.makeChild()
        child.register(2, for: Int.self)
        child.decorate(String.self) { (inner, container, text: String) in
            "\(inner), \(text) decorated with \(container.resolve(Int.self))"
        }
        #expect(child.resolve(String.self, arguments: "x") == "x with 2, x decorated with 2")
        #expect(container.resolve(String.self, arguments: "x") == "x with 1")
    }

    @Test func throwingDecoratorWithArgumentsIsRetried() {
        let attempts = Locked(0)
        container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, number: Int) in tracker.make(number) }
        container.decorate(Tracked.self) { (inner, _, number: Int) in
            try attempts.withLock { attempts in
                attempts += 1
                if attempts == 1 { throw Refusal.first }
            }
            return inner
        }
        let error = failure { () throws(DependencyError) in try container.require(Tracked.self, arguments: 7) }
        #expect(error?.underlying as? Refusal == .first)
        #expect(container.resolve(Tracked.self, arguments: 7).number == 7)
        #expect(attempts.current == 2 && tracker.made == 1)
    }

    @Test func hookOfADecoratedServiceWithArgumentsRunsForEachInstance() {
        let ends = Locked<[Int]>([])
        let base = container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, number: Int) in
            tracker.make(number)
        } onDispose: { service in
            ends.withLock { $0.append(service.number) }
        }
        let decorator = container.decorate(Tracked.self) { (inner, _, _: Int) in inner }
        for number in 1...2 { _ = container.resolve(Tracked.self, arguments: number) }
        container.remove(base)
        #expect(ends.current == [])
        container.remove(decorator)
        #expect(ends.current == [2, 1])
    }

    @Test func decoratorWithArgumentsDoesNotKeepItsContainerAlive() {
        do {
            let container = DependencyContainer()
            container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, number: Int) in tracker.make(number) }
            container.decorate(Tracked.self) { (inner, container, _: Int) in inner }
            _ = container.resolve(Tracked.self, arguments: 1)
            _ = container.makeChild().resolve(Tracked.self, arguments: 2)
        }
        expectGone(tracker)
    }

    @Test func decoratorWithoutTheArgumentsIsReportedWithTheRegistration() {
        let container = container
        container.register(Tracked.self, named: "a", fileID: "Here.swift", line: 1) { [tracker] (_, number: Int) in
            tracker.make(number)
        }
        let missing = trap {
            container.decorate(Tracked.self, named: "a", fileID: "There.swift", line: 7) { inner, _ in inner }
        }
        #expect(missing?.reason == .notRegistered)
        let hint = """
            'HopoateTests.Tracked(Swift.Int) named "a"' is registered at Here.swift:1. Decorate it with \
            `decorate(HopoateTests.Tracked.self, named: "a") { … }` and a closure that also takes (Swift.Int).
            """
        #expect(missing?.description.contains(hint) == true)
        let other = trap {
            container.decorate(Tracked.self, named: "a") { (inner, _, _: String) in inner }
        }
        #expect(other?.chain == ["HopoateTests.Tracked(Swift.String) named \"a\""])
    }

    // MARK: Decorators that suspend

    @Test func suspendingDecoratorMakesTheServiceAsynchronous() async throws {
        let decorated = Locked(0)
        container.register(Tracked.self) { [tracker] _ in tracker.make(1) }
        let token = container.decorate(Tracked.self) { [tracker] inner, _ async in
            await Task.yield()
            decorated.withLock { $0 += 1 }
            return tracker.make(inner.number + 1)
        }
        let error = failure { () throws(DependencyError) in try container.require(Tracked.self) }
        #expect(error?.reason == .onlyAsynchronous)
        let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { [container] in try await container.asyncResolve(Tracked.self).number }
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(numbers == [2] && decorated.current == 1 && tracker.made == 2)
        #expect(container.resolve(Tracked.self).number == 2)
        container.remove(token)
        #expect(container.resolve(Tracked.self).number == 1)
    }

    @Test func suspendingDecoratorWrapsANamedAsynchronousService() async throws {
        container.register(String.self, named: "a") { _ async in "a" }
        container.decorate(String.self, named: "a") { inner, container async throws in
            "(\(inner) of \(try await container.asyncResolve(Int.self)))"
        }
        container.register(Int.self) { _ async in 7 }
        #expect(try await container.asyncResolve(String.self, named: "a") == "(a of 7)")
        #expect(container.optionalResolve(String.self) == nil)
    }

    @Test func suspendingDecoratorWrapsAnExistingInstanceOnFirstUse() async throws {
        let decorated = Locked(0)
        container.register(7, for: Int.self)
        container.decorate(Int.self) { inner, _ async in
            decorated.withLock { $0 += 1 }
            return inner + 1
        }
        #expect(decorated.current == 0)
        #expect(container.registrations.map(\.lifetime.description) == ["eager", "singleton"])
        #expect(try await container.asyncResolve(Int.self) == 8)
        #expect(container.resolve(Int.self) == 8 && decorated.current == 1)
    }

    @Test func suspendingDecoratorHasTheLifetimeOfItsBase() async throws {
        container.register(Tracked.self, named: "transient", lifetime: .transient) { [tracker] _ in tracker.make() }
        container.register(Tracked.self, named: "scoped", lifetime: .scoped) { [tracker] _ in tracker.make() }
        container.hopoate1.register(service: String.self, cacheService: false) { "uncached" }
        for name in ["transient", "scoped"] as [DependencyName] {
            container.decorate(Tracked.self, named: name) { inner, _ async in inner }
        }
        container.decorate(String.self) { inner, _ async in "(\(inner))" }
        func resolve(_ name: DependencyName, in container: DependencyContainer) async throws -> Tracked {
            try await container.asyncResolve(Tracked.self, named: name)
        }
        let child = container.makeChild()
        #expect(try await resolve("transient", in: child) !== resolve("transient", in: child))
        #expect(try await resolve("scoped", in: child) === resolve("scoped", in: child))
        #expect(try await resolve("scoped", in: child) !== resolve("scoped", in: container))
        #expect(try await container.asyncResolve(String.self) == "(uncached)")
    }

    @Test func throwingDecoratorThatSuspendsIsRetried() async throws {
        let attempts = Locked(0)
        container.register(Tracked.self) { [tracker] _ in tracker.make() }
        container.decorate(Tracked.self) { inner, _ async throws in
            try attempts.withLock { attempts in
                attempts += 1
                if attempts == 1 { throw Refusal.first }
            }
            return inner
        }
        let error = await failure { () async throws(DependencyError) in try await container.asyncResolve(Tracked.self) }
        #expect(error?.underlying as? Refusal == .first)
        #expect(try await container.asyncResolve(Tracked.self).isIntact)
        #expect(attempts.current == 2 && tracker.made == 1)
    }

    @Test func decoratorMayRunOnTheMainActor() async throws {
        container.register(Int.self) { _ in 1 }
        container.decorate(Int.self) { @MainActor inner, _ async in
            MainActor.preconditionIsolated()
            return inner + 1
        }
        #expect(try await container.asyncResolve(Int.self) == 2)
    }

    @Test func suspendingDecoratorDoesNotKeepItsContainerAlive() async throws {
        do {
            let container = DependencyContainer()
            container.register(Tracked.self) { [tracker] _ async in tracker.make() }
            container.decorate(Tracked.self) { inner, _ async in inner }
            _ = try await container.asyncResolve(Tracked.self)
        }
        await expectGone(tracker)
    }

    // MARK: Both

    @Test func asynchronousServiceWithArgumentsIsDecoratedInBothForms() async throws {
        container.register(String.self, named: "a", lifetime: .keyed) { (_, number: Int) async in "\(number)" }
        container.decorate(String.self, named: "a") { (inner, _, number: Int) in "(\(inner) \(number + 1))" }
        container.decorate(String.self, named: "a") { (inner, _, number: Int) async in "[\(inner) \(number + 2)]" }
        #expect(try await container.asyncResolve(String.self, named: "a", arguments: 1) == "[(1 2) 3]")
        #expect(container.resolve(String.self, named: "a", arguments: 1) == "[(1 2) 3]")
        let error = failure { () throws(DependencyError) in
            try container.require(String.self, named: "a", arguments: 2)
        }
        #expect(error?.reason == .onlyAsynchronous)
    }

    @Test func suspendingDecoratorOfAKeyedServiceRunsOncePerArgumentValue() async throws {
        let decorated = Locked<[Int]>([])
        container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, number: Int) in tracker.make(number) }
        container.decorate(Tracked.self) { (inner, _, number: Int) async in
            await Task.yield()
            decorated.withLock { $0.append(number) }
            return inner
        }
        let services = try await withThrowingTaskGroup(of: Tracked.self) { group in
            for index in 0..<8 {
                group.addTask { [container] in
                    try await container.asyncResolve(Tracked.self, arguments: index % 2)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Tracker.count(services) == 2)
        #expect(decorated.current.sorted() == [0, 1] && tracker.made == 2)
    }
}
