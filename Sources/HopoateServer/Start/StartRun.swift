// One call of `warmUp(limit:width:)`.
//
// The calling task decides everything: which singletons are created, and what has become of them. Each creation runs in a task of its own,
// and a second task is its timer. Both send the calling task an event. It waits for events only, so a creation that never ends does not
// keep it.
//
// 1. The end of a creation and the end of its time race for the first event. The second one is ignored, because the singleton is not
//    running any more, or not in the same attempt.
// 2. The creation of an asynchronous service has a task of its own, which others may be waiting for (Suspending.swift). It ends only
//    when its factory ends. So a creation that is left behind stays in flight. Its waiters can be cancelled. If it ends after all, its
//    instance is kept or, if the container was shut down meanwhile, disposed of.

import Hopoate

/// Creates the singletons of a container.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
struct StartRun {
    private enum Event: Sendable {
        case ended(Int, DependencyError?)
        case expired(Int, attempt: Int)
    }

    private struct Attempt {
        let number: Int
        let start: Duration
        let task: Task<Void, Never>
        let timer: Task<Void, Never>?
    }

    private let container: DependencyContainer
    private let limit: Duration?
    private let time: any ElapsedTime
    private let recorder: StartRecorder
    private let events: AsyncStream<Event>
    private let sender: AsyncStream<Event>.Continuation
    private let existed: [Bool]
    private var jobs: StartJobs
    private var attempts: [Int: Attempt] = [:]
    private var attemptCount = 0
    /// The times of the last attempts.
    private var times: [Int: (start: Duration, end: Duration)] = [:]
    private var unfinished: [DependencyStartError.Unfinished] = []

    init(_ container: DependencyContainer, limit: Duration?, width: Int, _ time: any ElapsedTime) {
        self.container = container
        self.limit = limit?.saturated
        self.time = time
        let nodes = StartNode.all(in: container)
        recorder = StartRecorder(nodes.map(\.registration), time)
        (events, sender) = AsyncStream.makeStream()
        existed = nodes.map { $0.registration.hasInstance(in: container) }
        jobs = StartJobs(nodes, width: width, existing: existed)
    }

    /// Runs until all singletons exist, or none can be created any more.
    mutating func run() async throws(DependencyStartError) -> DependencyStartReport {
        if Task.isCancelled { throw DependencyStartError([], [], isCancelled: true) }
        container.add(recorder)
        defer { container.remove(recorder) }
        let start = time.now
        var iterator = events.makeAsyncIterator()
        var isCancelled = false
        startAll()
        while jobs.isRunning {
            // Nil if this task is cancelled.
            guard let event = await iterator.next(), !Task.isCancelled else {
                isCancelled = true
                break
            }
            handle(event)
            startAll()
        }
        if isCancelled { cancelAll() }
        let failures = jobs.failures.map { index, error in
            DependencyStartError.Failure(jobs.nodes[index].registration, error)
        }
        if isCancelled || !failures.isEmpty || !unfinished.isEmpty {
            throw DependencyStartError(failures, unfinished, isCancelled: isCancelled)
        }
        return report(since: start)
    }

    /// Starts the creations that can start now.
    private mutating func startAll() {
        while let index = jobs.next() {
            if jobs.nodes[index].registration.hasInstance(in: container) {
                jobs.end(index, nil)
            } else {
                start(index)
            }
        }
    }

    private mutating func start(_ index: Int) {
        attemptCount += 1
        let number = attemptCount
        let now = time.now
        let registration = jobs.nodes[index].registration
        let (container, recorder, sender, time) = (container, recorder, sender, time)
        let task = Task {
            // Cancelled before it began. Nobody waits for the event.
            if Task.isCancelled { return }
            let error = await StartRecorder.$current.withValue(recorder) { () async -> DependencyError? in
                do throws(DependencyError) {
                    try await registration.createInstance(in: container)
                    return nil
                } catch {
                    return error
                }
            }
            sender.yield(.ended(index, error))
        }
        let timer = limit.map { limit in
            Task {
                await time.sleep(until: now + limit)
                if !Task.isCancelled { sender.yield(.expired(index, attempt: number)) }
            }
        }
        attempts[index] = Attempt(number: number, start: now, task: task, timer: timer)
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .ended(let index, let error):
            // Left behind before (race 1).
            guard let attempt = attempts.removeValue(forKey: index) else { return }
            attempt.timer?.cancel()
            times[index] = (attempt.start, time.now)
            jobs.end(index, error)
        case .expired(let index, let number):
            guard let attempt = attempts[index], attempt.number == number else { return }
            attempts[index] = nil
            leave(index, attempt)
            jobs.leave(index)
            recorder.cancel(index)
        }
    }

    /// Leaves a creation behind.
    private mutating func leave(_ index: Int, _ attempt: Attempt) {
        let registration = jobs.nodes[index].registration
        let chain = recorder.chain(of: index)
        unfinished.append(
            DependencyStartError.Unfinished(
                registration, chain.isEmpty ? [registration.identity] : chain, time.now - attempt.start))
        attempt.timer?.cancel()
        attempt.task.cancel()
    }

    private mutating func cancelAll() {
        for (index, attempt) in attempts.sorted(by: { $0.key < $1.key }) { leave(index, attempt) }
        attempts = [:]
        recorder.cancelAll()
    }

    private func report(since start: Duration) -> DependencyStartReport {
        let spans = recorder.finish()
        var last: [Int: Int] = [:]
        for (index, span) in spans.enumerated() where span.isCreated { last[span.singleton] = index }
        var created: [StartTimes.Creation] = []
        for (index, node) in jobs.nodes.enumerated() where !existed[index] {
            let span = last[index].map { spans[$0] }
            // Without a span, another caller had begun it before.
            guard let begin = span?.start ?? times[index]?.start, let end = span?.end ?? times[index]?.end else {
                continue
            }
            let waits = (span?.waits ?? []).compactMap { wait in
                wait.end.flatMap { end in
                    wait.target.map { (singleton: spans[$0].singleton, start: wait.start - start, end: end - start) }
                }
            }
            created.append(
                StartTimes.Creation(
                    singleton: index, registration: node.registration, start: begin - start, end: end - start,
                    waits: waits, outer: span?.outer.map { spans[$0].singleton }, cause: jobs.causes[index]))
        }
        return StartTimes(created, total: time.now - start).report
    }
}
