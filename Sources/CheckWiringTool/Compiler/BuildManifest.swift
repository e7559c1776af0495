import Foundation

/// How the package manager compiles the modules of a build.
///
/// The native build system writes the commands to `.build/debug.yaml`: one `args:` for each, a list in JSON.
struct BuildManifest {
    /// The call of the compiler for a module.
    struct Module {
        let name: String
        let compiler: String
        /// The arguments without those for outputs.
        let arguments: [String]
        /// The absolute paths of the sources.
        let sources: [String]
    }

    let modules: [String: Module]

    init(path: String) throws {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ToolError("cannot read the build manifest '\(path)'. Build the package first.")
        }
        self.init(text: text)
        if modules.isEmpty {
            throw ToolError(
                """
                the build manifest '\(path)' has no call of the compiler in a known format. This tool knows the native build system of \
                Swift 6.1 to 6.3.
                """)
        }
    }

    init(text: String) {
        var modules: [String: Module] = [:]
        for line in text.split(separator: "\n") {
            guard let start = line.range(of: "    args: ["), start.lowerBound == line.startIndex,
                line.contains("\"-module-name\"")
            else { continue }
            let list = line[line.index(before: start.upperBound)...]
            guard let words = try? JSONDecoder().decode([String].self, from: Data(list.utf8)),
                let module = Module(words)
            else { continue }
            modules[module.name] = module
        }
        self.modules = modules
    }
}

extension BuildManifest.Module {
    /// Nil if the words compile no module.
    fileprivate init?(_ words: [String]) {
        guard let compiler = words.first, words.contains("-emit-module"), let at = words.firstIndex(of: "-module-name"),
            at + 1 < words.count
        else { return nil }
        var arguments: [String] = []
        var sources: [String] = []
        var index = 1
        while index < words.count {
            let word = words[index]
            index += 1
            if Self.prefixes.contains(word), index < words.count {
                arguments += [word, words[index]]
                index += 1
            } else if Self.outputsWithPath.contains(word) {
                index += 1
            } else if Self.outputs.contains(word) || word.hasPrefix("-j") {
                continue
            } else if word.hasPrefix("@") {
                sources += Self.list(at: String(word.dropFirst()))
            } else if word.hasSuffix(".swift"), !word.hasPrefix("-") {
                sources.append(word)
            } else {
                arguments.append(word)
            }
        }
        self.init(name: words[at + 1], compiler: compiler, arguments: arguments, sources: sources)
    }

    /// Options that pass the next word on to another program.
    private static let prefixes: Set<String> = ["-Xcc", "-Xfrontend", "-Xllvm", "-Xlinker", "-Xclang-linker"]

    private static let outputs: Set<String> = [
        "-c", "-g", "-emit-dependencies", "-emit-module", "-emit-objc-header", "-enable-batch-mode", "-incremental",
        "-parseable-output", "-serialize-diagnostics", "-whole-module-optimization", "-wmo",
    ]

    private static let outputsWithPath: Set<String> = [
        "-emit-const-values-path", "-emit-module-path", "-emit-objc-header-path", "-index-store-path", "-num-threads",
        "-o",
        "-output-file-map",
    ]

    /// The paths in a file of arguments: one per line, perhaps quoted.
    private static func list(at path: String) -> [String] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").map { line in
            let quoted = line.count > 1 && "'\"".contains(line.first!) && line.last == line.first
            return (quoted ? String(line.dropFirst().dropLast()) : String(line)).replacingOccurrences(
                of: "\\ ", with: " ")
        }
    }
}
