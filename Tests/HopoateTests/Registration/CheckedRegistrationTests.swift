import Hopoate
import Testing

/// Overloads of `register` that the compiler checks for data races, their options, and the two alternatives for services that are
/// not Sendable.
@Suite struct CheckedRegistrationTests {
    private let container = DependencyContainer()

    // MARK: Services that are not Sendable

    @Test func transientServiceMayBeSentToAnotherTask() async {
        container.register(transient: Parser.self) { _ in Parser("a") }
        let parser = container.resolve(transient: Parser.self)
        let depth = await Task {
            parser.depth += 1
            return parser.depth
        }.value
        #expect(depth == 1)
        #expect(container.resolve(transient: Parser.self).depth == 0)
    }

    @Test func transientServiceTakesNamesAndArguments() throws {
        container.register(transient: Parser.self, named: "fixed") { _ in Parser("fixed") }
        container.register(transient: Parser.self) { (_, text: String, times: Int) in
            Parser(String(repeating: text, count: times))
        }
        #expect(container.resolve(transient: Parser.self, named: "fixed").text == "fixed")
        #expect(container.resolve(transient: Parser.self, arguments: "ab", 2).text == "abab")
        #expect(try container.require(transient: Parser.self, arguments: "c", 1).text == "c")
        #expect(container.resolve(Parser.self, named: "fixed").text == "fixed")
    }

    @Test func transientServiceOfAParentIsCreatedWithTheChild() {
        container.register(transient: Parser.self) { container in Parser(container.resolve(String.self)) }
        let child = container.makeChild()
        child.register("of the child", for: String.self)
        #expect(child.resolve(transient: Parser.self).text == "of the child")
    }

    @Test func replacingTransientReplacesAllRegistrations() {
        let old = container.register(transient: Parser.self) { _ in Parser("old") }
        let new = container.register(transient: Parser.self, replacing: true) { _ in Parser("new") }
        container.remove(old)
        #expect(container.resolve(transient: Parser.self).text == "new")
        container.remove(new)
        #expect(!container.canResolve(Parser.self))
    }

    @Test func requireTransientRefusesServicesThatMayBeShared() throws {
        container.register(unchecked: Parser.self) { _ in Parser("shared") }
        let error = failure { () throws(DependencyError) in
            try container.require(transient: Parser.self, fileID: "There.swift", line: 7)
        }
        #expect(error?.reason == .invalid)
        #expect(error?.service == Parser.self)
        #expect(error?.description.contains("There.swift:7") == true)
        #expect(error?.description.contains("register(transient:)") == true)
        container.hopoate1.register(service: Parser.self, cacheService: false) { Parser("uncached") }
        #expect(throws: DependencyError.self) { try container.require(transient: Parser.self) }
        container.hopoate1.register(Parser("instance"), for: Parser.self)
        #expect(throws: DependencyError.self) { try container.require(transient: Parser.self) }
    }

    @Test func missingTransientServiceIsReported() {
        let error = failure { () throws(DependencyError) in try container.require(transient: Parser.self) }
        #expect(error?.reason == .notRegistered)
    }

    @Test func errorOfATransientFactoryIsPassedOn() {
        container.register(transient: Parser.self) { _ in throw NotToday() }
        let error = failure { () throws(DependencyError) in try container.require(transient: Parser.self) }
        #expect(error?.reason == .creationFailed)
        #expect(error?.underlying is NotToday)
    }

    @Test func uncheckedServiceTakesEveryOption() {
        var disposed: [String] = []
        let old = container.register(unchecked: Parser.self, named: "a") { _ in Parser("old") }
        container.register(unchecked: Parser.self, named: "a", replacing: true) { _ in
            Parser("new")
        } afterCreation: { parser, _ in
            parser.depth = 7
        } onDispose: { parser in
            disposed.append(parser.text)
        }
        container.remove(old)
        #expect(container.resolve(Parser.self, named: "a").depth == 7)
        #expect(container.resolve(Parser.self, named: "a") === container.resolve(Parser.self, named: "a"))
        container.removeAll()
        #expect(disposed == ["new"])
        container.register(unchecked: Parser.self, lifetime: .keyed) { (_, text: String) in
            Parser(text)
        } onDispose: { parser in
            disposed.append(parser.text)
        }
        #expect(container.resolve(Parser.self, arguments: "x") === container.resolve(Parser.self, arguments: "x"))
        container.removeAll()
        #expect(disposed == ["new", "x"])
    }

    // MARK: Options

    @Test func instanceTakesNameHookAndReplacing() {
        let log = Log()
        container.register("old", for: String.self, named: "a")
        container.register("new", for: String.self, named: "a", replacing: true) { log.add("disposed of \($0)") }
        container.register("other", for: String.self)
        #expect(container.resolveAll(String.self, named: "a") == ["new"])
        container.removeAll()
        #expect(log.entries == ["disposed of new"])
    }

    @Test func replacingReplacesAllWithTheSameArguments() {
        container.register(String.self) { (_, number: Int) in "old \(number)" }
        container.register(String.self) { (_, flag: Bool) in "\(flag)" }
        let new = container.register(String.self, replacing: true) { (_, number: Int) in "new \(number)" }
        #expect(container.resolve(String.self, arguments: 1) == "new 1")
        #expect(container.resolve(String.self, arguments: true) == "true")
        container.remove(new)
        #expect(container.optionalResolve(String.self, arguments: 1) == nil)
    }

    @Test func completionAndHooksWorkForEachFormOfFactory() async throws {
        let log = Log()
        container.register(Service.self, named: "arguments", lifetime: .keyed) { (_, text: String) in
            Service(text)
        } afterCreation: { service, _ in
            log.add("completed \(service.text)")
        } onDispose: { service in
            log.add("disposed of \(service.text)")
        }
        container.register(Service.self, named: "async") { _ async in
            Service("async")
        } afterCreation: { service, _ in
            log.add("completed \(service.text)")
        }
        container.register("using", for: String.self)
        container.register(Service.self, using: Service.init) { service, _ in
            log.add("completed \(service.text)")
        } onDispose: { service in
            log.add("disposed of \(service.text)")
        }
        _ = container.resolve(Service.self, named: "arguments", arguments: "one")
        _ = try await container.asyncResolve(Service.self, named: "async")
        _ = container.resolve(Service.self)
        #expect(log.entries == ["completed one", "completed async", "completed using"])
        try await container.shutdown()
        #expect(log.entries.suffix(2) == ["disposed of using", "disposed of one"])
    }

    // MARK: Initializers and actors

    @Test func initializerMayThrow() {
        container.register("x", for: String.self)
        container.register(Throwing.self, using: Throwing.init)
        let error = failure { () throws(DependencyError) in try container.require(Throwing.self) }
        #expect(error?.underlying is NotToday)
    }

    @Test func initializerOfTheMainActorRunsThere() async throws {
        container.register("title", for: String.self)
        container.register(Window.self, using: Window.init)
        let error = failure { () throws(DependencyError) in try container.require(Window.self) }
        #expect(error?.reason == .onlyAsynchronous)
        let window = try await container.asyncResolve(Window.self)
        #expect(window.title == "title")
        #expect(container.resolve(Window.self) === window)
    }

    @Test func factoryOfTheMainActorRunsThere() async throws {
        container.register(Window.self) { @MainActor _ in
            MainActor.assertIsolated()
            return Window("factory")
        }
        #expect(try await container.asyncResolve(Window.self).title == "factory")
    }

    @Test func factoryAndInitializerOfAnotherActorRunThere() async throws {
        container.register("canvas", for: String.self)
        container.register(Canvas.self, using: Canvas.init)
        #expect(try await container.asyncResolve(Canvas.self).title == "canvas")
        container.register(Canvas.self) { @Rendering _ async in
            Rendering.assertIsolated()
            return await Canvas("factory")
        }
        #expect(try await container.asyncResolve(Canvas.self).title == "factory")
    }
}

/// Not Sendable.
private final class Parser {
    let text: String
    var depth = 0

    init(_ text: String) {
        self.text = text
    }
}

private struct Service {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

private struct NotToday: Error {}

private struct Throwing: Sendable {
    init(_ text: String) throws { throw NotToday() }
}

@MainActor private final class Window {
    let title: String

    init(_ title: String) {
        MainActor.assertIsolated()
        self.title = title
    }
}

@globalActor private actor Rendering {
    static let shared = Rendering()
}

@Rendering private final class Canvas {
    let title: String

    init(_ title: String) async {
        Rendering.assertIsolated()
        self.title = title
    }
}

private final class Log: Sendable {
    private let lines = Locked<[String]>([])

    var entries: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
