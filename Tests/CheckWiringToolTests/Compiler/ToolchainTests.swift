import Testing

@testable import CheckWiringTool

@Suite struct ToolchainTests {
    private let module = BuildManifest.Module(name: "App", compiler: "swiftc", arguments: [], sources: ["/a.swift"])

    private func trees(_ text: String) throws -> [SyntaxNode] { try SyntaxReader.read(Array(text.utf8)) }

    private func tree(minor: String) -> String {
        #"{"_kind":"source_file","filename":"/a.swift","compiler_version":{"major":"6","minor":"\#(minor)"},"items":[]}"#
    }

    @Test(arguments: ["1", "2", "3"])
    func acceptsAKnownCompiler(minor: String) throws {
        try Toolchain().check(try trees(tree(minor: minor)), of: module)
    }

    @Test func refusesAnUnknownCompiler() throws {
        let unknown = try trees(tree(minor: "99"))
        let error = #expect(throws: ToolError.self) { try Toolchain().check(unknown, of: module) }
        #expect(try #require(error).text.contains("the compiler has version 6.99"))
        try Toolchain(requiresKnownVersion: false).check(unknown, of: module)
    }

    @Test(arguments: ["", #"{"_kind":"module"}"#])
    func refusesAnUnknownForm(_ text: String) throws {
        let unknown = try trees(text)
        let error = #expect(throws: ToolError.self) { try Toolchain().check(unknown, of: module) }
        #expect(try #require(error).text.contains("trees of an unknown form"))
    }
}
