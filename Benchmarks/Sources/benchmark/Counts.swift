import CCounters

extension Subject {
    /// Returns the bytes that one operation allocates, in calls of `malloc` and its family; nil if they cannot be counted. Each byte counts,
    /// also if it is freed before the end of the operation.
    ///
    /// It is the difference between two runs of different length, so that one-time costs do not count.
    func allocatedBytes() -> Double? {
        guard counters_count_allocations() else { return nil }
        let sum = Total()
        Threads.run(1) { _ in
            _ = nanoseconds(Self.few)
            let start = counters_read().bytes
            _ = nanoseconds(Self.few)
            let middle = counters_read().bytes
            _ = nanoseconds(2 * Self.few)
            sum.add(counters_read().bytes &- middle &- (middle &- start))
        }
        return Double(sum.sum) / Double(Self.few)
    }

    private static var few: Int { 100 }
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

    /// Counts on a thread of its own that has used the library before. Each count is the difference between two runs of different
    /// length, so that one-time costs do not count.
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
        let sum = Totals()
        // Sound, because the caller retains the object.
        counters_watch(Unmanaged.passUnretained(object).toOpaque())
        Threads.run(1) { _ in
            _ = subject.nanoseconds(iterations)
            _ = counters_count_references(true)
            let start = counters_read()
            _ = subject.nanoseconds(iterations)
            let middle = counters_read()
            _ = subject.nanoseconds(2 * iterations)
            let end = counters_read()
            _ = counters_count_references(false)
            sum.add(end - middle - (middle - start))
        }
        counters_watch(nil)
        let count = Double(iterations)
        return (
            Double(sum.allocations.sum) / count, Double(sum.watched.sum) / count, Double(sum.others.sum) / count
        )
    }

    private final class Totals: Sendable {
        let allocations = Total()
        let watched = Total()
        let others = Total()

        func add(_ counted: counters) {
            allocations.add(counted.allocations)
            watched.add(counted.watched_retains)
            others.add(counted.other_retains)
        }
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
