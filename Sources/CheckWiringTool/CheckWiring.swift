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
        let all = check.findings.sorted { $0.place < $1.place }
        var findings = all.filter { finding in !options.allowances.contains { $0.allows(finding) } }
        let allowedCount = all.count - findings.count
        if let path = options.newBaseline {
            try Baseline.text(findings).write(toFile: path, atomically: true, encoding: .utf8)
            findings = []
        } else if let path = options.baseline {
            findings = try Baseline(path: path).newFindings(in: findings)
        }
        if let path = options.wiringFile {
            try (encoded(WiringFile(wiring, modules: options.modules)) + "\n").write(
                toFile: path, atomically: true, encoding: .utf8)
        }
        let needs = wiring.roots.count + wiring.registrations.reduce(0) { $0 + $1.body.needs.count }
        let report = Report(
            findings: findings, openFacts: check.openFacts.sorted { $0.place < $1.place },
            registrationCount: wiring.registrations.count,
            needCount: needs, isWhole: wiring.isWhole, allowedCount: allowedCount,
            useless: options.allowances.filter { allowance in !all.contains(where: allowance.allows) }.map(\.text),
            knownCount: all.count - allowedCount - findings.count)
        print(options.isJSON ? try report.json() : report.text(showsOpenFacts: options.showsOpenFacts))
        return findings.isEmpty
    }

    private static func readWiring(_ options: Options) throws -> Wiring {
        let manifest = try BuildManifest(path: options.manifest)
        let toolchain = Toolchain(
            extraArguments: options.compilerArguments, requiresKnownVersion: !options.acceptsAnyCompiler)
        var trees: [(module: String, trees: [SyntaxNode])] = []
        var compiler = ""
        for name in options.modules {
            guard let module = manifest.modules[name] else {
                throw ToolError(
                    "the build manifest '\(options.manifest)' has no module '\(name)'. Build the package first.")
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
        try checkForm(of: trees.flatMap(\.trees), symbols, &facts)
        return Wiring(facts, symbols, isWhole: options.isWhole)
    }

    /// Fails if the trees have a form in which this tool finds nothing, and lists the functions that it found in no call.
    static func checkForm(of trees: [SyntaxNode], _ symbols: Symbols, _ facts: inout Facts) throws {
        let unread = symbols.usedSymbols.subtracting(facts.readSymbols)
        let importsHopoate = trees.contains { tree in
            tree["items"].elements.contains {
                $0.kind == "import_decl" && $0["module_path"].elements.first?.text?.hasPrefix("Hopoate") == true
            }
        }
        if facts.readSymbols.isEmpty, !unread.isEmpty || importsHopoate && symbols.texts.isEmpty {
            throw ToolError(
                "the syntax trees of this compiler have an unknown form: they refer to Hopoate, and no call was found.")
        }
        for symbol in unread.sorted() {
            guard let declaration = KnownDeclaration(demangled: symbols.text(symbol)),
                let file = trees.first(where: { $0.refers(to: symbol) })?["filename"].text
            else { continue }
            let place = Place(module: "", path: file, line: 1, column: 1)
            facts.unknownCalls.append(
                OpenFact(
                    place: place, message: "'\(declaration.name)' is used as a value, or in a form that is not checked")
            )
        }
    }
}

extension SyntaxNode {
    /// Whether the tree has a reference to a declaration.
    fileprivate func refers(to symbol: String) -> Bool {
        self["decl_usr"].text == symbol || children.contains { $0.refers(to: symbol) }
    }
}
