import CScheduler

/// The instances of one schedule, with their disposals. Its variables are global, so that deinitializers find them.
enum Ledger {
    struct Entry {
        /// Whether a container owns the instance, so that it must dispose of it once.
        let isOwned: Bool
        /// A number for the factory that created it.
        let origin: Int
        var disposals = 0
        var hasEnded = false
    }

    // Only the strand that has the baton uses it.
    nonisolated(unsafe) static var entries: [Entry] = []

    /// Whether all instances were deinitialized.
    static var allEnded: Bool { entries.allSatisfy(\.hasEnded) }

    /// The instances that a factory created and a container owns.
    static func owned(origin: Int? = nil) -> [Int] {
        entries.indices.filter { entries[$0].isOwned && entries[$0].origin == origin ?? entries[$0].origin }
    }

    static func dispose(_ number: Int) {
        expect(!entries[number].hasEnded, "a disposal hook got an instance that has ended")
        entries[number].disposals += 1
        expect(entries[number].disposals == 1, "an instance was disposed of twice")
    }

    /// Checks that each of these instances was disposed of once.
    static func expectDisposals(of numbers: [Int], _ what: String) {
        for number in numbers { expect(entries[number].disposals == 1, what) }
    }

    /// Checks that instances without a reference from a container or a caller were disposed of once and deinitialized.
    static func expectLetGo(_ numbers: [Int]) {
        expectDisposals(of: numbers, "an instance that the container does not hand out any more was not disposed of")
        for number in numbers {
            expect(entries[number].hasEnded, "an instance that the container does not hand out any more is still alive")
        }
    }
}

/// A service. The tag makes different types of services.
final class Instance<Tag>: Sendable {
    let number: Int
    let origin: Int
    /// The service that its factory resolved.
    let part: (any Sendable)?

    init(owned: Bool = false, origin: Int = 0, part: (any Sendable)? = nil) {
        number = Ledger.entries.count
        self.origin = origin
        self.part = part
        Ledger.entries.append(Ledger.Entry(isOwned: owned, origin: origin))
    }

    deinit {
        expect(!Ledger.entries[number].hasEnded, "an instance ended twice")
        Ledger.entries[number].hasEnded = true
    }
}

enum First {}
enum Second {}
typealias Service = Instance<First>
typealias Other = Instance<Second>

/// Reports a finding and exits unless the condition holds.
func expect(_ condition: @autoclosure () -> Bool, _ what: @autoclosure () -> String) {
    if !condition() { schedule_finding(what()) }
}

/// A schedule point in user code: another strand may run here.
func pause() { schedule_point() }
