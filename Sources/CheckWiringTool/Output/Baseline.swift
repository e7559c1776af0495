import Foundation

/// A file with the identities of known findings, one per line.
struct Baseline {
    private let remaining: [String: Int]

    init(path: String) throws {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ToolError("cannot read the baseline '\(path)'")
        }
        var counts: [String: Int] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") { counts[String(line), default: 0] += 1 }
        remaining = counts
    }

    /// Returns the findings that are not known. Each line hides one.
    func newFindings(in findings: [Finding]) -> [Finding] {
        var remaining = remaining
        return findings.filter { finding in
            guard let count = remaining[finding.identity], count > 0 else { return true }
            remaining[finding.identity] = count - 1
            return false
        }
    }

    static func text(_ findings: [Finding]) -> String {
        (["# Known findings of check-wiring. Each line hides one."] + findings.map(\.identity).sorted()).joined(
            separator: "\n") + "\n"
    }
}
