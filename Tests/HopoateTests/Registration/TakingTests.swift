import Hopoate
import Testing

private struct Copy: Sendable { var text: String }
private struct Mirror: Sendable {
    let main: Copy
    let spare: Copy
    let count: Int
}
private struct Refusing: Sendable {
    init(_ copy: Copy) throws { throw Refusal.first }
}
private struct Later: Sendable {
    let copy: Copy
    init(_ copy: Copy, count: Int) async throws { self.copy = Copy(text: "\(copy.text) \(count)") }
}
@MainActor private final class Screen {
    let copy: Copy
    init(_ copy: Copy, title: String) { self.copy = Copy(text: "\(title) \(copy.text)") }
}
private struct Handles: Sendable {
    let found: Copy?
    let absent: Copy?
    let list: [Copy]
    let lazy: LazyDependency<Copy>
    let provider: DependencyProvider<Copy>
}
private enum UnitKey: DependencyKey {
    static let defaultValue = "metre"
}
extension DependencyValues {
    fileprivate var unit: String {
        get { self[UnitKey.self] }
        set { self[UnitKey.self] = newValue }
    }
}
extension DependencyName {
    fileprivate static let absent: DependencyName = "absent"
    fileprivate static let late: DependencyName = "late"
    fileprivate static let list: DependencyName = "list"
    fileprivate static let spare: DependencyName = "spare"
}

/// Initializers whose parameters say what they take.
@Suite(.mayBlock) struct TakingTests {
    let container = DependencyContainer()

    init() {
        container.register(Copy(text: "main"), for: Copy.self)
        container.register(Copy(text: "spare"), for: Copy.self, named: .spare)
    }

    @Test func eachParameterTakesWhatItsSourceSays() throws {
        container.register(Mirror.self, using: Mirror.init, taking: .service, .named(.spare), .value(30))
        try container.validate()
        let mirror = container.resolve(Mirror.self)
        #expect(mirror.main.text == "main" && mirror.spare.text == "spare" && mirror.count == 30)
    }

    /// The name exists at run time only, so nothing but the registration keeps it alive.
    @Test func nameIsKeptAlive() {
        func name() -> DependencyName { DependencyName(["run", "time"].joined(separator: "-")) }
        container.register(
            Mirror.self, lifetime: .transient, using: Mirror.init, taking: .named(name()), .service, .value(1))
        container.register(Copy(text: "named"), for: Copy.self, named: name())
        #expect(container.resolve(Mirror.self).main.text == "named")
    }

    @Test func missingNameIsAFindingAndAnError() {
        container.register(Mirror.self, using: Mirror.init, taking: .service, .named(.absent), .value(30))
        let error = #expect(throws: DependencyValidationError.self) { try container.validate() }
        #expect(error?.findings.map(\.kind) == [.name])
        #expect(error?.description.contains("Copy named \"absent\"', which is not registered") == true)
        let missing = failure { () throws(DependencyError) in try container.require(Mirror.self) }
        #expect(missing?.reason == .notRegistered)
        #expect(missing?.chain.last?.hasSuffix("Copy named \"absent\"") == true)
    }

    @Test func valueIsNoDependency() throws {
        container.register(Mirror.self, using: Mirror.init, taking: .service, .value(Copy(text: "given")), .value(1))
        try container.validate()
        #expect(container.explain(Mirror.self).description.contains("spare") == false)
        #expect(container.resolve(Mirror.self).spare.text == "given")
    }

    @Test func namedServiceIsExplained() {
        container.register(Mirror.self, using: Mirror.init, taking: .service, .named(.spare), .value(1))
        #expect(container.explain(Mirror.self).description.contains("Copy named \"spare\""))
    }

    @Test func namesApplyToTheServiceInsideOfAParameter() throws {
        container.register(Copy(text: "older"), for: Copy.self, named: "list")
        container.register(Copy(text: "newer"), for: Copy.self, named: "list")
        container.register(
            Handles.self, using: Handles.init,
            taking: .named(.spare), .named(.absent), .named(.list), .named(.spare), .named(.spare))
        try container.validate()
        let handles = container.resolve(Handles.self)
        #expect(handles.found?.text == "spare")
        #expect(handles.absent == nil)
        #expect(handles.list.map(\.text) == ["newer", "older"])
        #expect(handles.lazy.resolve().text == "spare")
        #expect(handles.provider().text == "spare")
    }

    @Test func namesApplyInsideOfAParameterForCallersThatSuspend() async throws {
        container.register(Copy.self, named: "late") { _ async in Copy(text: "late") }
        container.register(
            Handles.self, using: Handles.init,
            taking: .named(.late), .named(.absent), .named(.late), .named(.spare), .named(.spare))
        let handles = try await container.asyncResolve(Handles.self)
        #expect(handles.found?.text == "late" && handles.absent == nil)
        #expect(handles.list.map(\.text) == ["late"])
    }

    @Test func environmentIsReadWhenAnInstanceIsCreated() {
        container.register(Copy.self, lifetime: .transient, using: Copy.init(text:), taking: .environment(\.unit))
        #expect(container.resolve(Copy.self).text == "metre")
        container.values.unit = "foot"
        #expect(container.resolve(Copy.self).text == "foot")
        let child = container.makeChild()
        child.values.unit = "inch"
        #expect(child.resolve(Copy.self).text == "inch")
    }

    @Test func errorOfTheInitializerIsThrown() {
        container.register(Refusing.self, using: Refusing.init, taking: .named(.spare))
        let error = failure { () throws(DependencyError) in try container.require(Refusing.self) }
        #expect(error?.underlying as? Refusal == .first)
    }

    @Test func asynchronousInitializerTakesAsynchronousServices() async throws {
        container.register(Copy.self, named: "late") { _ async in Copy(text: "late") }
        container.register(Later.self, using: Later.init, taking: .named(.late), .value(7))
        try container.validate()
        #expect(try await container.asyncResolve(Later.self).copy.text == "late 7")
    }

    @Test func mainActorInitializerTakesItsSources() async throws {
        container.register(Screen.self, using: Screen.init, taking: .named(.spare), .value("Title"))
        let screen = try await container.asyncResolve(Screen.self)
        #expect(screen.copy.text == "Title spare")
    }

    @Test func hooksFollowTheSources() async throws {
        let ends = Locked<[String]>([])
        container.register(Copy.self, using: Copy.init(text:), taking: .value("x")) { copy, _ in
            ends.withLock { $0.append("created \(copy.text)") }
        } onDispose: { copy in
            ends.withLock { $0.append("ended \(copy.text)") }
        }
        _ = container.resolve(Copy.self)
        try await container.shutdown()
        #expect(ends.current == ["created x", "ended x"])
    }
}
