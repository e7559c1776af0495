import Hopoate
import Testing

/// Where child containers keep their instances of scoped services: in slots, by the index of the registration, or else in a table.
///
/// Callers must not see the difference.
@Suite(.mayBlock) struct ScopeSlotTests {
    let container = DependencyContainer()
    let tracker = Tracker()

    @Test func childHasASlotForEachScopedRegistrationBeforeIt() {
        let early = container.makeChild()
        container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in tracker.make() }
        container.register(Int.self, lifetime: .scoped) { _ in 7 }
        container.register(String.self, lifetime: .singleton) { _ in "" }
        let late = container.makeChild()
        #expect(early.scopeSlots == 0 && late.scopeSlots == 2 && late.makeChild().scopeSlots == 2)
        for child in [early, late, late.makeChild()] {
            #expect(child.resolve(Tracked.self) === child.resolve(Tracked.self) && child.resolve(Int.self) == 7)
        }
        #expect(tracker.made == 3)
    }

    @Test func indicesOfRemovedRegistrationsAreUsedAgain() {
        for number in 0..<1_000 {
            let token = container.register(Int.self, lifetime: .scoped) { _ in number }
            let child = container.makeChild()
            #expect(child.resolve(Int.self) == number)
            container.remove(token)
        }
        #expect(container.makeChild().scopeSlots <= 2)
    }

    /// The old child keeps the slot for the removed registration, so the new one goes to its table.
    @Test func registrationWithAUsedIndexIsKeptApart() {
        let old: DependencyContainer
        do {
            let token = container.register(Int.self, lifetime: .scoped) { _ in 1 }
            old = container.makeChild()
            #expect(old.resolve(Int.self) == 1)
            container.remove(token)
        }
        container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in tracker.make(2) }
        let new = container.makeChild()
        #expect(new.scopeSlots == 1)
        for child in [old, new] {
            #expect(child.resolve(Tracked.self) === child.resolve(Tracked.self))
            #expect(child.resolve(Tracked.self).number == 2 && child.optionalResolve(Int.self) == nil)
        }
        #expect(tracker.made == 2)
    }

    /// Both give out the index 0: the container in the middle was made before its parent had a scoped service.
    @Test func registrationsOfTwoContainersWithOneIndexAreKeptApart() {
        let middle = container.makeChild()
        middle.register(Int.self, lifetime: .scoped) { _ in 7 }
        container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in tracker.make() }
        for isFirst in [true, false] {
            let child = middle.makeChild()
            #expect(child.scopeSlots == 1)
            if isFirst { #expect(child.resolve(Int.self) == 7) }
            #expect(child.resolve(Tracked.self) === child.resolve(Tracked.self))
            #expect(child.resolve(Int.self) == 7)
        }
        #expect(tracker.made == 2)
    }

    // MARK: Registrations that have ended

    /// A child that outlives many registrations. One of them owns the slot, and the instances of the others are in the table.
    @Test func childKeepsFewInstancesOfRemovedRegistrations() {
        let child = container.makeChild()
        let other = Tracker()
        container.register(Tracked.self, named: "kept", lifetime: .scoped) { _ in other.make() }
        let kept = child.resolve(Tracked.self, named: "kept")
        var most = 0
        for number in 0..<2_000 {
            let token = container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in tracker.make(number) }
            #expect(child.resolve(Tracked.self).number == number)
            container.remove(token)
            most = max(most, tracker.live)
        }
        #expect(tracker.made == 2_000)
        #expect(most <= 40)
        #expect(child.resolve(Tracked.self, named: "kept") === kept && other.made == 1)
    }

    @Test func childKeepsFewTablesOfRemovedRegistrations() {
        let child = container.makeChild()
        var most = 0
        for number in 0..<500 {
            let token = container.register(Tracked.self, lifetime: .scoped) { [tracker] (_, factor: Int) in
                tracker.make(number * factor)
            }
            for factor in 1...3 { #expect(child.resolve(Tracked.self, arguments: factor).number == number * factor) }
            container.remove(token)
            most = max(most, tracker.live)
        }
        #expect(tracker.made == 1_500)
        #expect(most <= 3 * 40)
    }

    /// A hook is due at the end of the child, so the instance stays until then.
    @Test func instancesWithHooksStayToTheEndOfTheChild() async throws {
        let ends = Locked<[Int]>([])
        let child = container.makeChild()
        for number in 0..<100 {
            let token = container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in
                tracker.make(number)
            } onDispose: { service in
                ends.withLock { $0.append(service.number) }
            }
            #expect(child.resolve(Tracked.self).number == number)
            container.remove(token)
        }
        #expect(tracker.live == 100 && ends.current == [])
        try await child.shutdown()
        #expect(ends.current == (0..<100).reversed())
    }

    /// A token keeps its registration, and so do a thousand others that are still there.
    @Test func instancesOfRegistrationsThatExistStay() {
        let child = container.makeChild()
        let names = (0..<1_000).map { DependencyName("\($0)") }
        for (number, name) in names.enumerated() {
            container.register(Tracked.self, named: name, lifetime: .scoped) { [tracker] _ in tracker.make(number) }
        }
        let services = names.map { child.resolve(Tracked.self, named: $0) }
        for number in 0..<3_000 {
            let token = container.register(Int.self, lifetime: .scoped) { _ in number }
            #expect(child.resolve(Int.self) == number)
            container.remove(token)
        }
        #expect(tracker.made == 1_000)
        for (name, service) in zip(names, services) { #expect(child.resolve(Tracked.self, named: name) === service) }
    }

    @Test(arguments: threadCounts) func registrationsMayEndWhileThreadsResolve(threads: Int) {
        let child = container.makeChild()
        runThreads(threads) { [self] index in
            let name = DependencyName("\(index)")
            for number in 0..<rounds(500) {
                let token = container.register(Tracked.self, named: name, lifetime: .scoped) { [tracker] _ in
                    tracker.make(number)
                }
                let service = child.resolve(Tracked.self, named: name)
                check(service.number == number && service.isIntact)
                check(child.resolve(Tracked.self, named: name) === service)
                container.remove(token)
            }
        }
        #expect(tracker.made == threads * rounds(500))
        child.removeAll()
        expectGone(tracker)
    }

    // MARK: Many slots

    @Test func manyScopedServicesAreKeptApart() {
        for number in 0..<1_500 {
            let name = DependencyName("\(number)")
            container.register(Tracked.self, named: name, lifetime: .scoped) { [tracker] _ in tracker.make(number) }
        }
        let child = container.makeChild()
        for _ in 0..<2 {
            for number in 0..<1_500 {
                #expect(child.resolve(Tracked.self, named: DependencyName("\(number)")).number == number)
            }
        }
        #expect(tracker.made == 1_500)
        #expect(child.scopeSlots <= 1_024)
    }

    /// Beyond the first 32 slots, a child makes further ones on first use.
    @Test(arguments: threadCounts)
    func everyThreadGetsTheOneInstanceInAFurtherSlot(threads: Int) {
        let names = (0..<100).map { DependencyName("\($0)") }
        for (number, name) in names.enumerated() {
            container.register(Tracked.self, named: name, lifetime: .scoped) { [tracker] _ in tracker.make(number) }
        }
        for _ in 0..<rounds(100) {
            let child = container.makeChild()
            let made = tracker.made
            let services = race(threads) { index in
                // All threads make the chunks of the same slots.
                (32..<100).map { child.resolve(Tracked.self, named: names[($0 + index) % 68 + 32]).number }.sorted()
            }
            check(services.allSatisfy { $0 == Array(32..<100) } && tracker.made == made + 68)
            child.removeAll()
        }
        expectGone(tracker)
    }

    @Test(arguments: threadCounts)
    func everyThreadGetsTheOneInstance(threads: Int) {
        for _ in 0..<rounds(200) {
            let tracker = Tracker()
            let container = DependencyContainer()
            let middle = container.makeChild()
            container.register(Tracked.self, lifetime: .scoped) { _ in tracker.make() }
            middle.register(Int.self, lifetime: .scoped) { _ in 7 }
            // The threads also race for the slot of index 0.
            let child = middle.makeChild()
            let services = race(threads) { index in
                if index % 2 == 0 { check(child.resolve(Int.self) == 7) }
                return child.resolve(Tracked.self)
            }
            check(Tracker.count(services) == 1 && tracker.made == 1)
        }
    }

    @Test func failedCreationIsRepeated() throws {
        let attempts = Locked(0)
        container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt <= 2 { throw Refusal.first }
            return tracker.make()
        }
        let child = container.makeChild()
        for _ in 0..<2 {
            #expect(throws: DependencyError.self) { try child.require(Tracked.self) }
        }
        #expect(try child.require(Tracked.self) === child.require(Tracked.self))
        #expect(attempts.current == 3 && tracker.made == 1)
    }

    @Test func cycleInAChildIsReported() {
        container.register(Int.self, lifetime: .scoped) { Int(try $0.require(String.self)) ?? 0 }
        container.register(String.self, lifetime: .scoped) { String(try $0.require(Int.self)) }
        let child = container.makeChild()
        let error = #expect(throws: DependencyError.self) { try child.require(Int.self) }
        #expect(error?.reason == .circular)
        #expect(error?.chain == ["Swift.Int", "Swift.String", "Swift.Int"])
    }

    @Test func instanceOfAContainerThatWasShutDownMeanwhileIsReleased() {
        container.register(Tracked.self, lifetime: .scoped) { [tracker] container in
            try container.shutdownWithoutAwaitingHooks()
            return tracker.make()
        }
        let child = container.makeChild()
        let error = #expect(throws: DependencyError.self) { try child.require(Tracked.self) }
        #expect(error?.reason == .shutDown && tracker.made == 1)
        expectGone(tracker)
    }

    @Test func instanceIsReleasedWhenItsChildIsEmptied() {
        container.register(Tracked.self, lifetime: .scoped) { [tracker] _ in tracker.make() }
        let child = container.makeChild()
        let number = child.resolve(Tracked.self).number
        child.removeAll()
        expectGone(tracker)
        #expect(child.resolve(Tracked.self).number == number && tracker.made == 2)
    }

    @Test func instanceThatWaitsForItsCompletionIsTheOneInstance() {
        // Unchecked, because one thread uses them.
        final class Node: @unchecked Sendable { var other: Node? }
        struct Other { let node: Node }
        container.register(Node.self, lifetime: .scoped) { _ in
            Node()
        } afterCreation: { node, container in
            node.other = container.resolve(Other.self).node
        }
        container.register(Other.self, lifetime: .scoped) { Other(node: $0.resolve(Node.self)) }
        for first in [true, false] {
            let child = container.makeChild()
            let other = first ? nil : child.resolve(Other.self)
            let node = child.resolve(Node.self)
            #expect(node.other === node && child.resolve(Other.self).node === node)
            if let other { #expect(other.node === node) }
            node.other = nil
        }
    }

    @Test func asynchronousFactoryFillsASlot() async throws {
        container.register(Tracked.self, lifetime: .scoped) { [tracker] _ async in
            await Task.yield()
            return tracker.make()
        }
        let child = container.makeChild()
        async let one = child.asyncResolve(Tracked.self)
        async let two = child.asyncResolve(Tracked.self)
        let services = try await [one, two]
        #expect(services[0] === services[1] && child.resolve(Tracked.self) === services[0])
        #expect(tracker.made == 1)
    }

    /// Values of any size and alignment fit into a slot.
    @Test func valuesOfAnySizeAreKept() {
        struct Empty {}
        struct Large: Equatable { var words = (0..<64).reduce(into: SIMD64<UInt8>()) { $0[$1] = UInt8($1) }, last = 9 }
        container.register(Empty.self, lifetime: .scoped) { _ in Empty() }
        container.register(UInt8.self, lifetime: .scoped) { _ in 200 }
        container.register(Large.self, lifetime: .scoped) { _ in Large() }
        container.register(SIMD4<Double>.self, lifetime: .scoped) { _ in [1, 2, 3, 4] }
        container.register((any Sendable)?.self, lifetime: .scoped) { _ in "text" }
        for child in [container.makeChild(), container.makeChild()] {
            for _ in 0..<2 {
                _ = child.resolve(Empty.self)
                #expect(child.resolve(UInt8.self) == 200 && child.resolve(Large.self) == Large())
                #expect(child.resolve(SIMD4<Double>.self) == [1, 2, 3, 4])
                #expect(child.resolve((any Sendable)?.self) as? String == "text")
            }
        }
    }
}
