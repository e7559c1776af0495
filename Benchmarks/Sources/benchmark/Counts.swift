import CCounters
import Synchronization

extension Subject {
    /// Returns the bytes that one operation allocates, in calls of `malloc` and its family; nil if they cannot be counted. Each byte counts,
    /// also if it is freed before the end of the operation.
    func allocatedBytes() -> Double? {
        let iterations = 100
        return counters_count_allocations() ? Double(counted(iterations).bytes) / Double(iterations) : nil
    }

    /// Counts operations on a thread of its own that has used the library before. The counts are the difference between two runs of different
    /// length, so that one-time costs do not count.
    fileprivate func counted(_ iterations: Int, withReferences: Bool = false) -> counters {
        let difference = Mutex(counters())
        Threads.run(1) { _ in
            _ = nanoseconds(iterations)
            if withReferences { _ = counters_count_references(true) }
            let start = counters_read()
            _ = nanoseconds(iterations)
            let middle = counters_read()
            _ = nanoseconds(2 * iterations)
            let end = counters_read()
            if withReferences { _ = counters_count_references(false) }
            difference.withLock { $0 = end - middle - (middle - start) }
        }
        return difference.withLock { $0 }
    }
}

/// The allocations, retains and releases of one operation. Whole numbers if each operation does the same.
struct Counts: Sendable {
    var allocations = 0.0
    /// Retains of the resolved service, of the shared container, and of any other object.
    var serviceRetains = 0.0
    var containerRetains = 0.0
    var otherRetains = 0.0

    /// Whether allocations and references can be counted here.
    static var canBeTaken: Bool { counters_count_allocations() && counters_count_references(false) }

    /// Counts one operation, and the references to two objects.
    static func of(_ subject: Subject, service: AnyObject, container: AnyObject) -> Counts {
        let watchedService = perOperation(subject, watching: service)
        let watchedContainer = perOperation(subject, watching: container)
        return Counts(
            allocations: watchedService.allocations, serviceRetains: watchedService.watched,
            containerRetains: watchedContainer.watched,
            otherRetains: watchedService.others - watchedContainer.watched)
    }

    private static let iterations = 1000

    private static func perOperation(
        _ subject: Subject, watching object: AnyObject
    ) -> (allocations: Double, watched: Double, others: Double) {
        // Sound, because the caller retains the object.
        counters_watch(Unmanaged.passUnretained(object).toOpaque())
        let counted = subject.counted(iterations, withReferences: true)
        counters_watch(nil)
        let count = Double(iterations)
        return (
            Double(counted.allocations) / count, Double(counted.watched_retains) / count,
            Double(counted.other_retains) / count
        )
    }
}

/// The counts between two readings.
private func - (later: counters, earlier: counters) -> counters {
    counters(
        allocations: later.allocations &- earlier.allocations, bytes: later.bytes &- earlier.bytes,
        watched_retains: later.watched_retains &- earlier.watched_retains,
        other_retains: later.other_retains &- earlier.other_retains,
        watched_releases: later.watched_releases &- earlier.watched_releases,
        other_releases: later.other_releases &- earlier.other_releases)
}
