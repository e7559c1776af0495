public import Hopoate
import Synchronization

/// A part of every tracked instance, which counts living instances.
public final class Life: Sendable {
    private static let count = Atomic<Int>(0)
    /// A second heap block, so that a leaked instance is two leaks.
    private let weight = [1, 2, 3]

    /// Counts one more instance.
    public init() { Self.count.add(1, ordering: .relaxed) }

    deinit { Self.count.subtract(1, ordering: .relaxed) }

    /// The number of living instances.
    public static var alive: Int { count.load(ordering: .relaxed) }
}

/// The containers that were created, as long as they are alive.
public enum Ledger {
    private struct Entry {
        weak var container: DependencyContainer?
    }

    private static let entries = Mutex<[Entry]>([])

    /// Tracks a container.
    public static func add(_ container: DependencyContainer) -> DependencyContainer {
        entries.withLock { $0.append(Entry(container: container)) }
        return container
    }

    /// The number of living containers.
    public static var alive: Int { entries.withLock { $0.count { $0.container != nil } } }

    /// Forgets all containers. The leak checker reaches objects through weak references, too, so none may be left when it runs.
    public static func forget() { entries.withLock { $0 = [] } }

    /// Waits until no more objects are alive than at an earlier moment, but at most for `patience`, because tasks may still be
    /// ending.
    ///
    /// - Returns: A description of the remaining objects, or nil if there are none.
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

    /// The current number of living objects.
    public static var mark: Mark { Mark(instances: Life.alive, containers: alive) }

    /// The number of living objects at a moment.
    public struct Mark: Sendable {
        fileprivate let instances: Int
        fileprivate let containers: Int
    }

    /// Much longer than ending tasks take, and short for objects that never end.
    private static let patience = Duration.seconds(3)
}

extension DependencyContainer {
    /// Returns a new tracked container.
    public static func tracked() -> DependencyContainer { Ledger.add(DependencyContainer()) }

    /// Returns a new tracked child.
    public func makeTrackedChild() -> DependencyContainer { Ledger.add(makeChild()) }
}
