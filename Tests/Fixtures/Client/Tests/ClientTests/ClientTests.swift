import Hopoate
import HopoateTestingHelpers
import Plugin
import Testing

@Suite(.isolatedDependencies)
struct ClientTests {
    @Test func startsEmpty() {
        #expect(!DependencyContainer.shared.canResolve(Int.self))
    }

    @Test func usesThePlugin() {
        #expect(answer(in: .shared) == 42)
        #expect(withService(Int.self) { $0 } == 42)
    }
}
