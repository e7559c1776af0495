import Hopoate
import Testing

private protocol Numbered: AnyObject, Sendable { var number: Int { get } }
private final class Counted: Numbered {
    let number: Int
    init(_ number: Int) { self.number = number }
}

/// `Husband` and `Wife` depend on each other.
private final class Husband: @unchecked Sendable {
    let wife: LazyDependency<Wife>
    let tracked: Tracked
    init(wife: LazyDependency<Wife>, tracked: Tracked) {
        self.wife = wife
        self.tracked = tracked
    }
}
private final class Wife: @unchecked Sendable {
    let husband: Husband
    init(husband: Husband) { self.husband = husband }
}

private struct Till {
    @LazyDependency var text: String
    @LazyDependency(named: "formal") var formal: String
    @LazyDependency(arguments: 7, "EUR") var invoice: [String]
    func dispose() { $text.dispose() }
}

// A compile-time check.
private struct SendableTill: Sendable {
    @LazyDependency var text: String
}

/// `LazyDependency`.
@Suite(.mayBlock) struct LazyDependencyTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    /// Registers a transient service with increasing numbers.
    private func registerNumbered() {
        let count = Locked(0)
        container.register((any Numbered).self, lifetime: .transient) { _ in
            Counted(
                count.withLock { count in
                    count += 1
                    return count
                })
        }
    }

    @Test func nothingIsResolvedBeforeTheFirstAccess() {
        let handle = LazyDependency<any Numbered>(container: container)
        registerNumbered()
        #expect(handle.object?.number == 1)
    }

    @Test func objectIsCached() {
        registerNumbered()
        let handle = LazyDependency<any Numbered>(container: container)
        #expect(handle.object === handle.object)
        let copy = handle
        #expect(copy.object?.number == 1)
    }

    @Test func resolveLooksUpAgainAndCaches() throws {
        registerNumbered()
        let handle = LazyDependency<any Numbered>(container: container)
        #expect(handle.resolve().number == 1)
        #expect(handle.object?.number == 1)
        #expect(handle.resolve().number == 2)
        #expect(handle.object?.number == 2)
        #expect(try handle.require().number == 3)
        #expect(handle.object?.number == 3)
    }

    @Test func disposeReleasesTheObjectAndTheNextAccessResolvesAgain() {
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make() }
        let handle = LazyDependency<Tracked>(container: container)
        handle.resolve()
        #expect(tracker.live == 1)
        handle.dispose()
        expectGone(tracker)
        handle.dispose()
        #expect(handle.object != nil)
        #expect(tracker.made == 2)
    }

    @Test func deinitOfADisposedObjectMayUseTheHandle() {
        let handle = LazyDependency<Tracked>(container: container)
        let seen = Locked<[Int?]>([])
        let first = Locked<Tracked?>(
            tracker.make(1, atDeath: { seen.withLock { $0.append(handle.object?.number) } }))
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in first.take() ?? tracker.make(2) }
        #expect(handle.object?.number == 1)
        handle.dispose()
        #expect(seen.current == [2])
        handle.dispose()
        expectGone(tracker)
    }

    @Test func objectIsNilUntilTheServiceIsRegistered() throws {
        let handle = LazyDependency<String>(container: container)
        #expect(handle.object == nil)
        let error = #expect(throws: DependencyError.self) { try handle.require() }
        #expect(error?.reason == .notRegistered)
        #expect(error?.description.contains("LazyDependencyTests.swift") == true)
        container.register("text", for: String.self)
        #expect(handle.object == "text")
    }

    @Test func failedResolveKeepsTheCachedObject() throws {
        let registration = container.register("text", for: String.self)
        let handle = LazyDependency<String>(container: container)
        #expect(handle.object == "text")
        container.remove(registration)
        #expect(throws: DependencyError.self) { try handle.require() }
        #expect(handle.object == "text")
    }

    @Test func failureOfTheFactoryIsThrownWithItsCause() {
        struct Broken: Error {}
        container.register(String.self) { _ in throw Broken() }
        let error = #expect(throws: DependencyError.self) { try LazyDependency<String>(container: container).require() }
        #expect(error?.reason == .creationFailed)
        #expect(error?.underlying is Broken)
    }

    @Test func namesAndAnyNumberOfArgumentsAreCaptured() {
        container.register("formal", for: String.self, named: "formal")
        container.register(String.self) { (_, number: Int) in "\(number)" }
        container.register(String.self) { (_, number: Int, text: String, flag: Bool) in "\(number)\(text)\(flag)" }
        container.register(String.self, named: "formal") { (_, number: Int) in "formal \(number)" }
        #expect(LazyDependency<String>(named: "formal", container: container).object == "formal")
        #expect(LazyDependency<String>(arguments: 7, container: container).object == "7")
        #expect(LazyDependency<String>(arguments: 7, "EUR", true, container: container).object == "7EURtrue")
        #expect(LazyDependency<String>(named: "formal", arguments: 8, container: container).resolve() == "formal 8")
        let inferred: LazyDependency<String> = LazyDependency(arguments: 9, container: container)
        #expect(inferred.object == "9")
        #expect(LazyDependency<String>(arguments: 7.0, container: container).object == nil)
    }

    @Test func dynamicNameLivesAsLongAsTheHandle() {
        container.register("tenant", for: String.self, named: DependencyName("tenant-\(7)"))
        let handle = LazyDependency<String>(named: DependencyName("tenant-\(7)"), container: container)
        for _ in 0..<100 { _ = DependencyName("tenant-\(Int.random(in: 8...99))") }
        #expect(handle.object == "tenant")
    }

    @Test func projectedValueOfTheWrapperIsTheHandle() {
        container.register("text", for: String.self)
        container.register("Sir", for: String.self, named: "formal")
        container.register([String].self) { (_, number: Int, text: String) in ["\(number)", text] }
        let till = DependencyContainer.$shared.withValue(container) { Till() }
        #expect(till.text == "text")
        #expect(till.formal == "Sir")
        #expect(till.invoice == ["7", "EUR"])
        container.register("other", for: String.self)
        #expect(till.text == "text")
        till.dispose()
        #expect(till.text == "other")
        till.$text.wrappedValue = "assigned"
        #expect(till.text == "assigned")
        let sendable = DependencyContainer.$shared.withValue(container) { SendableTill() }
        #expect(sendable.text == "other")
    }

    @Test func handleDoesNotKeepItsContainerAlive() throws {
        var container: DependencyContainer? = DependencyContainer()
        container?.register(tracker.make(), for: Tracked.self)
        let handle = LazyDependency<Tracked>(container: try #require(container))
        let used = LazyDependency<Tracked>(container: try #require(container))
        used.resolve()
        let isAlive = { [weak container] in container != nil }
        container = nil
        #expect(!isAlive())
        #expect(handle.object == nil)
        #expect(used.object != nil)
        let error = #expect(throws: DependencyError.self) { try handle.require() }
        #expect(error?.reason == .containerGone)
        #expect(error?.description.contains("HopoateTests.Tracked") == true)
        used.dispose()
        expectGone(tracker)
    }

    @Test func serviceThatHoldsAHandleIsNoRetainCycle() throws {
        var container: DependencyContainer? = DependencyContainer()
        container?.register(Tracked.self) { [tracker] _ in tracker.make() }
        container?.register(Husband.self, using: Husband.init)
        container?.register(Wife.self, using: Wife.init)
        // The handles are not used: with their cached objects, the two would form a retain cycle.
        #expect(container?.resolve(Husband.self) != nil)
        container = nil
        expectGone(tracker)
    }

    @Test func handleBreaksACycleOfInitializers() throws {
        container.register(Tracked.self) { [tracker] _ in tracker.make() }
        container.register(Husband.self, using: Husband.init)
        container.register(Wife.self, using: Wife.init)
        let husband = container.resolve(Husband.self)
        let wife = try #require(husband.wife.object)
        #expect(wife.husband === husband)
        #expect(container.resolve(Wife.self) === wife)
        husband.wife.dispose()
    }

    @Test func useDuringTheCreationIsReportedAsACycle() {
        final class Eager: @unchecked Sendable {
            init(_ other: LazyDependency<Eager>) throws { try other.require() }
        }
        container.register(Eager.self, using: Eager.init)
        let error = #expect(throws: DependencyError.self) { try container.require(Eager.self) }
        #expect(error?.reason == .circular)
    }

    @Test func handleOfAChildFindsServicesOfTheParent() {
        container.register("parent", for: String.self)
        let child = container.makeChild()
        let handle = LazyDependency<String>(container: child)
        #expect(handle.object == "parent")
        child.register("child", for: String.self)
        #expect(handle.resolve() == "child")
    }

    @Test func asynchronousServiceIsResolvedAndCached() async throws {
        container.register(String.self) { _ async in "later" }
        container.register([Int].self) { (_, number: Int) async throws in [number] }
        let handle = LazyDependency<String>(container: container)
        let error = #expect(throws: DependencyError.self) { try handle.require() }
        #expect(error?.reason == .onlyAsynchronous)
        #expect(try await handle.asyncResolve() == "later")
        #expect(handle.object == "later")
        #expect(try await LazyDependency<[Int]>(arguments: 7, container: container).asyncResolve() == [7])
    }

    @Test(arguments: threadCounts) func concurrentFirstAccessesGetOneInstance(threads: Int) {
        for _ in 0..<rounds(200) {
            container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make() }
            let handle = LazyDependency<Tracked>(container: container)
            let seen = Locked<[ObjectIdentifier]>([])
            runThreads(threads) { _ in
                let object = handle.object
                seen.withLock { $0.append(object.map { ObjectIdentifier($0) } ?? ObjectIdentifier(Int.self)) }
            }
            check(Set(seen.current).count == 1)
            check(handle.object.map { ObjectIdentifier($0) } == seen.current.first)
            container.removeAll()
        }
        expectGone(tracker)
    }

    @Test(arguments: threadCounts) func disposeDuringReadsIsSafe(threads: Int) {
        container.register(Tracked.self, lifetime: .transient) { [tracker] _ in tracker.make() }
        let handle = LazyDependency<Tracked>(container: container)
        runThreads(threads) { index in
            for round in 0..<rounds(2_000) {
                switch (index + round) % 4 {
                case 0: handle.dispose()
                case 1: check(handle.resolve().isIntact)
                default: check(handle.object?.isIntact == true)
                }
            }
        }
        handle.dispose()
        expectGone(tracker)
    }

    @Test(arguments: threadCounts) func useDuringTheEndOfTheContainerIsSafe(threads: Int) {
        for _ in 0..<rounds(200) {
            let container = Locked<DependencyContainer?>(DependencyContainer())
            container.current?.register(tracker.make(), for: Tracked.self)
            guard let handle = container.current.map({ LazyDependency<Tracked>(container: $0) }) else { continue }
            runThreads(threads + 1) { index in
                if index == 0 {
                    let last: DependencyContainer? = container.take()
                    withExtendedLifetime(last) {}
                } else {
                    do throws(DependencyError) {
                        check(try handle.require().isIntact)
                    } catch {
                        // The registrations are released shortly after the container.
                        check(error.reason == .containerGone)
                    }
                }
            }
            handle.dispose()
        }
        expectGone(tracker)
    }

    #if compiler(>=6.2)
        @Test func resolvingThroughTheHandleOfADeadContainerTraps() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let handle = LazyDependency<String>(container: DependencyContainer())
                handle.resolve()
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("'Swift.String'"))
            #expect(text.contains("no longer exists"))
        }

        @Test func missingServiceNamesTheDeclarationOfItsWrapper() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Till().text
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("Cannot resolve 'Swift.String' at HopoateTests/LazyDependencyTests.swift:"))
            #expect(text.contains("LazyDependencyTests.swift"))
        }
    #endif
}
