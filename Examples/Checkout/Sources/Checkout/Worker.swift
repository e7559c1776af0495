import Hopoate

/// Takes lines through the pipeline, a batch at a time. Every task has one of its own, so nothing in it is shared.
struct Worker {
    /// A line that has come as far as it can without regard to the others.
    private struct Prepared: Sendable {
        let line: Int
        let quote: Result<Quote, Rejection>
    }

    /// Resolved at the first use and kept, which is right for a service that stays the same for as long as the worker
    /// lives.
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

    /// Does one batch.
    ///
    /// - Parameters:
    ///   - indices: Which lines.
    ///   - turn: When it is decided about them; see ``Sequencer``.
    mutating func run(_ indices: Range<Int>, turn: Int) async {
        let prepared = await prepare(indices)

        // Kept, not borrowed: they are used on the other side of an `await`.
        let book = services.resolve((any OrderBook).self)
        let inventory = services.resolve((any Inventory).self)
        let decisions = await sequencer.inTurn(turn) {
            prepared.map {
                (line: $0.line, decision: decide(line: $0.line, $0.quote, book: book, inventory: inventory))
            }
        }
        await finish(decisions)
    }

    /// Reads, prices and authorizes.
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

    /// Charges what was accepted, and writes everything down.
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
