// Exactly once: where a shared instance is kept, and who makes it.
//
//   storage empty, no flight    ---- the first who asks -------->   storage empty, a flight
//   storage empty, a flight     ---- the creator returned ------>   storage full, no flight
//   storage empty, a flight     ---- the creator threw --------->   storage empty, no flight
//   storage full                ---- cleared, or run dry ------->   storage empty, no flight
//
// 1. Nothing is locked while a creator runs; the lock of a slot is held for a few instructions.
// 2. Whoever begins a flight looks into the storage once more before it creates. The flight before has stored its instance
//    before it ended, so what was created in between is found: two flights never create for the same gap.
// 3. Whoever asks in the course of the flight itself would wait for itself, so it gets an error with the chain, or, where the
//    instance is being completed, the instance.
// 4. Whoever waits gets the outcome of that very flight, whatever happens to the storage meanwhile. A failure is not kept:
//    who asks after it begins a new flight.
// 5. Where the storage says that what is being created is not for those who ask from now on, they wait for the end of the
//    flight all the same, since there is one at a time, and then begin their own.
// 6. A flight whose thread is about to be parked for ever is ended with the error. Where only a part of its creator was
//    stopped, such as one of its tasks, the rest may still return an instance: that is kept, and the flight is not ended twice.

/// Where one shared instance is.
@usableFromInline
final class Slot<Service>: Sendable {
    @usableFromInline
    let storage: InstanceStorage<Service>
    private let flight = Locked<Flight<Service>?>(nil)

    init(_ storage: InstanceStorage<Service>) {
        self.storage = storage
    }

    private enum Turn {
        case lead(Flight<Service>)
        case join(Flight<Service>)
    }

    /// The flight that goes on, or a new one, which is the caller's to end.
    private func board(_ subject: Subject, _ graph: Graph?) -> Turn {
        if let current = flight.withLock({ $0 }) { return .join(current) }
        let new = Flight(subject, in: self, graph: graph)
        return flight.withLock { flight in
            if let current = flight { return .join(current) }
            flight = new
            return .lead(new)
        }
    }

    /// Ends a flight and wakes those who wait for it. One that was abandoned has ended already.
    func end(_ ended: Flight<Service>, _ outcome: Flight<Service>.Outcome) {
        let (waiters, pending) = flight.withLock { flight -> ([any Waiter], Service?) in
            guard ended.outcome == nil else { return ([], nil) }
            ended.outcome = outcome
            flight = nil
            defer {
                ended.waiters = []
                ended.pending = nil
            }
            return (ended.waiters, ended.pending)
        }
        for waiter in waiters { waiter.wake() }
        withExtendedLifetime(pending) {}
    }

    // MARK: On a thread

    /// The instance, made by the closure where there is none: in a frame with the flight, and by one thread at a time. The graph
    /// is that of the request, where it is known.
    func instance(
        _ subject: Subject, _ graph: Graph?, create: (Flight<Service>) throws(DependencyError) -> Service
    ) throws(DependencyError) -> Service {
        while true {
            if let instance = storage.load() { return instance }
            switch board(subject, graph) {
            case .lead(let flight): return try lead(flight, create)
            case .join(let flight):
                if let instance = try instanceInside(flight) { return instance }
                let isForOthers = flight.generation != storage.generation
                let outcome = try wait(for: flight)
                if !isForOthers { return try outcome.get() }
            }
        }
    }

    /// The instance, where there is one, of a service that only tasks can create. Its creator may need this very thread, and it
    /// was promised that none is blocked.
    func instanceWithoutCreation(_ subject: Subject) throws(DependencyError) -> Service {
        if let instance = storage.load() { return instance }
        if let flight = flight.withLock({ $0 }), let instance = try instanceInside(flight) { return instance }
        throw DependencyError(.onlyAsynchronous, subject)
    }

    private func lead(
        _ flight: Flight<Service>, _ create: (Flight<Service>) throws(DependencyError) -> Service
    ) throws(DependencyError) -> Service {
        do throws(DependencyError) {
            let instance: Service
            if let found = storage.load() {
                instance = found
            } else {
                storage.prepare()
                instance = try create(flight)
            }
            end(flight, .success(instance))
            return instance
        } catch {
            end(flight, .failure(error))
            throw error
        }
    }

    /// What somebody gets who asks in the course of the flight itself; nil for all others.
    private func instanceInside(_ flight: Flight<Service>) throws(DependencyError) -> Service? {
        guard let innermost = Creation.innermost, innermost.isInside(flight) else { return nil }
        if let pending = self.flight.withLock({ _ in flight.pending }) { return pending }
        let chain = Creation.currentTrail.dropFirst(flight.trail.count - 1)
        throw DependencyError(circular: chain + [flight.subject])
    }

    private func wait(for flight: Flight<Service>) throws(DependencyError) -> Flight<Service>.Outcome {
        let waiter = WaitingThread()
        return try whileWaiting(flight) {
            if enqueue(waiter, for: flight) { waiter.sleep() }
            return self.flight.withLock { _ in flight.outcome! }  // Set by whoever wakes waiters.
        }
    }

    private func enqueue(_ waiter: some Waiter, for flight: Flight<Service>) -> Bool {
        self.flight.withLock { _ in
            guard flight.outcome == nil else { return false }
            flight.waiters.append(waiter)
            return true
        }
    }

    private func whileWaiting<Output>(
        _ flight: Flight<Service>, _ body: () -> Output
    ) throws(DependencyError) -> Output {
        guard let waiter = Creation.innermost else { return body() }
        do throws(CircularWait) {
            try WaitGraph.add(waiter, waitingFor: flight)
        } catch {
            throw DependencyError(circular: error.chain)
        }
        defer { WaitGraph.remove(waiter, waitingFor: flight) }
        return body()
    }

    /// Lets those find the instance who ask for it while it is being completed.
    func show(_ instance: Service, in flight: Flight<Service>) {
        self.flight.withLock { _ in flight.pending = instance }
    }
}

// MARK: - In a task

extension Slot {
    /// The instance, made by the closure where there is none: in a task of its own, so that those who wait can be cancelled
    /// without cancelling each other. The other closure is called before that task begins.
    func instance(
        suspending subject: Subject, _ graph: Graph?, isolation: isolated (any Actor)? = #isolation, begin: () -> Void,
        create: @escaping @Sendable (Flight<Service>) async throws(DependencyError) -> Unchecked<Service>
    ) async throws(DependencyError) -> Unchecked<Service> {
        while true {
            if let instance = storage.load() { return Unchecked(instance) }
            switch board(subject, graph) {
            case .join(let flight):
                if let instance = try await join(flight, subject) { return instance }
            case .lead(let flight):
                begin()
                startTask { await self.lead(flight, create) }
                return Unchecked(try await wait(for: flight, subject).value.get())
            }
        }
    }

    /// The instance, made by the closure here and now where there is none, unless somebody is making it already.
    func instance(
        direct subject: Subject, _ graph: Graph?, isolation: isolated (any Actor)? = #isolation,
        create: (Flight<Service>) throws(DependencyError) -> Service
    ) async throws(DependencyError) -> Unchecked<Service> {
        while true {
            if let instance = storage.load() { return Unchecked(instance) }
            switch board(subject, graph) {
            case .join(let flight):
                if let instance = try await join(flight, subject) { return instance }
            case .lead(let flight): return Unchecked(try lead(flight, create))
            }
        }
    }

    /// What comes of a flight; nil where that is for others.
    private func join(
        _ flight: Flight<Service>, _ subject: Subject, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Unchecked<Service>? {
        if let instance = try instanceInside(flight) { return Unchecked(instance) }
        let isForOthers = flight.generation != storage.generation
        let outcome = try await wait(for: flight, subject).value
        return isForOthers ? nil : Unchecked(try outcome.get())
    }

    private func lead(
        _ flight: Flight<Service>,
        _ create: @Sendable (Flight<Service>) async throws(DependencyError) -> Unchecked<Service>
    ) async {
        if let instance = storage.load() { return end(flight, .success(instance)) }
        storage.prepare()
        let outcome = await Creation.$ofTask.withValue(flight) { () async -> Unchecked<Flight<Service>.Outcome> in
            do throws(DependencyError) {
                return Unchecked(.success(try await create(flight).value))
            } catch {
                return Unchecked(.failure(error))
            }
        }
        end(flight, outcome.value)
    }

    /// Waits for a flight, without blocking a thread.
    private func wait(
        for flight: Flight<Service>, _ subject: Subject, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Unchecked<Flight<Service>.Outcome> {
        let waiter = WaitingTask()
        let outer = Creation.innermost
        if let outer {
            do throws(CircularWait) {
                try WaitGraph.add(outer, waitingFor: flight)
            } catch {
                throw DependencyError(circular: error.chain)
            }
        }
        if enqueue(waiter, for: flight) { await waiter.suspend() }
        if let outer { WaitGraph.remove(outer, waitingFor: flight) }
        let outcome = self.flight.withLock { _ in
            if flight.outcome == nil { flight.waiters.removeAll { $0 === waiter } }
            return flight.outcome
        }
        guard let outcome else { throw DependencyError(.cancelled, subject) }
        return Unchecked(outcome)
    }
}

/// Starts a task on the executor that the current one prefers, where it prefers one.
private func startTask(_ body: @escaping @Sendable () async -> Void) {
    #if compiler(>=6.2)
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            let preferred = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
            Task(executorPreference: preferred) { await body() }
            return
        }
    #endif
    Task { await body() }
}
