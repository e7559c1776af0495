import Synchronization

/// A sum that several threads add to.
final class Total: Sendable {
    private let value = Atomic<UInt64>(0)

    var sum: UInt64 { value.load(ordering: .relaxed) }

    func add(_ number: UInt64) { value.add(number, ordering: .relaxed) }
}
