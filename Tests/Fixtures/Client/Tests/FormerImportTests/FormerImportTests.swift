import Hopoate
import HopoateTestingHelpersPackage
import Testing

@Suite(.isolatedDependencies)
struct FormerImportTests {
    @Test func mockIsRegistered() {
        let mock = MockContainer<Int, Int>(7)
        #expect(resolve(Int.self) == mock.mock)
    }
}
