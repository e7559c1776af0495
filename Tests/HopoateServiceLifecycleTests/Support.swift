#if ServiceLifecycle
    import Dispatch
    import Hopoate
    import InMemoryLogging
    import Logging
    import ServiceLifecycle

    /// Records events in order.
    final class Journal: @unchecked Sendable {
        // Unchecked, because the list is a variable. Sound, because it is used on the queue only.
        private let queue = DispatchQueue(label: "journal")
        private var lines: [String] = []

        var all: [String] { queue.sync { lines } }

        func note(_ line: String) { queue.sync { lines.append(line) } }

        /// Returns when the event happens, or after a time limit, so that a test fails instead of hanging.
        func wait(for line: String) async {
            for _ in 0..<300_000 {
                if all.contains(line) { return }
                // A cancelled sleep starts another round.
                try? await Task.sleep(nanoseconds: 1_000_000)
            }
        }
    }

    struct Refused: Error {}

    /// Runs until it is told to stop, and records each step.
    class Worker: Service, @unchecked Sendable {
        // Unchecked, because the class is not final. Sound, because it and its subclass are immutable.
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

    /// Runs a closure.
    final class Errand: Worker, @unchecked Sendable {
        // Unchecked like its superclass. Sound, because it is immutable.
        private let errand: @Sendable () async throws -> Void

        init(_ name: String, _ journal: Journal, _ errand: @escaping @Sendable () async throws -> Void) {
            self.errand = errand
            super.init(name, journal)
        }

        override func work() async throws { try await errand() }
    }

    extension DependencyContainer {
        /// Registers a worker whose disposal is recorded.
        func register(_ worker: Worker) {
            register(Worker.self, named: DependencyName(worker.name)) { _ in
                worker.journal.note("create \(worker.name)")
                return worker
            } onAsyncDispose: { worker in
                // Throws if the task is cancelled.
                try await Task.sleep(nanoseconds: 1_000_000)
                worker.journal.note("dispose \(worker.name)")
            }
        }
    }

    /// Cancels an operation that does not end, so that a test fails instead of hanging.
    func withDeadline(_ operation: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await operation() }
            group.addTask { try await Task.sleep(nanoseconds: 300_000_000_000) }
            _ = try await group.next()
            group.cancelAll()
        }
    }

    /// Returns a logger that keeps all messages.
    func makeLogger(_ log: InMemoryLogHandler) -> Logger {
        var logger = Logger(label: "test") { _ in log }
        logger.logLevel = .info
        return logger
    }
#endif
