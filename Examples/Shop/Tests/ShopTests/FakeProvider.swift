import Foundation
import Hummingbird
import Logging
import NIOCore
import Synchronization

@testable import Shop

/// A payment provider over HTTP that reacts to each payment as the test specifies.
///
/// It charges a key once, and answers each later payment with that key like the first one.
final class FakeProvider: Sendable {
    enum Behaviour: Sendable {
        case answer
        /// It answers with a status and an empty body, and does not charge.
        case fail(status: Int)
        /// It closes the connection and does not charge.
        case drop
        /// It charges, and closes the connection before the answer.
        case chargeAndDrop
        /// It charges, and closes the connection in the middle of the answer.
        case chargeAndCut
        /// It never answers, and does not charge.
        case silence
        /// It sends the head of an answer and never its body, and does not charge.
        case stall
    }

    typealias Script = @Sendable (Payment) async -> Behaviour

    let port: Int
    private let ledger: Ledger
    private let running: Task<Void, any Error>

    private init(port: Int, _ ledger: Ledger, _ running: Task<Void, any Error>) {
        self.port = port
        self.ledger = ledger
        self.running = running
    }

    /// Starts a provider on a free port.
    static func start(following script: @escaping Script) async throws -> FakeProvider {
        let ledger = Ledger()
        let router = Router(context: FakeProviderContext.self)
        router.post("charges") { request, context in
            let payment = try await request.decode(as: Payment.self, context: context)
            ledger.note()
            return try await ledger.response(to: payment, await script(payment), on: context.channel)
        }
        let (ports, opened) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { opened.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "provider") { _ in SwiftLogNoOpLogHandler() })
        let running = Task {
            defer { opened.finish() }
            try await application.run()
        }
        guard let port = await ports.first(where: { _ in true }) else {
            try await running.value
            throw CancellationError()
        }
        return FakeProvider(port: port, ledger, running)
    }

    /// The charged payments by key.
    var charges: [String: Payment] { ledger.charges }
    /// The number of HTTP requests received.
    var requests: Int { ledger.requests }

    /// Closes the port and all connections.
    func stop() async {
        running.cancel()
        _ = await running.result
    }
}

private struct FakeProviderContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

/// The recorded payments.
private final class Ledger: Sendable {
    private struct Pages {
        var charges: [String: (id: String, payment: Payment)] = [:]
        var requests = 0
    }

    private let pages = Mutex(Pages())

    var charges: [String: Payment] { pages.withLock { $0.charges.mapValues(\.payment) } }
    var requests: Int { pages.withLock { $0.requests } }

    func note() { pages.withLock { $0.requests += 1 } }

    func response(
        to payment: Payment, _ behaviour: FakeProvider.Behaviour, on channel: any Channel
    ) async throws -> Response {
        switch behaviour {
        case .answer: return answer(payment)
        case .fail(let status): return Response(status: .init(code: status))
        case .drop:
            try await channel.close()
        case .chargeAndDrop:
            _ = answer(payment)
            try await channel.close()
        case .chargeAndCut:
            _ = answer(payment)
            return unfinished { try await channel.close() }
        case .silence: try await Self.waitForStop()
        case .stall: return unfinished { try await Self.waitForStop() }
        }
        return Response(status: .internalServerError)
    }

    private func answer(_ payment: Payment) -> Response {
        if payment.card == "declined" {
            return response(.init(code: 402), #"{"reason":"the card was declined"}"#)
        }
        let id = pages.withLock { pages in
            let charge = pages.charges[payment.key] ?? (id: "charge-\(pages.charges.count + 1)-\(payment.key)", payment)
            pages.charges[payment.key] = charge
            return charge.id
        }
        return response(.created, #"{"id":"\#(id)"}"#)
    }

    private func response(_ status: HTTPResponse.Status, _ body: String) -> Response {
        Response(status: status, body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    }

    /// A response that begins like a valid one.
    private func unfinished(_ rest: @escaping @Sendable () async throws -> Void) -> Response {
        Response(
            status: .created,
            body: ResponseBody(contentLength: 100) { writer in
                try await writer.write(ByteBuffer(string: #"{"id":"charge"#))
                try await rest()
                try await writer.finish(nil)
            })
    }

    /// Throws when the provider stops.
    private static func waitForStop() async throws { try await Task.sleep(for: .seconds(86_400)) }
}
