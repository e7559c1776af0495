// How something is measured: in interleaved rounds (A B C A B C …), and compared within each round, because machines
// are noisy and what disturbs one round disturbs all that is measured in it. What is reported is the median over the
// rounds.

/// Something that can be done again and again.
struct Subject: Sendable {
    let operation: Operation
    /// Does it so many times, and says how long that took.
    let nanoseconds: @Sendable (_ iterations: Int) -> UInt64
    /// What goes on meanwhile on another thread, if anything.
    let background: Background?

    /// - Parameters:
    ///   - operation: What it does.
    ///   - background: What goes on meanwhile.
    ///   - loop: Does it so many times; returns something that depends on every single time, so that the compiler
    ///     leaves none out.
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

    /// A subject that says itself how long it took, because not all that it does is to be measured.
    static func timingItself(_ operation: Operation, _ nanoseconds: @escaping @Sendable (_ iterations: Int) -> UInt64)
        -> Subject
    {
        Subject(operation, background: nil, nanoseconds: nanoseconds)
    }
}

/// A subject on a number of threads.
struct Cell: Hashable, Sendable {
    let operation: Operation
    let threads: Int
}

/// Nanoseconds for one operation on one thread: for each cell one number a round.
struct Samples: Sendable {
    private var rounds: [Cell: [Double]] = [:]

    mutating func add(_ nanoseconds: Double, to cell: Cell) { rounds[cell, default: []].append(nanoseconds) }

    func nanoseconds(_ cell: Cell) -> Double? { rounds[cell].map(median) }

    /// The median of the ratios of the rounds.
    func ratio(_ cell: Cell, to other: Cell) -> Double? { ratios(cell, to: other).map(median) }

    /// The median of how many times the throughput of one thread several have, in relation to what an operation has that
    /// shares nothing between threads.
    func scaling(_ operation: Operation, threads: Int, against independent: Operation) -> Double? {
        func ratios(_ operation: Operation) -> [Double]? {
            self.ratios(
                Cell(operation: operation, threads: 1), to: Cell(operation: operation, threads: threads))
        }
        guard let own = ratios(operation), let possible = ratios(independent) else { return nil }
        return median(zip(own, possible).map { $0 / $1 }) * Double(threads)
    }

    private func ratios(_ cell: Cell, to other: Cell) -> [Double]? {
        guard let dividends = rounds[cell], let divisors = rounds[other] else { return nil }
        return zip(dividends, divisors).map { $0 / $1 }
    }
}

/// How long is measured.
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

    /// How many iterations take the time that is to be spent each time.
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
        // Several at once take longer, where they are in each other's way. Found out in a run that is long enough for the
        // threads to meet.
        let nanoseconds = once(subject, threads: threads, iterations: iterations) * Double(iterations)
        return max(iterations / 32, 1, Int(Double(iterations) * min(1, effort.nanosecondsEach / nanoseconds)))
    }

    /// Nanoseconds for one operation on one thread, averaged over the threads, each of which does the same number of
    /// them. Whoever is done goes on until all are, so that nobody has the machine to itself; and each one's time runs
    /// from the common start, also where the system lets it begin later.
    private static func once(_ subject: Subject, threads: Int, iterations: Int) -> Double {
        let total = Total()
        let done = Total()
        let run = {
            Threads.run(threads) { start in
                let few = max(1, iterations / 64)
                // The first use on a thread costs more, once.
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
