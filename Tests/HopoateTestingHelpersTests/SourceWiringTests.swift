import Foundation
import Hopoate
import HopoateServer
import Testing

@testable import HopoateTestingHelpers

// Not private: the run time finds a private type only among the registered ones.
protocol SourceLog: Sendable {}
struct SourcePrinter: SourceLog {}
struct SourceStore: Sendable {}
struct SourceSession: Sendable {}
struct SourceReport: Sendable {}
final class SourceChicken: Sendable {}
final class SourceEgg: Sendable {}
private struct HiddenStore: Sendable {}

/// A file as check-wiring writes it, for registrations in the module `Program`.
private struct FileText {
    struct Need {
        let type: Any.Type
        var name: String?
        var kind = "service"
        var isLater = false
        var hasAnyName = false
        var arguments: [String]?
        var isPrivate = false
    }

    private var entries: [String] = []

    private static func type(_ type: Any.Type, isPrivate: Bool = false) -> String {
        let name = isPrivate ? "7Program6HiddenV" : _mangledTypeName(type) ?? ""
        return #"{"text": "\#(typeLabel(type))", "mangled": "$s\#(name)D"}"#
    }

    private static func json(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }

    mutating func add(
        _ service: Any.Type, line: Int?, name: String? = nil, isOpen: Bool = false, isPrivate: Bool = false,
        needs: Need...
    ) {
        let needs = needs.map { need in
            let arguments = need.arguments.map { "[\($0.map { "\"\($0)\"" }.joined(separator: ","))]" } ?? "null"
            return """
                {"type": \(Self.type(need.type, isPrivate: need.isPrivate)), "name": \(Self.json(need.name)), \
                "hasAnyName": \(need.hasAnyName), "arguments": \(arguments), "kind": "\(need.kind)", \
                "isLater": \(need.isLater), "isParameter": false}
                """
        }
        entries.append(
            """
            {"place": \(Self.json(line.map { "Program/Main.swift:\($0)" })), "type": \(Self.type(service, isPrivate: isPrivate)), \
            "name": \(Self.json(name)), "hasAnyName": false, "isOpen": \(isOpen), "needs": [\(needs.joined(separator: ","))]}
            """)
    }

    var text: String {
        #"{"version": 1, "modules": ["Program"], "registrations": [\#(entries.joined(separator: ","))]}"#
    }

    func wiring() throws -> SourceWiring {
        try withFile(text) { try SourceWiringFile.read($0, besides: #filePath) }
    }
}

private func withFile<Output>(_ text: String, _ body: (String) throws -> Output) throws -> Output {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try text.write(to: file, atomically: true, encoding: .utf8)
    return try body(file.path)
}

extension DependencyContainer {
    /// Registers a closure at a line of the program.
    fileprivate func add<Service: Sendable>(
        _ type: Service.Type, line: UInt, _ lifetime: Lifetime = .singleton, name: DependencyName? = nil,
        _ factory: @escaping @Sendable (DependencyContainer) throws -> Service
    ) {
        register(type, named: name, lifetime: lifetime, fileID: "Program/Main.swift", line: line, factory: factory)
    }

    fileprivate func findings(
        _ rules: DependencyValidationRules = .standard, roots: [DependencyRoot] = []
    ) -> [String] {
        do {
            try validate(rules, roots: roots)
            return []
        } catch {
            return (error as? DependencyValidationError)?.findings.map(\.description) ?? ["\(error)"]
        }
    }
}

/// The needs of closures, read from a file, as edges of the wiring. `.ci/check-wiring` reads a file that the tool has written.
@Suite struct SourceWiringTests {
    private let app = DependencyContainer()
    private var file = FileText()

    private func kinds(_ rules: DependencyValidationRules = .standard, roots: [DependencyRoot] = []) -> [String] {
        app.findings(rules, roots: roots).map { String($0.drop { $0 != "[" }) }
    }

    @Test mutating func closureThatNeedsAMissingServiceIsAFinding() throws {
        app.add(SourceStore.self, line: 3) { _ in SourceStore() }
        #expect(kinds() == [])
        file.add(SourceStore.self, line: 3, needs: .init(type: (any SourceLog).self))
        app.sourceWiring = try file.wiring()
        let finding = try #require(app.findings().first)
        #expect(finding.hasPrefix("Program/Main.swift:3: error: 'HopoateTestingHelpersTests.SourceStore' needs"))
        #expect(finding.contains("'any HopoateTestingHelpersTests.SourceLog', which is not registered"))
        #expect(finding.hasSuffix("[hopoate.missing]"))
    }

    @Test mutating func nameAndOptionalOfANeedCount() throws {
        app.add(SourceStore.self, line: 3) { _ in SourceStore() }
        app.add((any SourceLog).self, line: 4, name: "file") { _ in SourcePrinter() }
        file.add(SourceStore.self, line: 3, needs: .init(type: (any SourceLog).self, name: "fiel"))
        file.add((any SourceLog).self, line: 4, name: "file")
        app.sourceWiring = try file.wiring()
        #expect(kinds() == ["[hopoate.name]"])
        file = FileText()
        file.add(SourceStore.self, line: 3, needs: .init(type: SourceReport.self, kind: "optional"))
        app.sourceWiring = try file.wiring()
        #expect(kinds() == [])
        #expect(kinds(.strict).contains("[hopoate.optional]"))
    }

    @Test mutating func cycleThroughClosuresIsAFindingUnlessItIsResolvedLater() throws {
        app.add(SourceChicken.self, line: 3) { _ in SourceChicken() }
        app.add(SourceEgg.self, line: 4) { _ in SourceEgg() }
        file.add(SourceChicken.self, line: 3, needs: .init(type: SourceEgg.self))
        var lazy = file
        file.add(SourceEgg.self, line: 4, needs: .init(type: SourceChicken.self))
        lazy.add(SourceEgg.self, line: 4, needs: .init(type: SourceChicken.self, kind: "lazy", isLater: true))
        app.sourceWiring = try file.wiring()
        #expect(kinds() == ["[hopoate.circular]"])
        app.sourceWiring = try lazy.wiring()
        #expect(kinds() == [])
    }

    @Test mutating func captiveDependencyOfAClosureIsAFinding() throws {
        app.add(SourceSession.self, line: 3, .scoped) { _ in SourceSession() }
        app.add(SourceStore.self, line: 4) { _ in SourceStore() }
        file.add(SourceSession.self, line: 3)
        var other = file
        file.add(SourceStore.self, line: 4, needs: .init(type: SourceSession.self))
        app.sourceWiring = try file.wiring()
        #expect(kinds() == ["[hopoate.captive]"])
        // Code that runs later may have the container of a request.
        other.add(SourceStore.self, line: 4, needs: .init(type: SourceSession.self, isLater: true))
        app.sourceWiring = try other.wiring()
        #expect(kinds() == [])
    }

    @Test mutating func strictValidationKnowsListedClosuresAndFindsUnusedOnes() throws {
        app.add(SourceStore.self, line: 3) { _ in SourceStore() }
        app.add((any SourceLog).self, line: 4) { _ in SourcePrinter() }
        app.add(SourceReport.self, line: 5) { _ in SourceReport() }
        let roots = [DependencyRoot(SourceStore.self)]
        #expect(kinds(.strict, roots: roots) == Array(repeating: "[hopoate.opaque]", count: 3))
        file.add(SourceStore.self, line: 3, needs: .init(type: (any SourceLog).self))
        file.add((any SourceLog).self, line: 4)
        file.add(SourceReport.self, line: 5)
        app.sourceWiring = try file.wiring()
        #expect(app.findings(.strict, roots: roots).count == 1)
        #expect(app.findings(.strict, roots: roots).first?.contains("SourceReport'") == true)
        #expect(kinds(.strict, roots: roots) == ["[hopoate.unused]"])
        #expect(try app.validate(.standard).unknown.isEmpty)
    }

    @Test mutating func decoratorsAndCompletionsAreKnownIfTheyAreListed() throws {
        app.add(SourceStore.self, line: 3) { _ in SourceStore() }
        app.decorate(SourceStore.self, fileID: "Program/Main.swift", line: 4) { inner, _ in inner }
        app.register(SourceChicken.self, fileID: "Program/Main.swift", line: 5) { (store: SourceStore) in
            SourceChicken()
        } afterCreation: { _, container in
            _ = try container.require(SourceReport.self)
        }
        file.add(SourceStore.self, line: 3, needs: .init(type: (any SourceLog).self))
        file.add(SourceStore.self, line: 4, needs: .init(type: SourceEgg.self))
        file.add(SourceChicken.self, line: 5, needs: .init(type: SourceReport.self, isLater: true))
        app.sourceWiring = try file.wiring()
        #expect(app.findings(.strict.allowing(.duplicate)).count == 3)
        #expect(kinds(.strict) == Array(repeating: "[hopoate.missing]", count: 3))
        var other = FileText()
        other.add(SourceStore.self, line: 4)
        app.sourceWiring = try other.wiring()
        #expect(kinds(.strict) == ["[hopoate.opaque]", "[hopoate.opaque]"])
    }

    @Test mutating func listsMayBeEmptyAndTakeNames() throws {
        app.add(SourceStore.self, line: 3) { _ in SourceStore() }
        app.add((any SourceLog).self, line: 4, name: "file") { _ in SourcePrinter() }
        file.add((any SourceLog).self, line: 4, name: "file")
        var other = file
        file.add(SourceStore.self, line: 3, needs: .init(type: (any SourceLog).self, kind: "list"))
        app.sourceWiring = try file.wiring()
        #expect(kinds(.strict, roots: [DependencyRoot(SourceStore.self)]) == ["[hopoate.unused]"])
        other.add(SourceStore.self, line: 3, needs: .init(type: (any SourceLog).self, kind: "list", hasAnyName: true))
        app.sourceWiring = try other.wiring()
        #expect(kinds(.strict, roots: [DependencyRoot(SourceStore.self)]) == [])
    }

    @Test mutating func privateTypesAndArgumentsAreFoundAmongTheRegistrations() throws {
        app.add(HiddenStore.self, line: 3) { _ in HiddenStore() }
        app.register(SourceReport.self, fileID: "Program/Main.swift", line: 4) { (_, number: Int, text: String) in
            SourceReport()
        }
        app.add(SourceStore.self, line: 5) { _ in SourceStore() }
        file.add(HiddenStore.self, line: 3, isPrivate: true)
        file.add(SourceReport.self, line: 4)
        var other = file
        file.add(
            SourceStore.self, line: 5, needs: .init(type: HiddenStore.self, isPrivate: true),
            .init(type: SourceReport.self, arguments: ["Swift.Int", "Swift.String"]))
        app.sourceWiring = try file.wiring()
        #expect(kinds(.strict, roots: [DependencyRoot(SourceStore.self)]) == [])
        other.add(SourceStore.self, line: 5, needs: .init(type: SourceReport.self, arguments: ["Swift.String"]))
        app.sourceWiring = try other.wiring()
        #expect(try app.validate().unknown.map(\.place) == ["Program/Main.swift:5"])
        #expect(
            app.findings(.strict).first?.contains(
                "needs 'HopoateTestingHelpersTests.SourceReport(Swift.String)' according to") == true)
    }

    @Test mutating func openNeedsStayOpaqueWithTheEdgesThatAreKnown() throws {
        app.add(SourceStore.self, line: 3) { _ in SourceStore() }
        file.add(SourceStore.self, line: 3, isOpen: true, needs: .init(type: SourceEgg.self))
        app.sourceWiring = try file.wiring()
        #expect(kinds(.strict) == ["[hopoate.missing]", "[hopoate.opaque]"])
        #expect(throws: DependencyValidationError.self) { try app.validate() }
    }

    @Test mutating func registrationsAtOnePlaceAreToldApart() throws {
        for name in ["a", "b"] as [DependencyName] {
            app.add(SourceStore.self, line: 3, name: name) { _ in SourceStore() }
        }
        app.add(SourceReport.self, line: 3) { _ in SourceReport() }
        file.add(SourceStore.self, line: 3, name: "a")
        file.add(SourceStore.self, line: 3, name: "b", needs: .init(type: SourceEgg.self))
        file.add(SourceReport.self, line: 3)
        app.sourceWiring = try file.wiring()
        #expect(app.findings().count == 1)
        #expect(app.findings().first?.contains("SourceStore named \"b\"' needs") == true)
    }

    @Test mutating func treesLocksAndDrawingsShowTheEdges() throws {
        app.add(SourceStore.self, line: 3) { _ in SourceStore() }
        app.add(SourceReport.self, line: 4) { _ in SourceReport() }
        file.add(SourceStore.self, line: 3, needs: .init(type: SourceReport.self))
        file.add(SourceReport.self, line: 4)
        app.sourceWiring = try file.wiring()
        let request = app.makeChild()
        #expect(request.explain(SourceStore.self).dependencies.map { "\($0.service)" } == ["SourceReport"])
        #expect(app.explain(SourceReport.self).dependents.map { "\($0.service)" } == ["SourceStore"])
        #expect(app.wiringLock.contains("SourceStore: singleton, needs HopoateTestingHelpersTests.SourceReport\n"))
        #expect(app.graph().edges.count == 1)
    }

    @Test mutating func placeOfTheCallerIsLeftOut() throws {
        app.add(SourceStore.self, line: 99) { _ in SourceStore() }
        file.add(SourceStore.self, line: nil, needs: .init(type: SourceEgg.self))
        app.sourceWiring = try file.wiring()
        #expect(kinds() == ["[hopoate.missing]"])
        #expect(try file.wiring().unlisted(in: app).isEmpty)
    }
}

/// Files that are missing, damaged, or of other code.
@Suite struct SourceWiringFileTests {
    @Test mutating func closuresThatTheFileLacksAreListed() throws {
        var file = FileText()
        file.add(SourceStore.self, line: 3)
        let app = DependencyContainer()
        #expect(try file.wiring().isUnrelated(to: app))
        app.add(SourceStore.self, line: 3) { _ in SourceStore() }
        app.register(SourcePrinter(), for: SourcePrinter.self)
        #expect(try !file.wiring().isUnrelated(to: app))
        // A fake of the test is in another module.
        app.register(SourceReport.self) { _ in SourceReport() }
        #expect(try file.wiring().unlisted(in: app).isEmpty)
        app.add(SourceEgg.self, line: 3) { _ in SourceEgg() }
        app.add(SourceChicken.self, line: 4) { _ in SourceChicken() }
        #expect(
            try file.wiring().unlisted(in: app).map { unlistedRegistrationMessage($0, "wiring.json") }
                == ["Egg:3", "Chicken:4"].map {
                    """
                    'wiring.json' does not list 'HopoateTestingHelpersTests.Source\($0.dropLast(2))', registered at \
                    Program/Main.swift\($0.suffix(2)), so it is out of date. Run `swift package check-wiring --write wiring.json` again.
                    """
                })
    }

    @Test func fileIsFoundInAFolderAboveTheTest() throws {
        #expect(throws: SourceWiringFile.Failure.self) {
            try SourceWiringFile.read("Package.swift", besides: #filePath)
        }
        let error = #expect(throws: SourceWiringFile.Failure.self) {
            try SourceWiringFile.read("nowhere.json", besides: #filePath)
        }
        #expect(error?.description.contains("Cannot read 'nowhere.json': it is in no folder from that of") == true)
        #expect(
            error?.description.hasSuffix("Write it with `swift package check-wiring --write nowhere.json`.") == true)
    }

    @Test(arguments: [
        ("", "it is not the JSON that check-wiring writes"), ("[]", "it is not the JSON that check-wiring writes"),
        ("{}", "so check-wiring has not written it"),
        (
            #"{"version": 9, "modules": [], "registrations": []}"#,
            "it has the version 9, and this library reads version 1"
        ),
    ])
    func damagedFileIsAnError(text: String, message: String) throws {
        let error = #expect(throws: SourceWiringFile.Failure.self) {
            try withFile(text) { try SourceWiringFile.read($0, besides: #filePath) }
        }
        #expect(error?.description.contains(message) == true)
    }

    @Test mutating func unknownKindIsAnError() throws {
        var file = FileText()
        file.add(SourceStore.self, line: 3, needs: .init(type: SourceEgg.self, kind: "new"))
        let error = #expect(throws: SourceWiringFile.Failure.self) { try file.wiring() }
        #expect(error?.description.contains("it has a need of the unknown kind 'new'") == true)
    }
}

/// Services that a factory resolves in a test, and that the file does not list for it.
@Suite struct SourceUsesTests {
    private func text(
        _ file: FileText, _ body: @escaping @Sendable (DependencyContainer) async throws -> Void
    ) async throws -> String {
        let wiring = try file.wiring()
        do {
            try await withIsolatedDependencies {
                let container = DependencyContainer.shared
                container.instrument(with: SourceUses(wiring, try #require(Findings.current)))
                try await body(container)
            }
            return ""
        } catch {
            return "\(error)"
        }
    }

    private var file: FileText {
        var file = FileText()
        file.add(SourceStore.self, line: 3, needs: .init(type: (any SourceLog).self))
        file.add((any SourceLog).self, line: 4)
        file.add(SourceReport.self, line: 5)
        return file
    }

    @Test func unlistedServiceFailsTheTest() async throws {
        let text = try await text(file) { container in
            container.add((any SourceLog).self, line: 4) { _ in SourcePrinter() }
            container.add(SourceReport.self, line: 5) { _ in SourceReport() }
            container.add(SourceStore.self, line: 3) { container in
                _ = try container.require((any SourceLog).self)
                _ = try container.require(SourceReport.self)
                return SourceStore()
            }
            _ = try container.require(SourceStore.self)
        }
        #expect(
            text.contains(
                "The factory of 'HopoateTestingHelpersTests.SourceStore', registered at Program/Main.swift:3,"))
        #expect(text.contains("has resolved 'HopoateTestingHelpersTests.SourceReport', which"))
        #expect(!text.contains("SourceLog"))
    }

    @Test func unlistedServiceOfASuspendingFactoryOrAChildFailsTheTest() async throws {
        let text = try await text(file) { container in
            container.add(SourceReport.self, line: 5) { _ in SourceReport() }
            let child = container.makeChild()
            child.register(SourceStore.self, fileID: "Program/Main.swift", line: 3) { container async throws in
                await Task.yield()
                _ = try await container.asyncResolve(SourceReport.self)
                return SourceStore()
            }
            _ = try await child.asyncResolve(SourceStore.self)
        }
        #expect(text.contains("has resolved 'HopoateTestingHelpersTests.SourceReport', which"))
    }

    @Test func listedServicesParametersAndOtherModulesPass() async throws {
        var file = file
        file.add(SourceChicken.self, line: 6)
        file.add(SourceStore.self, line: 7)
        let text = try await text(file) { container in
            container.add((any SourceLog).self, line: 4) { _ in SourcePrinter() }
            container.add(SourceStore.self, line: 3) { container in
                _ = try container.require((any SourceLog).self)
                return SourceStore()
            }
            container.decorate(SourceStore.self, fileID: "Program/Main.swift", line: 7) { inner, _ in inner }
            container.register(SourceChicken.self, fileID: "Program/Main.swift", line: 6) {
                (store: SourceStore?, logs: [any SourceLog]) in SourceChicken()
            }
            container.register(SourceEgg.self) { container in
                _ = try container.require(SourceChicken.self)
                return SourceEgg()
            }
            _ = try container.require(SourceEgg.self)
            _ = try container.require(SourceStore.self)
        }
        #expect(text == "")
    }

    @Test func completionIsPartOfItsOwnRegistration() async throws {
        var file = file
        file.add(SourceChicken.self, line: 6, needs: .init(type: SourceReport.self, isLater: true))
        file.add(SourceEgg.self, line: 7, needs: .init(type: SourceChicken.self))
        let text = try await text(file) { container in
            container.add(SourceReport.self, line: 5) { _ in SourceReport() }
            container.register(SourceChicken.self, fileID: "Program/Main.swift", line: 6) { _ in
                SourceChicken()
            } afterCreation: { _, container in
                _ = try container.require(SourceReport.self)
            }
            container.add(SourceEgg.self, line: 7) { container in
                _ = try container.require(SourceChicken.self)
                return SourceEgg()
            }
            _ = try container.require(SourceEgg.self)
        }
        #expect(text == "")
    }
}
