import Hopoate
import Testing

/// The order of registrations, and removal.
@Suite(.mayBlock) struct RegisteringTests {
    let container = DependencyContainer()

    @Test func newestRegistrationWins() {
        for number in 1...5 {
            container.register(number, for: Int.self)
            #expect(container.resolve(Int.self) == number)
        }
    }

    @Test(arguments: 0..<5) func removalFromAnyDepthUncoversTheRest(depth: Int) {
        var tokens = (0..<5).map { container.register($0, for: Int.self) }
        container.remove(tokens.remove(at: 4 - depth))
        let expected = [4, 3, 2, 1, 0].filter { $0 != 4 - depth }
        #expect(container.resolveAll(Int.self) == expected)
        for (token, number) in zip(tokens.reversed(), expected) {
            #expect(container.resolve(Int.self) == number)
            container.remove(token)
        }
        #expect(!container.canResolve(Int.self))
    }

    @Test func removingTwiceDoesNothing() {
        container.register(1, for: Int.self)
        let token = container.register(2, for: Int.self)
        container.remove(token)
        container.remove(token)
        #expect(container.resolveAll(Int.self) == [1])
    }

    @Test func removingFromAnotherContainerDoesNothing() {
        let other = DependencyContainer()
        let token = container.register(1, for: Int.self)
        other.register(2, for: Int.self)
        other.remove(token)
        DependencyContainer().remove(token)
        #expect(container.resolve(Int.self) == 1)
        #expect(other.resolve(Int.self) == 2)
    }

    @Test func tokenOutlivesItsContainer() {
        let token = DependencyContainer().register(1, for: Int.self)
        container.register(2, for: Int.self)
        container.remove(token)
        #expect(container.resolve(Int.self) == 2)
    }

    @Test func removeAllLeavesTheContainerUsable() {
        let tokens = (0..<3).map { container.register($0, for: Int.self) }
        container.register("text", for: String.self)
        container.removeAll()
        #expect(!container.canResolve(Int.self))
        #expect(!container.canResolve(String.self))
        container.removeAll()
        for token in tokens { container.remove(token) }
        container.register(9, for: Int.self)
        for token in tokens { container.remove(token) }
        #expect(container.resolveAll(Int.self) == [9])
    }

    @Test func containersAreIndependent() {
        let other = DependencyContainer()
        container.register(1, for: Int.self)
        #expect(!other.canResolve(Int.self))
        #expect(!DependencyContainer.shared.canResolve(Tracked.self))
    }
}
