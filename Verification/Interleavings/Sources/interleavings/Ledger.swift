import CScheduler

/// What became of the instances of one schedule. Its variables are global, so that deinitializers find them.
enum Ledger {
    struct Entry {
        /// Whether a container owns the instance, and so disposes of it once.
        let isOwned: Bool
        /// Which factory made it.
        let origin: Int
        var disposals = 0
        var hasEnded = false
    }

    // Only the strand that has the baton uses it.
    nonisolated(unsafe) static var entries: [Entry] = []

    /// Whether all instances have ended.
    static var allEnded: Bool { entries.allSatisfy(\.hasEnded) }

    /// The instances that a factory made for a container to own.
    static func owned(origin: Int? = nil) -> [Int] {
        entries.indices.filter { entries[$0].isOwned && entries[$0].origin == origin ?? entries[$0].origin }
    }

    static func dispose(_ number: Int) {
        expect(!entries[number].hasEnded, "a disposal hook got an instance that has ended")
        entries[number].disposals += 1
        expect(entries[number].disposals == 1, "an instance was disposed of twice")
    }

    /// Checks that every instance of a container was disposed of once.
    static func expectDisposals(of numbers: [Int], _ what: String) {
        for number in numbers { expect(entries[number].disposals == 1, what) }
    }

    /// Checks that instances which no container and no caller holds were disposed of once, and have ended.
    static func expectLetGo(_ numbers: [Int]) {
        expectDisposals(of: numbers, "an instance that the container does not hand out any more was not disposed of")
        for number in numbers {
            expect(entries[number].hasEnded, "an instance that the container does not hand out any more is still alive")
        }
    }
}

/// A service. The tag tells types of services apart.
final class Instance<Tag>: Sendable {
    let number: Int
    let origin: Int
    /// What its factory resolved.
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

/// Ends the process with a finding unless the condition holds.
func expect(_ condition: @autoclosure () -> Bool, _ what: @autoclosure () -> String) {
    if !condition() { schedule_finding(what()) }
}

/// A point in the code of a user: another strand may go on here.
func pause() { schedule_point() }
