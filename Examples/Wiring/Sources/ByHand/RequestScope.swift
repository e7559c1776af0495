import Components
import HTTPTypes
import Hummingbird
import Logging
import Synchronization

/// Answers HTTP requests with services of their own, and ends their transactions.
struct RequestScope: Sendable {
    let services: Services

    /// Commits if the handler succeeds. The transaction ends after the body was written, or when anything fails before.
    func respond(
        to request: Request, _ context: AppContext,
        _ handler: (OrderController) async throws -> some ResponseGenerator
    ) async throws -> Response {
        guard let user = request.headers[.user] else { throw HTTPError(.unauthorized) }
        let transaction = try await services.database.begin()
        let end = TransactionEnd(transaction, logger: context.logger)
        do {
            let orders = try await services.makeOrderController(session: Session(user: user), transaction: transaction)
            var response = try await handler(orders).response(from: request, context: context)
            if response.status.kind == .successful { try await transaction.commit() }
            response.body = end.follow(response.body)
            return response
        } catch {
            await end()
            throw error
        }
    }
}

/// Ends a transaction once: after the body of the response, or if the body is released unwritten.
final class TransactionEnd: Sendable {
    private let transaction: Transaction
    private let logger: Logger
    private let isOver = Atomic(false)

    init(_ transaction: Transaction, logger: Logger) {
        self.transaction = transaction
        self.logger = logger
    }

    deinit { _ = start() }

    func callAsFunction() async { await start()?.value }

    /// Ends the transaction in a task of its own, because the task of the HTTP request may be cancelled.
    private func start() -> Task<Void, Never>? {
        if isOver.exchange(true, ordering: .relaxed) { return nil }
        return Task { [transaction, logger] in
            do {
                try await transaction.end()
            } catch {
                logger.error("A transaction did not end.", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Returns the body, followed by the end.
    func follow(_ body: ResponseBody) -> ResponseBody {
        ResponseBody(contentLength: body.contentLength) { writer in
            do {
                try await body.write(writer)
            } catch {
                await self()
                throw error
            }
            await self()
        }
    }
}
