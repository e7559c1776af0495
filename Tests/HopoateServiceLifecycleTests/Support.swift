#if ServiceLifecycle
    import Dispatch
    import Hopoate
    import InMemoryLogging
    import Logging
    import ServiceLifecycle

    /// What happened, in the order in which it did.
    final class Journal: @unchecked Sendable {
        // Unchecked, because the list is a variable. Sound, because it is used on the queue only.
        private let queue = DispatchQueue(label: "journal")
        private var lines: [String] = []

        var all: [String] { queue.sync { lines } }

        func note(_ line: String) { queue.sync { lines.append(line) } }

        /// Returns as soon as it happened; or after a while, so that a test that would hang fails instead.
        func wait(for line: String) async {
            for _ in 0..<300_000 where !all.contains(line) {
                // A sleep that is cut short is another round.
                try? await Task.sleep(nanoseconds: 1_000_000)
            }
        }
    }

    struct Refused: Error {}

    /// Runs until it is told to stop, and notes each step.
    class Worker: Service, @unchecked Sendable {
        // Unchecked, because it is not final. Sound, because it and its subclass are immutable.
        let name: String
        let journal: Journal

        init(_ name: String, _ journal: Journal) {
            self.name = name
            self.journal = journal
        }

        func run() async throws {
            journal.note("begin \(name)")
            do {
                try await work()
                journal.note("end \(name)")
            } catch is CancellationError {
                journal.note("cancelled \(name)")
                throw CancellationError()
            }
        }

        func work() async throws { try await gracefulShutdown() }
    }

    /// Does something else when it is run.
    final class Errand: Worker, @unchecked Sendable {
        // Unchecked, as its superclass is.
        private let errand: @Sendable () async throws -> Void

        init(_ name: String, _ journal: Journal, _ errand: @escaping @Sendable () async throws -> Void) {
            self.errand = errand
            super.init(name, journal)
        }

        override func work() async throws { try await errand() }
    }

    extension DependencyContainer {
        /// Registers a worker whose end is noted.
        func register(_ worker: Worker) {
            register(Worker.self, named: DependencyName(worker.name)) { _ in
                worker.journal.note("create \(worker.name)")
                return worker
            } onAsyncDispose: { worker in
                // Throws where the task is cancelled.
                try await Task.sleep(nanoseconds: 1_000_000)
                worker.journal.note("dispose \(worker.name)")
            }
        }
    }

    /// Cancels what does not end by itself, so that a test that would hang fails instead.
    func withDeadline(_ operation: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await operation() }
            group.addTask { try await Task.sleep(nanoseconds: 300_000_000_000) }
            _ = try await group.next()
            group.cancelAll()
        }
    }

    /// A logger that keeps all.
    func makeLogger(_ log: InMemoryLogHandler) -> Logger {
        var logger = Logger(label: "test") { _ in log }
        logger.logLevel = .info
        return logger
    }
#endif
