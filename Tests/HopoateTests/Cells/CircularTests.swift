import Hopoate
import Testing

final class CircleA: @unchecked Sendable {}
final class CircleB: @unchecked Sendable {}
final class CircleC: @unchecked Sendable {}

/// Cycles between factories, and endless recursion.
@Suite(.mayBlock) struct CircularTests {
    let container = DependencyContainer()

    /// A depends on B, B on C, and C on A.
    private func registerThree(_ lifetime: Lifetime) {
        container.register(CircleA.self, lifetime: lifetime) { container in
            _ = try container.require(CircleB.self)
            return CircleA()
        }
        container.register(CircleB.self, lifetime: lifetime) { container in
            _ = try container.require(CircleC.self)
            return CircleB()
        }
        container.register(CircleC.self, lifetime: lifetime) { container in
            _ = try container.require(CircleA.self)
            return CircleC()
        }
    }

    private let threeFromA = [
        "HopoateTests.CircleA", "HopoateTests.CircleB", "HopoateTests.CircleC", "HopoateTests.CircleA",
    ]

    @Test(arguments: ["singleton", "weak", "scoped", "graph", "cached"])
    func cycleIsReportedWithItsChain(name: String) {
        let lifetimes: [String: Lifetime] = [
            "singleton": .singleton, "weak": .weak, "scoped": .scoped, "graph": .graph,
            "cached": .cached(in: DependencyScope("test")),
        ]
        registerThree(lifetimes[name]!)  // The keys are the names above.
        for _ in 0..<2 {
            let error = failure { () throws(DependencyError) in try container.require(CircleA.self) }
            #expect(error?.reason == .circular)
            #expect(error?.service == CircleA.self)
            #expect(error?.chain == threeFromA)
            let text = "HopoateTests.CircleA → HopoateTests.CircleB → HopoateTests.CircleC → HopoateTests.CircleA"
            #expect(error?.description.contains(text) == true)
            #expect(error?.description.contains("LazyDependency") == true)
        }
    }

    @Test func chainOfACycleOmitsThePathIntoIt() {
        registerThree(.singleton)
        container.register(Int.self) { container in
            _ = try container.require(CircleA.self)
            return 1
        }
        let error = failure { () throws(DependencyError) in try container.require(Int.self) }
        #expect(error?.chain == threeFromA)
    }

    @Test func cycleThroughATransientIsReported() {
        registerThree(.singleton)
        container.register(CircleB.self, lifetime: .transient) { container in
            _ = try container.require(CircleC.self)
            return CircleB()
        }
        #expect(failure { () throws(DependencyError) in try container.require(CircleA.self) }?.chain == threeFromA)
    }

    @Test func singletonThatResolvesItselfIsReported() {
        container.register(CircleA.self) { container in try container.require(CircleA.self) }
        let error = failure { () throws(DependencyError) in try container.require(CircleA.self) }
        #expect(error?.chain == ["HopoateTests.CircleA", "HopoateTests.CircleA"])
    }

    @Test func factoryThatOptionallyResolvesItselfIsReported() {
        container.register(CircleA.self) { container in container.optionalResolve(CircleA.self) ?? CircleA() }
        let container = container
        #expect(trap { _ = container.resolve(CircleA.self) }?.reason == .circular)
    }

    @Test func cycleOfTransientsIsReportedBeforeTheStackOverflows() {
        registerThree(.transient)
        for _ in 0..<2 {
            let error = failure { () throws(DependencyError) in try container.require(CircleA.self) }
            #expect(error?.reason == .circular)
            #expect(error?.chain.count == 4)
            #expect(error?.chain.first == error?.chain.last)
            #expect(error.map { Set($0.chain).count } == 3)
        }
    }

    @Test func cycleOfUncachedFactoriesIsReported() {
        let container = container
        container.register(CircleA.self, lifetime: .transient) { [unowned container] _ in
            _ = container.resolve(CircleB.self)
            return CircleA()
        }
        container.register(CircleB.self, lifetime: .transient) { [unowned container] _ in
            _ = container.resolve(CircleA.self)
            return CircleB()
        }
        let error = trap { _ = container.resolve(CircleA.self) }
        #expect(error?.reason == .circular)
        #expect(error?.chain.count == 3)
        #expect(error.map { Set($0.chain) } == ["HopoateTests.CircleA", "HopoateTests.CircleB"])
    }

    @Test func endlessRecursionOverArgumentsIsReported() {
        container.register(Int.self) { (container, number: Int) in
            try container.require(Int.self, arguments: number + 1)
        }
        let error = failure { () throws(DependencyError) in try container.require(Int.self, arguments: 0) }
        #expect(error?.reason == .circular)
        #expect(error?.chain == ["Swift.Int(Swift.Int)", "Swift.Int(Swift.Int)"])
    }

    @Test func endlessRecursionOverKeyedValuesIsReported() {
        container.register(Int.self, lifetime: .keyed) { (container, number: Int) in
            try container.require(Int.self, arguments: number + 1)
        }
        let error = failure { () throws(DependencyError) in try container.require(Int.self, arguments: 0) }
        #expect(error?.reason == .circular)
    }

    @Test func endlessAsynchronousRecursionIsReported() async {
        container.register(Int.self, lifetime: .keyed) { (container, number: Int) async throws in
            try await container.asyncResolve(Int.self, arguments: number + 1)
        }
        container.register(Double.self, lifetime: .transient) { container async throws in
            try await container.asyncResolve(Double.self)
        }
        let keyed = await failure { () async throws(DependencyError) in
            try await container.asyncResolve(Int.self, arguments: 0)
        }
        #expect(keyed?.reason == .circular)
        #expect(keyed?.chain == ["Swift.Int(Swift.Int)", "Swift.Int(Swift.Int)"])
        let transient = await failure { () async throws(DependencyError) in
            try await container.asyncResolve(Double.self)
        }
        #expect(transient?.reason == .circular)
        #expect(transient?.chain == ["Swift.Double", "Swift.Double"])
    }

    @Test func longDependencyChainIsNoCycle() {
        struct Register: TypeVisitor {
            let container: DependencyContainer
            func visit<Parameter>(_ type: Parameter.Type, number: Int) {
                container.register(Tag<Nest<Parameter>>.self) { container in
                    Tag(tracked: container.resolve(Tag<Parameter>.self).tracked)
                }
                last.withLock { $0 = { container.resolve(Tag<Nest<Parameter>>.self).tracked } }
            }
            let last = Locked<() -> Tracked?>({ nil })
        }
        let tracker = Tracker()
        container.register(Tag(tracked: tracker.make(7)), for: Tag<Int>.self)
        let visitor = Register(container: container)
        // Deeper than recursion may be. Sanitizers make stack frames several times larger.
        visitTypes(300, visitor)
        #expect(onThread(stackSize: 64 << 20) { visitor.last.current()?.number } == 7)
    }

    @Test(arguments: [2, 3, 4])
    func cycleOfThreadsIsReported(threads: Int) {
        let names = (0..<threads).map { DependencyName("\($0)") }
        for _ in 0..<rounds(50) {
            let container = DependencyContainer()
            let barrier = Barrier(threads)
            for index in 0..<threads {
                container.register(Tracked.self, named: names[index]) { container in
                    // Each of the services is being created on a thread of its own.
                    barrier.arriveAndWait()
                    return try container.require(Tracked.self, named: names[(index + 1) % threads])
                }
            }
            let errors = race(threads) { index in
                failure { () throws(DependencyError) in try container.require(Tracked.self, named: names[index]) }
            }
            for error in errors {
                check(error?.reason == .circular)
                check(error?.chain.count == threads + 1)
                check(error?.chain.first == error?.chain.last)
                check(error.map { Set($0.chain).count } == threads)
            }
            // A second attempt on one thread: the first one left nothing behind.
            let again = failure { () throws(DependencyError) in try container.require(Tracked.self, named: names[0]) }
            check(again?.chain.count == threads + 1)
        }
    }

    @Test(arguments: [2, 4])
    func crossedSingletonsWithoutACycleAreCreated(threads: Int) {
        for _ in 0..<rounds(300) {
            let container = DependencyContainer()
            let made = Locked(0)
            // Each service depends on both others, in opposite order.
            container.register(Int.self, named: "a") { _ in made.next() }
            container.register(Int.self, named: "b") { _ in made.next() }
            container.register(String.self, named: "first") { container in
                "\(container.resolve(Int.self, named: "a") + container.resolve(Int.self, named: "b"))"
            }
            container.register(String.self, named: "second") { container in
                "\(container.resolve(Int.self, named: "b") + container.resolve(Int.self, named: "a"))"
            }
            let found = race(threads) { index in
                container.resolve(String.self, named: index % 2 == 0 ? "first" : "second")
            }
            check(found.allSatisfy { $0 == "3" } && made.current == 2)
        }
    }

    @Test func crossedSingletonsWithACycleAreReportedOrCreated() {
        for _ in 0..<rounds(300) {
            let container = DependencyContainer()
            container.register(CircleA.self) { container in
                _ = try container.require(CircleB.self)
                return CircleA()
            }
            container.register(CircleB.self) { container in
                _ = try container.require(CircleA.self)
                return CircleB()
            }
            let reasons = race(2) { index in
                index == 0
                    ? failure { () throws(DependencyError) in try container.require(CircleA.self) }?.reason
                    : failure { () throws(DependencyError) in try container.require(CircleB.self) }?.reason
            }
            check(reasons.allSatisfy { $0 == .circular })
        }
    }

    #if compiler(>=6.2)
        @Test func cycleTrapsInANonThrowingCall() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = DependencyContainer()
                container.register(CircleA.self) { container in
                    _ = container.resolve(CircleB.self)
                    return CircleA()
                }
                container.register(CircleB.self, lifetime: .transient) { container in
                    _ = container.resolve(CircleA.self)
                    return CircleB()
                }
                _ = container.resolve(CircleA.self)
            }
            expectSaid(
                result,
                [
                    "Cannot resolve 'HopoateTests.CircleA' at HopoateTests/CircularTests.swift:", "circular dependency",
                    "HopoateTests.CircleA → HopoateTests.CircleB → HopoateTests.CircleA", "LazyDependency",
                    "afterCreation",
                ])
        }

        @Test func cycleOfThreadsTrapsInANonThrowingCall() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = DependencyContainer()
                let barrier = Barrier(2)
                container.register(CircleA.self) { container in
                    barrier.arriveAndWait()
                    _ = container.resolve(CircleB.self)
                    return CircleA()
                }
                container.register(CircleB.self) { container in
                    barrier.arriveAndWait()
                    _ = container.resolve(CircleA.self)
                    return CircleB()
                }
                await runThreads(2) { index in
                    if index == 0 { _ = container.resolve(CircleA.self) } else { _ = container.resolve(CircleB.self) }
                }
            }
            expectSaid(result, ["circular dependency", "HopoateTests.CircleA → HopoateTests.CircleB"])
        }

        @Test func cycleOfTransientsTrapsWithItsChain() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = DependencyContainer()
                container.register(CircleA.self, lifetime: .transient) { _ in
                    _ = container.resolve(CircleB.self)
                    return CircleA()
                }
                container.register(CircleB.self, lifetime: .transient) { _ in
                    _ = container.resolve(CircleA.self)
                    return CircleB()
                }
                _ = container.resolve(CircleA.self)
            }
            expectSaid(result, ["circular dependency", "HopoateTests.CircleB → HopoateTests.CircleA"])
        }
    #endif
}
