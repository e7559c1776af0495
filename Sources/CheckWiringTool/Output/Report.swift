import Foundation

/// The findings as text for people and editors, and as JSON for tools.
struct Report {
    let findings: [Finding]
    let openFacts: [OpenFact]
    let registrationCount: Int
    let needCount: Int
    /// Whether the modules contain a program. Without one, it is unknown what other modules register and resolve.
    let isWhole: Bool
    /// The findings that `--allow` names.
    let allowedCount: Int
    /// The values of `--allow` that allow nothing.
    let useless: [String]
    /// The findings that a baseline hides.
    let knownCount: Int

    func text(showsOpenFacts: Bool) -> String {
        var lines: [String] = []
        for finding in findings {
            let place = "\(finding.place.path):\(finding.place.line):\(finding.place.column)"
            lines.append("\(place): \(finding.severity.rawValue): \(finding.message) [\(finding.kind.identifier)]")
            lines += finding.chain.map { "    \($0)" }
        }
        if showsOpenFacts {
            for fact in openFacts {
                lines.append(
                    "\(fact.place.path):\(fact.place.line):\(fact.place.column): note: \(fact.message) [hopoate.opaque]"
                )
            }
        }
        var summary =
            "check-wiring: \(counted(findings.count, "finding")) in \(counted(registrationCount, "registration"))"
        summary += " and \(counted(needCount, "need"))"
        if !openFacts.isEmpty {
            summary += "; \(openFacts.count) of them open" + (showsOpenFacts ? "" : " (`--open` lists them)")
        }
        if allowedCount > 0 { summary += "; \(counted(allowedCount, "finding")) allowed" }
        if knownCount > 0 { summary += "; \(counted(knownCount, "known finding")) hidden" }
        lines.append(summary)
        lines += useless.map { "check-wiring: `--allow \($0)` allows nothing. Remove it." }
        if !isWhole {
            lines.append(
                "check-wiring: the modules contain no executable, so missing and unused services were not checked.")
        }
        return lines.joined(separator: "\n")
    }

    private func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

    // MARK: - JSON

    private struct Document: Encodable {
        struct Entry: Encodable {
            let id: String
            let severity: String
            let file: String
            let line: Int
            let column: Int
            let message: String
            let chain: [String]
        }

        let version = 1
        let findings: [Entry]
        let open: [Entry]
    }

    func json() throws -> String {
        func entry(_ id: String, _ severity: String, _ place: Place, _ message: String, _ chain: [String] = [])
            -> Document.Entry
        {
            Document.Entry(
                id: id, severity: severity, file: place.path, line: place.line, column: place.column, message: message,
                chain: chain)
        }
        return try encoded(
            Document(
                findings: findings.map {
                    entry($0.kind.identifier, $0.severity.rawValue, $0.place, $0.message, $0.chain)
                },
                open: openFacts.map { entry("hopoate.opaque", "note", $0.place, $0.message) }))
    }
}

func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
