import Hopoate

/// Records the creations of the singletons of one container, with their times, and cancels those that the warm-up has begun.
///
/// Invariants:
///
/// 1. `open` holds the creations that have begun and not ended. They are retained, so no other creation has the same address.
/// 2. A task is cancelled with no lock held, because cancellation handlers are user code. A creation that is adopted after the warm-up
///    was cancelled is cancelled at once: both take the lock, so one of them finds the other (the race of `adopt` and `cancelAll`).
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
final class StartRecorder: CreationObserver {
    /// The recorder of the warm-up for which this task creates singletons.
    @TaskLocal
    static var current: StartRecorder?

    /// The time in which a creation waits for another one.
    struct Wait {
        /// The index of the span that it waits for; nil if that is not recorded.
        var target: Int?
        let start: Duration
        var end: Duration?
    }

    /// The creation of one singleton.
    struct Span {
        /// The number of the singleton.
        let singleton: Int
        let start: Duration
        var end: Duration?
        var isCreated = false
        /// The span inside which this one began.
        let outer: Int?
        var waits: [Wait] = []
    }

    private struct Open {
        let creation: ObservedCreation
        let span: Int
        /// Whether the warm-up has begun it, and not another caller.
        let isOurs: Bool
        var task: Task<Void, Never>?
    }

    private struct Contents {
        var spans: [Span] = []
        var open: [ObjectIdentifier: Open] = [:]
        var waits: [ObjectIdentifier: (wait: ObservedWait, span: Int, index: Int)] = [:]
        var isCancelled = false

        /// The innermost recorded creation around another one, or that one itself.
        func open(around creation: ObservedCreation?) -> Open? {
            var next = creation
            while let creation = next {
                if let open = open[creation.id] { return open }
                next = creation.outer
            }
            return nil
        }
    }

    private let time: any ElapsedTime
    /// The numbers of the singletons by their factories.
    private let numbers: [ObjectIdentifier: Int]
    private let services: [ServiceIdentity]
    // Under a lock of the process: the child of a fork still has its parent's recorders.
    private let contents = Locked(Contents(), under: .recorders)

    init(_ registrations: [AnyServiceRegistration], _ time: any ElapsedTime) {
        self.time = time
        services = registrations.map(\.identity)
        var numbers: [ObjectIdentifier: Int] = [:]
        for (number, registration) in registrations.enumerated() {
            if let factory = registration.factoryID { numbers[factory] = number }
        }
        self.numbers = numbers
    }

    /// Ends the recording, and returns the spans.
    ///
    /// Creations that go on may still end later. They find nothing to record in.
    func finish() -> [Span] {
        let contents = contents.withLock { exchange(&$0, with: Contents(isCancelled: $0.isCancelled)) }
        return contents.spans
    }

    // MARK: - Creations

    func begin(_ creation: ObservedCreation, by factory: ObjectIdentifier) {
        guard let number = numbers[factory] else { return }
        let now = time.now
        let isOurTask = Self.current === self
        contents.withLock { contents in
            let outer = contents.open(around: creation.outer)
            contents.spans.append(Span(singleton: number, start: now, outer: outer?.span))
            contents.open[creation.id] = Open(
                creation: creation, span: contents.spans.count - 1, isOurs: outer?.isOurs ?? isOurTask)
        }
    }

    func adopt(_ task: Task<Void, Never>, of creation: ObservedCreation) {
        let isCancelled = contents.withLock { contents in
            guard contents.open[creation.id]?.isOurs == true else { return false }
            contents.open[creation.id]?.task = task
            return contents.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func end(_ creation: ObservedCreation, isCreated: Bool) {
        let now = time.now
        let ended = contents.withLock { contents -> Open? in
            guard let ended = contents.open.removeValue(forKey: creation.id) else { return nil }
            contents.spans[ended.span].end = now
            contents.spans[ended.span].isCreated = isCreated
            // A creation that does not suspend runs inside the one around it, which has no edge to it.
            let span = contents.spans[ended.span]
            if !creation.isSuspending, let outer = span.outer {
                contents.spans[outer].waits.append(Wait(target: ended.span, start: span.start, end: now))
            }
            return ended
        }
        withExtendedLifetime(ended) {}
    }

    // MARK: - Waits

    func beginWait(_ wait: ObservedWait) {
        let now = time.now
        contents.withLock { contents in
            guard let waiter = contents.open(around: wait.waiter) else { return }
            let target = contents.open[wait.target.id]?.span
            contents.waits[wait.id] = (wait, waiter.span, contents.spans[waiter.span].waits.count)
            contents.spans[waiter.span].waits.append(Wait(target: target, start: now))
        }
    }

    func endWait(_ wait: ObservedWait) {
        let now = time.now
        let service = wait.service
        let ended = contents.withLock { contents -> ObservedWait? in
            guard let (wait, span, index) = contents.waits.removeValue(forKey: wait.id) else { return nil }
            contents.spans[span].waits[index].end = now
            // The waiter had joined the creation before its begin was recorded.
            if contents.spans[span].waits[index].target == nil {
                contents.spans[span].waits[index].target = contents.spans.lastIndex {
                    services[$0.singleton] == service
                }
            }
            return wait
        }
        withExtendedLifetime(ended) {}
    }

    // MARK: - The warm-up

    /// Returns the services that the creation of a singleton is creating or waiting for, beginning with the singleton itself; empty if
    /// the creation is not known.
    func chain(of singleton: Int) -> [ServiceIdentity] {
        let open = contents.withLock { contents in
            Array(contents.open.values).map { ($0.creation, contents.spans[$0.span].singleton) }
        }
        guard let creation = open.first(where: { $0.1 == singleton })?.0 else { return [] }
        return creation.chain(among: open.map(\.0))
    }

    /// Cancels the creation of a singleton, if the warm-up has begun it.
    func cancel(_ singleton: Int) {
        let tasks = contents.withLock { contents in
            contents.open.values.filter { contents.spans[$0.span].singleton == singleton }.map(\.task)
        }
        for task in tasks { task?.cancel() }
    }

    /// Cancels all creations that the warm-up has begun, and those that are adopted later.
    func cancelAll() {
        let tasks = contents.withLock { contents in
            contents.isCancelled = true
            return contents.open.values.map(\.task)
        }
        for task in tasks { task?.cancel() }
    }
}
