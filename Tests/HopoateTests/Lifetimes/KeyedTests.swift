import Hopoate
import Testing

/// Equal if the text is equal. All values have the same hash.
private struct Colliding: Hashable, Sendable {
    let text: String
    func hash(into hasher: inout Hasher) {}
}

/// Uses the container while it is hashed and compared.
private struct Asking: Hashable {
    let number: Int
    let container: DependencyContainer
    static func == (left: Asking, right: Asking) -> Bool {
        left.container.resolve(String.self) == "other" && left.number == right.number
    }
    func hash(into hasher: inout Hasher) {
        hasher.combine(container.resolve(String.self))
        // Resolves the service itself, with another argument.
        if number > 0 {
            hasher.combine(container.resolve(Int.self, arguments: Asking(number: 0, container: container)))
        }
    }
}

private struct Unhashable {}

/// `Lifetime.keyed`: one instance per argument value.
@Suite(.mayBlock) struct KeyedTests {
    let container = DependencyContainer()

    @Test func argumentThatIsNotEqualToItselfIsAnError() {
        let calls = Locked(0)
        container.register(String.self, lifetime: .keyed) { (_, number: Double) in
            calls.withLock { $0 += 1 }
            return "\(number)"
        }
        for _ in 0..<3 {
            let error = failure { [container] () throws(DependencyError) in
                try container.require(String.self, arguments: Double.nan)
            }
            #expect(error?.reason == .invalid)
            #expect(error?.description.contains("NaN") == true)
        }
        #expect(calls.current == 0)
        #expect(container.resolve(String.self, arguments: 1.5) == "1.5")
    }
    let tracker = Tracker()

    @Test(arguments: threadCounts)
    func factoryRunsOncePerArgumentValue(threads: Int) {
        for _ in 0..<rounds(100) {
            let tracker = Tracker()
            let container = DependencyContainer()
            container.register(Tracked.self, lifetime: .keyed) { (_, number: Int) in tracker.make(number) }
            let services = race(threads) { index in
                (0..<5).map { container.resolve(Tracked.self, arguments: ($0 + index) % 5) }
            }
            check(tracker.made == 5 && Tracker.count(services.flatMap { $0 }) == 5)
        }
    }

    @Test(arguments: threadCounts)
    func valuesAreComparedByEqualityNotByHash(threads: Int) {
        container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, key: Colliding) in
            tracker.make(key.text.count)
        }
        runThreads(threads) { [container] index in
            for number in 0..<20 {
                let length = (number + index) % 20
                let text = String(repeating: "x", count: length)
                check(container.resolve(Tracked.self, arguments: Colliding(text: text)).number == length)
            }
        }
        #expect(tracker.made == 20)
    }

    @Test func allArgumentsArePartOfTheKey() {
        container.register(String.self, lifetime: .keyed) { [tracker] (_, number: Int, text: String, flag: Bool) in
            "\(number) \(text) \(flag) \(tracker.make().number + tracker.made)"
        }
        let first = container.resolve(String.self, arguments: 1, "a", true)
        #expect(container.resolve(String.self, arguments: 1, "a", true) == first)
        #expect(container.resolve(String.self, arguments: 2, "a", true) != first)
        #expect(container.resolve(String.self, arguments: 1, "b", true) != first)
        #expect(container.resolve(String.self, arguments: 1, "a", false) != first)
        #expect(tracker.made == 4)
    }

    @Test func hashAndEqualityMayUseTheContainer() {
        container.register("other", for: String.self)
        container.register(Int.self, lifetime: .keyed) { (_, key: Asking) in key.number }
        for _ in 0..<3 {
            for number in 0..<3 {
                #expect(container.resolve(Int.self, arguments: Asking(number: number, container: container)) == number)
            }
        }
        // The arguments retain their container, so their registration has to be removed.
        container.removeAll()
    }

    @Test func slowCreationBlocksNoOtherValue() {
        let (isCreating, isDone) = (Signal(), Signal())
        container.register(Int.self, lifetime: .keyed) { (_, number: Int) in
            if number == 0 {
                isCreating.raise()
                #expect(isDone.wait())
            }
            return number
        }
        let slow = RealThread { [container] in _ = container.resolve(Int.self, arguments: 0) }
        #expect(isCreating.wait())
        #expect(container.resolve(Int.self, arguments: 1) == 1)
        isDone.raise()
        slow.join()
    }

    @Test func failedValuesLeaveNothingBehind() {
        container.register(Int.self, lifetime: .keyed) { (_, key: Carrier) in
            if key.number >= 0 { throw Refusal.first }
            return key.number
        }
        for round in 0..<100 {
            let arguments = Carrier(number: round, load: tracker.make())
            let error = failure { () throws(DependencyError) in try container.require(Int.self, arguments: arguments) }
            #expect(error?.underlying as? Refusal == .first)
        }
        #expect(tracker.made == 100 && tracker.live == 0)
        #expect(container.resolve(Int.self, arguments: Carrier(number: -1, load: tracker.make())) == -1)
        #expect(tracker.live == 1)
    }

    @Test(arguments: threadCounts)
    func concurrentlyFailedValuesLeaveNothingBehind(threads: Int) {
        let attempts = Locked<[Int: Int]>([:])
        container.register(Int.self, lifetime: .keyed) { (_, key: Carrier) in
            let attempt = attempts.withLock { attempts in
                attempts[key.number, default: 0] += 1
                return attempts[key.number]!  // Set above.
            }
            if key.number % 2 == 0 || attempt == 1 { throw Refusal.first }
            return key.number
        }
        let count = rounds(300)
        runThreads(threads) { [container, tracker] _ in
            for number in 0..<count {
                let arguments = Carrier(number: number, load: tracker.make())
                _ = try? container.require(Int.self, arguments: arguments)
            }
        }
        for number in stride(from: 1, to: count, by: 2) {
            #expect(container.optionalKeyed(number, tracker) == number)
        }
        // One carrier stays alive per odd number.
        #expect(tracker.live == count / 2)
    }

    @Test func cycleOfValuesIsReported() {
        container.register(Int.self, lifetime: .keyed) { (container, number: Int) in
            try container.require(Int.self, arguments: (number + 1) % 3)
        }
        let error = failure { () throws(DependencyError) in try container.require(Int.self, arguments: 1) }
        #expect(error?.reason == .circular)
        #expect(error?.chain == Array(repeating: "Swift.Int(Swift.Int)", count: 4))
    }

    @Test func finiteRecursionOverValuesSucceeds() {
        container.register(Int.self, lifetime: .keyed) { (container, number: Int) in
            number < 2 ? number : container.resolve(arguments: number - 1) + container.resolve(arguments: number - 2)
        }
        #expect(container.resolve(Int.self, arguments: 50) == 12_586_269_025)
    }

    @Test func valuesAreReleasedWithTheRegistration() {
        let ends = Locked<[Int]>([])
        let token = Locked<ServiceRegistration<Tracked>?>(nil)
        token.withLock {
            $0 = container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, number: Int) in
                tracker.make(number)
            } onDispose: { service in
                ends.withLock { $0.append(service.number) }
            }
        }
        for number in [3, 1, 2, 1] { _ = container.resolve(Tracked.self, arguments: number) }
        token.take().map(container.remove)
        #expect(ends.current == [2, 1, 3])
        expectGone(tracker)
    }

    @Test func childSharesTheInstancesOfItsParent() {
        container.register(ObjectIdentifier.self, lifetime: .keyed) { (container, _: Int) in identity(of: container) }
        #expect(container.makeChild().resolve(ObjectIdentifier.self, arguments: 1) == ObjectIdentifier(container))
    }

    @Test func argumentsThatAreNotHashableAreRefused() {
        let container = container
        let error = trap {
            container.register(Int.self, lifetime: .keyed, fileID: "There.swift", line: 7) {
                (_, _: String, _: Unhashable) in 1
            }
        }
        #expect(error?.reason == .invalid)
        for part in ["Swift.Int(Swift.String, ", "Unhashable", "There.swift:7", "'keyed'", "not Hashable"] {
            #expect(error?.description.contains(part) == true, "\(part) in \(error.map(String.init) ?? "nothing")")
        }
    }

    @Test func keyedWithoutArgumentsIsRefused() {
        let container = container
        let error = trap { container.register(Int.self, lifetime: .keyed) { _ in 1 } }
        #expect(error?.reason == .invalid)
        #expect(error?.description.contains("takes no arguments") == true)
    }
}

private struct Carrier: Hashable, Sendable {
    let number: Int
    let load: Tracked
    static func == (left: Carrier, right: Carrier) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension DependencyContainer {
    fileprivate func optionalKeyed(_ number: Int, _ tracker: Tracker) -> Int? {
        let arguments = Carrier(number: number, load: tracker.make())
        return try? require(Int.self, arguments: arguments)
    }

    fileprivate func resolve(arguments number: Int) -> Int { resolve(Int.self, arguments: number) }
}
