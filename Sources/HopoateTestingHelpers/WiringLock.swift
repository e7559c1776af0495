import Foundation
public import Hopoate
public import Testing

/// Fails the test if the wiring of a container differs from that in a file.
///
/// ```swift
/// @Test func wiringIsLocked() throws {
///     let app = DependencyContainer()
///     app.register(Polite(), for: (any Greeter).self)
///     try expectWiring(of: app, in: "wiring.lock")
/// }
/// ```
///
/// The file has the text of `DependencyContainer.wiringLock`, so a review shows each change of the wiring. The failure lists the lines that
/// were added and removed. If the file does not exist, or if the environment variable `HOPOATE_WRITE_LOCKS` is `1`, the function writes the
/// file; it also fails the test, unless the file was right.
///
/// - Parameters:
///   - container: The container, with its parents. For the services of a request, pass a child with them.
///   - path: The path of the file, relative to the folder of the test's source file.
///   - isWriting: Whether to write the file if it differs; nil to read the environment variable.
///   - filePath: The source file of the test.
///   - location: The place of the failure.
/// - Throws: An error if the file cannot be read or written.
/// - Complexity: That of `DependencyContainer.wiringLock`, and the reading of the file.
public func expectWiring(
    of container: DependencyContainer, in path: String,
    isWriting: Bool? = nil, filePath: StaticString = #filePath,
    _ location: SourceLocation = #_sourceLocation
) throws {
    let file = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: "\(filePath)").deletingLastPathComponent())
    let isWriting = isWriting ?? (ProcessInfo.processInfo.environment["HOPOATE_WRITE_LOCKS"] == "1")
    if let message = try compare(container.wiringLock, with: file.path, isWriting: isWriting) {
        Issue.record("The wiring in \(path) \(message)", sourceLocation: location)
    }
}

/// Compares a text with a file, and writes the file if it is missing or if that is asked for.
///
/// - Returns: The end of a message with the different lines; nil if there are none.
private func compare(_ text: String, with path: String, isWriting: Bool) throws -> String? {
    let exists = FileManager.default.fileExists(atPath: path)
    let locked = exists ? try String(contentsOfFile: path, encoding: .utf8) : ""
    guard text != locked || !exists else { return nil }
    let changes = text.split(separator: "\n").difference(from: locked.split(separator: "\n")).map { change in
        switch change {
        case .insert(_, let line, _): "+ \(line)"
        case .remove(_, let line, _): "- \(line)"
        }
    }
    let isWritten = isWriting || !exists
    if isWritten { try text.write(toFile: path, atomically: true, encoding: .utf8) }
    let remedy =
        isWritten ? "was written. Check it in" : "differs. If it is meant, run the test with HOPOATE_WRITE_LOCKS=1"
    return "\(remedy):\n\(changes.joined(separator: "\n"))"
}
