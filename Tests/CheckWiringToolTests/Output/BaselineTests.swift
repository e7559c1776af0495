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
            findings: [finding(line: 3)], openFacts: [], registrationCount: 1, needCount: 2, knownCount: 0)
        #expect(
            report.text(showsOpenFacts: false) == """
                /p/Main.swift:3:1: error: not registered [hopoate.missing]
                check-wiring: 1 finding in 1 registration and 2 needs
                """)
        #expect(try report.json().contains("\"id\" : \"hopoate.missing\""))
    }
}
