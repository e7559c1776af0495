import Hopoate
import HopoateTestingHelpers
import Testing

@Suite struct MockContainerTests {
    @Test func registersWhileItExists() {
        let container = DependencyContainer()
        let mock = MockContainer<Int, Int>(7, container: container)
        #expect(container.resolve(Int.self) == mock.mock)
    }
}
