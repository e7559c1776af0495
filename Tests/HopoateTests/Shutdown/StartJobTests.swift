import Hopoate
import Testing

private struct RequestID: Sendable, Equatable {
    let text: String
}

private final class Session: Sendable {}

/// Background work that is started inside a request.
@Suite struct StartJobTests {
    let app = DependencyContainer()
    let gate = AsyncSignal()

    private struct Refused: Error {}

    @Test func aJobHasAScopeOfItsOwnAndKeepsWhatItNeeds() async throws {
        app.register(Session.self, lifetime: .scoped) { _ in Session() }
        let request = app.makeChild()
        request.register(RequestID(text: "7"), for: RequestID.self)
        let session = request.resolve(Session.self)
        let job = try request.startJob(keeping: RequestID.self) { [gate] job in
            await gate.wait()
            return (try job.require(RequestID.self), try job.require(Session.self))
        }
        try await request.shutdown()
        gate.raise()
        let (id, own) = try await job.value
        #expect(id == RequestID(text: "7") && own !== session)
    }

    @Test func theRequestIsReleasedWhileTheJobRuns() async throws {
        weak var kept: DependencyContainer?
        let job: Task<Bool, any Error>
        do {
            let request = app.makeChild()
            request.register(RequestID(text: "7"), for: RequestID.self)
            kept = request
            job = try DependencyContainer.$shared.withValue(request) {
                try request.startJob(keeping: RequestID.self) { [gate] job in
                    await gate.wait()
                    return DependencyContainer.shared === job
                }
            }
        }
        #expect(kept == nil)
        gate.raise()
        #expect(try await job.value)
    }

    @Test func anotherSharedContainerStays() async throws {
        let other = DependencyContainer()
        let job = try DependencyContainer.$shared.withValue(other) {
            try app.makeChild().startJob { _ in DependencyContainer.shared === other }
        }
        #expect(try await job.value)
    }

    @Test func theScopeEndsWithTheJob() async throws {
        let closed = AsyncSignal()
        app.register(Session.self, lifetime: .scoped) { _ in
            Session()
        } onAsyncDispose: { _ in
            await Task.yield()
            closed.raise()
        }
        for fails in [false, true] {
            let job = try app.makeChild().startJob { job in
                _ = try job.require(Session.self)
                if fails { throw Refused() }
                return job
            }
            let result = await job.result
            await closed.wait()
            guard case .success(let container) = result else { continue }
            #expect(throws: DependencyError.self) { try container.require(Session.self) }
        }
        await #expect(throws: Refused.self) {
            try await app.makeChild().startJob { _ in throw Refused() }.value
        }
    }

    @Test(arguments: [false, true]) func theErrorOfAHookIsThrownOrReported(isReported: Bool) async throws {
        app.register(Session.self, lifetime: .scoped) { _ in
            Session()
        } onDispose: { _ in
            throw Refused()
        }
        let reported = AsyncSignal()
        var report: (@Sendable (DependencyShutdownError) -> Void)?
        if isReported { report = { _ in reported.raise() } }
        let job = try app.makeChild().startJob(onDisposalFailure: report) { job in
            _ = try job.require(Session.self)
        }
        if isReported {
            try await job.value
            await reported.wait()
        } else {
            await #expect(throws: DependencyShutdownError.self) { try await job.value }
        }
    }

    @Test func aMissingServiceStartsNothing() throws {
        let request = app.makeChild()
        let error = #expect(throws: DependencyError.self) {
            try request.startJob(keeping: RequestID.self) { _ in Issue.record("started") }
        }
        #expect(error?.reason == .notRegistered)
    }

    @Test func aCancelledJobEndsItsScope() async throws {
        let closed = AsyncSignal()
        app.register(Session.self, lifetime: .scoped) { _ in
            Session()
        } onDispose: { _ in
            closed.raise()
        }
        let job = try app.makeChild().startJob { [gate] job in
            _ = try job.require(Session.self)
            gate.raise()
            try await Task.sleep(nanoseconds: 3_600_000_000_000)
        }
        await gate.wait()
        job.cancel()
        await closed.wait()
        await #expect(throws: CancellationError.self) { try await job.value }
    }

    @Test func aJobOfAnApplicationIsAChildOfIt() async throws {
        app.register(RequestID(text: "app"), for: RequestID.self)
        let job = try app.startJob { try $0.require(RequestID.self).text }
        #expect(try await job.value == "app")
    }
}
