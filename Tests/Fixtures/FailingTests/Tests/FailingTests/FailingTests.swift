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

    @Suite(.isolatedDependencies(.inheriting), .serialized) struct Serialized {
        @Test func failsFirst() { _ = resolve(Missing.self) }
        @Test func passesSecond() {}
    }
}

/// Only runs if an environment variable is set, because it terminates the process.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["HOPOATE_END"] != nil)) struct EndingTests {
    @Test(.isolatedDependencies) @MainActor func endsOnTheMainActor() { _ = resolve(Missing.self) }
}
