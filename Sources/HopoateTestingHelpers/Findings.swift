import Hopoate
import Testing

/// A mistake that fails a test, but does not end it at once.
// A class, so that an error that a service throws can be found again among the findings.
final class Finding: Error, CustomStringConvertible {
    /// The message, without a full stop: it may become a part of the message of a `DependencyError`, which has the chain.
    let description: String
    private let chain: [ServiceIdentity]
    /// The place to report; nil for that of the test.
    private let location: SourceLocation?

    init(_ description: String, chain: [ServiceIdentity] = [], at location: SourceLocation? = nil) {
        self.description = description
        self.chain = chain
        self.location = location
    }

    /// The message, and the services that were being created.
    var text: String { ([description + "."] + chainLine(chain)).joined(separator: "\n") }

    /// Reports the finding for the test of the calling task.
    func record(at place: SourceLocation) {
        Issue.record(Comment(rawValue: text), sourceLocation: location ?? place)
    }
}

/// The findings of one test.
///
/// They are reported in the task of the test, at its end. The testing library knows a test by its task, and a mistake can be made in a
/// detached task or on another thread.
final class Findings: Sendable {
    /// The findings of the running test.
    @TaskLocal static var current: Findings?

    /// The error for the findings of a test that is no test of Swift Testing.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ findings: [Finding]) {
            description = findings.map(\.text).joined(separator: "\n")
        }
    }

    private struct Contents {
        var all: [Finding] = []
        var hasEnded = false
    }

    private let contents = Locked(Contents())

    /// Adds a finding, or reports it at once if the test has ended.
    func add(_ finding: Finding) {
        let isLate = contents.withLock { contents in
            if !contents.hasEnded { contents.all.append(finding) }
            return contents.hasEnded
        }
        if isLate { Issue.record(Comment(rawValue: finding.text)) }
    }

    /// Removes a finding that is reported in another way.
    func remove(_ error: any Error) {
        guard let finding = error as? Finding else { return }
        contents.withLock { $0.all.removeAll { $0 === finding } }
    }

    /// Ends the test, and returns its findings without repetitions.
    func end() -> [Finding] {
        let all = contents.withLock { contents in
            contents.hasEnded = true
            return contents.all
        }
        var seen: Set<String> = []
        return all.filter { seen.insert($0.text).inserted }
    }
}

/// The location for a place in a message, such as `Module/File.swift:12`; nil if it is not one.
func location(_ place: String) -> SourceLocation? {
    guard let colon = place.lastIndex(of: ":"), let line = Int(place[place.index(after: colon)...]), line > 0 else {
        return nil
    }
    let file = String(place[..<colon])
    guard file.contains("/") else { return nil }
    return SourceLocation(fileID: file, filePath: file, line: line, column: 1)
}
