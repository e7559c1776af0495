import Testing

@testable import CheckWiringTool

@Suite struct FactReaderTests {
    /// Registrations in the closure of a snapshot must not satisfy a need of the program.
    @Test(arguments: ["DependencyContainer.snapshot", "DependencyContainer.withChild"])
    func registrationIsInTheContainerOfTheClosure(function: String) throws {
        let tree = try #require(
            try SyntaxReader.read(
                Array(
                    #"""
                    {"_kind":"source_file","filename":"/a.swift","items":[{"_kind":"call_expr",
                    "fn":{"_kind":"dot_syntax_call_expr","fn":{"_kind":"declref_expr","decl":{"decl_usr":"s:7HopoateOuter"}}},
                    "args":{"args":[{"expr":{"_kind":"closure_expr",
                    "params":{"params":[{"name":{"base_name":{"name":"child"}},"interface_type":"$s7Hopoate19DependencyContainerCD"}]},
                    "body":{"_kind":"brace_stmt","elements":[{"_kind":"call_expr",
                    "fn":{"_kind":"dot_syntax_call_expr",
                    "fn":{"_kind":"declref_expr","decl":{"decl_usr":"s:7HopoateRegister",
                    "substitutions":{"substitutions":[{"generic_param":"$sxD","replacement_type":"$sSiD"}]}}},
                    "args":{"args":[{"expr":{"_kind":"declref_expr","decl":{"base_name":"child"}}}]}},
                    "args":{"args":[]}}]}}}]}}]}
                    """#.utf8)
            ).first)
        let names = [
            "s:7HopoateOuter": "Hopoate.\(function)((Hopoate.DependencyContainer) -> ()) -> ()",
            "s:7HopoateRegister": "Hopoate.DependencyContainer.register<A>(A, for: A.Type) -> ()", "$sSiD": "Swift.Int",
        ]
        let symbols = try Symbols([tree]) { $0.reduce(into: [:]) { texts, symbol in texts[symbol] = names[symbol] } }
        var reader = FactReader("App", symbols, adding: Facts())
        reader.read(tree)
        let registration = try #require(reader.facts.registrations.first)
        #expect(registration.key.type.text == "Swift.Int")
        #expect(registration.container == (function.hasSuffix("snapshot") ? .validation : .child))
        #expect(reader.facts.registrations.count == 1)
        #expect(Wiring(reader.facts, symbols, isWhole: true).registrations.isEmpty == function.hasSuffix("snapshot"))
    }
}
