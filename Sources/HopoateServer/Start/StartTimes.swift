// The critical path of a warm-up: the chain of creations that determined its length.
//
// The search goes back in time, from the end of the creation that ended last:
//
// - A creation that waited for another one could go on when that one had ended. So the last wait before the time in question leads on.
// - A creation without such a wait began when it could. If it began inside another one, that one had come so far; the search continues
//   there, at that time. Otherwise it began when the end of another creation let it start: a dependency had to exist, or a place among those
//   that run at the same time had to be free.
//
// Each step goes to a creation that is not on the path yet, or outwards. So the search ends, also if all times are equal.

package import Hopoate

/// The times of the creations of a warm-up.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
package struct StartTimes {
    /// The creation of one singleton. Other creations are named by the numbers of their singletons.
    package struct Creation {
        let singleton: Int
        let registration: AnyServiceRegistration
        let start: Duration
        let end: Duration
        let waits: [(singleton: Int, start: Duration, end: Duration)]
        /// The creation inside which it began.
        let outer: Int?
        /// The creation whose end let it start.
        let cause: Int?

        package init(
            singleton: Int, registration: AnyServiceRegistration, start: Duration, end: Duration,
            waits: [(singleton: Int, start: Duration, end: Duration)] = [], outer: Int? = nil, cause: Int? = nil
        ) {
            self.singleton = singleton
            self.registration = registration
            self.start = start
            self.end = end
            self.waits = waits
            self.outer = outer
            self.cause = cause
        }
    }

    private let creations: [Creation]
    private let total: Duration
    /// The indices of the creations by their singletons.
    private let indices: [Int: Int]

    package init(_ creations: [Creation], total: Duration) {
        let sorted = creations.sorted { ($0.start, $0.singleton) < ($1.start, $1.singleton) }
        self.creations = sorted
        self.total = total
        var indices: [Int: Int] = [:]
        for (index, creation) in sorted.enumerated() { indices[creation.singleton] = index }
        self.indices = indices
    }

    package var report: DependencyStartReport {
        let entries = creations.map { creation in
            let waits = creation.waits.sorted { $0.start < $1.start }.compactMap { wait in
                indices[wait.singleton].map {
                    DependencyStartReport.Wait(creation: $0, start: wait.start, duration: wait.end - wait.start)
                }
            }
            let duration = creation.end - creation.start
            return DependencyStartReport.Creation(
                service: typeLabel(creation.registration.identity.type),
                name: creation.registration.identity.name?.text, place: creation.registration.place,
                start: creation.start, duration: duration, ownDuration: duration - waitingTime(of: creation),
                waits: waits)
        }
        return DependencyStartReport(creations: entries, total: total, criticalPath: criticalPath())
    }

    /// The time in which a creation waited for at least one other.
    private func waitingTime(of creation: Creation) -> Duration {
        var sum = Duration.zero
        var covered = creation.start
        for wait in creation.waits.sorted(by: { $0.start < $1.start }) {
            let end = min(wait.end, creation.end)
            guard end > covered else { continue }
            sum += end - max(wait.start, covered)
            covered = end
        }
        return sum
    }

    private func criticalPath() -> [Int] {
        // Of those that end at the same time, the one that began first: others may be inside it.
        let last = creations.indices.max { (creations[$0].end, $1) < (creations[$1].end, $0) }
        guard let last else { return [] }
        var path = [last]
        var known: Set<Int> = [last]
        var current = last
        var moment = creations[last].end
        while let (next, time) = step(from: current, at: moment, known) {
            if known.insert(next).inserted { path.append(next) }
            current = next
            moment = time
        }
        return path.reversed()
    }

    /// The creation that let another one come as far as it was at some time, and the time at which it did so.
    private func step(from index: Int, at moment: Duration, _ known: Set<Int>) -> (next: Int, time: Duration)? {
        let creation = creations[index]
        let wait = creation.waits.filter { wait in
            wait.end <= moment && indices[wait.singleton].map { !known.contains($0) } ?? false
        }.max { $0.end < $1.end }
        if let wait, let next = indices[wait.singleton] { return (next, min(wait.end, creations[next].end)) }
        if let outer = creation.outer { return indices[outer].map { ($0, creation.start) } }
        guard let cause = creation.cause.flatMap({ indices[$0] }), !known.contains(cause),
            creations[cause].end <= min(creation.start, moment)
        else { return nil }
        return (cause, creations[cause].end)
    }
}
