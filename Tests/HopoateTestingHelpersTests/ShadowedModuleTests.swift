import Hopoate
import Testing

/// Has the name of this module, like `@main struct App` in a module `App`. So the compiler looks up `HopoateTestingHelpersTests.Courier` in
/// this type.
enum HopoateTestingHelpersTests {}

private protocol Courier {}

@Suite struct ShadowedModuleTests {
    @Test func codeInMessagesLeavesOutAModuleWithATypeOfItsName() {
        let error = #expect(throws: DependencyError.self) { try DependencyContainer().require((any Courier).self) }
        let text = error?.description ?? ""
        #expect(text.contains("Cannot resolve 'any HopoateTestingHelpersTests.Courier'"))
        // Compiled as it is in the message.
        _ = (any Courier).self
        #expect(text.contains("`register(…, for: (any Courier).self)`"))
    }
}
