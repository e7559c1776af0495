import Foundation

/// Checks the wiring of the modules of a package. `swift package check-wiring` builds them and calls this tool.
@main
enum CheckWiring {
    static func main() {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            exit(try run(options) ? 0 : 1)
        } catch let error as ToolError {
            FileHandle.standardError.write(Data("check-wiring: error: \(error.text)\n".utf8))
        } catch {
            FileHandle.standardError.write(Data("check-wiring: error: \(error)\n".utf8))
        }
        exit(2)
    }

    /// Returns whether there are no new findings.
    private static func run(_ options: Options) throws -> Bool {
        let wiring = try readWiring(options)
        var check = Check(wiring)
        check.run()
        var findings = check.findings.sorted { $0.place < $1.place }
        let all = findings
        if let path = options.newBaseline {
            try Baseline.text(findings).write(toFile: path, atomically: true, encoding: .utf8)
            findings = []
        } else if let path = options.baseline {
            var baseline = try Baseline(path: path)
            findings.removeAll { baseline.contains($0) }
        }
        if let path = options.wiringFile {
            try (encoded(WiringFile(wiring)) + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        }
        let needs = wiring.roots.count + wiring.registrations.reduce(0) { $0 + $1.body.needs.count }
        let report = Report(
            findings: findings, openFacts: check.openFacts.sorted { $0.place < $1.place }, registrationCount: wiring.registrations.count,
            needCount: needs, knownCount: all.count - findings.count)
        print(options.isJSON ? try report.json() : report.text(showsOpenFacts: options.showsOpenFacts))
        return findings.isEmpty
    }

    private static func readWiring(_ options: Options) throws -> Wiring {
        let manifest = try BuildManifest(path: options.manifest)
        let toolchain = Toolchain(extraArguments: options.compilerArguments, requiresKnownVersion: !options.acceptsAnyCompiler)
        var trees: [(module: String, trees: [SyntaxNode])] = []
        var compiler = ""
        for name in options.modules {
            guard let module = manifest.modules[name] else {
                throw ToolError("the build manifest '\(options.manifest)' has no module '\(name)'. Build the package first.")
            }
            compiler = module.compiler
            trees.append((name, try toolchain.syntaxTrees(of: module)))
        }
        let symbols = try Symbols(trees.flatMap(\.trees)) { try toolchain.demangle($0, beside: compiler) }
        var facts = Facts()
        for (module, trees) in trees {
            var reader = FactReader(module, symbols, adding: facts)
            for tree in trees { reader.read(tree) }
            facts = reader.facts
        }
        return Wiring(facts, symbols, isWhole: options.isWhole)
    }
}
