import Testing

@testable import CheckWiringTool

@Suite struct KnownDeclarationTests {
    @Test func readsAMethod() throws {
        let declaration = try #require(
            KnownDeclaration(
                demangled: """
                    Hopoate.DependencyContainer.register<A where A: Swift.Sendable>(_: A.Type, named: Hopoate.DependencyName?, factory: \
                    @Sendable (Hopoate.DependencyContainer) async throws -> A, onDispose: (@Sendable (A) throws -> ())?) -> \
                    Hopoate.ServiceRegistration<A>
                    """))
        #expect(declaration.name == "DependencyContainer.register")
        #expect(declaration.result == "Hopoate.ServiceRegistration<A>")
        #expect(declaration.takes("factory"))
        #expect(!declaration.takes("using"))
        #expect(declaration.type(of: "factory").contains(" async "))
    }

    @Test func readsAMethodOfAnExtension() throws {
        let text =
            "(extension in HopoateHummingbird):Hummingbird.RouterMethods.get<A, B>(_: Hummingbird.RouterPath) -> A"
        #expect(try #require(KnownDeclaration(demangled: text)).name == "RouterMethods.get")
    }

    @Test(arguments: [
        "App.DependencyContainer.register<A>(A) -> ()", "(extension in App):Hopoate.DependencyContainer.all() -> ()",
        "",
    ])
    func refusesOtherModules(_ text: String) {
        #expect(KnownDeclaration(demangled: text) == nil)
    }
}
