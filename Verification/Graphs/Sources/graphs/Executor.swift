import CExecutor

/// Runs all tasks of the process on the thread that calls `run`.
// Unsafe, because nothing protects the variables. Sound, because all code runs on one thread.
enum Executor {
    private enum Job {
        case ready(UnsafeMutableRawPointer)
        /// A task that has paused.
        case paused(UnsafeContinuation<Void, Never>)
    }

    nonisolated(unsafe) private static var jobs: [Job] = []
    /// The state of the choices; nil: the first job that is ready runs first.
    nonisolated(unsafe) private static var random: Random?

    static func install() { facade_executor_install { Executor.jobs.append(.ready($0)) } }

    static var isIdle: Bool { jobs.isEmpty }

    /// Runs an asynchronous closure and all jobs that it leaves behind. Ready jobs run in an order that follows from a seed or, without a
    /// seed, in the order in which they became ready.
    ///
    /// - Returns: Whether the closure has ended.
    static func run(seed: UInt64? = nil, _ body: @escaping @Sendable () async -> Void) -> Bool {
        random = seed.map(Random.init)
        let end = End()
        Task {
            await body()
            end.isReached = true
        }
        while !jobs.isEmpty {
            switch jobs.remove(at: random?.below(jobs.count) ?? 0) {
            case .ready(let job): facade_executor_run(job)
            case .paused(let continuation): continuation.resume()
            }
        }
        return end.isReached
    }

    /// Suspends, so that other tasks run. `Task.yield` bypasses the executor.
    static func pause() async {
        await withUnsafeContinuation { jobs.append(.paused($0)) }
    }

    /// Suspends until no other task is ready.
    static func waitForOthers() async {
        repeat { await pause() } while !isIdle
    }

    // Unchecked for the same reason.
    private final class End: @unchecked Sendable {
        var isReached = false
    }
}

/// Numbers that follow from a seed (SplitMix64).
struct Random {
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Whether an event with a probability in percent happens.
    mutating func happens(_ percent: Int) -> Bool { below(100) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// Picks a value by weights.
    mutating func pick<Value>(_ weights: KeyValuePairs<Value, Int>) -> Value {
        var number = below(weights.reduce(0) { $0 + $1.value })
        for (value, weight) in weights {
            if number < weight { return value }
            number -= weight
        }
        preconditionFailure("the number is below the sum")
    }
}
