public import Hopoate
import Synchronization

/// A part of every instance that is tracked: as many are alive as of these.
public final class Life: Sendable {
    private static let count = Atomic<Int>(0)
    /// A second block on the heap, so that a leak is one of two.
    private let weight = [1, 2, 3]

    /// One more instance is alive.
    public init() { Self.count.add(1, ordering: .relaxed) }

    deinit { Self.count.subtract(1, ordering: .relaxed) }

    /// How many are alive.
    public static var alive: Int { count.load(ordering: .relaxed) }
}

/// The containers that were made, as long as they are alive.
public enum Ledger {
    private struct Entry {
        weak var container: DependencyContainer?
    }

    private static let entries = Mutex<[Entry]>([])

    /// Notes a container.
    public static func add(_ container: DependencyContainer) -> DependencyContainer {
        entries.withLock { $0.append(Entry(container: container)) }
        return container
    }

    /// How many containers are alive.
    public static var alive: Int { entries.withLock { $0.count { $0.container != nil } } }

    /// Forgets all containers. Even a weak reference is a path by which the leak checker reaches an object, so none may be
    /// left when it looks.
    public static func forget() { entries.withLock { $0 = [] } }

    /// Waits until no more is alive than at an earlier moment, `patience` at most: tasks may still be about to end.
    ///
    /// - Returns: What is alive after that; nil for nothing.
    public static func leftovers(since mark: Mark) async -> String? {
        let limit = ContinuousClock.now + patience
        while true {
            let instances = Life.alive - mark.instances
            let containers = alive - mark.containers
            if instances <= 0 && containers <= 0 { return nil }
            if ContinuousClock.now > limit { return "\(instances) instances and \(containers) containers are alive" }
            try? await Task.sleep(for: .milliseconds(1))
        }
    }

    /// How much is alive now.
    public static var mark: Mark { Mark(instances: Life.alive, containers: alive) }

    /// How much was alive at a moment.
    public struct Mark: Sendable {
        fileprivate let instances: Int
        fileprivate let containers: Int
    }

    /// Far more than tasks take that are about to end, and little for what never ends.
    private static let patience = Duration.seconds(3)
}

extension DependencyContainer {
    /// Makes a container that the ledger knows.
    public static func tracked() -> DependencyContainer { Ledger.add(DependencyContainer()) }

    /// Makes a child that the ledger knows.
    public func makeTrackedChild() -> DependencyContainer { Ledger.add(makeChild()) }
}
