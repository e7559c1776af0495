extension Report {
    /// The readable report: fewer than sixty lines for any input.
    package var text: String {
        let parts = [orders, totals, rejectedLines, otherRejectedLines, shortages, payments, figures].filter {
            !$0.isEmpty
        }
        return "Checkout: \(input)\n\n\(parts.joined(separator: "\n"))"
    }

    private var orders: String {
        let rows = [
            ("read", summary.read), ("accepted", summary.accepted), ("rejected", summary.rejected.count),
            ("out of stock", summary.refused), ("blank lines", summary.blankLines),
        ]
        return section("Orders", [.left, .right], rows.map { [$0, grouped($1)] })
    }

    private var totals: String {
        var rows = [["currency", "orders", "net", "tax", "gross"]]
        for currency in Currency.allCases {
            let total = summary.totals[currency, default: Summary.Total()]
            let amounts = [total.net, total.tax, total.gross].map { decimal($0, digits: currency.minorDigits) }
            rows.append([currency.rawValue, grouped(total.orders)] + amounts)
        }
        return section("Accepted", [.left, .right, .right, .right, .right], rows)
    }

    private var rejectedLines: String {
        let shown = summary.rejected.prefix(10)
        let rows = shown.map { ["line", grouped($0.number), $0.rejection.reason, $0.rejection.detail] }
        return shown.isEmpty ? "" : section("Rejected", [.left, .right, .left, .left], rows)
    }

    /// The rejected lines that are not shown, counted by reason, most frequent first.
    private var otherRejectedLines: String {
        let reasons = Dictionary(grouping: summary.rejected.dropFirst(10), by: \.rejection.reason)
            .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        let cells = reasons.map { [grouped($0.value.count), $0.key] }
        // Three cells per row.
        let rows = stride(from: 0, to: cells.count, by: 3).map { start in
            (start..<start + 3).flatMap { $0 < cells.count ? cells[$0] : ["", ""] }
        }
        return rows.isEmpty ? "" : section("Rejected besides", [.right, .left, .right, .left, .right, .left], rows)
    }

    private var shortages: String {
        let articles = summary.short.sorted { $0.key < $1.key }
        var rows = articles.prefix(5).map { sku, refused in
            [sku, grouped(refused.orders), grouped(refused.wanted), grouped(stock[sku, default: 0])]
        }
        let others = articles.dropFirst(5).map(\.value)
        if !others.isEmpty {
            let orders = others.reduce(0) { $0 + $1.orders }
            rows.append(["others", grouped(orders), grouped(others.reduce(0) { $0 + $1.wanted }), ""])
        }
        return rows.isEmpty
            ? ""
            : section(
                "Out of stock", [.left, .right, .right, .right], [["article", "orders", "wanted", "left"]] + rows)
    }

    private var payments: String {
        var rows = [["service", payment.name], ["charged", grouped(payment.charged)]]
        if let dryRun {
            rows.append(["withheld", grouped(dryRun.withheld)])
            rows.append(["afterwards", "\(dryRun.restored.name), charged \(grouped(dryRun.restored.charged))"])
        }
        return section("Payment", [.left, .left], rows)
    }

    private var figures: String {
        let seconds = load.elapsed / .seconds(1)
        let digest = String(audit.sum, radix: 16)
        return section(
            "Load", [.left, .right],
            [
                ["workers", grouped(load.workers)],
                ["passes", grouped(load.passes) + (load.passesAgree ? "" : ", not all alike")],
                ["milliseconds", grouped(Int(seconds * 1_000))],
                ["orders/s", rate(summary.read * load.passes, seconds)],
                ["resolves", grouped(load.resolves)],
                ["resolves/s", rate(load.resolves, seconds)],
                ["audit digest", String(repeating: "0", count: 16 - digest.count) + digest],
            ])
    }
}

private func rate(_ count: Int, _ seconds: Double) -> String {
    seconds > 0 ? grouped(Int(Double(count) / seconds)) : "-"
}
