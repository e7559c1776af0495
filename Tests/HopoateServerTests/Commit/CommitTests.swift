import Hopoate
import HopoateServer
import Testing

/// A service with a generation, which notes its end and finds uses after it.
private final class Part: Sendable {
    let name: String
    private let isClosed = Locked(false)

    init(_ name: String) { self.name = name }

    func close() {
        isClosed.withLock { isClosed in
            #expect(!isClosed, "\(name) is closed twice")
            isClosed = true
        }
    }

    var isOpen: Bool { isClosed.withLock { !$0 } }
}

/// Services that commits replace: what requests see, and when the old ones end.
@Suite struct CommitTests {
    private struct Refused: Error {}
    private struct First: Sendable { let part: Part }
    private struct Second: Sendable { let part: Part }
    private struct Pair: Sendable {
        let (first, second): (First, Second)

        init(_ first: First, _ second: Second) { (self.first, self.second) = (first, second) }
    }

    private let journal: Journal
    private let app: DependencyContainer

    init() {
        let journal = Journal()
        self.journal = journal
        app = .allowingCommits { error in journal.note("failed: \(error.failures.count)") }
    }

    /// Registers both services with the number of a generation.
    private func register(_ number: Int, in container: DependencyContainer) {
        container.register(
            First.self, lifetime: .singleton, factory: { _ in First(part: Part("first \(number)")) },
            onDispose: { [journal] first in
                first.part.close()
                journal.note("end \(first.part.name)")
            })
        container.register(
            Second.self, lifetime: .singleton, factory: { _ in Second(part: Part("second \(number)")) },
            onDispose: { [journal] second in
                second.part.close()
                journal.note("end \(second.part.name)")
            })
    }

    private func names(in container: DependencyContainer) throws -> [String] {
        [try container.require(First.self).part.name, try container.require(Second.self).part.name]
    }

    // MARK: - The services that children find

    @Test func aChildKeepsTheServicesThatItBeganWith() async throws {
        register(1, in: app)
        app.seal()
        let old = app.makeChild()
        try await app.commit { register(2, in: $0) }
        #expect(try names(in: old) == ["first 1", "second 1"])
        #expect(try names(in: app) == ["first 2", "second 2"])
        let new = app.makeChild()
        #expect(try names(in: new) == ["first 2", "second 2"])
        let grandchild = old.makeChild()
        #expect(try names(in: grandchild) == ["first 1", "second 1"])
        try await app.commit { next in
            next.register(First.self, lifetime: .singleton) { _ in First(part: Part("first 3")) }
        }
        #expect(try names(in: old) == ["first 1", "second 1"])
        #expect(try names(in: new) == ["first 2", "second 2"])
        #expect(try names(in: app) == ["first 3", "second 2"])
    }

    @Test func aReplacedServiceThatDoesNotExistYetIsCreatedFromItsGeneration() async throws {
        register(1, in: app)
        app.register(Pair.self, lifetime: .singleton, using: Pair.init)
        let old = app.makeChild()
        try await app.commit { next in
            register(2, in: next)
            next.register(Pair.self, lifetime: .singleton, using: Pair.init)
        }
        let pair = try old.require(Pair.self)
        #expect(pair.first.part.name == "first 1" && pair.second.part.name == "second 1")
        #expect(try app.require(Pair.self).second.part.name == "second 2")
    }

    @Test func aScopedServiceIsThatOfTheGeneration() async throws {
        register(1, in: app)
        app.register(Pair.self, lifetime: .scoped, using: Pair.init)
        let old = app.makeChild()
        try await app.commit { next in
            register(2, in: next)
            next.register(Int.self, lifetime: .scoped) { _ in 2 }
        }
        #expect(try old.require(Pair.self).first.part.name == "first 1")
        #expect(try app.makeChild().require(Pair.self).first.part.name == "first 2")
        let new = app.makeChild()
        #expect(try new.require(Int.self) == 2)
        #expect(old.optionalResolve(Int.self) == nil)
    }

    @Test func aNewServiceIsHiddenFromEarlierChildren() async throws {
        let old = app.makeChild()
        try await app.commit { next in
            next.register(1, for: Int.self)
            next.register(2, for: Int.self, named: "second")
        }
        #expect(!old.canResolve(Int.self) && !old.canResolve(Int.self, named: "second"))
        #expect(old.optionalResolve(Int.self) == nil)
        #expect(old.resolveAll(Int.self).isEmpty && old.resolveAll(Int.self, includingNamed: true).isEmpty)
        #expect(throws: DependencyError.self) { try old.require(Int.self) }
        let new = app.makeChild()
        #expect(new.canResolve(Int.self) && new.resolveAll(Int.self, includingNamed: true) == [2, 1])
        // Registered in the child itself, it is not hidden.
        old.register(7, for: Int.self)
        #expect(old.resolveAll(Int.self) == [7])
        // A container behind the one with the commits is not hidden either.
        #expect(old.makeChild().resolve(Int.self) == 7)
    }

    private struct Listed: Sendable { let numbers: [Int] }

    @Test func listsAreThoseOfTheGeneration() async throws {
        for number in 1...3 { app.register(number, for: Int.self) }
        app.register(10, for: Int.self, named: "ten")
        app.register(Listed.self, lifetime: .scoped, using: Listed.init)
        let old = app.makeChild()
        try await app.commit { next in for number in 4...5 { next.register(number, for: Int.self) } }
        let new = app.makeChild()
        #expect(old.resolveAll(Int.self) == [3, 2, 1] && new.resolveAll(Int.self) == [5, 4])
        #expect(old.resolve(Int.self) == 3 && new.resolve(Int.self) == 5)
        #expect(old.resolveAll(Int.self, includingNamed: true) == [10, 3, 2, 1])
        #expect(new.resolveAll(Int.self, includingNamed: true) == [5, 4, 10])
        #expect(try old.require(Listed.self).numbers == [3, 2, 1] && new.require(Listed.self).numbers == [5, 4])
    }

    @Test func aListInACommitHasOnlyTheNewServices() async throws {
        for number in 1...3 { app.register(number, for: Int.self) }
        app.register(10, for: Int.self, named: "ten")
        app.register(Listed.self, lifetime: .singleton, using: Listed.init)
        #expect(try app.require(Listed.self).numbers == [3, 2, 1])
        let commit = try await app.commit(rebuildingDependents: true) { next in
            #expect(next.resolveAll(Int.self) == [3, 2, 1])
            for number in 4...5 { next.register(number, for: Int.self) }
            #expect(next.resolveAll(Int.self) == [5, 4])
            #expect(next.resolveAll(Int.self, includingNamed: true) == [5, 4, 10])
        }
        #expect(commit.rebuilt.count == 1)
        #expect(try app.require(Listed.self).numbers == [5, 4])
    }

    private struct Missing: Sendable {}
    private struct Needing: Sendable { init(_: Missing) {} }
    private struct OfList: Sendable { init(_: [Needing]) {} }
    private struct OfInt: Sendable {
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    @Test func validationOfAChildIsThatOfItsGeneration() async throws {
        let old = app.makeChild()
        old.register(OfInt.self, using: OfInt.init)
        old.register(OfList.self, using: OfList.init)
        try await app.commit { next in
            next.register(1, for: Int.self)
            next.register(Needing.self, using: Needing.init)
        }
        #expect(throws: DependencyError.self) { try old.require(OfInt.self) }
        #expect(throws: DependencyError.self) { try old.require(OfList.self) }
        let error = #expect(throws: DependencyValidationError.self) { try old.validate() }
        #expect(error?.findings.map(\.kind) == [.missing, .missing])
        let new = app.makeChild()
        new.register(OfInt.self, using: OfInt.init)
        #expect(try new.require(OfInt.self).number == 1)
        // The one service that it lacks is that of the list.
        let newError = #expect(throws: DependencyValidationError.self) { try new.validate() }
        #expect(newError?.findings.count == 1)
    }

    @Test func aJobOfAnOldRequestKeepsItsGeneration() async throws {
        register(1, in: app)
        let old = app.makeChild()
        try await app.commit { register(2, in: $0) }
        let job = try old.startJob { child in try child.require(First.self).part.name }
        #expect(try await job.value == "first 1")
    }

    // MARK: - The registrations that a commit publishes

    @Test func nothingChangesIfTheClosureThrows() async throws {
        register(1, in: app)
        let before = try names(in: app)
        await #expect(throws: Refused.self) {
            try await app.commit { next in
                register(2, in: next)
                _ = try names(in: next)
                next.register(
                    Double.self, lifetime: .eager, factory: { _ in 1 },
                    onDispose: { [journal] _ in journal.note("end eager") })
                throw Refused()
            }
        }
        #expect(try names(in: app) == before && !app.canResolve(Double.self))
        #expect(journal.lines == ["end eager", "end second 2", "end first 2"])
        try await app.shutdown()
        #expect(journal.lines.dropFirst(3) == ["end second 1", "end first 1"])
    }

    @Test func whatExistsIsCreatedBeforeTheChange() async throws {
        register(1, in: app)
        _ = try app.require(First.self)
        let created = Locked<[String]>([])
        try await app.commit { next in
            next.register(First.self, lifetime: .singleton) { _ in
                created.withLock { $0.append("first") }
                return First(part: Part("first 2"))
            }
            next.register(Second.self, lifetime: .singleton) { _ in
                created.withLock { $0.append("second") }
                return Second(part: Part("second 2"))
            }
        }
        #expect(created.withLock { $0 } == ["first"])
        await #expect(throws: DependencyError.self) {
            try await app.commit { next in
                next.register(First.self, lifetime: .singleton) { _ async throws in throw Refused() }
                next.register(Second.self, lifetime: .singleton) { _ in Second(part: Part("second 3")) }
            }
        }
        #expect(try names(in: app) == ["first 2", "second 2"])
    }

    @Test func aCancelledCommitChangesNothingAndDisposesOfWhatIsCreatedLater() async throws {
        register(1, in: app)
        _ = try names(in: app)
        let (hasBegun, mayEnd, hasEnded) = (AsyncSignal(), AsyncSignal(), AsyncSignal())
        let commit = Task { [app, journal] in
            try await app.commit { next in
                next.register(
                    First.self,
                    factory: { _ in
                        hasBegun.raise()
                        await mayEnd.wait()
                        return First(part: Part("first 2"))
                    },
                    onAsyncDispose: {
                        $0.part.close()
                        journal.note("end \($0.part.name)")
                        hasEnded.raise()
                    })
            }
        }
        await hasBegun.wait()
        commit.cancel()
        let error = await #expect(throws: DependencyError.self) { try await commit.value }
        #expect(error?.reason == .cancelled)
        #expect(try names(in: app) == ["first 1", "second 1"])
        mayEnd.raise()
        await hasEnded.wait()
        #expect(journal.lines == ["end first 2"])
        try await app.commit { register(3, in: $0) }
        #expect(try names(in: app) == ["first 3", "second 3"])
    }

    @Test func theClosureMayValidateWhatItRegisters() async throws {
        register(1, in: app)
        app.register(Service.self, lifetime: .scoped, using: Service.init)
        app.register(Repository.self, lifetime: .scoped, using: Repository.init)
        try await app.commit { next in
            next.register(Repository.self, lifetime: .scoped, using: Repository.init)
            try next.validate()
        }
        let error = await #expect(throws: DependencyValidationError.self) {
            try await app.commit { next in
                next.register(Int.self, lifetime: .scoped, using: { (_: String) in 1 })
                next.register(
                    Second.self, lifetime: .singleton, using: { (_: Service) in Second(part: Part("captive")) })
                try next.validate()
            }
        }
        #expect(error?.findings.map(\.kind) == [.missing, .captive])
        // A service of the container itself that the commit would break.
        app.register(Closure.self, lifetime: .singleton, using: { (first: First, _: [Int]?) in Closure(first: first) })
        let later = await #expect(throws: DependencyValidationError.self) {
            try await app.commit { next in
                next.register(First.self, lifetime: .scoped) { _ in First(part: Part("scoped")) }
                try next.validate()
            }
        }
        #expect(later?.findings.map(\.kind) == [.captive])
        #expect(!app.canResolve(Int.self))
        #expect(try names(in: app) == ["first 1", "second 1"])
    }

    @Test func whatExistsIsCreatedInAnyOrderOfRegistration() async throws {
        @Sendable func register(_ number: Int, in container: DependencyContainer) {
            // Needs the asynchronous service, and comes first.
            container.register(Repository.self, lifetime: .singleton) { c in Repository(try c()) }
            container.register(First.self, lifetime: .singleton) { c async throws in
                await Task.yield()
                return First(part: Part("first \(number) of \(try c.require(Int.self))"))
            }
            container.register(Int.self, lifetime: .singleton) { _ in number }
        }
        register(1, in: app)
        try await app.warmUp()
        try await app.commit { register(2, in: $0) }
        #expect(try app.require(Repository.self).first.part.name == "first 2 of 2")
    }

    @Test func theClosureFindsOldAndNewServicesAndMayInstallModules() async throws {
        struct Replacement: DependencyModule {
            func register(in container: DependencyContainer) {
                container.register(Second.self, lifetime: .singleton) { c in
                    Second(part: Part("second of \(try c.require(First.self).part.name)"))
                }
            }
        }
        register(1, in: app)
        let kept = Locked<Installation?>(nil)
        try await app.commit { next in
            let installation = try next.install(Replacement())
            kept.withLock { $0 = installation }
            #expect(try names(in: next) == ["first 1", "second of first 1"])
        }
        #expect(try names(in: app) == ["first 1", "second of first 1"])
        // The registrations have other numbers by now, so the token removes none.
        if let installation = kept.withLock({ $0 }) { app.uninstall(installation) }
        #expect(try names(in: app) == ["first 1", "second of first 1"])
    }

    private struct Asking: Sendable {
        let first: DependencyProvider<First>
        let second: LazyDependency<Second>
    }

    @Test func handlesOfANewServiceOutliveTheCommit() async throws {
        register(1, in: app)
        app.register(Asking.self, lifetime: .singleton, using: Asking.init)
        _ = try app.require(Asking.self)
        try await app.commit { next in
            next.register(Asking.self, lifetime: .singleton, using: Asking.init)
            // In the closure, a handle finds what the commit has registered.
            register(2, in: next)
            #expect(next.resolve(Asking.self).first().part.name == "first 2")
        }
        let asking = try app.require(Asking.self)
        #expect(asking.first().part.name == "first 2" && asking.second.wrappedValue.part.name == "second 2")
        try await app.commit { register(3, in: $0) }
        #expect(asking.first().part.name == "first 3")
    }

    @Test func aDecoratorOfACommitWrapsTheOldService() async throws {
        register(1, in: app)
        let old = app.makeChild()
        try await app.commit { next in
            next.decorate(First.self) { inner, _ in First(part: Part("decorated \(inner.part.name)")) }
        }
        #expect(try app.require(First.self).part.name == "decorated first 1")
        #expect(try old.require(First.self).part.name == "first 1")
        try await app.shutdown()
        #expect(journal.lines == ["end first 1"])
    }

    // MARK: - The disposal of replaced instances

    @Test func theLastChildOfAnOldGenerationEndsWhatWasReplaced() async throws {
        register(1, in: app)
        _ = try names(in: app)
        var old: [DependencyContainer] = [app.makeChild(), app.makeChild()]
        try await app.commit { register(2, in: $0) }
        #expect(journal.lines.isEmpty)
        var new: DependencyContainer? = app.makeChild()
        try await app.commit { next in
            next.register(First.self, lifetime: .singleton) { _ in First(part: Part("first 3")) }
        }
        old.removeLast()
        #expect(journal.lines.isEmpty)
        #expect(try names(in: old[0]) == ["first 1", "second 1"])
        old.removeLast()
        #expect(journal.lines == ["end second 1", "end first 1"])
        #expect(try new.map(names) == ["first 2", "second 2"])
        new = nil
        #expect(journal.lines.last == "end first 2")
        try await app.shutdown()
        #expect(journal.lines == ["end second 1", "end first 1", "end first 2", "end second 2"])
    }

    @Test func withoutChildrenTheReplacedServicesEndInTheCommit() async throws {
        register(1, in: app)
        _ = try names(in: app)
        try await app.commit { register(2, in: $0) }
        #expect(Set(journal.lines) == ["end second 1", "end first 1"])
        try await app.shutdown()
        #expect(journal.lines.count == 4)
    }

    @Test func asynchronousHooksRunOneAfterTheOtherAndAShutdownAwaitsThem() async throws {
        let mayEnd = AsyncSignal()
        let names: [DependencyName] = ["one", "two"]
        for (number, name) in zip(1..., names) {
            app.register(
                Int.self, named: name, lifetime: .singleton, factory: { _ in number },
                onAsyncDispose: { [journal] number in
                    journal.note("begin \(number)")
                    await mayEnd.wait()
                    journal.note("end \(number)")
                    if number == 1 { throw Refused() }
                })
            _ = app.resolve(Int.self, named: name)
        }
        var old: DependencyContainer? = app.makeChild()
        try await app.commit { next in
            for name in names { next.register(3, for: Int.self, named: name) }
        }
        withExtendedLifetime(old) {}
        old = nil
        await journal.wait(for: "begin 2")
        let shutdown = Task { try await app.shutdown() }
        mayEnd.raise()
        try await shutdown.value
        #expect(journal.lines == ["begin 2", "end 2", "begin 1", "end 1", "failed: 1"])
    }

    @Test func aBorrowDelaysTheEndOfAReplacedService() async throws {
        register(1, in: app)
        _ = try names(in: app)
        let (isBorrowed, mayEnd) = (AsyncSignal(), Locked(false))
        let borrow = Task.detached { [app] in
            await onThread {
                app.withService(First.self) { first in
                    isBorrowed.raise()
                    while !mayEnd.withLock({ $0 }) {}
                    #expect(first.part.isOpen)
                }
            }
        }
        await isBorrowed.wait()
        try await app.commit { register(2, in: $0) }
        #expect(journal.lines == ["end second 1"])
        mayEnd.withLock { $0 = true }
        await borrow.value
        #expect(await eventually { journal.lines == ["end second 1", "end first 1"] })
    }

    @Test func aShutdownEndsOldGenerationsToo() async throws {
        register(1, in: app)
        _ = try names(in: app)
        let old = app.makeChild()
        try await app.commit { register(2, in: $0) }
        _ = try names(in: app)
        try await app.shutdown()
        #expect(journal.lines == ["end second 2", "end first 2", "end second 1", "end first 1"])
        do {
            _ = try old.require(First.self)
            Issue.record("the container was shut down")
        } catch { #expect(error.reason == .shutDown) }
        do {
            try await app.commit { _ in }
            Issue.record("the container was shut down")
        } catch let error as DependencyCommitError { #expect(error.reason == .shutDown) }
    }

    @Test func aShutdownDuringACommitEndsTheNewServices() async throws {
        register(1, in: app)
        _ = try names(in: app)
        let app = app
        await #expect(throws: (any Error).self) {
            try await app.commit { next in
                register(2, in: next)
                _ = try names(in: next)
                try await app.shutdown()
            }
        }
        #expect(journal.lines == ["end second 2", "end first 2", "end second 1", "end first 1"])
        #expect(!app.canResolve(First.self))
    }

    @Test func aRemovedRegistrationLeavesOldGenerations() async throws {
        let token = app.register(
            First.self, lifetime: .singleton, factory: { _ in First(part: Part("first")) },
            onDispose: { [journal] _ in journal.note("end") })
        _ = try app.require(First.self)
        let old = app.makeChild()
        try await app.commit { next in
            next.register(First.self, lifetime: .singleton) { _ in First(part: Part("new")) }
        }
        #expect(journal.lines.isEmpty && old.canResolve(First.self))
        app.remove(token)
        #expect(journal.lines == ["end"])
        // The new one is not that of the old generation.
        #expect(old.optionalResolve(First.self) == nil && app.canResolve(First.self))
        app.removeAll()
        #expect(!app.canResolve(First.self) && !old.canResolve(First.self))
        register(5, in: app)
        let later = app.makeChild()
        try await app.commit { register(6, in: $0) }
        #expect(try names(in: later) == ["first 5", "second 5"])
    }

    @Test func anUninstalledModuleLeavesOldGenerations() async throws {
        struct Numbers: DependencyModule {
            func register(in container: DependencyContainer) { container.register(1, for: Int.self) }
        }
        let installation = try app.install(Numbers())
        let old = app.makeChild()
        try await app.commit { $0.register(2, for: Int.self) }
        #expect(old.resolve(Int.self) == 1)
        app.uninstall(installation)
        #expect(old.optionalResolve(Int.self) == nil && app.resolve(Int.self) == 2)
    }

    @Test func nothingIsKeptAlive() async throws {
        weak var weakApp: DependencyContainer?
        weak var weakPart: Part?
        do {
            let app = DependencyContainer.allowingCommits { _ in }
            weakApp = app
            app.register(First.self, lifetime: .singleton) { _ in First(part: Part("first")) }
            weakPart = try app.require(First.self).part
            var child: DependencyContainer? = app.makeChild()
            try await app.commit { register(2, in: $0) }
            #expect(weakPart != nil)
            child = app.makeChild()
            withExtendedLifetime(child) {}
            child = nil
        }
        #expect(weakApp == nil && weakPart == nil)
        let child: DependencyContainer
        do {
            let app = DependencyContainer.allowingCommits { _ in }
            weakApp = app
            register(1, in: app)
            child = app.makeChild()
        }
        // A child keeps its parent alive.
        #expect(weakApp != nil)
        #expect(try names(in: child) == ["first 1", "second 1"])
        try await weakApp?.commit { register(2, in: $0) }
        #expect(try names(in: child) == ["first 1", "second 1"])
    }

    // MARK: - Dependents

    private struct Repository: Sendable {
        let first: First

        init(_ first: First) { self.first = first }
    }
    private struct Service: Sendable {
        let repository: Repository

        init(_ repository: Repository) { self.repository = repository }
    }
    private struct Closure: Sendable { let first: First }

    /// The types of services without their modules.
    private func types(_ services: [String]) -> [Substring?] { services.map { $0.split(separator: ".").last } }

    private func registerDependents() throws {
        register(1, in: app)
        app.register(Repository.self, lifetime: .singleton, using: Repository.init)
        app.register(Service.self, lifetime: .singleton, using: Service.init)
        app.register(Closure.self, lifetime: .singleton) { c in Closure(first: try c()) }
        app.register(Asking.self, lifetime: .singleton, using: Asking.init)
        _ = try (app.require(Service.self), app.require(Closure.self), app.require(Asking.self))
        #expect(try app.require(Asking.self).second.wrappedValue.part.name == "second 1")
    }

    @Test func dependentsAreNamed() async throws {
        try registerDependents()
        let commit = try await app.commit { register(2, in: $0) }
        #expect(commit.replaced.count == 2 && commit.rebuilt.isEmpty)
        // A lazy dependency keeps its service, and a provider does not.
        #expect(types(commit.outdated) == ["Repository", "Service", "Asking"])
        #expect(types(commit.maybeOutdated) == ["Closure"])
        #expect(commit.description.split(separator: "\n").count == 3)
    }

    private struct OfClosure: Sendable {
        init(_: Closure) {}
    }

    @Test func eagerServicesMayBeDependents() async throws {
        register(1, in: app)
        app.register(Repository.self, lifetime: .eager, using: Repository.init)
        app.register(Closure.self, lifetime: .eager) { c in Closure(first: try c()) }
        app.register(OfClosure.self, lifetime: .singleton, using: OfClosure.init)
        app.register(7, for: Int.self)
        _ = try app.require(OfClosure.self)
        let commit = try await app.commit(rebuildingDependents: true) { register(2, in: $0) }
        #expect(commit.rebuilt.isEmpty && commit.outdated.isEmpty)
        #expect(types(commit.maybeOutdated) == ["Repository", "Closure", "OfClosure"])
    }

    @Test func dependentsAreRebuilt() async throws {
        try registerDependents()
        let old = app.makeChild()
        let commit = try await app.commit(rebuildingDependents: true) { register(2, in: $0) }
        #expect(commit.rebuilt.count == 3 && commit.outdated.isEmpty && commit.maybeOutdated.count == 1)
        #expect(try app.require(Service.self).repository.first.part.name == "first 2")
        #expect(try app.require(Asking.self).second.wrappedValue.part.name == "second 2")
        #expect(try old.require(Service.self).repository.first.part.name == "first 1")
    }

    @Test func dependentsAreRebuiltByEachCommit() async throws {
        try registerDependents()
        for number in 2...4 {
            let commit = try await app.commit(rebuildingDependents: true) { register(number, in: $0) }
            #expect(commit.rebuilt.count == 3 && commit.outdated.isEmpty)
            #expect(try app.require(Service.self).repository.first.part.name == "first \(number)")
        }
    }

    @Test func aDependentOfARemovedServiceIsRebuilt() async throws {
        let token = app.register(First.self, lifetime: .singleton, factory: { _ in First(part: Part("removed")) })
        app.register(Repository.self, using: Repository.init)
        #expect(try app.require(Repository.self).first.part.name == "removed")
        app.remove(token)
        let commit = try await app.commit(rebuildingDependents: true) { register(2, in: $0) }
        #expect(commit.rebuilt.count == 1)
        #expect(try app.require(Repository.self).first.part.name == "first 2")
    }

    @Test func theScopedServicesOfTheContainerAreDependentsToo() async throws {
        register(1, in: app)
        app.register(Repository.self, lifetime: .scoped, using: Repository.init)
        app.register(Closure.self, lifetime: .scoped) { c in Closure(first: try c()) }
        app.register(Service.self, lifetime: .graph, using: Service.init)
        _ = try (app.require(Repository.self), app.require(Closure.self), app.require(Service.self))
        let old = app.makeChild()
        #expect(try old.require(Repository.self).first.part.name == "first 1")
        let commit = try await app.commit { register(2, in: $0) }
        #expect(types(commit.outdated) == ["Repository"])
        #expect(types(commit.maybeOutdated) == ["Closure"])
        let next = try await app.commit(rebuildingDependents: true) { register(3, in: $0) }
        #expect(types(next.rebuilt) == ["Repository"] && next.outdated.isEmpty)
        #expect(try app.require(Repository.self).first.part.name == "first 3")
        #expect(try old.require(Repository.self).first.part.name == "first 1")
        #expect(try app.makeChild().require(Service.self).repository.first.part.name == "first 3")
    }

    @Test func aHealthCheckKeepsTheInstanceThatItChecks() async throws {
        let (hasBegun, mayEnd) = (AsyncSignal(), AsyncSignal())
        register(1, in: app)
        app.addHealthCheck(of: First.self) { first in
            hasBegun.raise()
            await mayEnd.wait()
            #expect(first.part.isOpen)
        }
        _ = try names(in: app)
        async let health = app.health(within: .seconds(3_600))
        await hasBegun.wait()
        try await app.commit { register(2, in: $0) }
        #expect(try names(in: app) == ["first 2", "second 2"])
        mayEnd.raise()
        #expect(await health.isReady)
        #expect(journal.lines == ["end second 1", "end first 1"])
    }

    // MARK: - Errors and order

    @Test func acommitNeedsAContainerThatAllowsIt() async throws {
        do {
            try await DependencyContainer().commit { _ in }
            Issue.record("the container does not allow commits")
        } catch let error as DependencyCommitError {
            #expect(error.reason == .notAllowed && error.description.contains("allowingCommits"))
        }
    }

    @Test func aCommitInsideACommitFails() async throws {
        let app = app
        do {
            try await app.commit { _ in try await app.commit { _ in } }
            Issue.record("the commit is nested")
        } catch let error as DependencyCommitError { #expect(error.reason == .nested) }
        let other = DependencyContainer.allowingCommits { _ in }
        try await app.commit { _ in try await other.commit { $0.register(1, for: Int.self) } }
        #expect(other.resolve(Int.self) == 1)
    }

    @Test func aFactoryOfTheContainerCannotCommit() async throws {
        struct Committing: Sendable { let number: Int }
        register(1, in: app)
        let attempts = Locked(0)
        app.register(Repository.self, lifetime: .singleton) { [app, attempts] c in
            attempts.withLock { $0 += 1 }
            try await app.commit { register(2, in: $0) }
            return Repository(try c())
        }
        app.register(Committing.self, lifetime: .scoped) { [app, attempts] _ async throws in
            let number = attempts.withLock { $0 }
            try await app.commit { register(2 + number, in: $0) }
            return Committing(number: number)
        }
        let child = app.makeChild()
        for container in [app, child] {
            let error = await #expect(throws: DependencyError.self) {
                try await container.asyncResolve(Repository.self)
            }
            #expect((error?.underlying as? DependencyCommitError)?.reason == .nested)
        }
        #expect(attempts.withLock { $0 } == 2)
        #expect(try names(in: app) == ["first 1", "second 1"])
        // The factory of a child runs once, whatever is committed meanwhile.
        #expect(try await child.asyncResolve(Committing.self).number == 2)
        #expect(try names(in: app) == ["first 4", "second 4"])
    }

    @Test func commitsRunOneAfterTheOther() async throws {
        let (journal, app) = (journal, app)
        let mayEnd = AsyncSignal()
        let first = Task {
            try await app.commit { _ in
                journal.note("begin 1")
                await mayEnd.wait()
                journal.note("end 1")
            }
        }
        await journal.wait(for: "begin 1")
        let cancelled = Task { try await app.commit { _ in journal.note("cancelled") } }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let last = Task { try await app.commit { _ in journal.note("last") } }
        mayEnd.raise()
        _ = try await (first.value, last.value)
        #expect(journal.lines == ["begin 1", "end 1", "last"])
    }

    // MARK: - Against creations and lookups

    @Test func aCreationInTheContainerIsRepeatedIfACommitComesInBetween() async throws {
        register(1, in: app)
        let app = app
        let (isInside, mayGoOn, runs) = (AsyncSignal(), AsyncSignal(), Locked(0))
        app.register(Pair.self, lifetime: .singleton) { c async throws in
            let first = try c.require(First.self)
            runs.withLock { $0 += 1 }
            isInside.raise()
            await mayGoOn.wait()
            return Pair(first, try c.require(Second.self))
        }
        let pair = Task { try await app.asyncResolve(Pair.self) }
        await isInside.wait()
        try await app.commit { register(2, in: $0) }
        // The creation uses the old service until it has ended.
        #expect(journal.lines.isEmpty)
        mayGoOn.raise()
        let result = try await pair.value
        #expect(result.first.part.name == "first 2" && result.second.part.name == "second 2")
        #expect(runs.withLock { $0 } == 2 && journal.lines == ["end first 1"])
    }

    @Test func aTransientServiceOfTheContainerIsOfOneGeneration() async throws {
        register(1, in: app)
        let app = app
        let (isInside, mayGoOn) = (AsyncSignal(), Locked(false))
        app.register(Pair.self) { c in
            let first = try c.require(First.self)
            isInside.raise()
            while !mayGoOn.withLock({ $0 }) {}
            return Pair(first, try c.require(Second.self))
        }
        let names = Task.detached {
            await onThread {
                let pair = app.resolve(Pair.self)
                return [pair.first.part.name, pair.second.part.name]
            }
        }
        await isInside.wait()
        try await app.commit { register(2, in: $0) }
        mayGoOn.withLock { $0 = true }
        #expect(await names.value == ["first 2", "second 2"])
    }

    /// Swaps both services many times while requests and direct callers use them.
    @Test func swapsUnderLoad() async throws {
        let closed = Locked(0)
        let created = Locked(0)
        let app = app
        @Sendable func make(_ number: Int) -> Part {
            created.withLock { $0 += 1 }
            return Part("\(number)")
        }
        @Sendable func close(_ part: Part) {
            part.close()
            closed.withLock { $0 += 1 }
        }
        @Sendable func register(_ number: Int, in container: DependencyContainer) {
            container.register(
                First.self, lifetime: .singleton, factory: { _ in First(part: make(number)) },
                onDispose: { close($0.part) })
            container.register(
                Second.self, lifetime: .singleton, factory: { _ in Second(part: make(number)) },
                onAsyncDispose: { close($0.part) })
        }
        register(0, in: app)
        app.register(Pair.self, named: "scoped", lifetime: .scoped, using: Pair.init)
        app.register(Pair.self) { c in Pair(try c(), try c()) }
        let isOver = Locked(false)
        let swaps = rounds(200)
        let requests = Task.detached {
            await runThreads(3) { index in
                while !isOver.withLock({ $0 }) {
                    let child = app.makeChild()
                    let pair = child.resolve(Pair.self, named: "scoped")
                    let first = child.resolve(First.self)
                    #expect(pair.first.part.name == pair.second.part.name && first.part === pair.first.part)
                    #expect(pair.first.part.isOpen && pair.second.part.isOpen)
                    if index == 0 {
                        let direct = app.resolve(Pair.self)
                        #expect(direct.first.part.name == direct.second.part.name)
                    }
                    withExtendedLifetime(child) {}
                }
            }
        }
        for number in 1...swaps { try await app.commit { register(number, in: $0) } }
        isOver.withLock { $0 = true }
        await requests.value
        try await app.shutdown()
        #expect(created.withLock { $0 } == closed.withLock { $0 })
    }

    /// A registration that replaces others without a commit, at the same time, must not leave an earlier child with nothing.
    @Test func replacementsBesideCommitsLeaveEarlierChildrenAService() async throws {
        let app = app
        app.register(0, for: Int.self)
        let isOver = Locked(false)
        let changes = Task.detached {
            await runThreads(2) { index in
                var number = 0
                while !isOver.withLock({ $0 }) {
                    number += 1
                    if index == 0 {
                        app.register(number, for: Int.self, replacing: true)
                    } else {
                        let child = app.makeChild()
                        for _ in 0..<20 { #expect(child.optionalResolve(Int.self) != nil) }
                    }
                }
            }
        }
        for number in 0..<rounds(2_000) { try await app.commit { $0.register(number, for: Int.self) } }
        isOver.withLock { $0 = true }
        await changes.value
    }
}
