import Hopoate
import HopoateServer
import Testing

/// The order in which a shutdown with limits disposes of services.
@Suite struct ShutdownOrderTests {
    private final class Database: Sendable {}
    private final class Cache: Sendable {
        init(_ database: Database) {}
    }
    private final class Mailer: Sendable {
        init(_ database: Database) {}
    }
    private final class Repository: Sendable {
        init(_ database: Database) {}
    }
    private protocol Settings: Sendable {
        var database: Database? { get }
    }
    private struct PlainSettings: Settings {
        var database: Database? { nil }
        init() {}
    }
    private struct StoredSettings: Settings {
        let database: Database?
    }
    /// Takes one parameter of any type.
    private final class Handler<Part: Sendable>: Sendable {
        let part: Part
        init(_ part: Part) { self.part = part }
    }
    private protocol Reading: Sendable {}
    private final class Store: Reading {}

    private let container = DependencyContainer()
    private let journal = Locked<[String]>([])

    /// A hook that notes its begin and its end, with some time in between.
    private func hook<Service>(_ name: String) -> @Sendable (Service) async throws -> Void {
        { [journal] _ in
            journal.withLock { $0.append("begin \(name)") }
            for _ in 0..<50 { await Task.yield() }
            journal.withLock { $0.append("end \(name)") }
        }
    }

    /// A hook that ends when the hook of another service has begun. Two such hooks end only if they run in parallel.
    private func meet<Service>(
        _ began: AsyncSignal, _ other: AsyncSignal, _ name: String = ""
    ) -> @Sendable (Service) async throws -> Void {
        { [journal] _ in
            began.raise()
            await other.wait()
            journal.withLock { $0.append("end \(name)") }
        }
    }

    /// A synchronous hook.
    private func note<Service>(_ name: String) -> @Sendable (Service) throws -> Void {
        { [journal] _ in journal.withLock { $0.append(name) } }
    }

    /// Whether the hook of the first service has ended before that of the second one began.
    private func isBefore(_ first: String, _ second: String) -> Bool {
        let events = journal.current
        guard let end = events.firstIndex(of: "end \(first)"), let begin = events.firstIndex(of: "begin \(second)")
        else { return false }
        return end < begin
    }

    private func registerDatabase() {
        container.register(Database.self, using: Database.init, onAsyncDispose: hook("database"))
    }

    /// Registers a handler that has a part of some type, and is disposed of.
    private func registerHandler<Part: Sendable>(_ type: Part.Type) {
        container.register(Handler<Part>.self, using: Handler<Part>.init, onAsyncDispose: hook("handler"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    private func shutDown() async throws { try await container.shutdown(limit: nil) }

    // MARK: - Levels

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func independentServicesAreDisposedOfInParallelBeforeTheServiceThatTheyShare() async throws {
        let (cacheBegan, mailerBegan) = (AsyncSignal(), AsyncSignal())
        registerDatabase()
        container.register(Cache.self, using: Cache.init, onAsyncDispose: meet(cacheBegan, mailerBegan, "cache"))
        container.register(Mailer.self, using: Mailer.init, onAsyncDispose: meet(mailerBegan, cacheBegan, "mailer"))
        _ = container.resolve(Cache.self)
        _ = container.resolve(Mailer.self)
        try await shutDown()
        #expect(isBefore("cache", "database") && isBefore("mailer", "database"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func servicesOfClosuresAreDisposedOfOneAfterTheOther() async throws {
        let names: [DependencyName] = ["a", "b", "c"]
        for name in names {
            container.register(Int.self, named: name, factory: { _ in 1 }, onAsyncDispose: hook(name.text))
            _ = container.resolve(Int.self, named: name)
        }
        try await shutDown()
        #expect(journal.current == ["begin c", "end c", "begin b", "end b", "begin a", "end a"])
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func synchronousHooksOfALevelRunNewestFirst() async throws {
        for name in ["a", "b", "c"] as [DependencyName] {
            container.register(Database.self, named: name, using: Database.init, onDispose: note(name.text))
            _ = container.resolve(Database.self, named: name)
        }
        try await shutDown()
        #expect(journal.current == ["c", "b", "a"])
    }

    // MARK: - Uses that are known

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aLazyUseCountsAlthoughTheServiceIsNewer() async throws {
        registerDatabase()
        registerHandler(LazyDependency<Database>.self)
        container.resolve(Handler<LazyDependency<Database>>.self).part.resolve()
        try await shutDown()
        #expect(isBefore("handler", "database"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aUseThroughATransientServiceCounts() async throws {
        registerDatabase()
        container.register(Repository.self, lifetime: .transient, using: Repository.init)
        registerHandler(DependencyProvider<Repository>.self)
        _ = container.resolve(Handler<DependencyProvider<Repository>>.self).part()
        try await shutDown()
        #expect(isBefore("handler", "database"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aUseThroughAnAliasCounts() async throws {
        container.register(Store.self, using: Store.init, onAsyncDispose: hook("store"))
        container.forward((any Reading).self, to: Store.self) { $0 }
        registerHandler(LazyDependency<any Reading>.self)
        container.resolve(Handler<LazyDependency<any Reading>>.self).part.resolve()
        try await shutDown()
        #expect(isBefore("handler", "store"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test(arguments: [true, false]) func optionalsAndArraysAreUses(isOptional: Bool) async throws {
        registerDatabase()
        if isOptional {
            registerHandler(Database?.self)
            _ = container.resolve(Handler<Database?>.self)
        } else {
            registerHandler([Database].self)
            _ = container.resolve(Handler<[Database]>.self)
        }
        try await shutDown()
        #expect(isBefore("handler", "database"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aShadowedServiceIsStillUsed() async throws {
        registerDatabase()
        registerHandler(Database.self)
        _ = container.resolve(Handler<Database>.self)
        container.register(Database.self, using: Database.init)
        try await shutDown()
        #expect(isBefore("handler", "database"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func servicesThatUseEachOtherAreDisposedOfInTheReverseOrderOfCreation() async throws {
        final class First: Sendable {
            let second: LazyDependency<Handler<First>>
            init(_ second: LazyDependency<Handler<First>>) { self.second = second }
        }
        container.register(First.self, using: First.init, onAsyncDispose: hook("first"))
        registerHandler(First.self)
        let handler = container.resolve(First.self).second.resolve()
        #expect(handler.part === container.resolve(First.self))
        try await shutDown()
        #expect(isBefore("handler", "first"))
    }

    // MARK: - Uses that are not known

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aClosureUsesEverythingThatIsOlder() async throws {
        registerDatabase()
        _ = container.resolve(Database.self)
        container.register(Int.self, factory: { _ in 1 }, onAsyncDispose: hook("closure"))
        _ = container.resolve(Int.self)
        try await shutDown()
        #expect(isBefore("closure", "database"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aParameterFromAClosureMayUseEverythingThatIsOlder() async throws {
        registerDatabase()
        container.register(Int.self, lifetime: .transient) { container in
            _ = container.resolve(Database.self)
            return 1
        }
        registerHandler(Int.self)
        _ = container.resolve(Handler<Int>.self)
        try await shutDown()
        #expect(isBefore("handler", "database"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aDecoratedParameterMayUseEverythingThatIsOlder() async throws {
        registerDatabase()
        container.register((any Settings).self, using: PlainSettings.init)
        container.decorate((any Settings).self) { _, container in
            StoredSettings(database: container.resolve(Database.self))
        }
        registerHandler((any Settings).self)
        #expect(container.resolve(Handler<any Settings>.self).part.database != nil)
        try await shutDown()
        #expect(isBefore("handler", "database"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aCompletionMayUseWhatIsCreatedInIt() async throws {
        registerDatabase()
        _ = container.resolve(Database.self)
        container.register(Store.self, using: Store.init, onAsyncDispose: hook("store"))
        container.register(
            (any Settings).self, using: PlainSettings.init,
            afterCreation: { _, container in _ = container.resolve(Store.self) }, onAsyncDispose: hook("settings"))
        _ = container.resolve((any Settings).self)
        try await shutDown()
        // The reverse order of creation.
        #expect(isBefore("store", "settings") && isBefore("settings", "database"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aRegisteredInstanceMayUseWhatIsOlderThanItsRegistration() async throws {
        registerDatabase()
        container.register(StoredSettings(database: container.resolve()), for: (any Settings).self)
        registerHandler((any Settings).self)
        _ = container.resolve(Handler<any Settings>.self)
        try await shutDown()
        #expect(isBefore("handler", "database"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aRegisteredInstanceUsesNothingThatIsNewer() async throws {
        let (handlerBegan, databaseBegan) = (AsyncSignal(), AsyncSignal())
        container.register(PlainSettings(), for: (any Settings).self)
        container.register(Database.self, using: Database.init, onAsyncDispose: meet(databaseBegan, handlerBegan))
        container.register(
            Handler<any Settings>.self, using: Handler<any Settings>.init,
            onAsyncDispose: meet(handlerBegan, databaseBegan))
        _ = container.resolve(Database.self)
        _ = container.resolve(Handler<any Settings>.self)
        try await shutDown()
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test(arguments: [true, false]) func aRemovalRestoresTheReverseOrderOfCreation(isReplaced: Bool) async throws {
        registerDatabase()
        let token = container.register(Int.self) { _ in 1 }
        registerHandler(LazyDependency<Database>.self)
        // The handle is not used, so the use is only a possible one.
        _ = container.resolve(Handler<LazyDependency<Database>>.self)
        _ = container.resolve(Database.self)
        if isReplaced {
            container.register(2, for: Int.self, replacing: true)
        } else {
            container.remove(token)
        }
        try await shutDown()
        #expect(isBefore("database", "handler"))
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func aReplacementBeforeTheFirstInstanceChangesNoOrder() async throws {
        container.register(1, for: Int.self)
        container.register(2, for: Int.self, replacing: true)
        registerDatabase()
        registerHandler(LazyDependency<Database>.self)
        container.resolve(Handler<LazyDependency<Database>>.self).part.resolve()
        try await shutDown()
        #expect(isBefore("handler", "database"))
    }

    // MARK: - Children

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func singletonsOfTheParentDoNotOrderTheServicesOfAChild() async throws {
        let (cacheBegan, mailerBegan) = (AsyncSignal(), AsyncSignal())
        container.register(Database.self) { _ in Database() }
        container.register(
            Cache.self, lifetime: .scoped, using: Cache.init, onAsyncDispose: meet(cacheBegan, mailerBegan))
        container.register(
            Mailer.self, lifetime: .scoped, using: Mailer.init, onAsyncDispose: meet(mailerBegan, cacheBegan))
        let child = container.makeChild()
        _ = child.resolve(Cache.self)
        _ = child.resolve(Mailer.self)
        try await child.shutdown(limit: nil)
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    @Test func servicesOfAChildUseEachOtherThroughRegistrationsOfTheParent() async throws {
        container.register(Database.self, lifetime: .scoped, using: Database.init, onAsyncDispose: hook("database"))
        container.register(Repository.self, lifetime: .transient, using: Repository.init)
        container.register(
            Handler<LazyDependency<Repository>>.self, lifetime: .scoped,
            using: Handler<LazyDependency<Repository>>.init, onAsyncDispose: hook("handler"))
        let child = container.makeChild()
        child.resolve(Handler<LazyDependency<Repository>>.self).part.resolve()
        try await child.shutdown(limit: nil)
        #expect(isBefore("handler", "database"))
    }
}
