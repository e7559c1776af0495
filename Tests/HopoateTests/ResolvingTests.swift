import Hopoate
import Testing

@Suite struct ResolvingTests {
    @Test func unknownTypeIsNil() {
        #expect(DependencyContainer().optionalResolve(Int.self) == nil)
    }
}
