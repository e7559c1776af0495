import Foundation
import Testing

@testable import CheckWiringTool

@Suite struct BaselineTests {
    private func finding(line: Int, _ subject: String = "'App.Mailer'") -> Finding {
        Finding(
            kind: .missing, severity: .error, place: Place(module: "App", path: "/p/Main.swift", line: line, column: 1),
            subject: subject,
            message: "not registered")
    }

    @Test func hidesAKnownFindingThatHasMoved() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("baseline-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Baseline.text([finding(line: 3)]).write(toFile: path, atomically: true, encoding: .utf8)
        // The line hides one finding, so a second one of the kind is new.
        let new = try Baseline(path: path).newFindings(in: [
            finding(line: 9, "'App.Store'"), finding(line: 9), finding(line: 20),
        ])
        #expect(new.map(\.subject) == ["'App.Store'", "'App.Mailer'"])
        #expect(new.map(\.place.line) == [9, 20])
    }

    @Test func refusesAMissingFile() {
        #expect(throws: ToolError.self) { try Baseline(path: "/nowhere") }
    }

    @Test func reportHasThePlaceForEditorsAndTheIdentifier() throws {
        let report = Report(
            findings: [finding(line: 3)], openFacts: [], registrationCount: 1, needCount: 2, isWhole: true,
            allowedCount: 0, useless: [], knownCount: 0)
        #expect(
            report.text(showsOpenFacts: false) == """
                /p/Main.swift:3:1: error: not registered [hopoate.missing]
                check-wiring: 1 finding in 1 registration and 2 needs
                """)
        #expect(try report.json().contains("\"id\" : \"hopoate.missing\""))
    }

    @Test func reportSaysWhatWasNotChecked() {
        let report = Report(
            findings: [], openFacts: [], registrationCount: 3, needCount: 2, isWhole: false, allowedCount: 2,
            useless: ["hopoate.unused=Cart"], knownCount: 1)
        #expect(
            report.text(showsOpenFacts: false) == """
                check-wiring: 0 findings in 3 registrations and 2 needs; 2 findings allowed; 1 known finding hidden
                check-wiring: `--allow hopoate.unused=Cart` allows nothing. Remove it.
                check-wiring: the modules contain no executable, so missing and unused services were not checked.
                """)
    }

    @Test(arguments: [
        ("hopoate.missing", true), ("hopoate.missing=Mailer", true), ("hopoate.missing=App.Mailer", true),
        ("hopoate.missing=ailer", false), ("hopoate.missing=Store", false), ("hopoate.unused", false),
    ])
    func allowanceNamesAnIdentifierAndAType(text: String, isAllowed: Bool) throws {
        let allowance = try Allowance(text)
        #expect(allowance.allows(finding(line: 3)) == isAllowed)
        #expect(allowance.allows(finding(line: 3, "'App.Order' -> 'any App.Mailer' named \"post\"")) == isAllowed)
    }

    @Test(arguments: ["", "missing", "hopoate.", "hopoate.unusual", "=Mailer"])
    func unknownIdentifierIsRefused(text: String) {
        #expect(throws: ToolError.self) { try Allowance(text) }
    }

    /// Scripts depend on the identifiers, and readers look for them in the article.
    @Test func identifiersAreThoseOfTheArticle() throws {
        let identifiers = Set(Finding.Kind.allCases.map(\.identifier))
        #expect(
            identifiers == [
                "hopoate.arguments", "hopoate.async", "hopoate.captive", "hopoate.circular", "hopoate.duplicate",
                "hopoate.invalid", "hopoate.missing", "hopoate.module", "hopoate.name", "hopoate.optional",
                "hopoate.override", "hopoate.unused",
            ])
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
        let page = try String(
            contentsOf: sources.appendingPathComponent("Hopoate/Hopoate.docc/Errors.md"), encoding: .utf8)
        for identifier in identifiers.union(["hopoate.opaque"]) where !page.contains("`\(identifier)`") {
            Issue.record("Errors.md does not list `\(identifier)`.")
        }
    }
}
