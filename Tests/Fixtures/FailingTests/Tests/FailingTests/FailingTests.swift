import Foundation
import Hopoate
import HopoateTestingHelpers
import Testing

// The name of a test states how it must end, which `.ci/failures` checks.

private struct Missing {}
private struct OtherMissing {}
private struct Failed: Error {}
private protocol Greeter: Sendable {}
private struct Polite: Greeter {}

/// The running tests. They wait for each other, so that some fail while others run.
private actor Meeting {
    static let shared = Meeting()
    private var arrived = 0

    func meet(_ count: Int) async {
        arrived += 1
        let deadline = Date() + 10
        while arrived < count, Date() < deadline { try? await Task.sleep(nanoseconds: 1_000_000) }
    }
}

private actor Desk {
    func ask() -> Missing { resolve(Missing.self) }
}

@Suite(.isolatedDependencies) struct IsolatedTests {
    @Test func failsWithTheMissingService() async {
        await Meeting.shared.meet(4)
        _ = resolve(Missing.self)
        Issue.record("went on after it was given up")
    }

    @Test func failsWithTheOtherMissingService() async {
        await Meeting.shared.meet(4)
        _ = resolve(OtherMissing.self)
        Issue.record("went on after it was given up")
    }

    @Test func passesMeanwhile() async {
        await Meeting.shared.meet(4)
        for _ in 0..<100 { await Task.yield() }
        DependencyContainer.shared.register(Polite(), for: (any Greeter).self)
        _ = resolve((any Greeter).self)
    }

    @Test func alsoPassesMeanwhile() async throws {
        await Meeting.shared.meet(4)
        try await Task.sleep(nanoseconds: 50_000_000)
        #expect(optionalResolve(Missing.self) == nil)
    }

    @Test(arguments: 0..<64) func failsForEachArgument(argument: Int) {
        _ = resolve(Missing.self)
    }

    @Test func failsSynchronously() { _ = resolve(Missing.self) }

    @Test func failsInAChildTask() async {
        async let missing = resolve(Missing.self)
        _ = await missing
    }

    @Test func failsInAnActor() async { _ = await Desk().ask() }

    @Test func failsInAFactory() {
        DependencyContainer.shared.register(OtherMissing.self) { container in
            _ = container.resolve(Missing.self)
            return OtherMissing()
        }
        _ = resolve(OtherMissing.self)
    }

    @Test func failsWithItsOwnError() throws { throw Failed() }

    @Test func failsWithItsOwnExpectation() { #expect(Bool(false)) }

    @Test func failsForAMockThatWasNotResolved() {
        MockContainer<any Greeter, Polite>(Polite()).expectResolved()
    }

    @Test func failsForAMockThatWasResolvedTooOften() {
        let mock = MockContainer<any Greeter, Polite>(Polite())
        _ = resolve((any Greeter).self)
        _ = resolve((any Greeter).self)
        mock.expectResolved(times: 1)
    }

    @Test(.isolatedDependencies { _ in throw Failed() }) func failsWithTheErrorOfItsSetUp() {
        Issue.record("went on after it was given up")
    }

    @Test(.isolatedDependencies(.inheriting) { _ in _ = resolve(Missing.self) }) func failsInItsSetUp() {
        Issue.record("went on after it was given up")
    }

    @Suite(.isolatedDependencies(.inheriting), .serialized) struct Serialized {
        @Test func failsFirst() { _ = resolve(Missing.self) }
        @Test func passesSecond() {}
    }
}

private final class Pool: Sendable {}

private func registerLive(in container: DependencyContainer) {
    container.register((any Greeter).self, lifetime: .transient) { _ in Polite() }
    container.register(OtherMissing.self) { container in
        _ = container.resolve((any Greeter).self)
        return OtherMissing()
    }
}

@Suite(.isolatedDependencies(.strict(allowing: OtherMissing.self, live: registerLive))) struct StrictTests {
    @Test func failsWithALiveService() {
        _ = resolve(OtherMissing.self)
        Issue.record("went on after it was given up")
    }

    @Test func failsWithALiveServiceInADetachedTask() async {
        let container = DependencyContainer.shared
        await Task.detached { _ = try? container.require((any Greeter).self) }.value
    }

    @Test func failsWithALeftOutShutdown() {
        DependencyContainer.shared.register(Pool.self) { _ in
            Pool()
        } onDispose: { _ in
        }
        _ = resolve(Pool.self)
    }

    @Test func failsWithALeftOutShutdownOfAChild() {
        let child = DependencyContainer.shared.makeChild()
        child.register(Pool.self) { _ in
            Pool()
        } onDispose: { _ in
        }
        _ = child.resolve(Pool.self)
    }

    @Test func passesWithAFakeAndAShutdown() async throws {
        DependencyContainer.shared.register(Polite(), for: (any Greeter).self)
        DependencyContainer.shared.register(Pool.self) { _ in
            Pool()
        } onDispose: { _ in
        }
        _ = resolve(OtherMissing.self)
        _ = resolve(Pool.self)
        try await DependencyContainer.shared.shutdown()
    }
}

@Suite struct OtherTests {
    @Test func failsForAPlaceholderWithoutATrait() {
        let send: @Sendable () -> Int = unimplemented("Mailer.other", returning: 7)
        #expect(send() == 7)
    }
}

private struct Letter: Sendable { let greeter: any Greeter }

@Suite struct ValidatedTests {
    @Test(.validates(roots: Letter.self) { $0.register(Letter.self, using: Letter.init) }) func failsWithAFinding() {
        #expect(DependencyContainer.shared.canResolve(Letter.self))
    }

    @Test(
        .validates(roots: Letter.self) { container in
            container.register((any Greeter).self) { _ in Polite() }
            container.register(Letter.self, using: Letter.init)
        })
    func passesWithoutFindings() { _ = resolve(Letter.self) }
}

// Not private: the run time knows no names of private types.
struct Ledger: Sendable {}
struct Vault: Sendable {}

extension DependencyContainer {
    /// Registers two closures as the module `Program` does.
    fileprivate func registerLedger(line: UInt = 3) {
        register(Vault.self, fileID: "Program/Main.swift", line: 4) { _ in Vault() }
        register(Ledger.self, fileID: "Program/Main.swift", line: line) { container in
            _ = try container.require(Vault.self)
            return Ledger()
        }
    }
}

/// Writes a file as check-wiring does, for the two closures, and returns its path.
private func ledgerFile(_ needs: String) -> String {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    let entries = [("Ledger", 3, needs), ("Vault", 4, "")].map { type, line, needs in
        """
        {"place": "Program/Main.swift:\(line)", "type": {"text": "FailingTests.\(type)"}, "hasAnyName": false, "isOpen": false,
        "needs": [\(needs)]}
        """
    }
    let text = """
        {"version": 1, "modules": ["Program"], "registrations": [\(entries.joined(separator: ","))]}
        """
    try? Data(text.utf8).write(to: file)
    return file.path
}

private let vault = """
    {"type": {"text": "FailingTests.Vault"}, "hasAnyName": false, "kind": "service", "isLater": false, "isParameter": false}
    """

@Suite struct SourceTests {
    @Test(.validates(.strict, roots: Ledger.self, needs: ledgerFile(vault)) { $0.registerLedger() })
    func passesWithTheFileOfItsClosures() { _ = resolve(Ledger.self) }

    @Test(.validates(needs: ledgerFile("")) { $0.registerLedger() }) func failsWithAServiceThatTheFileLacks() {
        _ = resolve(Ledger.self)
    }

    @Test(.validates(needs: ledgerFile(vault)) { $0.registerLedger(line: 5) }) func failsWithAClosureThatTheFileLacks()
    {}

    @Test(.validates(needs: ledgerFile(vault)) { $0.register(Vault.self) { _ in Vault() } })
    func failsWithTheFileOfAnotherProgram() {}

    @Test(.validates(needs: "nowhere.json") { $0.registerLedger() }) func failsWithAFileThatDoesNotExist() {}

    @Test(.validates(needs: ledgerFile("{}")) { $0.registerLedger() }) func failsWithADamagedFile() {}
}

@Suite(.isolatedDependencies) struct PlaceholderTests {
    @Test func failsForASpyThatWasNotCalled() { Spy<Int>("add").expectCalled() }

    @Test func failsForASpyThatWasCalledTooOften() {
        let spy = Spy<Int>("add")
        spy.record(7)
        spy.record(8)
        spy.expectCalled(times: 1)
    }

    @Test func failsForAPlaceholderThatIsCalledInADetachedTask() async {
        let send: @Sendable (String) throws -> Void = unimplemented("Mailer.send")
        await Task.detached { try? send("Ada") }.value
    }

    @Test func failsForAPlaceholderThatIsCalledOnAThread() async {
        let send: @Sendable (String) -> Int = unimplemented("Mailer.count", returning: 0)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                _ = send("Ada")
                continuation.resume()
            }
        }
    }

    @Test func failsForAPlaceholderThatIsResolved() {
        DependencyContainer.shared.register(unimplemented: (any Greeter).self)
        _ = resolve((any Greeter).self)
        Issue.record("went on after it was given up")
    }
}

@Suite struct StartTests {
    @Test(.everyStart(of: { $0.register(Pool.self) { _ async in Pool() } }, start: { try? await $0.warmUp() }, seed: 7))
    func failsForAStartThatIgnoresAFailure() {}

    @Test(
        .everyStart(of: {
            $0.register(Pool.self) { _ async in
                Pool()
            } onDispose: { _ in
            }
        }))
    func passesWithAStartThatFailsCleanly() {}
}

/// Only runs if an environment variable is set, because each test terminates the process.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["HOPOATE_END"] != nil)) struct EndingTests {
    @Test(.isolatedDependencies) @MainActor func endsOnTheMainActor() { _ = resolve(Missing.self) }

    @Test(.isolatedDependencies) func endsInADetachedTask() async {
        let container = DependencyContainer.shared.makeChild()
        await Task.detached { _ = container.resolve(Missing.self) }.value
    }

    @Test(.isolatedDependencies) func endsOnAThread() async {
        let container = DependencyContainer.shared
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                _ = container.resolve(Missing.self)
                continuation.resume()
            }
        }
    }
}

@Suite struct WiringLockTests {
    private let app = DependencyContainer()
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).lock")

    init() { app.register("text", for: String.self) }

    @Test func failsWithAChangedWiring() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try "Swift.Int: eager, needs nothing\n".write(to: file, atomically: true, encoding: .utf8)
        try expectWiring(of: app, in: file.path, isWriting: false)
        #expect(try String(contentsOf: file, encoding: .utf8) == "Swift.Int: eager, needs nothing\n")
    }

    @Test(arguments: [true, false]) func failsOnceWhenItWritesTheWiring(isPresent: Bool) throws {
        defer { try? FileManager.default.removeItem(at: file) }
        if isPresent { try "Swift.Int: eager, needs nothing\n".write(to: file, atomically: true, encoding: .utf8) }
        try expectWiring(of: app, in: file.path, isWriting: isPresent)
        #expect(try String(contentsOf: file, encoding: .utf8) == app.wiringLock)
        try expectWiring(of: app, in: file.path, isWriting: false)
    }
}

@Suite struct EndlessStartTests {
    @Test(
        .everyStart(
            of: { $0.register(OtherMissing.self) { _ async in OtherMissing() } },
            start: { container in
                // A task of its own, which the cancellation does not reach.
                let creation = Task.detached { try await container.asyncResolve(OtherMissing.self) }
                _ = try await creation.value
            }, seed: 7, patience: 5)
    ) func failsWithAStartThatWaitsForEver() {}
}
