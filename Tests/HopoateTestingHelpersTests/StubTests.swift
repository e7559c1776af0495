import Hopoate
import HopoateTestingHelpers
import Testing

private protocol Weather: Sendable { var text: String { get } }
private struct Sun: Weather { var text = "sun" }
private struct Rain: Weather { var text = "rain" }
private struct Failed: Error, Equatable {}

/// Stubs for the duration of a closure.
@Suite struct StubTests {
    let container = DependencyContainer()

    @Test func stubIsFoundInsideAndGoneAfterwards() {
        container.register(Sun(), for: (any Weather).self)
        let inside = container.withStub(Rain(), for: (any Weather).self) { container.resolve((any Weather).self).text }
        #expect(inside == "rain")
        #expect(container.resolve((any Weather).self).text == "sun")
    }

    @Test func namedStubShadowsThatNameOnly() {
        container.register((any Weather).self) { _ in Sun() }
        container.register((any Weather).self, named: "tomorrow") { _ in Sun() }
        container.withStub(Rain(), for: (any Weather).self, named: "tomorrow") {
            #expect(container.resolve((any Weather).self, named: "tomorrow").text == "rain")
            #expect(container.resolve((any Weather).self).text == "sun")
        }
        #expect(container.resolve((any Weather).self, named: "tomorrow").text == "sun")
    }

    @Test func stubIsRemovedAfterAnError() async {
        #expect(throws: Failed()) {
            try container.withStub(Rain(), for: (any Weather).self) { () throws(Failed) in throw Failed() }
        }
        await #expect(throws: Failed()) {
            try await container.withStub(Rain(), for: (any Weather).self) {
                await Task.yield()
                throw Failed()
            }
        }
        #expect(!container.canResolve((any Weather).self))
    }

    @Test func stubLastsThroughSuspension() async {
        await container.withStub(Rain(), for: (any Weather).self) {
            await Task.yield()
            #expect(container.resolve((any Weather).self).text == "rain")
        }
        #expect(!container.canResolve((any Weather).self))
    }

    /// A test with its own container needs no stub function.
    @Test(.isolatedDependencies) func registrationInAnIsolatedTestActsAsAStub() {
        DependencyContainer.shared.register((any Weather).self) { _ in Sun() }
        DependencyContainer.shared.register((any Weather).self, named: "tomorrow") { _ in Rain() }
        #expect(resolve((any Weather).self).text == "sun")
        #expect(resolve((any Weather).self, named: "tomorrow").text == "rain")
    }
}
