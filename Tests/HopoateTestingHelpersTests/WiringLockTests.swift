import Foundation
import Hopoate
import HopoateTestingHelpers
import Testing

/// Wiring that is compared with a file. FailingTests checks differences, which fail a test.
@Suite struct WiringLockTests {
    private let app = DependencyContainer()

    init() { app.register("text", for: String.self) }

    @Test func equalWiringPasses() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).lock")
        defer { try? FileManager.default.removeItem(at: file) }
        try app.wiringLock.write(to: file, atomically: true, encoding: .utf8)
        try expectWiring(of: app, in: file.path)
        try expectWiring(of: app, in: file.path, isWriting: true)
    }

    @Test func aFileThatCannotBeWrittenIsAnError() {
        #expect(throws: (any Error).self) { try expectWiring(of: app, in: "/nowhere/wiring.lock", isWriting: false) }
    }
}
