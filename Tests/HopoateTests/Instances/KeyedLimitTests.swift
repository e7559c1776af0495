import Hopoate
import Testing

/// `Lifetime.keyed(limit:)`: the least recently used instances leave.
@Suite(.mayBlock) struct KeyedLimitTests {
    let container = DependencyContainer()
    let tracker = Tracker()
    let ends = Locked<[Int]>([])

    private func register(_ limit: Int, then atEnd: (@Sendable (Tracked) -> Void)? = nil) {
        container.register(Tracked.self, lifetime: .keyed(limit: limit)) { [tracker] (_, number: Int) in
            tracker.make(number)
        } onDispose: { [ends] service in
            ends.withLock { $0.append(service.number) }
            atEnd?(service)
        }
    }

    @discardableResult
    private func resolve(_ number: Int) -> Tracked { container.resolve(Tracked.self, arguments: number) }

    // MARK: Which instance leaves

    @Test func leastRecentlyUsedInstanceLeaves() {
        register(3)
        for number in [1, 2, 3, 1] { resolve(number) }
        #expect(ends.current == [])
        resolve(4)
        #expect(ends.current == [2])
        resolve(5)
        #expect(ends.current == [2, 3])
        // 1 was used before 4 and 5 were created.
        resolve(6)
        #expect(ends.current == [2, 3, 1])
        #expect(tracker.made == 6 && tracker.live == 3)
    }

    @Test func instanceInUseStays() {
        register(2)
        let first = resolve(0)
        for number in 1..<1000 {
            resolve(number)
            #expect(resolve(0) === first)
        }
        #expect(ends.current == Array(1..<999))
    }

    @Test func ofSimultaneousUsesTheOldestInstanceLeaves() {
        register(4)
        for number in 1...4 { resolve(number) }
        for number in [3, 2, 1, 4] { resolve(number) }
        for number in 5...8 { resolve(number) }
        #expect(ends.current == [1, 2, 3, 4])
    }

    /// The instance of 3 is in use while 4 and 5 are created.
    @Test func usesWithinACreationDecideWhichInstanceLeaves() {
        let inner = [3: [1, 4, 5]]
        container.register(Tracked.self, lifetime: .keyed(limit: 2)) { [tracker] (container, number: Int) in
            for other in inner[number] ?? [] { _ = container.resolve(Tracked.self, arguments: other) }
            return tracker.make(number)
        } onDispose: { [ends] service in
            ends.withLock { $0.append(service.number) }
        }
        for number in [1, 2, 3] { resolve(number) }
        #expect(ends.current == [2, 1, 4])
        resolve(6)
        #expect(ends.current == [2, 1, 4, 5])
    }

    /// Compares with a list that is sorted at each use.
    @Test(arguments: [1, 2, 5, 16]) func randomUsesAgreeWithAModel(limit: Int) {
        register(limit)
        var random = SystemRandomNumberGenerator()
        var model: [(number: Int, use: Int, added: Int)] = []
        var additions = 0
        var expected: [Int] = []
        for _ in 0..<rounds(20_000) {
            let number = Int.random(in: 0..<(limit * 2), using: &random)
            let made = tracker.made
            #expect(resolve(number).number == number)
            if let index = model.firstIndex(where: { $0.number == number }) {
                #expect(tracker.made == made)
                model[index].use = additions
                continue
            }
            #expect(tracker.made == made + 1)
            model.append((number, additions, additions))
            additions += 1
            guard model.count > limit, let oldest = model.min(by: { ($0.use, $0.added) < ($1.use, $1.added) }) else {
                continue
            }
            model.removeAll { $0.number == oldest.number }
            expected.append(oldest.number)
        }
        #expect(ends.current == expected)
        #expect(tracker.live == model.count)
    }

    @Test func failedCreationsDoNotCount() {
        container.register(Tracked.self, lifetime: .keyed(limit: 2)) { [tracker] (_, number: Int) in
            if number < 0 { throw Refusal.first }
            return tracker.make(number)
        }
        let (one, two) = (resolve(1), resolve(2))
        for number in 1...100 {
            #expect(
                failure { () throws(DependencyError) in try container.require(Tracked.self, arguments: -number) }?
                    .reason == .creationFailed)
        }
        #expect(resolve(1) === one && resolve(2) === two)
    }

    // MARK: Disposal

    @Test func hookRunsAfterTheCreationAndMayResolve() {
        let seen = Locked<[Int]>([])
        register(1) { [container, seen] service in
            // The new instance exists; the one that leaves does not.
            let current = container.resolve(Tracked.self, arguments: 2)
            seen.withLock { $0 += [service.number, current.number] }
        }
        resolve(1)
        let second = resolve(2)
        #expect(seen.current == [1, 2])
        #expect(resolve(2) === second)
        #expect(tracker.made == 2)
    }

    @Test func hookMayResolveItsOwnValueAgain() {
        let isFirst = Locked(true)
        register(1) { [container] service in
            let again = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if again { #expect(container.resolve(Tracked.self, arguments: service.number) !== service) }
        }
        resolve(1)
        resolve(2)
        #expect(ends.current == [1, 2])
        #expect(resolve(1).number == 1)
        #expect(tracker.made == 3)
    }

    @Test func callersKeepAnInstanceThatHasLeft() {
        register(1)
        let first = resolve(1)
        resolve(2)
        #expect(ends.current == [1] && first.isIntact)
        #expect(resolve(1) !== first)
    }

    @Test func instancesThatHaveLeftAreReleasedAtOnce() {
        container.register(Tracked.self, lifetime: .keyed(limit: 2)) { [tracker] (_, number: Int) in
            tracker.make(number)
        }
        for number in 0..<100 { resolve(number) }
        #expect(eventually { tracker.live == 2 })
    }

    @Test func removalDisposesOfTheRest() {
        register(3)
        for number in 1...5 { resolve(number) }
        container.removeAll()
        #expect(ends.current == [1, 2, 5, 4, 3])
        expectGone(tracker)
    }

    @Test func asynchronousHooksRun() async throws {
        container.register(Tracked.self, lifetime: .keyed(limit: 1)) { [tracker] (_, number: Int) async in
            tracker.make(number)
        } onAsyncDispose: { [ends] service in
            await Task.yield()
            ends.withLock { $0.append(service.number) }
        }
        for number in 1...3 { _ = try await container.asyncResolve(Tracked.self, arguments: number) }
        #expect(await eventually { Set(ends.current) == [1, 2] })
        #expect(tracker.made == 3)
    }

    @Test func hooksRunAfterTheCompletions() {
        let order = Locked<[String]>([])
        container.register(Tracked.self, lifetime: .keyed(limit: 1)) { [tracker] (_, number: Int) in
            tracker.make(number)
        } afterCreation: { service, _ in
            order.withLock { $0.append("completed \(service.number)") }
        } onDispose: { [container] service in
            // Its creation has ended, so this finds the instance.
            #expect(container.resolve(Tracked.self, arguments: service.number + 1).number == service.number + 1)
            order.withLock { $0.append("disposed of \(service.number)") }
        }
        for number in 1...3 { resolve(number) }
        #expect(
            order.current == ["completed 1", "completed 2", "disposed of 1", "completed 3", "disposed of 2"])
        #expect(tracker.made == 3)
    }

    // MARK: Creations in flight

    @Test func recursionMayExceedTheLimit() {
        container.register(Tracked.self, lifetime: .keyed(limit: 2)) { [tracker] (container, number: Int) in
            if number > 0 {
                #expect(container.resolve(Tracked.self, arguments: number - 1).number == number - 1)
            }
            return tracker.make(number)
        } onDispose: { [ends] service in
            ends.withLock { $0.append(service.number) }
        }
        resolve(20)
        #expect(tracker.made == 21)
        #expect(ends.current == Array(0..<19))
        #expect(eventually { tracker.live == 2 })
    }

    @Test func instanceThatIsBeingCreatedStays() {
        let (isCreating, isDone) = (Signal(), Signal())
        container.register(Tracked.self, lifetime: .keyed(limit: 1)) { [tracker] (_, number: Int) in
            if number == 0 {
                isCreating.raise()
                #expect(isDone.wait())
            }
            return tracker.make(number)
        }
        let slow = Locked<[Tracked]>([])
        let threads = (0..<2).map { _ in
            RealThread { [self] in
                let service = resolve(0)
                slow.withLock { $0.append(service) }
            }
        }
        #expect(isCreating.wait())
        for number in 1..<50 { #expect(resolve(number).number == number) }
        isDone.raise()
        for thread in threads { thread.join() }
        #expect(slow.current.count == 2 && slow.current[0] === slow.current[1])
        #expect(resolve(0) === slow.current[0])
        #expect(tracker.made == 50)
    }

    @Test func valuesAtOnceExceedTheLimitUntilTheirCallsReturn() async throws {
        let (limit, count) = (8, 500)
        let goOn = AsyncSignal()
        let begun = Locked(0)
        container.register(Tracked.self, lifetime: .keyed(limit: limit)) { [tracker] (_, number: Int) async in
            _ = begun.next()
            await goOn.wait()
            return tracker.make(number)
        } onDispose: { [ends] service in
            ends.withLock { $0.append(service.number) }
        }
        let container = container
        try await withThrowingTaskGroup(of: Tracked.self) { group in
            for number in 0..<count {
                group.addTask { try await container.asyncResolve(Tracked.self, arguments: number) }
            }
            #expect(await eventually { begun.current == count })
            goOn.raise()
            for try await service in group { #expect(service.isIntact) }
        }
        // The hooks run in the tasks of the creations, which may end after the calls.
        #expect(await eventually { ends.current.count == count - limit })
        #expect(tracker.made == count)
        let left = Set(ends.current)
        #expect(left.count == count - limit)
        // The others are found again, and no further one leaves.
        for number in 0..<count where !left.contains(number) {
            #expect(try await container.asyncResolve(Tracked.self, arguments: number).number == number)
        }
        #expect(tracker.made == count && ends.current.count == count - limit)
    }

    // MARK: Threads

    @Test(arguments: threadCounts) func limitHoldsOnAllThreads(threads: Int) {
        let limit = 8
        register(limit)
        let most = Locked(0)
        runThreads(threads) { [self] index in
            var random = SystemRandomNumberGenerator()
            for _ in 0..<rounds(20_000) {
                let number = Int.random(in: 0..<24, using: &random)
                let service = resolve(number)
                check(service.number == number && service.isIntact)
                // Each thread may hold one, create one, and be about to release one that has left.
                most.withLock { [live = tracker.live] in $0 = max($0, live) }
            }
        }
        #expect(most.current <= limit + 3 * threads)
        #expect(eventually { tracker.live == limit })
        #expect(ends.current.count == tracker.made - limit)
        container.removeAll()
        #expect(ends.current.count == tracker.made)
        expectGone(tracker)
    }

    @Test(arguments: threadCounts) func hooksRunOnceDuringARemovalOrShutdown(threads: Int) {
        for round in 0..<rounds(400) {
            let container = DependencyContainer()
            let (made, ends) = (Locked(0), Locked<[Int]>([]))
            let registration = container.register(Tracked.self, lifetime: .keyed(limit: 2)) {
                [tracker] (_, _: Int) in
                tracker.make(made.next())
            } onDispose: { service in
                ends.withLock { $0.append(service.number) }
            }
            runThreads(threads + 1) { index in
                if index == threads {
                    if round.isMultiple(of: 2) {
                        container.remove(registration)
                    } else {
                        try? container.shutdownWithoutAwaitingHooks()
                    }
                    return
                }
                for number in 0..<6 { _ = try? container.optionalOrThrow(number + index) }
            }
            container.removeAll()
            check(ends.current.sorted() == Array(1..<(made.current + 1)))
        }
        expectGone(tracker)
    }

    @Test func memoryIsFlat() {
        let arguments = Tracker()
        container.register(Tracked.self, lifetime: .keyed(limit: 100)) { [tracker] (_, key: CountedArgument) in
            tracker.make(key.number)
        }
        var most = 0
        for number in 0..<rounds(1_000_000) {
            _ = container.resolve(Tracked.self, arguments: CountedArgument(number, arguments))
            if number.isMultiple(of: 100) { most = max(most, arguments.live, tracker.live) }
        }
        #expect(most <= 110)
        #expect(eventually { tracker.live == 100 })
    }

    // MARK: Registering

    @Test(arguments: [0, -1, Int.min]) func limitBelowOneIsRefused(limit: Int) async {
        let container = container
        let error = await trap {
            container.register(Int.self, lifetime: .keyed(limit: limit), fileID: "There.swift", line: 7) {
                (_, number: Int) in number
            }
        }
        #expect(error?.reason == .invalid)
        for part in ["Swift.Int(Swift.Int)", "There.swift:7", "'keyed(limit: \(limit))'", "a limit of 1 or more"] {
            #expect(error?.description.contains(part) == true, "\(part) in \(error.map(String.init) ?? "nothing")")
        }
    }

    @Test func factoryWithoutArgumentsIsRefused() {
        let container = container
        let error = trap { container.register(Int.self, lifetime: .keyed(limit: 1)) { _ in 1 } }
        #expect(error?.description.contains("takes no arguments") == true)
    }

    @Test func listsNameTheLimit() {
        register(1_000)
        #expect("\(Lifetime.keyed(limit: 1_000))" == "keyed(limit: 1000)")
        #expect(container.registrations.map(\.lifetime.description) == ["keyed(limit: 1000)"])
    }

    @Test func largestLimitKeepsAll() {
        register(.max)
        for number in 0..<100 { resolve(number) }
        #expect(ends.current == [])
    }

    @Test func childSharesTheInstancesOfItsParent() {
        register(1)
        let child = container.makeChild()
        let first = resolve(1)
        #expect(child.resolve(Tracked.self, arguments: 1) === first)
        _ = child.resolve(Tracked.self, arguments: 2)
        #expect(ends.current == [1])
    }

    @Test func decoratedInstancesLeaveToo() {
        container.register(Int.self, lifetime: .keyed(limit: 1)) { [tracker] (_, number: Int) in
            tracker.make().number + number
        }
        container.decorate(Int.self) { (inner: Int, _, _: Int) in inner + 100 }
        #expect(container.resolve(Int.self, arguments: 1) == 101)
        #expect(container.resolve(Int.self, arguments: 2) == 102)
        #expect(container.resolve(Int.self, arguments: 1) == 101)
        #expect(tracker.made == 3)
    }
}

extension DependencyContainer {
    fileprivate func optionalOrThrow(_ number: Int) throws -> Tracked { try require(Tracked.self, arguments: number) }
}
