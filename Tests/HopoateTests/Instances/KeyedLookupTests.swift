import Hopoate
import Testing

/// Runs a closure each time it is compared. All values have the same hash.
private struct Watching: Hashable, Sendable {
    let number: Int
    let didCompare: @Sendable () -> Void

    static func == (left: Watching, right: Watching) -> Bool {
        right.didCompare()
        return left.number == right.number
    }

    func hash(into hasher: inout Hasher) {}
}

/// A value with the alignment of 16 bytes.
private struct Aligned: Hashable, Sendable {
    let lanes: SIMD2<Double>
}

/// Lookups of keyed instances that exist. From the third use of a value on, they take no lock.
@Suite(.mayBlock) struct KeyedLookupTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    /// Resolves a service several times: the first call creates it, the second one finds it under the lock, the others without.
    private func resolveOften(_ resolve: () -> Tracked) -> Tracked {
        let first = resolve()
        for _ in 0..<3 { #expect(resolve() === first) }
        return first
    }

    // MARK: Arguments of all layouts

    @Test func oneArgumentOfEachKind() {
        func check<Argument: Hashable & Sendable>(_ values: Argument...) {
            container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, _: Argument) in tracker.make() }
            let services = values.map { value in
                resolveOften { container.resolve(Tracked.self, arguments: value) }
            }
            #expect(Tracker.count(services) == values.count)
            for (value, service) in zip(values, services) {
                #expect(container.resolve(Tracked.self, arguments: value) === service)
            }
        }
        check(0, 1, -1, .max, .min)
        check(true, false)
        check(UInt8(0), UInt8(255))
        check("", "a", String(repeating: "long", count: 100))
        check(1.5, -1.5, .infinity)
        check(Int?.none, 0, 1)
        check([Int](), [1], [1, 2])
        check(["a": [1]], [:])
        check(Aligned(lanes: [1, 2]), Aligned(lanes: [2, 1]))
        check(ObjectIdentifier(container), ObjectIdentifier(tracker))
        // Canonically equivalent, so the same value.
        check("\u{E9}", "e")
        #expect(
            container.resolve(Tracked.self, arguments: "\u{E9}")
                === container.resolve(Tracked.self, arguments: "e\u{301}"))
    }

    @Test func severalArgumentsOfAllLayouts() {
        container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, _: Int8, _: Int) in tracker.make() }
        container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, _: Bool, _: Int64, _: UInt16, _: String) in
            tracker.make()
        }
        container.register(Tracked.self, lifetime: .keyed) {
            [tracker] (_, _: UInt8, _: Bool, _: Aligned, _: UInt8, _: [String]) in tracker.make()
        }
        var services: [Tracked] = []
        for number in 0..<4 {
            let (low, high) = (number & 1, number >> 1)
            services.append(
                resolveOften { container.resolve(Tracked.self, arguments: Int8(low), high) })
            for text in ["", "a text that does not fit into a few words"] {
                services.append(
                    resolveOften {
                        container.resolve(Tracked.self, arguments: low == 0, Int64(high), UInt16(7), text)
                    })
                services.append(
                    resolveOften {
                        container.resolve(
                            Tracked.self, arguments: UInt8(1), low == 0, Aligned(lanes: [Double(high), 0]), UInt8(2),
                            [text, "\(number)"])
                    })
            }
        }
        #expect(tracker.made == 20)
        #expect(Tracker.count(services) == 20)
    }

    @Test func referencesInArgumentsAreReleased() {
        let arguments = Tracker()
        container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, key: CountedArgument, _: String) in
            tracker.make(key.number)
        }
        for number in 0..<10 {
            _ = resolveOften {
                container.resolve(Tracked.self, arguments: CountedArgument(number, arguments), "text")
            }
        }
        #expect(arguments.live == 10)
        container.removeAll()
        expectGone(arguments)
        expectGone(tracker)
    }

    // MARK: User code

    @Test func equalityMayRemoveAndResolve() {
        // A removal waits for read sections, so in a read section it would wait for itself.
        let didCompare: @Sendable () -> Void = { [container] in
            let registration = container.register("other", for: String.self)
            #expect(container.resolve(String.self) == "other")
            container.remove(registration)
        }
        container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, key: Watching) in tracker.make(key.number) }
        for number in 0..<3 {
            let service = resolveOften {
                container.resolve(Tracked.self, arguments: Watching(number: number, didCompare: didCompare))
            }
            #expect(service.number == number)
        }
        #expect(tracker.made == 3)
        // The arguments retain their container.
        container.removeAll()
    }

    @Test func instanceMayLeaveDuringAComparison() {
        let arguments = Tracker()
        let (isBlocking, isComparing, isDone) = (Locked(false), Signal(), Signal())
        container.register(Tracked.self, lifetime: .keyed(limit: 1)) {
            [tracker] (_, key: Watching, _: CountedArgument) in
            tracker.make(key.number)
        }
        @Sendable func resolve(_ number: Int) -> Tracked {
            container.resolve(
                Tracked.self,
                arguments: Watching(number: number) {
                    guard number == 1, isBlocking.withLock({ exchange(&$0, with: false) }) else { return }
                    isComparing.raise()
                    #expect(isDone.wait())
                }, CountedArgument(number, arguments))
        }
        _ = resolveOften { resolve(1) }
        isBlocking.withLock { $0 = true }
        let result = Locked<Tracked?>(nil)
        let thread = RealThread {
            let service = resolve(1)
            result.withLock { $0 = service }
        }
        #expect(isComparing.wait())
        for number in 2..<5 { #expect(resolve(number).number == number) }
        isDone.raise()
        thread.join()
        #expect(result.take()?.number == 1)
        container.removeAll()
        expectGone(tracker)
        expectGone(arguments)
    }

    // MARK: Which instance is found

    @Test func newestRegistrationIsFound() {
        func register(_ number: Int, _ lifetime: Lifetime) -> ServiceRegistration<Tracked> {
            container.register(Tracked.self, lifetime: lifetime) { [tracker] (_, _: Int) in tracker.make(number) }
        }
        func resolve() -> Int? { container.optionalResolve(Tracked.self, arguments: 7)?.number }
        let child = container.makeChild()
        var registrations: [ServiceRegistration<Tracked>] = []
        for (number, lifetime) in [Lifetime.keyed, .transient, .keyed(limit: 1), .weak].enumerated() {
            registrations.append(register(number, lifetime))
            for _ in 0..<4 {
                #expect(resolve() == number)
                #expect(child.resolve(Tracked.self, arguments: 7).number == number)
            }
        }
        for number in (0..<4).reversed() {
            for _ in 0..<4 { #expect(resolve() == number) }
            container.remove(registrations.removeLast())
        }
        #expect(resolve() == nil)
    }

    @Test func valuesWithOneHashAreAllFound() {
        container.register(Tracked.self, lifetime: .keyed) { [tracker] (_, key: Watching) in tracker.make(key.number) }
        let services = (0..<50).map { number in
            resolveOften { container.resolve(Tracked.self, arguments: Watching(number: number) {}) }
        }
        #expect(services.map(\.number) == Array(0..<50))
        #expect(tracker.made == 50)
    }

    @Test func instancesOfCachedValuesAreFoundUntilTheReset() {
        let scope = DependencyScope("scope")
        container.register(Tracked.self, lifetime: .cached(in: scope)) { [tracker] (_, number: Int) in
            tracker.make(number)
        }
        var last: Tracked?
        for _ in 0..<3 {
            let service = resolveOften { container.resolve(Tracked.self, arguments: 1) }
            #expect(service !== last)
            last = service
            scope.reset()
        }
        #expect(tracker.made == 3)
    }

    @Test func asynchronousLookupsFindTheSameInstances() async throws {
        container.register(Tracked.self, lifetime: .keyed(limit: 2)) { [tracker] (_, number: Int) async in
            tracker.make(number)
        }
        for number in 0..<3 {
            let first = try await container.asyncResolve(Tracked.self, arguments: number)
            for _ in 0..<3 {
                #expect(try await container.asyncResolve(Tracked.self, arguments: number) === first)
                #expect(container.resolve(Tracked.self, arguments: number) === first)
            }
        }
        #expect(tracker.made == 3)
    }

    /// Threads look values up while instances leave and registrations come and go.
    @Test(arguments: threadCounts) func lookupsMayRaceWithEverything(threads: Int) {
        let ends = Locked<Set<Int>>([])
        let made = Locked(0)
        @Sendable func register(_ limit: Int) -> ServiceRegistration<Tracked> {
            container.register(Tracked.self, lifetime: .keyed(limit: limit)) { [tracker] (_, text: String) in
                tracker.make(made.next() * 100 + text.utf8.count)
            } onDispose: { service in
                check(ends.withLock { $0.insert(service.number).inserted })
            }
        }
        let base = register(3)
        runThreads(threads + 1) { [container] index in
            for round in 0..<rounds(5000) {
                if index == threads {
                    let registration = register(1 + round % 4)
                    for length in 0..<3 {
                        _ = container.resolve(Tracked.self, arguments: String(repeating: "x", count: length))
                    }
                    container.remove(registration)
                    continue
                }
                let length = (round / 3 + index) % 20
                let before = ends.current
                let service = container.resolve(Tracked.self, arguments: String(repeating: "x", count: length))
                check(service.isIntact && service.number % 100 == length)
                // It had not left when the call began.
                check(!before.contains(service.number))
            }
        }
        container.remove(base)
        check(ends.current.count == made.current)
    }
}
