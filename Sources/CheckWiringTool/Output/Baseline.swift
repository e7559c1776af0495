import Foundation

/// A file with the identities of known findings, one per line.
struct Baseline {
    private var remaining: [String: Int] = [:]

    init(path: String) throws {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw ToolError("cannot read the baseline '\(path)'") }
        for line in text.split(separator: "\n") where !line.hasPrefix("#") { remaining[String(line), default: 0] += 1 }
    }

    /// Whether a finding is known. Each line hides one finding.
    mutating func contains(_ finding: Finding) -> Bool {
        guard let count = remaining[finding.identity], count > 0 else { return false }
        remaining[finding.identity] = count - 1
        return true
    }

    static func text(_ findings: [Finding]) -> String {
        (["# Known findings of check-wiring. Each line hides one."] + findings.map(\.identity).sorted()).joined(separator: "\n") + "\n"
    }
}
