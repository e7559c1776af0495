import Testing

@testable import CheckWiringTool

@Suite struct BuildManifestTests {
    @Test func keepsTheArgumentsThatTheTypesDependOn() throws {
        let manifest = BuildManifest(
            text: """
                commands:
                    args: ["/usr/bin/clang","-c","memory.c"]
                    args: ["/usr/bin/swiftc","-module-name","App","-emit-module","-emit-module-path","/b/App.swiftmodule","-o","x",\
                "-j2","-c","/a b/main.swift","-I","/b/Modules","-DDEBUG","-Xcc","-g","-g","-Xfrontend","-c","-swift-version","6"]
                """)
        let module = try #require(manifest.modules["App"])
        #expect(manifest.modules.count == 1)
        #expect(module.compiler == "/usr/bin/swiftc")
        #expect(module.sources == ["/a b/main.swift"])
        #expect(
            module.arguments == [
                "-module-name", "App", "-I", "/b/Modules", "-DDEBUG", "-Xcc", "-g", "-Xfrontend", "-c",
                "-swift-version", "6",
            ])
    }

    @Test func refusesAManifestOfAnotherBuildSystem() throws {
        let error = #expect(throws: ToolError.self) { try BuildManifest(path: #filePath) }
        #expect(try #require(error).text.contains("no call of the compiler in a known format"))
    }

    @Test func refusesAMissingManifest() throws {
        let error = #expect(throws: ToolError.self) { try BuildManifest(path: "/nowhere.yaml") }
        #expect(try #require(error).text.contains("Build the package first"))
    }
}
