import Hopoate
import Testing

/// A factory whose service outlives the caller runs in the context of the container that keeps the service. It sees nothing of
/// the first caller.
@Suite(.mayBlock) struct FactoryContextTests {
    private enum Caller {
        @TaskLocal static var name = "nobody"
    }

    private final class User: Sendable {
        let name: String
        init(_ name: String) { self.name = name }
    }

    // Unchecked, because a wrapped property is a variable. Sound, because the wrapper is thread-safe.
    private final class Mailer: @unchecked Sendable {
        @Dependency var user: User
    }

    private struct Seen: Sendable {
        let caller: String
        let isCancelled: Bool
        let shared: DependencyContainer

        static var now: Seen { Seen(caller: Caller.name, isCancelled: Task.isCancelled, shared: .shared) }
    }

    let app = DependencyContainer()

    private static let scope = DependencyScope("scope")

    @Test(arguments: ["singleton", "cached"])
    func factorySeesItsOwnersContainerAndNoneOfTheCallersTaskLocals(kind: String) {
        app.register(Seen.self, lifetime: kind == "singleton" ? .singleton : .cached(in: Self.scope)) { _ in .now }
        let request = app.makeChild()
        let seen = DependencyContainer.$shared.withValue(request) {
            Caller.$name.withValue("alice") { resolve(Seen.self) }
        }
        #expect(seen.shared === app)
        #expect(seen.caller == "nobody")
    }

    @Test func keyedFactoryRunsInTheContextOfItsOwner() {
        app.register(Seen.self, lifetime: .keyed) { (_, _: Int) in .now }
        let request = app.makeChild()
        let seen = DependencyContainer.$shared.withValue(request) {
            Caller.$name.withValue("alice") { request.resolve(Seen.self, arguments: 1) }
        }
        #expect(seen.shared === app)
        #expect(seen.caller == "nobody")
    }

    @Test func asynchronousFactoryRunsInTheContextOfItsOwner() async throws {
        app.register(Seen.self) { _ async in
            await Task.yield()
            return .now
        }
        let request = app.makeChild()
        let seen = try await DependencyContainer.$shared.withValue(request) {
            try await Caller.$name.withValue("alice") { try await request.asyncResolve(Seen.self) }
        }
        #expect(seen.shared === app)
        #expect(seen.caller == "nobody")
    }

    @Test func tasksOfAFactorySeeItsOwnersContainer() async {
        app.register(Task<Seen, Never>.self) { _ in Task { .now } }
        let request = app.makeChild()
        let task = DependencyContainer.$shared.withValue(request) {
            Caller.$name.withValue("alice") { resolve(Task<Seen, Never>.self) }
        }
        let seen = await task.value
        #expect(seen.shared === app)
        #expect(seen.caller == "nobody")
    }

    @Test func tasksOfAFactoryDoNotKeepItsContainer() async {
        let goOn = AsyncSignal()
        weak var gone: DependencyContainer?
        var tasks: [Task<Seen, Never>] = []
        do {
            let container = DependencyContainer()
            gone = container
            container.register(Task<Seen, Never>.self) { _ in
                Task {
                    await goOn.wait()
                    return .now
                }
            }
            tasks.append(container.resolve(Task<Seen, Never>.self))
        }
        #expect(gone == nil)
        goOn.raise()
        let seen = await tasks[0].value
        let error = failure { () throws(DependencyError) in try seen.shared.require(Int.self) }
        #expect(error?.reason == .shutDown)
    }

    @Test func scopedFactorySeesTheResolvingContainer() async throws {
        app.register(Seen.self, lifetime: .scoped) { _ in .now }
        app.register(Seen.self, named: "async", lifetime: .scoped) { _ async in .now }
        let request = app.makeChild()
        #expect(request.resolve(Seen.self).shared === request)
        #expect(try await request.asyncResolve(Seen.self, named: "async").shared === request)
        #expect(app.resolve(Seen.self).shared === app)
    }

    @Test func transientAndGraphFactoriesRunInTheContextOfTheirCaller() {
        app.register(Seen.self, lifetime: .transient) { _ in .now }
        app.register(Seen.self, named: "graph", lifetime: .graph) { _ in .now }
        let request = app.makeChild()
        for name in [nil, "graph"] as [DependencyName?] {
            let seen: Seen = DependencyContainer.$shared.withValue(request) {
                Caller.$name.withValue("alice") { app.resolve(named: name) }
            }
            #expect(seen.shared === request)
            #expect(seen.caller == "alice")
        }
    }

    private final class Holder: Sendable {
        let lazy: LazyDependency<Seen>
        let provider: DependencyProvider<Seen>

        init(_ lazy: LazyDependency<Seen>, _ provider: DependencyProvider<Seen>) {
            self.lazy = lazy
            self.provider = provider
        }
    }

    /// Who holds the handle: a service that all callers share, or one of the request.
    @Test(arguments: ["singleton", "asynchronous", "eager", "scoped", "transient"])
    func instancesThatTheHandleOfASharedServiceKeepsSeeNoTaskLocals(holder: String) async throws {
        app.register(Seen.self, lifetime: .transient) { _ in .now }
        switch holder {
        case "asynchronous":
            app.register(Holder.self) { container async in
                Holder(LazyDependency(container: container), container.provider())
            }
        case "eager": app.register(Holder.self) { Holder(LazyDependency(container: app), app.provider()) }
        default:
            let lifetimes: [String: Lifetime] = ["scoped": .scoped, "transient": .transient]
            app.register(Holder.self, lifetime: lifetimes[holder] ?? .singleton, using: Holder.init)
        }
        let isShared = holder != "scoped" && holder != "transient"
        let expected = isShared ? "nobody" : "alice"
        for suspends in [false, true] {
            let child = app.makeChild()
            let held = try await child.asyncResolve(Holder.self)
            held.lazy.dispose()
            try await Caller.$name.withValue("alice") {
                let kept = if suspends { try await held.lazy.asyncResolve() } else { held.lazy.wrappedValue }
                #expect(kept.caller == expected)
                // It keeps nothing.
                let provided = suspends ? try await held.provider.asyncResolve() : held.provider()
                #expect(provided.caller == "alice")
            }
        }
    }

    @Test func wrapperOfASingletonShowsItsServiceNoTaskLocals() {
        app.register(User.self, lifetime: .transient) { _ in User(Caller.name) }
        app.register(Mailer.self) { _ in Mailer() }
        let mailer = app.resolve(Mailer.self)
        #expect(Caller.$name.withValue("alice") { mailer.user.name } == "nobody")
    }

    /// The task in which it runs hides the caller's task-locals, and not its cancellation.
    @Test func handleOfASingletonIsCancelledWithItsCaller() async throws {
        let began = AsyncSignal()
        app.register(Seen.self, lifetime: .transient) { _ async in
            began.raise()
            while !Task.isCancelled { await Task.yield() }
            return .now
        }
        app.register(Holder.self, using: Holder.init)
        let holder = app.resolve(Holder.self)
        let task = Task { try await holder.lazy.asyncResolve() }
        await began.wait()
        task.cancel()
        let seen = try await task.value
        #expect(seen.isCancelled)
    }

    @Test func bindingInsideAFactoryAppliesThere() async {
        let other = DependencyContainer()
        app.register([ObjectIdentifier].self) { _ in
            let inside = DependencyContainer.$shared.withValue(other) { DependencyContainer.shared }
            return [inside, DependencyContainer.shared].map { ObjectIdentifier($0) }
        }
        #expect(app.resolve([ObjectIdentifier].self) == [ObjectIdentifier(other), ObjectIdentifier(app)])
    }

    @Test func factoryIsNotCancelledWithItsFirstCaller() async throws {
        app.register(Seen.self) { _ in .now }
        let app = app
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return app.resolve(Seen.self)
        }
        #expect(await !task.value.isCancelled)
    }

    @Test func errorsInsideStillReachTheFailureHandler() {
        let container = app
        container.register(Mailer.self) { container in
            _ = container.resolve(Int.self)
            return Mailer()
        }
        #expect(trap { _ = container.resolve(Mailer.self) }?.chain.last == "Swift.Int")
    }

    // MARK: - Captive dependencies

    @Test func captiveDependencyOfASingletonIsRefused() {
        app.register(Mailer.self) { _ in Mailer() }
        for name in ["alice", "bob"] {
            let request = app.makeChild()
            request.register(User(name), for: User.self)
            let error = trap {
                DependencyContainer.$shared.withValue(request) { _ = resolve(Mailer.self).user.name }
            }
            #expect(error?.reason == .captive)
            #expect(error?.description.contains("FactoryContextTests.") == true)
            #expect(error?.description.contains("captive dependency") == true)
            #expect(error?.description.contains(".scoped") == true)
        }
    }

    @Test func scopedServiceGetsTheDependenciesOfItsRequest() {
        app.register(Mailer.self, lifetime: .scoped) { _ in Mailer() }
        for name in ["alice", "bob"] {
            let request = app.makeChild()
            request.register(User(name), for: User.self)
            #expect(request.resolve(Mailer.self).user.name == name)
        }
    }

    @Test(arguments: [Lifetime.singleton, .cached(in: scope), .transient])
    func scopedServiceIsNotCapturedByAClosure(lifetime: Lifetime) {
        app.register(User.self, lifetime: .scoped) { _ in User("scoped") }
        app.register([User].self, lifetime: .transient) { [try $0.require()] }
        app.register(String.self, lifetime: lifetime) { try $0.require([User].self)[0].name }
        for container in [app, app.makeChild()] {
            let error = failure { () throws(DependencyError) in try container.require(String.self) }
            guard lifetime.description != "transient" else {
                #expect(error == nil)
                continue
            }
            #expect(error?.reason == .captive)
            #expect(error?.chain.count == 3)
        }
    }

    @Test(arguments: [false, true])
    func scopedServiceIsNotCapturedByAnAsynchronousFactory(exists: Bool) async {
        app.register(User.self, lifetime: .scoped) { _ in User("scoped") }
        for container in [app, app.makeChild()] {
            if exists { #expect(container.resolve(User.self).name == "scoped") }
            container.register(String.self) { container async throws in try container.require(User.self).name }
            let error = await failure { () async throws(DependencyError) in
                try await container.asyncResolve(String.self)
            }
            #expect(error?.reason == .captive)
        }
    }

    @Test func scopedServiceIsNotCapturedByTheWrapperOfASingleton() {
        app.register(User.self, lifetime: .scoped) { _ in User("scoped") }
        app.register(Mailer.self) { _ in Mailer() }
        let mailer = app.resolve(Mailer.self)
        #expect(trap { _ = mailer.user }?.reason == .captive)
    }

    /// The completion of a dependency runs when the factory of the singleton has returned.
    @Test(arguments: [Lifetime.transient, .graph])
    func scopedServiceIsNotCapturedByTheCompletionOfADependency(lifetime: Lifetime) {
        app.register(User.self, lifetime: .scoped) { _ in User("scoped") }
        app.register(Mailer.self, lifetime: lifetime) { _ in
            Mailer()
        } afterCreation: { _, container in
            _ = try container.require(User.self)
        }
        app.register([Mailer].self) { [try $0.require(Mailer.self)] }
        let error = failure { () throws(DependencyError) in try app.require([Mailer].self) }
        #expect(error?.reason == .captive)
        let part = failure { () throws(DependencyError) in try app.require(Mailer.self) }
        #expect(part == nil)
    }

    @Test func scopedServicesMayHoldEachOther() {
        app.register(User.self, lifetime: .scoped) { _ in User("scoped") }
        app.register(Mailer.self, lifetime: .scoped) { _ in Mailer() }
        app.register(String.self, lifetime: .scoped) { $0.resolve(Mailer.self).user.name }
        for container in [app, app.makeChild()] { #expect(container.resolve(String.self) == "scoped") }
    }

    @Test func singletonMayCreateItsOwnScope() {
        app.register(User.self, lifetime: .scoped) { _ in User("scoped") }
        app.register(String.self) { container in container.makeChild().resolve(User.self).name }
        #expect(app.resolve(String.self) == "scoped")
    }
}
