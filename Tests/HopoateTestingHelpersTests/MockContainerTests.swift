import Hopoate
import HopoateTestingHelpers
import Testing

protocol Paying { func pay() -> String }
private struct RealPay: Paying { func pay() -> String { "real" } }
private final class PayMock: Paying {
    var answer = "mock"
    var calls = 0
    func pay() -> String {
        calls += 1
        return answer
    }
}

@Suite struct MockContainerTests {
    let container = DependencyContainer()

    /// A typical existing subclass, with its own initializer and shortcuts.
    private final class PayMockContainer: MockContainer<any Paying, PayMock> {
        init(answer: String, container: DependencyContainer = .shared) {
            let mock = PayMock()
            mock.answer = answer
            super.init(mock, container: container)
        }
        var calls: Int { mock.calls }
    }
    /// A subclass without an initializer.
    private class PlainMockContainer: MockContainer<any Paying, PayMock> {}

    @Test func mockIsRegisteredWhileItExists() {
        var mock: MockContainer<any Paying, PayMock>? = MockContainer(PayMock(), container: container)
        mock?.mock.answer = "prepared"
        #expect(container.resolve((any Paying).self).pay() == "prepared")
        #expect(mock?.mock.calls == 1)
        #expect(container.resolve((any Paying).self) as? PayMock === mock?.mock)
        mock = nil
        #expect(!container.canResolve((any Paying).self))
    }

    @Test func mockShadowsAndUncoversTheRegistration() {
        container.register(unchecked: (any Paying).self, lifetime: .eager) { _ in RealPay() }
        do {
            let mock = MockContainer<any Paying, PayMock>(PayMock(), container: container)
            #expect(container.resolve((any Paying).self).pay() == "mock")
            withExtendedLifetime(mock) {}
        }
        #expect(container.resolve((any Paying).self).pay() == "real")
    }

    @Test func mocksMayEndInAnyOrder() {
        var first: PayMockContainer? = PayMockContainer(answer: "first", container: container)
        var second: PayMockContainer? = PayMockContainer(answer: "second", container: container)
        #expect(container.resolve((any Paying).self).pay() == "second")
        #expect((first?.calls, second?.calls) == (0, 1))
        first = nil
        #expect(container.resolve((any Paying).self).pay() == "second")
        second = nil
        #expect(!container.canResolve((any Paying).self))
    }

    @Test func subclassesRegisterAndRemoveToo() {
        var mock: PlainMockContainer? = PlainMockContainer(PayMock(), container: container)
        #expect(container.resolve((any Paying).self) as? PayMock === mock?.mock)
        mock = nil
        #expect(!container.canResolve((any Paying).self))
    }

    @Test(.isolatedDependencies) func sharedContainerIsTheDefault() {
        var mock: PayMockContainer? = PayMockContainer(answer: "shared")
        #expect(resolve((any Paying).self).pay() == "shared")
        #expect(mock?.calls == 1)
        let other = PlainMockContainer(PayMock())
        #expect(resolve((any Paying).self) as? PayMock === other.mock)
        mock = nil
        #expect(resolve((any Paying).self) as? PayMock === other.mock)
    }

    @Test func mockIsRemovedFromItsOwnContainer() {
        // Created in an override of `shared`, and released outside of it.
        var mock: PayMockContainer?
        DependencyContainer.$shared.withValue(container) { mock = PayMockContainer(answer: "bound") }
        let isThere = container.canResolve((any Paying).self)
        #expect(isThere)
        #expect(mock?.calls == 0)
        mock = nil
        #expect(!container.canResolve((any Paying).self))
    }

    @Test func mockKeepsItsContainerAlive() {
        weak var weakContainer: DependencyContainer?
        var mock: PayMockContainer?
        do {
            let container = DependencyContainer()
            weakContainer = container
            mock = PayMockContainer(answer: "", container: container)
        }
        #expect(weakContainer != nil)
        #expect(mock?.calls == 0)
        mock = nil
        #expect(weakContainer == nil)
    }

    @Test func typeAndMockMayBeTheSame() {
        let mock = MockContainer<Int, Int>(7, container: container)
        #expect(container.resolve(Int.self) == mock.mock)
    }

    @Test func mockIsSeenByWrappersAndBorrowers() {
        let mock = PayMockContainer(answer: "mock", container: container)
        #expect(Dependency<any Paying>(container: container).wrappedValue.pay() == "mock")
        #expect(container.withService((any Paying).self) { $0.pay() } == "mock")
        #expect(mock.calls == 2)
    }

    @Test func mockCountsItsResolves() {
        let mock = PayMockContainer(answer: "mock", container: container)
        mock.expectResolved(times: 0)
        #expect(container.resolve((any Paying).self).pay() == "mock")
        mock.expectResolved()
        #expect(container.withService((any Paying).self) { $0.pay() } == "mock")
        let wrapper = Dependency<any Paying>(container: container)
        #expect(wrapper.wrappedValue.pay() == wrapper.wrappedValue.pay())
        #expect(container.resolveAll((any Paying).self).count == 1)
        #expect(container.canResolve((any Paying).self))
        #expect(mock.resolveCount == 4)
        mock.expectResolved(times: 4)
    }

    @Test func shadowedMockIsNotResolved() {
        let mock = PayMockContainer(answer: "mock", container: container)
        container.register(unchecked: (any Paying).self, lifetime: .eager) { _ in RealPay() }
        _ = container.resolve((any Paying).self)
        mock.expectResolved(times: 0)
    }

    @Test func resolvesAreCountedFromAllThreads() async {
        let mock = PayMockContainer(answer: "mock", container: container)
        let container = container
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1000 { _ = container.resolve((any Paying).self) } }
            }
        }
        #expect(mock.resolveCount == 8000)
    }

    #if compiler(>=6.2)
        @Test func mockOfAWrongTypeTrapsWithAMessage() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = MockContainer<any Paying, String>(RealPay())
            }
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(
                text.contains(
                    "Cannot mock 'any HopoateTestingHelpersTests.Paying': the mock is of type 'HopoateTestingHelpersTests."
                )
            )
            #expect(text.contains("RealPay', not 'Swift.String'"))
            #expect(text.contains("as the second parameter of `MockContainer`"))
        }
    #endif
}
