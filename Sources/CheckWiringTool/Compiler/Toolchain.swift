import Foundation

/// An error that ends the tool, with a text for people.
struct ToolError: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// The compiler and the demangler of the tool chain.
struct Toolchain {
    /// The supported versions of the compiler. `make check-wiring` runs the tool with the installed one.
    static let knownVersions = ["6.1", "6.2", "6.3"]

    /// Arguments for the compiler after those of the build, such as `-DDEMO`.
    var extraArguments: [String] = []
    /// Whether an unknown version is an error.
    var requiresKnownVersion = true

    /// Returns the typed syntax tree of each file of a module.
    func syntaxTrees(of module: BuildManifest.Module) throws -> [SyntaxNode] {
        // One process for all files. Without `-driver-batch-count`, there would be one per processor, and each would load all modules.
        let arguments =
            module.arguments + extraArguments + module.sources + [
                "-dump-ast", "-Xfrontend", "-dump-ast-format", "-Xfrontend", "json", "-enable-batch-mode",
                "-driver-batch-count", "1", "-suppress-warnings",
            ]
        let output = try run(
            module.compiler, arguments, failing: "the compiler cannot check the module '\(module.name)'")
        let trees: [SyntaxNode]
        do {
            trees = try SyntaxReader.read(output)
        } catch {
            throw ToolError(
                """
                the compiler printed a syntax tree for the module '\(module.name)' that is no JSON at byte \(error.offset). This tool \
                knows the compilers of Swift \(Self.knownVersions.joined(separator: ", ")).
                """)
        }
        try check(trees, of: module)
        return trees
    }

    /// Fails if the trees are not those of the files, or come from an unknown compiler.
    func check(_ trees: [SyntaxNode], of module: BuildManifest.Module) throws {
        guard trees.count == module.sources.count,
            trees.allSatisfy({ $0.kind == "source_file" && $0["filename"].text != nil })
        else {
            throw ToolError(
                """
                the compiler printed \(trees.count) syntax trees for the \(module.sources.count) files of the module '\(module.name)', or \
                trees of an unknown form.
                """)
        }
        for tree in trees where requiresKnownVersion {
            // Swift 6.1 prints no version.
            guard let major = tree["compiler_version"]["major"].text,
                let minor = tree["compiler_version"]["minor"].text,
                !Self.knownVersions.contains("\(major).\(minor)")
            else { continue }
            throw ToolError(
                """
                the compiler has version \(major).\(minor), and its syntax trees may have another form. This tool knows Swift \
                \(Self.knownVersions.joined(separator: ", ")). Use `--any-compiler` to try it.
                """)
        }
    }

    /// Returns the demangled form of each symbol.
    func demangle(_ symbols: Set<String>, beside compiler: String) throws -> [String: String] {
        let symbols = symbols.sorted()
        let input = symbols.map { $0.hasPrefix("s:") ? "$s" + $0.dropFirst(2) : $0 }.joined(separator: "\n")
        let folder = URL(fileURLWithPath: compiler).deletingLastPathComponent()
        let demangler = folder.appendingPathComponent("swift-demangle").path
        let output = try run(demangler, ["--compact"], input: Data(input.utf8), failing: "cannot demangle")
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= symbols.count else {
            throw ToolError("'\(demangler)' printed \(lines.count) lines for \(symbols.count) names")
        }
        return Dictionary(uniqueKeysWithValues: zip(symbols, lines.map(String.init)))
    }

    private func run(
        _ program: String, _ arguments: [String], input: Data = Data(), failing failure: String
    ) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("check-wiring-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files, because a process that reads and writes pipes of two others can wait for both forever.
        func file(_ name: String, _ contents: Data = Data()) throws -> FileHandle {
            let url = folder.appendingPathComponent(name)
            try contents.write(to: url)
            return try FileHandle(forUpdating: url)
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = try file("input", input)
        process.standardOutput = try file("output")
        process.standardError = try file("errors")
        do {
            try process.run()
        } catch {
            throw ToolError("\(failure): '\(program)' does not run: \(error)")
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let errors = try String(contentsOf: folder.appendingPathComponent("errors"), encoding: .utf8)
            throw ToolError("\(failure):\n\(errors)")
        }
        return [UInt8](try Data(contentsOf: folder.appendingPathComponent("output")))
    }
}
