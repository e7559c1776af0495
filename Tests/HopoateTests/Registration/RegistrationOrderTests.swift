import Hopoate
import Testing

/// The order of `registrations`, and of `resolveAll` with named services.
@Suite(.mayBlock) struct RegistrationOrderTests {
    let container = DependencyContainer()

    /// The places of all registrations.
    private func places(in container: DependencyContainer) -> [String?] { container.registrations.map(\.place) }

    private func register(_ number: Int, named name: DependencyName? = nil, replacing: Bool = false) {
        container.register(
            number, for: Int.self, named: name, replacing: replacing, fileID: "Order.swift", line: UInt(number))
    }

    // MARK: registrations

    @Test func registrationsAreListedInTheOrderOfRegistration() {
        register(1, named: "z")
        container.register(String.self, fileID: "Order.swift", line: 2) { (_, number: Int) in "\(number)" }
        register(3)
        container.register(Double.self, fileID: "Order.swift", line: 4) { _ in 4 }
        register(5, named: "a")
        register(6)
        #expect(places(in: container) == (1...6).map { "Order.swift:\($0)" })
        #expect(container.registrations.map(\.isHidden) == [false, false, true, false, false, false])
    }

    @Test func replacingRegistrationCountsFromItsOwnAddition() {
        register(1)
        register(2)
        register(3, named: "a")
        register(4, replacing: true)
        #expect(places(in: container) == ["Order.swift:3", "Order.swift:4"])
    }

    @Test func removedRegistrationLeavesTheOrderOfTheOthers() {
        register(1)
        let second = container.register(2, for: Double.self, fileID: "Order.swift", line: 2)
        register(3)
        container.remove(second)
        register(4, named: "a")
        #expect(places(in: container) == ["Order.swift:1", "Order.swift:3", "Order.swift:4"])
        container.removeAll()
        register(5)
        #expect(places(in: container) == ["Order.swift:5"])
    }

    @Test func registrationsOfParentsAreListedAfterThoseOfTheChild() {
        register(1)
        let child = container.makeChild()
        child.register(2, for: Double.self, fileID: "Order.swift", line: 2)
        register(3)
        child.register(4, for: Double.self, fileID: "Order.swift", line: 4)
        #expect(
            places(in: child) == ["Order.swift:2", "Order.swift:4", "Order.swift:1", "Order.swift:3"])
    }

    @Test func decoratedServicesAndAliasesAreListedInTheirPlace() {
        register(1)
        container.forward(Double.self, to: Int.self, fileID: "Order.swift", line: 2) { Double($0) }
        container.decorate(Int.self, fileID: "Order.swift", line: 3) { inner, _ in inner }
        #expect(places(in: container) == ["Order.swift:1", "Order.swift:2", "Order.swift:3"])
    }

    @Test(arguments: threadCounts) func racingRegistrationsAreListedAsTheyShadowEachOther(threads: Int) {
        let count = rounds(50)
        runThreads(threads) { [container] index in
            for round in 0..<count {
                let number = index * count + round
                container.register(number, for: Int.self, fileID: "Order.swift", line: UInt(number))
                container.register("", for: String.self, fileID: "Other.swift", line: UInt(number))
            }
        }
        let all = container.registrations
        let numbers = all.filter { $0.service == Int.self }
        let expected = container.resolveAll(Int.self).reversed().map { "Order.swift:\($0)" }
        #expect(numbers.map(\.place) == expected)
        #expect(numbers.map(\.isHidden) == Array(repeating: true, count: numbers.count - 1) + [false])
        // Each thread's own registrations, over both types, in the order of its calls.
        for index in 0..<threads {
            let own = index * count..<(index + 1) * count
            let places = Set(own.flatMap { ["Order.swift:\($0)", "Other.swift:\($0)"] })
            #expect(
                all.compactMap(\.place).filter(places.contains)
                    == own.flatMap { ["Order.swift:\($0)", "Other.swift:\($0)"] })
        }
    }

    // MARK: resolveAll

    @Test func resolveAllWithNamedServicesReturnsTheNewestFirst() {
        register(1, named: "z")
        register(2)
        register(3, named: "a")
        register(4)
        register(5, named: "z")
        container.register(Int.self) { (_, number: Int) in number }
        container.register("x", for: String.self)
        #expect(container.resolveAll(Int.self, includingNamed: true) == [5, 4, 3, 2, 1])
        #expect(container.resolveAll(Int.self, includingNamed: false) == [4, 2])
        #expect(container.resolveAll(Double.self, includingNamed: true).isEmpty)
    }

    @Test func resolveAllWithNamedServicesReturnsThoseOfParentsLast() {
        register(1, named: "a")
        let child = container.makeChild()
        child.register(2, for: Int.self)
        register(3)
        child.register(4, for: Int.self, named: "a")
        #expect(child.makeChild().resolveAll(Int.self, includingNamed: true) == [4, 2, 3, 1])
        #expect(container.resolveAll(Int.self, includingNamed: true) == [3, 1])
    }

    @Test func resolveAllWithNamedServicesCreatesMissingInstances() throws {
        let tracker = Tracker()
        container.register(Tracked.self, named: "singleton") { _ in tracker.make(1) }
        container.register(Tracked.self, named: "scoped", lifetime: .scoped) { _ in tracker.make(2) }
        container.hopoate1.register(service: Tracked.self, cacheService: false) { tracker.make(3) }
        let child = container.makeChild()
        let services = child.resolveAll(Tracked.self, includingNamed: true)
        try #require(services.map(\.number) == [3, 2, 1])
        #expect(services[1] === child.resolve(Tracked.self, named: "scoped"))
        #expect(services[2] === container.resolve(Tracked.self, named: "singleton"))
        #expect(child.resolveAll(Tracked.self, includingNamed: true).count == 3)
        #expect(tracker.made == 4)
    }

    @Test func factoryMayRegisterWhileAllAreResolved() {
        container.register(Int.self, named: "a") { container in
            container.register(2, for: Int.self, named: "b")
            return 1
        }
        #expect(container.resolveAll(Int.self, includingNamed: true) == [1])
        #expect(container.resolveAll(Int.self, includingNamed: true) == [2, 1])
    }
}
