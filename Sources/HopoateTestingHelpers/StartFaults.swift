import Hopoate

/// Starts a program again and again, each time with another fault in one of its factories, and collects the mistakes.
struct StartFaults: Sendable {
    let build: @Sendable (DependencyContainer) async throws -> Void
    /// Starts a container; nil to create its singletons in an order that the seed decides.
    let start: (@Sendable (DependencyContainer) async throws -> Void)?
    let stop: @Sendable (DependencyContainer) async throws -> Void
    let seed: UInt64
    /// The greatest number of starts with a fault.
    let runs: Int
    /// The time in seconds after which a start or a stop counts as one that never ends.
    let patience: Double

    private struct Run {
        let number: Int
        let fault: StartFault
    }

    /// Does all starts.
    ///
    /// - Returns: The mistakes, each with the seed.
    func mistakes() async -> [String] {
        var random = SplitMix(seed)
        let (probe, mistakes) = await check(nil, &random)
        if !mistakes.isEmpty { return mistakes.map { "The start without a fault: \($0)" + remedy } }
        let entries = probe.entries
        var plan = entries.enumerated().flatMap { number, entry -> [Run] in
            guard let isAsynchronous = entry.isAsynchronous, !entry.isEager else { return [] }
            return StartFault.allCases.filter { isAsynchronous || $0.fitsSynchronousFactories }
                .map { Run(number: number, fault: $0) }
        }
        if plan.isEmpty {
            return ["The start creates no service, so it cannot fail. Register singletons in the closure" + remedy]
        }
        if plan.count > runs {
            plan.shuffle(using: &random)
            plan.removeLast(plan.count - runs)
        }
        var found: [String] = []
        for run in plan {
            let (probe, mistakes) = await check(run, &random)
            let name = entries[run.number].label
            let fault = (probe.reached ?? run.fault).label
            found += mistakes.map { "If the factory of \(name), \(fault): \($0)" + remedy }
            // A start that goes on would disturb the next one.
            if mistakes.contains(where: { $0.hasSuffix(Self.isEndless) }) { break }
        }
        return found
    }

    private var remedy: String { ". Repeat it with `seed: \(seed)`." }

    private static let isEndless = "did not end"

    // MARK: - One start

    private func check(_ run: Run?, _ random: inout SplitMix) async -> (StartProbe, [String]) {
        let orderSeed = random.next()
        let probe = StartProbe(run.map { ($0.number, $0.fault) }) { number in
            Int(SplitMix.hash(orderSeed &+ UInt64(number)) % 8)
        }
        let container = DependencyContainer()
        container.instrument(with: probe)
        let mistakes = await DependencyContainer.$shared.withValue(container) {
            do { try await build(container) } catch {
                return ["the closure that registers the services threw: \(error)"]
            }
            return await check(run?.fault, container, probe, orderSeed)
        }
        return (probe, mistakes)
    }

    private func check(
        _ fault: StartFault?, _ container: DependencyContainer, _ probe: StartProbe, _ orderSeed: UInt64
    ) async -> [String] {
        let go = Gate()
        let starting = startTask { () async -> (any Error)? in
            await go.wait()
            do {
                if let start {
                    try await start(container)
                } else {
                    var random = SplitMix(orderSeed)
                    try await startInAnyOrder(container, &random)
                }
                return nil
            } catch {
                return error
            }
        }
        probe.begin { starting.cancel() }
        go.open()
        guard let error = await value(of: starting) else { return ["the start \(Self.isEndless)"] }
        var mistakes: [String] = []
        if let mistake = mistake(in: error, after: probe.reached ?? fault, probe) { mistakes.append(mistake) }
        if fault != nil, probe.reached == nil { mistakes.append("this start did not create it, unlike the first one") }
        probe.beginStop(of: singletons(of: container).filter { $0.hasInstance(in: container) }.map(\.identity))
        let stopping = startTask { () async -> (any Error)? in
            do { try await stop(container) } catch { return error }
            return nil
        }
        guard let failure = await value(of: stopping) else { return mistakes + ["the stop \(Self.isEndless)"] }
        if let failure { mistakes.append("the stop threw: \(failure)") }
        probe.release.open()
        probe.expectQuiet()
        let quiet = startTask { await probe.quiet.wait() }
        let isQuiet = await value(of: quiet) != nil
        mistakes += probe.mistakes
        for entry in probe.entries where entry.hasHooks {
            let opened = entry.isEager ? 1 : entry.opened
            if entry.closed != opened {
                mistakes.append("\(entry.label), was opened \(times(opened)) and closed \(times(entry.closed))")
            }
        }
        if !isQuiet { mistakes.append("a factory or a disposal hook \(Self.isEndless)") }
        return mistakes
    }

    private func mistake(in error: (any Error)?, after fault: StartFault?, _ probe: StartProbe) -> String? {
        switch (fault, error) {
        case (nil, let error?): "it threw: \(error)"
        case (nil, nil), (.cancellation, nil): nil
        // It ended early, and a start need not look for its cancellation.
        case (.lateEnd, nil) where probe.isTargetCancelled: nil
        case (.failure, nil): "the start succeeded"
        case (.hang, nil), (.lateEnd, nil): "the start succeeded without it"
        case (.failure, let error?):
            contains(error) { $0 is InjectedError } ? nil : "the start threw another error: \(error)"
        case (_, let error?): contains(error, isCancellation) ? nil : "the start threw no cancellation: \(error)"
        }
    }

    /// Creates the singletons that are asynchronous, and then the others, each in any order; at the end, those that had to wait.
    private func startInAnyOrder(_ container: DependencyContainer, _ random: inout SplitMix) async throws {
        let singletons = singletons(of: container)
        let asynchronous = singletons.filter(\.isAsynchronous).shuffled(using: &random)
        if Bool.random(using: &random) {
            for registration in asynchronous { try await create(registration, in: container) }
        } else {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for registration in asynchronous { group.addTask { try await create(registration, in: container) } }
                try await group.waitForAll()
            }
        }
        // A synchronous factory may `resolve` an asynchronous service, which has to exist.
        if asynchronous.allSatisfy({ $0.hasInstance(in: container) }) {
            for registration in singletons.filter({ !$0.isAsynchronous }).shuffled(using: &random) {
                try await create(registration, in: container)
            }
        }
        try await container.warmUp()
    }

    private func singletons(of container: DependencyContainer) -> [AnyServiceRegistration] {
        Wiring(container).nodes.map(\.registration).filter(\.isSingleton)
    }

    /// Creates a singleton, unless it needs an asynchronous one that does not exist yet.
    private func create(_ registration: AnyServiceRegistration, in container: DependencyContainer) async throws {
        do throws(DependencyError) {
            try await registration.createInstance(in: container)
        } catch {
            if !error.isOnlyAsynchronous { throw error }
        }
    }

    /// Returns the value of a task; nil if it does not end. Then the task is left behind.
    private func value<Value: Sendable>(of task: Task<Value, Never>) async -> Value? {
        await withCheckedContinuation { continuation in
            let waiter = Locked<CheckedContinuation<Value?, Never>?>(continuation)
            @Sendable func end(_ value: Value?) {
                let waiting = waiter.withLock { waiter in
                    defer { waiter = nil }
                    return waiter
                }
                waiting?.resume(returning: value)
            }
            let timer = Task {
                try? await Task.sleep(nanoseconds: UInt64(patience * 1_000_000_000))
                end(nil)
            }
            Task {
                end(await task.value)
                timer.cancel()
            }
        }
    }
}

/// Starts a task on the threads of the pool, so that a test can be abandoned in it.
private func startTask<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return Task { await body() } }
    return Task(executorPreference: WorkerPool.shared) { await body() }
}

/// Whether an error, or one inside of it, is such an error. Errors of starts are of many types, so the search is by reflection.
private func contains(_ error: Any, depth: Int = 12, _ isSuch: (Any) -> Bool) -> Bool {
    if isSuch(error) { return true }
    guard depth > 0 else { return false }
    return Mirror(reflecting: error).children.contains { child in
        child.label == "isCancelled" && child.value as? Bool == true && isSuch(CancellationError())
            || contains(child.value, depth: depth - 1, isSuch)
    }
}

private func isCancellation(_ error: Any) -> Bool {
    error is CancellationError || (error as? DependencyError)?.reason == .cancelled
}

/// A generator of random numbers that a seed determines: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// 2014).
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// A number that looks random, for another one.
    static func hash(_ number: UInt64) -> UInt64 { mix(number &+ 0x9E37_79B9_7F4A_7C15) }

    private static func mix(_ number: UInt64) -> UInt64 {
        var mixed = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
