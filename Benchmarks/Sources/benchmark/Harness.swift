// Measurements run in interleaved rounds (A B C A B C …) and are compared within a round, because noise affects all subjects of a
// round alike. The result is the median over the rounds.

import Dispatch

/// An operation that can be repeated.
struct Subject: Sendable {
    let operation: Operation
    /// Repeats the operation and returns the time that it took.
    let nanoseconds: @Sendable (_ iterations: Int) -> UInt64
    /// The concurrent work on another thread, if any.
    let background: Background?

    /// - Parameters:
    ///   - operation: The operation.
    ///   - background: The concurrent work.
    ///   - loop: Repeats the operation. The result depends on every repetition, so that the compiler omits none.
    init(
        _ operation: Operation, meanwhile background: Background? = nil,
        _ loop: @escaping @Sendable (_ iterations: Int) -> Int
    ) {
        self.init(operation, background: background) { iterations in
            let start = System.nanoseconds()
            let sum = loop(iterations)
            let end = System.nanoseconds()
            consume(sum)
            return end - start
        }
    }

    private init(
        _ operation: Operation, background: Background?, nanoseconds: @escaping @Sendable (_ iterations: Int) -> UInt64
    ) {
        self.operation = operation
        self.background = background
        self.nanoseconds = nanoseconds
    }

    /// Returns a subject that measures its own time, because only a part of its work counts.
    static func timingItself(_ operation: Operation, _ nanoseconds: @escaping @Sendable (_ iterations: Int) -> UInt64)
        -> Subject
    {
        Subject(operation, background: nil, nanoseconds: nanoseconds)
    }

    /// Returns a subject that runs on a thread of the cooperative pool. Starting its task does not count.
    static func suspending(_ operation: Operation, _ body: @escaping @Sendable (_ iterations: Int) async -> Int)
        -> Subject
    {
        .timingItself(operation) { iterations in
            let time = Total()
            let isOver = DispatchSemaphore(value: 0)
            Task.detached {
                let start = System.nanoseconds()
                let sum = await body(iterations)
                time.add(System.nanoseconds() - start)
                consume(sum)
                isOver.signal()
            }
            isOver.wait()
            return time.sum
        }
    }
}

/// A subject on a number of threads.
struct Cell: Hashable, Sendable {
    let operation: Operation
    let threads: Int
}

/// Nanoseconds per operation on one thread: one value per cell and round.
struct Samples: Sendable {
    private var rounds: [Cell: [Double]] = [:]
    private var bytes: [Operation: Double] = [:]

    mutating func add(_ nanoseconds: Double, to cell: Cell) { rounds[cell, default: []].append(nanoseconds) }

    mutating func add(bytes: Double, of operation: Operation) { self.bytes[operation] = bytes }

    func nanoseconds(_ cell: Cell) -> [Double]? { rounds[cell] }

    /// The bytes that one operation allocates.
    func bytes(_ operation: Operation) -> Double? { bytes[operation] }

    /// Returns the throughput of several threads as a multiple of one thread, in relation to an operation that shares nothing
    /// between threads.
    func scaling(_ operation: Operation, threads: Int, against independent: Operation) -> [Double]? {
        func ratios(_ operation: Operation) -> [Double]? {
            self.ratios(
                Cell(operation: operation, threads: 1), to: Cell(operation: operation, threads: threads))
        }
        guard let own = ratios(operation), let possible = ratios(independent) else { return nil }
        return zip(own, possible).map { $0 / $1 * Double(threads) }
    }

    func ratios(_ cell: Cell, to other: Cell) -> [Double]? {
        guard let dividends = rounds[cell], let divisors = rounds[other] else { return nil }
        return zip(dividends, divisors).map { $0 / $1 }
    }
}

/// The duration of a measurement.
struct Effort: Sendable {
    let rounds: Int
    let nanosecondsEach: Double

    static let full = Effort(rounds: 15, nanosecondsEach: 20_000_000)
    static let quick = Effort(rounds: 5, nanosecondsEach: 4_000_000)
}

enum Harness {
    /// Measures subjects in interleaved rounds.
    static func measure(_ subjects: [Subject], on threads: [Operation: [Int]], _ effort: Effort) -> Samples {
        let cells = subjects.flatMap { subject in
            (threads[subject.operation] ?? []).map { (subject, Cell(operation: subject.operation, threads: $0)) }
        }
        let iterations = cells.map { calibrate($0, threads: $1.threads, effort) }
        var samples = Samples()
        for _ in 0..<effort.rounds {
            for (index, (subject, cell)) in cells.enumerated() {
                samples.add(once(subject, threads: cell.threads, iterations: iterations[index]), to: cell)
            }
        }
        return samples
    }

    /// Returns the number of iterations that fill the time of one measurement.
    private static func calibrate(_ subject: Subject, threads: Int, _ effort: Effort) -> Int {
        var iterations = 1
        while true {
            let nanoseconds = once(subject, threads: 1, iterations: iterations) * Double(iterations)
            if nanoseconds > effort.nanosecondsEach / 8 {
                iterations = max(1, Int(Double(iterations) * effort.nanosecondsEach / nanoseconds))
                break
            }
            iterations *= 2
        }
        guard threads > 1 else { return iterations }
        // Concurrent iterations take longer if they contend. This run is long enough for the threads to overlap.
        let nanoseconds = once(subject, threads: threads, iterations: iterations) * Double(iterations)
        return max(iterations / 32, 1, Int(Double(iterations) * min(1, effort.nanosecondsEach / nanoseconds)))
    }

    /// Returns nanoseconds per operation on one thread, averaged over the threads. All threads do the same number of operations,
    /// and a thread that is done continues until all are, so that none runs alone. Each time is measured from the common start,
    /// even if the system starts a thread later.
    private static func once(_ subject: Subject, threads: Int, iterations: Int) -> Double {
        let total = Total()
        let done = Total()
        let run = {
            Threads.run(threads) { start in
                let few = max(1, iterations / 64)
                // The first use on a thread has a one-time cost.
                _ = subject.nanoseconds(few)
                let began = start()
                let own = subject.nanoseconds(iterations)
                total.add(threads == 1 ? own : System.nanoseconds() - began)
                done.add(1)
                while done.sum < threads { _ = subject.nanoseconds(few) }
            }
        }
        if let background = subject.background { background.during(run) } else { run() }
        return Double(total.sum) / Double(threads) / Double(iterations)
    }
}

func median(_ numbers: [Double]) -> Double {
    let sorted = numbers.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// Returns the range in which the middle half of the numbers lies; nil for less than four.
func middleHalf(_ numbers: [Double]) -> ClosedRange<Double>? {
    guard numbers.count >= 4 else { return nil }
    let sorted = numbers.sorted()
    let quarter = sorted.count / 4
    return sorted[quarter]...sorted[sorted.count - 1 - quarter]
}
