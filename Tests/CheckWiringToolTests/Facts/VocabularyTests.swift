import Foundation
import Testing

@testable import CheckWiringTool

@Suite struct VocabularyTests {
    /// A new function that registers or resolves must be added to the vocabulary, or the check would not see its calls.
    @Test func everyPublicGenericFunctionIsKnown() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../Sources"
        ).standardized
        let modules = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter {
            $0.hasPrefix("Hopoate")
        }
        #expect(modules.count >= 10)
        var names: Set<String> = []
        for module in modules {
            let folder = sources.appendingPathComponent(module)
            for case let file as URL in try #require(
                FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            where file.pathExtension == "swift" && !file.path.contains(".docc/")
                && file.lastPathComponent != "WithoutTrait.swift"
            {
                names.formUnion(publicGenericFunctions(in: try String(contentsOf: file, encoding: .utf8)))
            }
        }
        #expect(
            names.isSuperset(of: ["DependencyContainer.register", "resolve", "RouterMethods.get", "Dependency.init"]))
        #expect(names.subtracting(Vocabulary.entries.keys).subtracting(Vocabulary.withoutEffect).sorted() == [])
    }

    @Test func findsAnUnknownFunction() {
        let source = """
            extension DependencyContainer {
                public func conjure<Service>(_ type: Service.Type) -> Service { fatalError() }
                func hidden<Service>(_ type: Service.Type) {}
            }
            """
        #expect(publicGenericFunctions(in: source) == ["DependencyContainer.conjure"])
    }

    @Test func listsNothingTwice() {
        #expect(Vocabulary.withoutEffect.isDisjoint(with: Vocabulary.entries.keys))
    }
}

/// The public functions and initializers with generic parameters, or of a generic handle, each with its type.
private func publicGenericFunctions(in source: String) -> Set<String> {
    let handles = ["Dependency", "OptionalDependency", "LazyDependency", "DynamicDependency", "MockContainer"]
    let typeKeywords: Set<Substring> = ["extension", "struct", "class", "enum", "protocol"]
    var names: Set<String> = []
    var types: [(indent: Int, name: Substring)] = []
    for line in source.split(separator: "\n") {
        let indent = line.prefix { $0 == " " }.count
        let words = line.split(separator: " ")
        let rest = words.drop { $0.hasPrefix("@") || ["public", "final", "static", "func"].contains($0) }
        guard let first = rest.first else { continue }
        if typeKeywords.contains(first), let name = rest.dropFirst().first?.prefix(while: \.isLetter) {
            types.removeAll { $0.indent >= indent }
            types.append((indent, name))
        }
        let isFunction = words.prefix(4).contains("func") || first.hasPrefix("init")
        guard isFunction, words.prefix(4).contains("public") else { continue }
        let name = first.prefix(while: \.isLetter)
        let type = types.last { $0.indent < indent }?.name
        let isOfHandle = type.map { handles.contains(String($0)) } == true
        guard isOfHandle || first.dropFirst(name.count).hasPrefix("<") else { continue }
        names.insert(type.map { "\($0).\(name)" } ?? String(name))
    }
    return names
}
