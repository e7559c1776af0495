import Hopoate
import HopoateHummingbird
import Hummingbird
import Logging
import Synchronization

@testable import Shop

/// Counts the living request containers.
final class ScopeLedger: Sendable {
    private struct Entry {
        weak var container: DependencyContainer?
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ container: DependencyContainer) { entries.withLock { $0.append(Entry(container: container)) } }

    var begun: Int { entries.withLock(\.count) }
    var live: Int { entries.withLock { $0.count { $0.container != nil } } }
}

extension ScopeLedger: RouterMiddleware {
    func handle(
        _ request: Request, context: ShopContext, next: (Request, ShopContext) async throws -> Response
    ) async throws -> Response {
        add(try context.dependencies)
        return try await next(request, context)
    }
}

/// Keeps log messages.
final class LogBook: Sendable {
    struct Line: Sendable {
        let message: String
        let metadata: [String: String]
    }

    private let entries = Mutex<[Line]>([])

    var lines: [Line] { entries.withLock { $0 } }
    var messages: [String] { lines.map(\.message) }
    var errors: [String] { lines.compactMap { $0.metadata["error"] } }

    fileprivate func add(_ line: Line) { entries.withLock { $0.append(line) } }

    var logger: Logger { Logger(label: "shop") { _ in Scribe(book: self) } }
}

private struct Scribe: LogHandler {
    let book: LogBook
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        book.add(.init(message: "\(event.message)", metadata: all.mapValues { "\($0)" }))
    }
}

/// Whether something has happened.
final class Mark: Sendable {
    private let state = Atomic<Bool>(false)

    var isSet: Bool { state.load(ordering: .acquiring) }
    func set() { state.store(true, ordering: .releasing) }
}

/// Blocks tasks until it is opened, and counts them.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrived = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var arrived: Int { state.withLock(\.arrived) }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                state.arrived += 1
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            return exchange(&state.waiting, with: [])
        }
        for continuation in waiting { continuation.resume() }
    }
}
