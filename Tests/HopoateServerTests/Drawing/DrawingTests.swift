import Hopoate
import HopoateServer
import Testing

private final class Clock: Sendable {}
private enum Inner {
    final class Clock: Sendable {}
}
private struct Box<Content>: Sendable {}
private struct Key: Hashable, Sendable {}
private final class Watch: Sendable {
    init(clock: Clock) {}
}

/// The appearance of the Graphviz drawing. `ExplainingTests` checks that it is well-formed.
@Suite struct DrawingTests {
    let container = DependencyContainer()

    /// The lines that declare nodes.
    private var nodes: [Substring] { container.graph().dot.split(separator: "\n").filter { $0.contains("label=") } }

    private func attribute(_ name: String, of node: Substring) -> String? {
        node.split(separator: " ").first { $0.hasPrefix("\(name)=") }
            .map { $0.dropFirst(name.count + 1).filter { $0 != "," && $0 != "]" && $0 != ";" } }
    }

    @Test func nodesShowTypesWithoutModule() throws {
        container.register(Clock(), for: Clock.self)
        let node = try #require(nodes.first)
        #expect(node.contains("label=\"Clock\\neager\""))
    }

    @Test func nodesShowFullNamesOfEquallyNamedTypes() {
        container.register(Clock(), for: Clock.self)
        container.register(Inner.Clock(), for: Inner.Clock.self)
        #expect(nodes.count == 2)
        #expect(nodes.filter { $0.contains("label=\"\(shown(Clock.self))\\n") }.count == 1)
        #expect(nodes.filter { $0.contains("label=\"\(shown(Inner.Clock.self))\\n") }.count == 1)
    }

    @Test func nodesShowShortNamesOfRepeatedRegistrations() {
        container.register(Clock(), for: Clock.self)
        container.register(Clock(), for: Clock.self)
        #expect(nodes.allSatisfy { $0.contains("label=\"Clock\\n") })
    }

    @Test func nodesShowArgumentsWithoutModule() throws {
        container.register(Box<[Clock]>.self, lifetime: .keyed) { (_, text: String, key: Key?) in Box() }
        let node = try #require(nodes.first)
        #expect(node.contains("label=\"Box<[Clock]>(String, Key?)\\nkeyed\""))
    }

    @Test func servicesWithFindingsAreRed() throws {
        container.register(Watch.self, using: Watch.init)
        container.register(Box<Int>(), for: Box<Int>.self)
        container.register(Box<Int>(), for: Box<Int>.self)
        let error = #expect(throws: DependencyValidationError.self) { try container.validate(.strict) }
        let graph = container.graph(marking: error)
        let faulty = graph.nodes.filter(\.isFaulty)
        #expect(faulty.map { "\($0.service)" } == ["Box<Int>", "Watch"], "the shadowed one has no finding")
        let red = graph.dot.split(separator: "\n").filter { $0.contains("class=faulty") && $0.contains("color=red") }
        #expect(red.count == 2)
        #expect(graph.mermaid.split(separator: "\n").filter { $0.hasSuffix(":::missing") }.count == 3)
        #expect(container.graph().nodes.filter(\.isFaulty).isEmpty)
    }

    @Test func tooltipShowsDetailsThatTheNodeOmits() throws {
        container.register(Watch.self, using: Watch.init)
        let line = #line - 1
        let node = try #require(nodes.first)
        #expect(node.contains("tooltip=\"'\(shown(Watch.self))': singleton, registered at "))
        #expect(node.contains("DrawingTests.swift:\(line)"))
    }

    @Test func nodeClassShowsHowTheInstanceIsShared() throws {
        container.register(Clock(), for: Clock.self)
        container.register(Int.self, lifetime: .singleton) { _ in 1 }
        container.register(UInt.self, lifetime: .scoped) { _ in 1 }
        container.register(Inner.Clock.self, lifetime: .graph) { _ in Inner.Clock() }
        container.register(String.self, lifetime: .keyed) { (_, number: Int) in "\(number)" }
        container.register(Bool.self, lifetime: .transient) { _ in true }
        container.register(Watch.self, named: "old", lifetime: .weak) { _ in Watch(clock: Clock()) }
        let classes = nodes.compactMap { attribute("class", of: $0) }
        let instances = ["instance", "registration", "container", "request", "arguments", "nobody"]
        #expect(Set(classes) == Set(instances))
        // A weak instance belongs to its registration, like a singleton.
        #expect(classes.filter { $0 == "registration" }.count == 2)
        let looks = Set(nodes.map { "\(attribute("shape", of: $0) ?? "") \(attribute("fillcolor", of: $0) ?? "")" })
        #expect(looks.count == 6)
    }

    @Test func missingAndShadowedNodesLookDifferent() {
        container.register(Watch.self, using: Watch.init)
        container.register(Int.self) { _ in 1 }
        container.register(2, for: Int.self)
        let classes = nodes.compactMap { attribute("class", of: $0) }
        #expect(classes.filter { $0 == "missing" }.count == 1)
        #expect(classes.filter { $0 == "hidden" }.count == 1)
    }
}
