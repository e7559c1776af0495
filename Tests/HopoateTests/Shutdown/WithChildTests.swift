import CRegistry
import Foundation
import Hopoate
import Testing

/// `withChild`: the child ends with the operation, on every path.
@Suite struct WithChildTests {
    private struct RequestID: Sendable, Equatable { let text: String }
    private struct Unavailable: Error {}
    private struct HookFailed: Error {}
    /// Not `Sendable`.
    private final class Draft { var lines = 0 }

    private let app = DependencyContainer()
    private let tracker = Tracker()
    private let events = Locked<[String]>([])

    private func note(_ event: String) { events.withLock { $0.append(event) } }

    /// Registers a scoped service with both hooks.
    private func registerScoped(throwing error: (any Error)? = nil) {
        app.register(Tracked.self, lifetime: .scoped) { [tracker] _ in
            tracker.make()
        } onDispose: { [events] _ in
            events.withLock { $0.append("onDispose") }
            if let error { throw error }
        } onAsyncDispose: { [events] _ in
            await Task.yield()
            events.withLock { $0.append(Task.isCancelled ? "cancelled hook" : "onAsyncDispose") }
        }
    }

    @Test func asyncHooksAreAwaitedBeforeTheResultIsReturned() async throws {
        registerScoped()
        let id = try await app.withChild { request in
            request.register(RequestID(text: "7"), for: RequestID.self)
        } operation: { request in
            _ = request.resolve(Tracked.self)
            note("operation")
            return request.resolve(RequestID.self)
        }
        #expect(id == RequestID(text: "7"))
        #expect(events.current == ["operation", "onDispose", "onAsyncDispose"])
        await expectGone(tracker)
    }

    @Test func operationThatThrowsEndsTheChild() async {
        registerScoped()
        await #expect(throws: Unavailable.self) {
            try await app.withChild { _ in
            } operation: { request in
                _ = request.resolve(Tracked.self)
                throw Unavailable()
            }
        }
        #expect(events.current == ["onDispose", "onAsyncDispose"])
        await expectGone(tracker)
    }

    @Test func preparationThatThrowsEndsTheChildAndTheOperationDoesNotRun() async {
        registerScoped()
        await #expect(throws: Unavailable.self) {
            try await app.withChild { request in
                _ = request.resolve(Tracked.self)
                throw Unavailable()
            } operation: { _ in
                note("operation")
            }
        }
        #expect(events.current == ["onDispose", "onAsyncDispose"])
    }

    @Test func cancellationReachesTheOperationButNotTheHooks() async {
        registerScoped()
        let app = app
        let began = AsyncSignal()
        let task = Task {
            try await app.withChild { _ in
            } operation: { request in
                _ = request.resolve(Tracked.self)
                began.raise()
                while !Task.isCancelled { await Task.yield() }
                try Task.checkCancellation()
            }
        }
        await began.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(events.current == ["onDispose", "onAsyncDispose"])
    }

    @Test func hookErrorDoesNotReplaceTheErrorOfTheOperation() async {
        registerScoped(throwing: HookFailed())
        await #expect(throws: Unavailable.self) {
            try await app.withChild({ _ in }, onDisposalFailure: { error in note("failures: \(error.failures.count)") })
            {
                request in
                _ = request.resolve(Tracked.self)
                throw Unavailable()
            }
        }
        #expect(events.current == ["onDispose", "onAsyncDispose", "failures: 1"])
    }

    @Test func hookErrorIsThrownAfterASuccessfulOperation() async {
        registerScoped(throwing: HookFailed())
        await #expect(throws: DependencyShutdownError.self) {
            try await app.withChild { _ in
            } operation: { request in
                _ = request.resolve(Tracked.self)
            }
        }
    }

    @Test func handlerGetsTheHookErrorInsteadOfTheCaller() async throws {
        registerScoped(throwing: HookFailed())
        let result = try await app.withChild { _ in
        } onDisposalFailure: { error in
            note("failures: \(error.failures.count)")
        } operation: { request in
            _ = request.resolve(Tracked.self)
            return 7
        }
        #expect(result == 7)
        #expect(events.current.last == "failures: 1")
    }

    @Test func childThatEscapesIsShutDown() async throws {
        registerScoped()
        let escaped = try await app.withChild { request in
            request.register(RequestID(text: "7"), for: RequestID.self)
        } operation: { request in
            request
        }
        let scoped = failure { () throws(DependencyError) in try escaped.require(Tracked.self) }
        #expect(scoped?.reason == .shutDown)
        let registered = failure { () throws(DependencyError) in try escaped.require(RequestID.self) }
        #expect(registered?.reason == .shutDown)
    }

    @Test func taskThatOutlivesTheOperationGetsTheError() async throws {
        registerScoped()
        let ended = AsyncSignal()
        let task = try await app.withChild { _ in
        } operation: { request in
            Task {
                await ended.wait()
                return failure { () throws(DependencyError) in try request.require(Tracked.self) }
            }
        }
        ended.raise()
        #expect(await task.value?.reason == .shutDown)
    }

    /// Without a hook there is nothing to await, but the promise is the same.
    @Test(arguments: ["child", "grandchild", "handle"], [false, true])
    func nothingResolvesFromAnEndedChildWithoutHooks(through way: String, isSynchronous: Bool) async throws {
        app.register(Tracked.self, lifetime: .scoped) { [tracker] _ in tracker.make() }
        app.register(Desk.self, lifetime: .transient, using: Desk.init(service:))
        let ended = AsyncSignal()
        func begin(_ request: DependencyContainer) -> Task<DependencyError.Reason?, Never> {
            #expect(request.resolve(RequestID.self).text == "7" && request.resolve(Tracked.self).isIntact)
            let (child, grandchild) = (way == "child" ? request : nil, way == "grandchild" ? request.makeChild() : nil)
            let desk = way == "handle" ? request.resolve(Desk.self) : nil
            return Task {
                await ended.wait()
                if let desk { return failure { () throws(DependencyError) in try desk.service.require() }?.reason }
                let container = child ?? grandchild
                let own = failure { () throws(DependencyError) in _ = try container?.require(RequestID.self) }
                let scoped = failure { () throws(DependencyError) in _ = try container?.require(Tracked.self) }
                return own?.reason == .shutDown ? scoped?.reason : nil
            }
        }
        func prepare(_ request: DependencyContainer) { request.register(RequestID(text: "7"), for: RequestID.self) }
        let task =
            isSynchronous
            ? try app.withChildWithoutAwaitingHooks(prepare, operation: begin)
            : try await app.withChild(prepare, operation: begin)
        ended.raise()
        // Nothing but the handle refers to the child.
        #expect(await task.value == (way == "handle" ? .containerGone : .shutDown))
        await expectGone(tracker)
    }

    /// Resolves its service later.
    private struct Desk: Sendable {
        let service: DependencyProvider<Tracked>
    }

    /// The race of `endsByRelease`.
    @Test(.mayBlock, arguments: [1, 2, 4]) func handlesThatRaceWithTheEndCreateNothingAfterIt(threads: Int) async {
        let (made, disposed) = (Locked(0), Locked(0))
        app.register(
            Int.self, lifetime: .scoped, factory: { _ in made.next() }, onDispose: { _ in _ = disposed.next() })
        await onThread { [app] in
            for _ in 0..<rounds(1_000) {
                let handle = Locked<DependencyProvider<Int>?>(nil)
                let hasEnded = Locked(false)
                let users = (0..<threads).map { _ in
                    RealThread {
                        while true {
                            let isOver = hasEnded.current
                            guard let provider = handle.current else { continue }
                            let error = failure { () throws(DependencyError) in try provider.require() }
                            if isOver { return check(error?.reason == .containerGone || error?.reason == .shutDown) }
                        }
                    }
                }
                try? app.withChildWithoutAwaitingHooks({ _ in }) { request in
                    let provider = request.provider(Int.self)
                    handle.withLock { $0 = provider }
                }
                hasEnded.withLock { $0 = true }
                for user in users { user.join() }
                check(made.current == disposed.current)
            }
        }
    }

    @Test func concurrentChildrenShareNothingAndLeaveNothing() async throws {
        registerScoped()
        let app = app
        let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await app.withChild {
                        $0.register(number, for: Int.self)
                    } operation: { request in
                        let service = request.resolve(Tracked.self)
                        await Task.yield()
                        return request.resolve(Tracked.self) === service ? request.resolve(Int.self) : -1
                    }
                }
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(numbers == Set(0..<200))
        #expect(tracker.made == 200)
        await expectGone(tracker)
    }

    @Test func childrenNest() async throws {
        registerScoped()
        let isOther = try await app.withChild({ _ in }) { request in
            let outer = request.resolve(Tracked.self)
            return try await request.withChild({ _ in }) { part in part.resolve(Tracked.self) !== outer }
        }
        #expect(isOther)
        #expect(events.current == ["onDispose", "onAsyncDispose", "onDispose", "onAsyncDispose"])
    }

    @Test @MainActor func operationRunsOnTheActorOfItsCaller() async throws {
        let draft = Draft()
        let result = try await app.withChild { _ in
            MainActor.assertIsolated()
        } operation: { _ in
            MainActor.assertIsolated()
            draft.lines += 1
            await Task.yield()
            return draft
        }
        #expect(result.lines == 1)
    }

    @Test func synchronousOperationEndsTheChild() async throws {
        registerScoped()
        let result = try app.withChildWithoutAwaitingHooks { request in
            request.register(7, for: Int.self)
        } operation: { request in
            _ = request.resolve(Tracked.self)
            return request.resolve(Int.self)
        }
        #expect(result == 7)
        #expect(events.current.first == "onDispose")
        #expect(await eventually { events.current == ["onDispose", "onAsyncDispose"] })
        await expectGone(tracker)
    }

    @Test func synchronousOperationThatThrowsKeepsItsError() {
        registerScoped(throwing: HookFailed())
        #expect(throws: Unavailable.self) {
            try app.withChildWithoutAwaitingHooks(
                { _ in }, onDisposalFailure: { error in note("failures: \(error.failures.count)") }
            ) { request in
                _ = request.resolve(Tracked.self)
                throw Unavailable()
            }
        }
        #expect(events.current.contains("failures: 1"))
        #expect(throws: DependencyShutdownError.self) {
            try app.withChildWithoutAwaitingHooks({ _ in }) { request in _ = request.resolve(Tracked.self) }
        }
    }

    /// Nobody can look for the services of a child that has no other owner. If there is one, the removal waits for readers.
    @Test(.mayBlock, arguments: [false, true])
    func endWithoutHooksWaitsForReadersOnlyIfTheChildIsHeldElsewhere(isHeld: Bool) async {
        app.register(Tracked.self, lifetime: .scoped) { [tracker] _ in tracker.make() }
        let kept = Locked<DependencyContainer?>(nil)
        let ended = Signal()
        let isPrompt = await onThread { [app] in
            let reader = StoppedReader()
            let request = RealThread {
                let id = try? app.withChildWithoutAwaitingHooks({ $0.register(7, for: Int.self) }) { request in
                    if isHeld { kept.withLock { $0 = request } }
                    #expect(request.resolve(Tracked.self).isIntact)
                    return request.resolve(Int.self)
                }
                #expect(id == 7)
                ended.raise()
            }
            if isHeld { Thread.sleep(forTimeInterval: 0.05) }
            let isPrompt = isHeld ? ended.isRaised : ended.wait()
            reader.goOn()
            request.join()
            return isPrompt
        }
        #expect(isPrompt == !isHeld)
        #expect(kept.current?.isSealed ?? true)
        await expectGone(tracker)
    }
}

/// A thread that is stopped inside a read section until it is resumed.
private struct StoppedReader {
    private let resume = Signal()
    private let thread: RealThread

    init() {
        let (inside, resume) = (Signal(), resume)
        thread = RealThread {
            let section = hop_section_begin()
            inside.raise()
            _ = resume.wait()
            hop_section_end(section)
        }
        #expect(inside.wait())
    }

    @available(*, noasync)
    func goOn() {
        resume.raise()
        thread.join()
    }
}
