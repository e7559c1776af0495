import Hopoate
import HopoateServer
import Testing

private protocol Log: Sendable {}
private struct ConsoleLog: Log {}
private final class Clock: @unchecked Sendable {}
private final class Store: @unchecked Sendable {
    init(log: any Log, clock: Clock?) {}
}
private final class Shop: @unchecked Sendable {
    init(store: Store, log: any Log, all: [any Log]) {}
}
private final class Hen: @unchecked Sendable {
    init(egg: Egg) {}
}
private final class Egg: @unchecked Sendable {
    init(hen: Hen) {}
}
private struct Box<Content> {}

private let file = "HopoateTests/ExplainingTests.swift"

/// Lists, trees and graphs of a container.
@Suite struct ExplainingTests {
    let container = DependencyContainer()

    private func name(_ type: any Any.Type) -> String { shown(type) }

    @Test func registrationsListEveryDetail() throws {
        container.register(Store.self, named: "eu", lifetime: .transient, using: Store.init)
        let line = UInt(#line - 1)
        let description = try #require(container.registrations.first)
        #expect(container.registrations.count == 1)
        #expect((description.service as? Store.Type) != nil)
        #expect(description.name == "eu")
        #expect(description.arguments == nil)
        #expect(description.lifetime.description == "transient")
        #expect(description.place == "\(file):\(line)")
        #expect(!description.exists && !description.isHidden && description.level == 0)
        #expect(description.dependencies?.last?.service == Clock.self)
        #expect(description.dependencies?.map(\.need) == [.required, .optional])
        #expect(
            description.description == "'\(name(Store.self)) named \"eu\"': transient, registered at \(file):\(line)")
    }

    @Test func everyWayToRegisterIsListed() {
        container.register(Clock(), for: Clock.self)
        container.hopoate1.register(service: (any Log).self, cacheService: false) { ConsoleLog() }
        container.register(Int.self, lifetime: .keyed) { (_, text: String, flag: Bool) in 7 }
        container.register(String.self) { _ async in "later" }
        let all = container.registrations
        #expect(Set(all.map(\.lifetime.description)) == ["eager", "transient", "keyed", "singleton"])
        #expect(all.first { $0.service == Int.self }?.arguments == "(Swift.String, Swift.Bool)")
        // A call through a requirement has no place.
        #expect(all.filter { $0.place?.hasPrefix(file) == true }.count == 3)
        #expect(all.first { $0.service == Clock.self }?.dependencies?.isEmpty == true)
        #expect(all.first { $0.service == String.self }?.dependencies == nil)
    }

    @Test func existsIsTrueOnceAnInstanceExists() throws {
        func exists(_ type: Any.Type, in container: DependencyContainer? = nil) -> Bool? {
            (container ?? self.container).registrations.first { $0.service == type }?.exists
        }
        container.register(Clock(), for: Clock.self)
        #expect(exists(Clock.self) == true)
        container.register(Store.self) { _ in Store(log: ConsoleLog(), clock: nil) }
        #expect(exists(Store.self) == false)
        _ = container.resolve(Store.self)
        #expect(exists(Store.self) == true)
        container.register(Int.self, lifetime: .keyed) { (_, number: Int) in number }
        #expect(exists(Int.self) == false)
        _ = container.resolve(Int.self, arguments: 7)
        #expect(exists(Int.self) == true)
        container.register(String.self, lifetime: .scoped) { _ in "scoped" }
        let child = container.makeChild()
        _ = child.resolve(String.self)
        #expect(exists(String.self) == false)
        #expect(exists(String.self, in: child) == true)
        _ = container.resolve(String.self)
        #expect(exists(String.self) == true)
        container.register(Double.self, lifetime: .transient) { _ in 1 }
        _ = container.resolve(Double.self)
        #expect(exists(Double.self) == false)
        container.register(Hen.self, lifetime: .weak) { container in Hen(egg: container.resolve(Egg.self)) }
        #expect(exists(Hen.self) == false)
    }

    @Test func existsIsTrueOnceAnInstanceExistsForAnyArguments() async throws {
        let tracker = Tracker()
        let scope = DependencyScope("session")
        for (name, lifetime) in [
            ("weak", .weak), ("scoped", .scoped), ("cached", .cached(in: scope)), ("graph", .graph),
        ] as [(DependencyName, Lifetime)] {
            container.register(Tracked.self, named: name, lifetime: lifetime) { (_, number: Int) in
                tracker.make(number)
            }
        }
        func existing(in container: DependencyContainer? = nil) -> [String] {
            (container ?? self.container).registrations.filter(\.exists).compactMap { $0.name?.description }.sorted()
        }
        try await container.warmUp()
        #expect(existing().isEmpty && tracker.made == 0)
        let child = container.makeChild()
        var held: Tracked? = child.resolve(Tracked.self, named: "weak", arguments: 1)
        for name in ["scoped", "cached", "graph"] as [DependencyName] {
            _ = child.resolve(Tracked.self, named: name, arguments: 1)
        }
        #expect(existing() == ["cached", "weak"])
        #expect(existing(in: child) == ["cached", "scoped", "weak"])
        held = nil
        scope.reset()
        _ = container.resolve(Tracked.self, named: "scoped", arguments: 2)
        #expect(existing() == ["scoped"])
        #expect(held == nil)
        #expect(try container.validate().unknown.count == 4)
        #expect(
            container.explain(Tracked.self, named: "weak").description.contains(
                "'HopoateTests.Tracked(Swift.Int) named \"weak\"': weak, registered at"))
        #expect(container.graph().mermaid.contains("scoped<br/>"))
    }

    @Test func registrationsOfParentsAreListedAndShadowedOnesAreMarked() {
        container.register(Clock(), for: Clock.self)
        container.register(ConsoleLog(), for: (any Log).self)
        container.register(ConsoleLog(), for: (any Log).self)
        let child = container.makeChild()
        child.register(Clock(), for: Clock.self)
        let all = child.registrations
        #expect(all.map(\.level) == [0, 1, 1, 1])
        #expect(all.map(\.isHidden) == [false, true, true, false])
        #expect(all[1].description.contains(", in the parent, hidden, exists"))
        #expect(container.registrations.map(\.isHidden) == [false, true, false])
        let grandchild = child.makeChild().makeChild()
        #expect(grandchild.registrations.last?.description.contains("3 containers up") == true)
    }

    @Test func explanationIsATree() {
        container.register(Shop.self, using: Shop.init)
        let line = UInt(#line - 1)
        container.register(Store.self, using: Store.init)
        container.register((any Log).self, lifetime: .transient) { _ in ConsoleLog() }
        let log = "transient, registered at \(file):\(line + 3), made by a closure"
        #expect(
            container.explain(Shop.self).description == """
                '\(name(Shop.self))': singleton, registered at \(file):\(line)
                ├─ '\(name(Store.self))': singleton, registered at \(file):\(line + 2)
                │  ├─ '\(name((any Log).self))': \(log)
                │  └─ '\(name(Clock.self))': not registered, optional
                ├─ '\(name((any Log).self))': \(log)
                └─ '\(name((any Log).self))': \(log), all
                """)
    }

    @Test func missingAndCircularDependenciesAreMarked() {
        let nothing = container.explain(Store.self)
        #expect(nothing.mark == .missing && nothing.registration == nil)
        #expect(nothing.description == "'\(name(Store.self))': MISSING")
        container.register(Store.self, using: Store.init)
        let tree = container.explain(Store.self)
        #expect(tree.mark == .found)
        #expect(tree.dependencies.map(\.mark) == [.missing, .absent])
        container.register(Shop.self, using: Shop.init)
        let list = container.explain(Shop.self).dependencies.last
        #expect(list?.mark == .missing && list?.service as? [any Log].Type != nil)
        container.register(Hen.self, using: Hen.init)
        container.register(Egg.self, using: Egg.init)
        let hen = container.explain(Hen.self)
        #expect(hen.dependencies.first?.service as? Egg.Type != nil)
        #expect(hen.dependencies.first?.dependencies.first?.mark == .circular)
        #expect(hen.description.contains(", CIRCULAR\nNeeded by:\n'\(name(Egg.self))': singleton, registered at "))
    }

    @Test func explanationNamesEachDependentOnce() {
        container.register(Shop.self, using: Shop.init)
        container.register(Store.self, using: Store.init)
        container.register((any Log).self) { () in ConsoleLog() }
        container.register(Clock.self) { () in Clock() }
        func dependents<Service>(_ service: Service.Type) -> [String] {
            container.explain(service).dependents.map { "\($0.service)" }
        }
        #expect(Set(dependents((any Log).self)) == ["Store", "Shop"])
        #expect(dependents(Store.self) == ["Shop"])
        #expect(dependents(Shop.self).isEmpty)
        #expect(dependents(Clock.self).isEmpty, "an optional dependency may be missing")
        #expect(container.explain(Store.self).dependencies.first?.dependents.isEmpty == true)
        container.register((any Log).self, named: "file") { () in ConsoleLog() }
        #expect(container.explain((any Log).self, named: "file").dependents.isEmpty)
    }

    @Test func dependentsOfAMissingServiceAreNamed() {
        container.register(Store.self, using: Store.init)
        container.register(Shop.self, using: { (store: Store) in Shop(store: store, log: ConsoleLog(), all: []) })
        #expect(container.explain((any Log).self).dependents.map { "\($0.service)" } == ["Store", "Shop"])
    }

    @Test func aListNeedsNoSingleOneOfItsServices() {
        container.register((any Log).self) { () in ConsoleLog() }
        container.register(
            Shop.self,
            using: { (logs: [any Log]) in Shop(store: Store(log: logs[0], clock: nil), log: logs[0], all: logs) })
        #expect(container.explain((any Log).self).dependents.map { "\($0.service)" } == ["Shop"])
        container.register((any Log).self) { () in ConsoleLog() }
        #expect(container.explain((any Log).self).dependents.isEmpty)
    }

    @Test func dependentsInAChildAreThoseOfItsOwnResolution() {
        container.register((any Log).self) { () in ConsoleLog() }
        container.register(Store.self, using: Store.init)
        container.register(
            Shop.self, lifetime: .scoped,
            using: { (store: Store, log: any Log) in Shop(store: store, log: log, all: []) })
        let child = container.makeChild()
        child.register(ConsoleLog(), for: (any Log).self)
        #expect(child.explain((any Log).self).dependents.map { "\($0.service)" } == ["Shop"])
    }

    // MARK: - Locks

    @Test func aLockHasOneSortedLineForEachRegistration() {
        container.register(Store.self, named: "eu", lifetime: .transient, using: Store.init)
        container.register((any Log).self) { _ in ConsoleLog() }
        container.register(ConsoleLog(), for: (any Log).self)
        container.register(Int.self) { (_, text: String) in text.count }
        let child = container.makeChild()
        child.register(Clock(), for: Clock.self)
        let (log, clock) = (name((any Log).self), name(Clock.self))
        #expect(
            child.wiringLock == """
                \(clock): eager, needs nothing
                \(name(Store.self)) named "eu": transient, level 1, needs \(log), \(clock) (optional)
                Swift.Int(Swift.String): transient, level 1, unknown needs
                \(log): eager, level 1, needs nothing
                \(log): singleton, level 1, shadowed, unknown needs

                """)
    }

    @Test func aChangedRegistrationIsOneChangedLine() {
        func lock(_ lifetime: Lifetime) -> [Substring] {
            let container = DependencyContainer()
            container.register(ConsoleLog(), for: (any Log).self)
            container.register(Store.self, lifetime: lifetime, using: Store.init)
            container.register(Shop.self, using: Shop.init)
            return container.wiringLock.split(separator: "\n")
        }
        #expect(lock(.singleton) == lock(.singleton))
        #expect(lock(.scoped).difference(from: lock(.singleton)).count == 2)
    }

    @Test func repeatedBranchIsExplainedOnce() {
        container.register(Shop.self) { (first: Store, second: Store) in
            Shop(store: first, log: ConsoleLog(), all: [])
        }
        container.register(Store.self, using: Store.init)
        let tree = container.explain(Shop.self)
        #expect(tree.dependencies.map(\.mark) == [.found, .repeated])
        #expect(tree.dependencies.map(\.dependencies.count) == [2, 0])
        #expect(tree.description.hasSuffix(", see above"))
    }

    @Test func registrationsWithNamesAndArgumentsAreExplained() {
        container.register(Int.self, named: "port") { _ in 80 }
        container.register(String.self) { (_, number: Int) in "\(number)" }
        #expect(container.explain(Int.self).mark == .missing)
        #expect(container.explain(Int.self, named: "port").name == "port")
        #expect(container.explain(Int.self, named: "port").mark == .found)
        #expect(container.explain(String.self).registration?.arguments == "(Swift.Int)")
    }

    @Test func explanationOfAServiceWithArgumentsIsNotThatOfAShadowedOne() {
        container.register(String.self, fileID: "Old.swift", line: 1) { (_, number: Int) in "\(number)" }
        container.register(String.self, fileID: "New.swift", line: 2) { (_, number: Int) in "new \(number)" }
        #expect(container.explain(String.self).registration?.place == "New.swift:2")
    }

    @Test func childExplainsItsOwnResolution() {
        container.register(Store.self, using: Store.init)
        let child = container.makeChild()
        child.register(ConsoleLog(), for: (any Log).self)
        // The singleton belongs to the parent, so its dependencies are looked up in the parent.
        #expect(child.explain(Store.self).dependencies.first?.mark == .missing)
        container.register(Store.self, lifetime: .scoped, using: Store.init)
        #expect(child.explain(Store.self).dependencies.first?.mark == .found)
    }

    /// A singleton of the parent resolves in the parent, where the instance of the child does not exist.
    @Test func treeShowsTheInstancesThatItsFactoriesWouldFind() {
        container.register(Clock.self, lifetime: .scoped) { _ in Clock() }
        container.register(Store.self, using: { (_: LazyDependency<Clock>) in Store(log: ConsoleLog(), clock: nil) })
        let child = container.makeChild()
        _ = child.resolve(Clock.self)
        #expect(child.explain(Clock.self).registration?.exists == true)
        #expect(child.explain(Store.self).dependencies.first?.registration?.exists == false)
        _ = container.resolve(Clock.self)
        #expect(child.explain(Store.self).dependencies.first?.registration?.exists == true)
    }

    @Test func nothingIsCreated() {
        container.register(Store.self) { _ in
            Issue.record("a creator ran")
            return Store(log: ConsoleLog(), clock: nil)
        }
        _ = container.registrations
        _ = container.explain(Store.self).description
        _ = container.graph().dot
    }

    /// ThreadSanitizer reports state that is shared between different containers.
    @Test func threadsMayListSeparateContainersConcurrently() async {
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<100).reduce(0) { count, _ in count + DependencyContainer().registrations.count } }
            }
            #expect(await group.reduce(0, +) == 0)
        }
    }

    @Test func graphHasANodeForEachRegistrationAndMissingService() {
        container.register(Shop.self, using: Shop.init)
        container.register(Store.self, using: Store.init)
        let graph = container.graph()
        #expect(graph.nodes.map { $0.registration == nil } == [false, false, true, true])
        let shop = graph.nodes.firstIndex { $0.service == Shop.self }
        let store = graph.nodes.firstIndex { $0.service == Store.self }
        #expect(Set(graph.edges.filter { $0.source == shop }.map(\.target)) == [store, 2, 3])
        #expect(graph.nodes[3].service as? [any Log].Type != nil)
        #expect(graph.edges.filter { $0.source == store }.map(\.target) == [2])
        #expect(DependencyContainer().graph().nodes.isEmpty)
    }

    /// Registers names and types with characters that have a meaning in these languages.
    private func registerAwkwardNames() {
        container.register(Shop.self, named: "a \"quoted\" \\ name;\n] --> # <b> & `x`", using: Shop.init)
        container.register(Box<[String: Int]>.self, named: "}") { _ in Box() }
        container.register(ConsoleLog(), for: (any Log).self)
        container.register(Store.self, using: Store.init)
        container.makeChild().register(Clock(), for: Clock.self)
        container.register(Clock.self) { (clock: [Clock]) in Clock() }
        container.register(Clock.self) { _ in Clock() }
    }

    @Test func dotIsWellFormed() throws {
        registerAwkwardNames()
        let graph = container.graph()
        let parsed = try parseDot(graph.dot)
        #expect(parsed.labels.count == graph.nodes.count)
        #expect(parsed.edges.count == graph.edges.count)
        for (index, node) in graph.nodes.enumerated() {
            let label = try #require(parsed.labels["n\(index)"])
            let awkward = (node.registration?.name?.text ?? "").filter { !$0.isNewline }
            #expect(label.filter { !$0.isNewline }.contains(awkward))
        }
        for (edge, parsedEdge) in zip(graph.edges, parsed.edges) {
            #expect(parsedEdge == ["n\(edge.source)", "n\(edge.target)"])
        }
        #expect(graph.dot.contains("color=grey") && graph.dot.contains("style=dashed"))
    }

    @Test func mermaidIsWellFormed() throws {
        registerAwkwardNames()
        let graph = container.graph()
        let lines = graph.mermaid.split(separator: "\n")
        #expect(lines.first == "flowchart LR")
        let nodes = lines.filter { $0.contains("[\"") }
        #expect(nodes.count == graph.nodes.count)
        for node in nodes {
            #expect(node.filter { $0 == "\"" }.count == 2)
            let label = node.split(separator: "\"")[1].split(separator: "<br/>").joined()
            #expect(!label.contains { "<>&`\\".contains($0) })
            #expect(node.hasSuffix("\"]") || node.hasSuffix("\"]:::hidden") || node.hasSuffix("\"]:::missing"))
        }
        #expect(lines.filter { $0.contains("-->") || $0.contains(".->") }.count == graph.edges.count)
    }
}

// MARK: - A parser for the subset of DOT

private struct NotDot: Error { let rest: Substring }

/// Reads `digraph name { statements }`, where a statement is `id [attributes];`, `id -> id [attributes];` or `id=value;`.
private func parseDot(_ text: String) throws -> (labels: [String: String], edges: [[String]]) {
    var rest = text[...]
    var labels: [String: String] = [:]
    var edges: [[String]] = []

    func skipSpace() { rest = rest.drop { $0.isWhitespace } }
    func take(_ token: String) -> Bool {
        skipSpace()
        guard rest.hasPrefix(token) else { return false }
        rest = rest.dropFirst(token.count)
        return true
    }
    func expect(_ token: String) throws { if !take(token) { throw NotDot(rest: rest) } }
    func word() throws -> String {
        skipSpace()
        if take("\"") {
            var word = ""
            while let character = rest.popFirst() {
                if character == "\"" { return word }
                guard character == "\\" else {
                    word.append(character)
                    continue
                }
                guard let escaped = rest.popFirst() else { break }
                word.append(escaped == "n" ? "\n" : escaped)
            }
            throw NotDot(rest: rest)
        }
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        guard !word.isEmpty else { throw NotDot(rest: rest) }
        rest = rest.dropFirst(word.count)
        return String(word)
    }
    func attributes() throws -> [String: String] {
        var attributes: [String: String] = [:]
        guard take("[") else { return attributes }
        repeat {
            let key = try word()
            try expect("=")
            attributes[key] = try word()
        } while take(",")
        try expect("]")
        return attributes
    }

    try expect("digraph")
    _ = try word()
    try expect("{")
    while !take("}") {
        let id = try word()
        if take("->") {
            edges.append([id, try word()])
            _ = try attributes()
        } else if take("=") {
            _ = try word()
        } else if let label = try attributes()["label"] {
            labels[id] = label
        }
        try expect(";")
    }
    skipSpace()
    if !rest.isEmpty { throw NotDot(rest: rest) }
    return (labels, edges)
}
