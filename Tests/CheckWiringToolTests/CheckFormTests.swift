import Testing

@testable import CheckWiringTool

/// If the tool cannot read the trees of a compiler, it fails. It must not report that there are no findings.
@Suite struct CheckFormTests {
    private static let resolve = "s:7Hopoate7resolve"

    /// The facts of a file, with the functions of Hopoate that its calls were read for.
    private func facts(_ items: String, read: Set<String> = []) throws -> Facts {
        let text = #"{"_kind":"source_file","filename":"/a.swift","items":[\#(items)]}"#
        let trees = try SyntaxReader.read(Array(text.utf8))
        let symbols = try Symbols(trees) { symbols in
            Dictionary(
                uniqueKeysWithValues: symbols.map {
                    ($0, "Hopoate.DependencyContainer.resolve<A>(A.Type) -> A")
                })
        }
        var facts = Facts()
        facts.readSymbols = read
        try CheckWiring.checkForm(of: trees, symbols, &facts)
        return facts
    }

    private func importing(_ module: String) -> String {
        #"{"_kind":"import_decl","module_path":["\#(module)"]}"#
    }

    private func reference(_ symbol: String) -> String {
        #"{"_kind":"an_unknown_expr","decl":{"decl_usr":"\#(symbol)"}}"#
    }

    @Test(arguments: ["Hopoate", "HopoateServer"]) func refusesAnImportWithoutAnySymbol(module: String) throws {
        let error = #expect(throws: ToolError.self) { try facts(importing(module)) }
        #expect(try #require(error).text.hasSuffix("they refer to Hopoate, and no call was found."))
    }

    @Test func refusesReferencesWithoutAnyCall() throws {
        let error = #expect(throws: ToolError.self) { try facts("\(importing("Hopoate")),\(reference(Self.resolve))") }
        #expect(try #require(error).text.contains("have an unknown form"))
    }

    @Test func acceptsAFileWithoutHopoate() throws {
        #expect(try facts(importing("Foundation")).unknownCalls.isEmpty)
    }

    @Test func listsAFunctionThatIsFoundInNoCall() throws {
        let items = "\(importing("Hopoate")),\(reference(Self.resolve))"
        #expect(try facts(items, read: [Self.resolve]).unknownCalls.isEmpty)
        let unknown = try facts(items, read: ["s:7Hopoate8register"]).unknownCalls
        #expect(unknown.map(\.place.path) == ["/a.swift"])
        #expect(unknown.first?.message.hasPrefix("'DependencyContainer.resolve' is used as a value") == true)
    }
}
