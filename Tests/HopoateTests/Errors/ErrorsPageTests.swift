import Foundation
import Testing

/// The article Errors.md lists every message: a search for the text of a message finds the page.
@Suite struct ErrorsPageTests {
    private static let sources = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources")

    /// The first cells of the tables of messages.
    private let page: String
    /// Their fixed words, row by row.
    private let rows: [[String]]

    init() throws {
        let page = Self.sources.appendingPathComponent("Hopoate/Hopoate.docc/Errors.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let messages = try #require(text.range(of: "\n## Messages\n"))
        let cells = text[messages.upperBound...].split(separator: "\n")
            .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| Message |") }
            .map { String($0.dropFirst(2).prefix(upTo: $0.dropFirst(2).range(of: " | ")?.lowerBound ?? $0.endIndex)) }
        rows = cells.map { cell in
            cell.split(separator: "*", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset.isMultiple(of: 2) }.map { Self.words(of: String($0.element)) }
        }
        self.page = cells.map { Self.words(of: $0.replacingOccurrences(of: "*", with: "")) }.joined(separator: "\n")
    }

    @Test func everyMessageInTheSourcesIsOnThePage() throws {
        let literals = try Self.literals()
        #expect(literals.count > 60)
        for (file, words) in literals where !page.contains(words) {
            Issue.record("Errors.md does not list '\(words)' of \(file).")
        }
    }

    @Test func everyMessageOnThePageIsInTheSources() throws {
        let literals = try Self.literals(shorterToo: true).map(\.words).joined(separator: "\n")
        #expect(rows.count > 50)
        for part in rows.joined() where !part.isEmpty && !literals.contains(part) {
            // These messages are made of two literals.
            if part.hasPrefix("it "), literals.contains(part.dropFirst(3)) { continue }
            Issue.record("No source has the words '\(part)' of Errors.md.")
        }
    }

    // MARK: - Reading the sources

    /// Files whose literals are drawings, logs, values, or warnings of the compiler.
    private static let others = [
        "DependencyContainer+Hopoate1.swift", "DependencyContainer+WiringLock.swift", "DependencyDescription.swift",
        "DependencyGraph.swift", "DependencyStartReport+Chart.swift", "DependencyTree.swift", "LoggingInstrument.swift",
        "ShownText.swift",
    ]

    /// Folders without messages: their literals are an HTML page, or generated code.
    private static let otherFolders = ["/HopoateHummingbird/Snapshot/", "/HopoateGRPC/Generated/"]

    /// The fixed parts of all literals: those of three words and more, or all.
    private static func literals(shorterToo: Bool = false) throws -> [(file: String, words: String)] {
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var literals: [(String, String)] = []
        for case let file as URL in files where file.pathExtension == "swift" && !file.path.contains(".docc/") {
            // The page lists the findings of the tool, but not its other texts.
            let isTool = file.path.contains("/CheckWiringTool/")
            if isTool ? !shorterToo : others.contains(file.lastPathComponent) { continue }
            if otherFolders.contains(where: file.path.contains) { continue }
            var scanner = LiteralScanner(try String(contentsOf: file, encoding: .utf8))
            for part in scanner.parts() {
                let words = words(of: part)
                let count = words.split(separator: " ").count { $0.count { $0.isLetter } > 1 }
                if shorterToo || count > 2 { literals.append((file.lastPathComponent, words)) }
            }
        }
        return literals
    }

    /// A part of a message in one line, without the signs at its ends.
    private static func words(of text: String) -> String {
        // The traits of the integrations have one row.
        var text = text.replacingOccurrences(of: "`", with: "")
        if let trait = text.range(of: "Enable the trait '") { text = String(text[..<trait.upperBound]) }
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            .trimmingCharacters(in: CharacterSet(charactersIn: " '.,:;()→…"))
    }
}

/// Finds the literals of a Swift source. It knows comments, multi-line literals and interpolations, and no raw literals.
private struct LiteralScanner {
    private let text: [Character]
    private var index = 0
    private var found: [String] = []

    init(_ text: String) {
        self.text = Array(text)
    }

    /// The fixed parts of all literals. Those of failed preconditions are no messages to users.
    mutating func parts() -> [String] {
        while index < text.count {
            if matches("//") {
                while index < text.count, text[index] != "\n" { index += 1 }
            } else if matches("preconditionFailure(\"") {
                index += "preconditionFailure(".count
                let count = found.count
                scanLiteral()
                found.removeLast(found.count - count)
            } else if text[index] == "\"" {
                scanLiteral()
            } else {
                index += 1
            }
        }
        return found
    }

    private func matches(_ word: String) -> Bool {
        let word = Array(word)
        return index + word.count <= text.count && Array(text[index..<index + word.count]) == word
    }

    private mutating func scanLiteral() {
        let end = matches("\"\"\"") ? "\"\"\"" : "\""
        index += end.count
        var part = ""
        while index < text.count, !matches(end) {
            if matches("\\(") {
                found.append(part)
                part = ""
                index += 2
                scanInterpolation()
            } else if text[index] == "\\" {
                if text[index + 1] == "\"" { part.append("\"") } else { part.append(" ") }
                index += 2
            } else {
                part.append(text[index])
                index += 1
            }
        }
        found.append(part)
        index += end.count
    }

    private mutating func scanInterpolation() {
        var depth = 1
        while index < text.count, depth > 0 {
            switch text[index] {
            case "\"":
                scanLiteral()
                continue
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
            index += 1
        }
    }
}
