import Hopoate

/// Processes lines in batches. Each task has its own worker, so its state is not shared.
struct Worker {
    /// A line after the stage that does not depend on other lines.
    private struct Prepared: Sendable {
        let line: Int
        let quote: Result<Quote, Rejection>
    }

    /// Resolved on first use and cached, because the service stays the same for the lifetime of the worker.
    @Dependency private var audit: any AuditLog

    private let reader = OrderReader()
    private let lines: InputLines
    private let sequencer: Sequencer

    private(set) var services = CountedServices()
    private(set) var summary = Summary()

    init(lines: InputLines, sequencer: Sequencer) {
        self.lines = lines
        self.sequencer = sequencer
    }

    /// Processes one batch.
    ///
    /// - Parameters:
    ///   - indices: The lines of the batch.
    ///   - turn: The turn in which it decides about the batch; see ``Sequencer``.
    mutating func run(_ indices: Range<Int>, turn: Int) async {
        let prepared = await prepare(indices)

        // Resolved and not borrowed, because they are used after an `await`.
        let book = services.resolve((any OrderBook).self)
        let inventory = services.resolve((any Inventory).self)
        let decisions = await sequencer.inTurn(turn) {
            prepared.map {
                (line: $0.line, decision: decide(line: $0.line, $0.quote, book: book, inventory: inventory))
            }
        }
        await finish(decisions)
    }

    /// Reads, prices and authorizes the orders.
    private mutating func prepare(_ indices: Range<Int>) async -> [Prepared] {
        var prepared: [Prepared] = []
        prepared.reserveCapacity(indices.count)
        for index in indices {
            guard let line = lines.line(at: index) else {
                summary.blankLines += 1
                continue
            }
            do throws(Rejection) {
                let order = try reader.order(from: line)
                let quote = try Pricing.quote(order, services: &services)
                try await services.resolve((any PaymentService).self).authorize(quote.gross)
                prepared.append(Prepared(line: index + 1, quote: .success(quote)))
            } catch {
                prepared.append(Prepared(line: index + 1, quote: .failure(error)))
            }
        }
        return prepared
    }

    /// Charges the accepted orders and records all decisions.
    private mutating func finish(_ decisions: [(line: Int, decision: Decision)]) async {
        var entries: [String] = []
        entries.reserveCapacity(decisions.count)
        for (line, decision) in decisions {
            summary.add(decision, line: line)
            switch decision {
            case .rejected(let rejection):
                entries.append("\(line) rejected: \(rejection.reason)")
            case .short(let shortfall):
                entries.append("\(line) short of \(shortfall.wanted) \(shortfall.sku)")
            case .accepted(let quote):
                await services.resolve((any PaymentService).self).charge(quote.gross, for: quote.order.id)
                entries.append("\(line) \(receipt(for: quote))")
            }
        }
        await audit.record(entries)
    }

    private mutating func receipt(for quote: Quote) -> String {
        let builder = services.resolve(transient: (any ReceiptBuilder).self)
        for item in quote.items { builder.add(item) }
        return builder.finish(quote)
    }
}
