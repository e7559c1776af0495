import Foundation
import Testing

@testable import CheckWiringTool

@Suite struct VocabularyTests {
    /// A new declaration that registers or resolves must be added to the vocabulary, or the check would not see its calls.
    @Test func everyPublicDeclarationIsKnown() throws {
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
                names.formUnion(publicDeclarations(in: try String(contentsOf: file, encoding: .utf8)))
            }
        }
        #expect(
            names.isSuperset(of: [
                "DependencyContainer.register", "resolve", "RouterMethods.get", "Dependency.init",
                "LazyDependency.wrappedValue", "DependencyProvider.require", "DependencyContainer.warmUp",
                "RouterMethods.addSnapshotPage",
            ]))
        #expect(names.subtracting(Vocabulary.entries.keys).subtracting(Vocabulary.withoutEffect).sorted() == [])
        #expect(Vocabulary.withoutEffect.subtracting(names).sorted() == [])
    }

    @Test func findsAnUnknownFunction() {
        let source = """
            extension DependencyContainer {
                public func conjure<Service>(_ type: Service.Type) -> Service { fatalError() }
                func hidden<Service>(_ type: Service.Type) {}
                /// Call `public func documented()` first.
                @discardableResult public func warm() -> Bool { false }
                public static var newest: Any { 0 }
                public subscript(_ number: Int) -> Any { number }
                package func internally() {}

                public struct Part<Value> {
                    public func take<Service>(_ type: Service.Type) {}
                    public func count() -> Int { 0 }
                }
            }
            public final class LazyDependency<T> {
                public private(set) var latest: T?
                private var secret: T?
            }
            extension DependencyProvider where T: Sendable {
                public func fetch() -> T { fatalError() }
            }
            public struct Other {
                public func add(
                    _ name: String,
                    module: any DependencyModule
                ) {}
                public init(_ part: some Sendable) {}
                public func prepare(_ body: (DependencyContainer) -> Void) {}
                public func describe(_ name: String) -> any Sendable { name }
                public var count: Int { 0 }
            }
            public func summon(_ name: String) -> Int { 0 }
            """
        let expected: Set = [
            "DependencyContainer.conjure", "DependencyContainer.warm", "DependencyContainer.newest",
            "DependencyContainer.subscript", "DependencyContainer.Part.take", "LazyDependency.latest",
            "DependencyProvider.fetch", "Other.add", "Other.init", "Other.prepare", "summon",
        ]
        #expect(publicDeclarations(in: source) == expected)
        #expect(expected.isDisjoint(with: Vocabulary.entries.keys))
        #expect(expected.isDisjoint(with: Vocabulary.withoutEffect))
    }

    @Test func listsNothingTwice() {
        #expect(Vocabulary.withoutEffect.isDisjoint(with: Vocabulary.entries.keys))
    }
}

/// The public declarations that may register or resolve, each with its type: those of containers, handles and wrappers; functions outside
/// of types; and functions of other types that are generic, or that take `some`, `any`, or a closure with a container.
private func publicDeclarations(in source: String) -> Set<String> {
    let types: Set = [
        "DependencyContainer", "Dependency", "OptionalDependency", "LazyDependency", "DynamicDependency",
        "DependencyProvider", "MockContainer",
    ]
    let declaration =
        #/
            ^ \h* (?: @ [\w.]+ (?: \( [^)]* \) )? \h+ )*
            (?<modifiers> (?: [a-z]+ (?: \(set\) )? \h+ )*? )
            (?<keyword> extension | struct | class | enum | protocol | actor | func | init | var | let | subscript ) \b
            (?: \h+ `? (?<name> [\w.]+ ) )? (?<rest> .* )
        /#
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    var names: Set<String> = []
    var path: [(indent: Int, name: Substring)] = []
    for (index, line) in lines.enumerated() {
        guard let match = line.wholeMatch(of: declaration)?.output else { continue }
        let indent = line.prefix { $0 == " " }.count
        path.removeAll { $0.indent >= indent }
        let name = match.name ?? match.keyword
        switch match.keyword {
        case "extension", "struct", "class", "enum", "protocol", "actor":
            path.append((indent, name))
            continue
        default: break
        }
        guard match.modifiers.split(separator: " ").contains("public") else { continue }
        let type = path.map(\.name).joined(separator: ".")
        if !type.isEmpty, !types.contains(type),
            !mayResolve(match.keyword, signature(match.rest, lines[(index + 1)...]))
        {
            continue
        }
        names.insert(type.isEmpty ? String(name) : "\(type).\(name)")
    }
    return names
}

/// The generic parameters and the parameters of a function, which may be in several lines.
private func signature(_ first: Substring, _ others: ArraySlice<Substring>) -> String {
    var signature = ""
    var depth = 0
    for line in [first] + others {
        for character in line {
            signature.append(character)
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character == ")", depth == 0 { return signature }
        }
        signature += " "
    }
    return signature
}

private func mayResolve(_ keyword: Substring, _ signature: String) -> Bool {
    guard ["func", "init", "subscript"].contains(keyword) else { return false }
    return signature.hasPrefix("<") || signature.contains(#/\b(some|any) |\(DependencyContainer[,)]/#)
}
