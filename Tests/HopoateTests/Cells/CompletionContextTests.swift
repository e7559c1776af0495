import Hopoate
import Testing

/// A completion runs at the end of the outermost creation, but in the context of its own factory.
@Suite(.mayBlock) struct CompletionContextTests {
    private enum Caller {
        @TaskLocal static var name = "nobody"
    }

    /// The context of some code.
    private struct Context {
        let caller = Caller.name
        let isCancelled = Task.isCancelled
        let shared = DependencyContainer.shared
        let sharedInTask = Task { DependencyContainer.shared }
    }

    /// A service with a completion, which other services use.
    private struct Part: Sendable {}

    /// Observes one service.
    private struct Observer: DependencyInstrument, DependencyObserver {
        let name: DependencyName

        func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? {
            dependency.name == name ? self : nil
        }
    }

    let app = DependencyContainer()
    let request: DependencyContainer
    private let contexts = Locked<[Context]>([])

    init() { request = app.makeChild() }

    /// Registers the part. Its factory and its completion record their contexts.
    private func registerPart(_ lifetime: Lifetime, named name: DependencyName? = nil) {
        app.register(Part.self, named: name, lifetime: lifetime) { [contexts] _ in
            contexts.withLock { $0.append(Context()) }
            return Part()
        } afterCreation: { [contexts] _, _ in
            contexts.withLock { $0.append(Context()) }
        }
    }

    /// Calls a closure in a cancelled task of a caller, and returns the context of the completion.
    private func completionContext(_ body: @escaping @Sendable (DependencyContainer) -> Void) async throws -> Context {
        let request = request
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            DependencyContainer.$shared.withValue(request) {
                Caller.$name.withValue("alice") { body(request) }
            }
        }
        await task.value
        let contexts = contexts.withLock { $0 }
        try #require(contexts.count == 2)
        #expect(contexts[1].caller == contexts[0].caller)
        #expect(contexts[1].isCancelled == contexts[0].isCancelled)
        #expect(contexts[1].shared === contexts[0].shared)
        return contexts[1]
    }

    @Test(arguments: [Lifetime.transient, .graph, .singleton], [Lifetime.singleton, .weak, .keyed])
    func completionOfAPartSeesNothingOfTheCallerOfASharedService(lifetime: Lifetime, whole: Lifetime) async throws {
        registerPart(lifetime)
        if whole.description == "keyed" {
            app.register([Part].self, lifetime: .keyed) { (container, _: Int) in [try container.require()] }
        } else if whole.description == "weak" {
            app.register(Box.self, lifetime: .weak) { Box(parts: [try $0.require()]) }
        } else {
            app.register([Part].self) { [try $0.require()] }
        }
        let context = try await completionContext { request in
            switch whole.description {
            case "keyed": _ = request.resolve([Part].self, arguments: 1)
            case "weak": _ = request.resolve(Box.self)
            default: _ = request.resolve([Part].self)
            }
        }
        #expect(context.caller == "nobody")
        #expect(!context.isCancelled)
        #expect(context.shared === app)
        #expect(await context.sharedInTask.value === app)
    }

    private final class Box: Sendable {
        let parts: [Part]
        init(parts: [Part]) { self.parts = parts }
    }

    @Test(arguments: [Lifetime.transient, .graph, .scoped])
    func completionOfAPartOfAScopedServiceSeesItsContainer(lifetime: Lifetime) async throws {
        registerPart(lifetime)
        app.register([Part].self, lifetime: .scoped) { [try $0.require()] }
        let inner = app.makeChild()
        let context = try await completionContext { _ in _ = inner.resolve([Part].self) }
        #expect(context.caller == "alice")
        #expect(context.isCancelled)
        #expect(context.shared === inner)
    }

    /// The second completion is added while the first one runs, when the factory of the singleton has returned.
    @Test(arguments: [Lifetime.transient, .graph, .scoped], [Lifetime.transient, .graph])
    func completionOfAPartThatACompletionResolvesSeesNothingOfTheCaller(outer: Lifetime, inner: Lifetime) async throws {
        registerPart(inner)
        app.register(Box.self, lifetime: outer) { _ in
            Box(parts: [])
        } afterCreation: { _, container in
            _ = try container.require(Part.self)
        }
        app.register([Box].self) { container in
            // A scope of its own, because the scoped service would be a captive dependency.
            [try container.makeChild().require()]
        }
        let context = try await completionContext { _ = $0.resolve([Box].self) }
        #expect(context.caller == "nobody")
        #expect(!context.isCancelled)
    }

    @Test func completionInAScopeOfASingletonSeesNothingOfTheCaller() async throws {
        registerPart(.scoped)
        let scopes = Locked<[DependencyContainer]>([])
        app.register([Part].self) { container in
            let scope = container.makeChild()
            scopes.withLock { $0.append(scope) }
            return [try scope.require()]
        }
        let context = try await completionContext { _ = $0.resolve([Part].self) }
        #expect(context.caller == "nobody")
        #expect(!context.isCancelled)
        #expect(context.shared === scopes.withLock { $0[0] })
    }

    @Test(arguments: [Lifetime.transient, .graph])
    func completionOfAPartThatASingletonResolvesUnderAnOverrideSeesTheOverride(lifetime: Lifetime) async throws {
        registerPart(lifetime)
        let other = DependencyContainer()
        app.register([Part].self) { container in
            [try DependencyContainer.$shared.withValue(other) { try container.require() }]
        }
        let context = try await completionContext { _ = $0.resolve([Part].self) }
        #expect(context.caller == "nobody")
        #expect(context.shared === other)
    }

    /// Instruments find the current span in a task-local, so the task-locals stay visible in an observed service.
    @Test(arguments: [Lifetime.transient, .graph, .singleton])
    func completionOfAPartOfAnObservedSingletonSeesTheTaskLocals(lifetime: Lifetime) async throws {
        app.instrument(with: Observer(name: "observed"))
        registerPart(lifetime, named: "observed")
        app.register([Part].self, named: "observed") { [try $0.require(named: "observed")] }
        let context = try await completionContext { _ = $0.resolve([Part].self, named: "observed") }
        #expect(context.caller == "alice")
        #expect(context.shared === app)
    }

    /// The singleton in between sees nothing of the caller, so its parts do not either.
    @Test func completionOfAnObservedPartOfAnUnobservedSingletonSeesNoTaskLocals() async throws {
        app.instrument(with: Observer(name: "observed"))
        registerPart(.singleton, named: "observed")
        app.register([Part].self) { [try $0.require(named: "observed")] }
        let context = try await completionContext { _ = $0.resolve([Part].self) }
        #expect(context.caller == "nobody")
        #expect(context.shared === app)
    }

    /// The task-local is that of the singleton, not of its caller.
    @Test func observedPartOfAnUnobservedSingletonSeesTheTaskLocalsOfItsFactory() {
        app.instrument(with: Observer(name: "observed"))
        app.register(String.self, named: "observed") { _ in Caller.name }
        app.register([String].self) { container in
            try Caller.$name.withValue("singleton") { [try container.require(named: "observed")] }
        }
        #expect(Caller.$name.withValue("alice") { app.resolve([String].self) } == ["singleton"])
    }

    @Test func completionOfAPartOfAnAsynchronousSingletonSeesNothingOfTheCaller() async throws {
        registerPart(.singleton)
        app.register([Part].self) { container async throws in [try container.require()] }
        let request = request
        _ = try await DependencyContainer.$shared.withValue(request) {
            try await Caller.$name.withValue("alice") { try await request.asyncResolve([Part].self) }
        }
        let contexts = contexts.withLock { $0 }
        try #require(contexts.count == 2)
        for context in contexts {
            #expect(context.caller == "nobody")
            #expect(context.shared === app)
        }
    }
}
