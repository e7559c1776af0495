import GRPCCore
import Hopoate
import HopoateGRPC
import Testing

/// The results of RPCs that fail.
@Suite struct FailureTests {
    /// The place where a handler throws.
    enum Place: CaseIterable {
        case preparation, handler, stream, behindAnotherInterceptor, inAStreamBehindAnotherInterceptor
    }

    @Test(arguments: Place.allCases) func anErrorOfTheHandlerReachesTheClientAfterTheHooks(place: Place) async throws {
        let app = try await fail(at: place) { container in
            _ = try container.require(Work.self)
            throw RPCError(code: .failedPrecondition, message: "Not now.", metadata: ["hint": "later"])
        } check: { error in
            #expect(error.code == .failedPrecondition)
            #expect(error.message == "Not now.")
            #expect(Array(error.metadata[stringValues: "hint"]) == ["later"])
        }
        #expect(app.journal.all == ["disposed", "answered"])
        #expect(app.errors.isEmpty)
    }

    @Test(arguments: Place.allCases) func anotherErrorIsUnknownToTheClient(place: Place) async throws {
        let app = try await fail(at: place) { container in
            _ = try container.require(Work.self)
            throw Refused()
        } check: { error in
            #expect(error.code == .unknown)
            #expect(!error.message.contains("Refused"))
        }
        #expect(app.journal.all == ["disposed", "answered"])
        #expect(app.errors.isEmpty)
    }

    @Test(arguments: Place.allCases) func aFactoryThatThrowsIsLoggedOnceAndNotSentToTheClient(place: Place) async throws
    {
        let app = try await fail(at: place) { container in
            _ = try container.require(Work.self)
            _ = try container.require([String].self)
        } check: { error in
            #expect(error.code == .internalError)
            #expect(error.message == "")
            #expect(!"\(error.metadata)".contains("Refused"))
        }
        #expect(app.journal.all == ["disposed", "answered"])
        #expect(app.errors.count == 1)
        for part in ["A service of an RPC could not be resolved.", "test.Test/Do", "[Swift.String]", "Refused"] {
            #expect(app.errors.first?.contains(part) == true)
        }
    }

    @Test(arguments: Place.allCases) func aCancellationErrorIsACancelledRPC(place: Place) async throws {
        let app = try await fail(at: place) { container in
            _ = try container.require(Work.self)
            throw CancellationError()
        } check: { error in
            #expect(error.code == .cancelled)
        }
        #expect(app.journal.all == ["disposed", "answered"])
        #expect(app.errors.isEmpty)
    }

    @Test(arguments: Place.allCases) func aResolveCallInACancelledTaskIsACancelledRPC(place: Place) async throws {
        // The creation goes on after the call was cancelled.
        let (creation, ended) = AsyncStream.makeStream(of: Void.self)
        defer { ended.finish() }
        let app = try await fail(
            at: place,
            register: { app in
                app.register([Bool].self) { _ in
                    for await _ in creation {}
                    return []
                }
            }
        ) { container in
            let resolving = Task { try await container.asyncResolve([Bool].self) }
            resolving.cancel()
            _ = try await resolving.value
        } check: { error in
            #expect(error.code == .cancelled)
        }
        #expect(app.errors.isEmpty)
    }

    @Test func aHookThatThrowsIsLoggedAndDoesNotChangeTheResult() async throws {
        let app = TestApp()
        app.container.register([Int].self, lifetime: .scoped) { _ in
            [7]
        } onAsyncDispose: { _ in
            throw Refused()
        }
        let service = TestService { message, context in
            _ = try context.dependencies.require(Work.self)
            let numbers = try context.dependencies.require([Int].self)
            if message == "fail" { throw RPCError(code: .notFound, message: "Gone.") }
            return "\(numbers)"
        }
        try await app.serve(service) { server async throws in
            #expect(try await server.unary("") == "[7]")
            let error = await #expect(throws: RPCError.self) { try await server.unary("fail") }
            #expect(error?.code == .notFound)
        }
        #expect(app.journal.all == ["disposed", "disposed"])
        #expect(app.errors.count == 2)
        for part in ["The disposal hook of a service failed.", "test.Test/Do", "[Swift.Int]", "Refused"] {
            #expect(app.errors.allSatisfy { $0.contains(part) })
        }
    }

    /// Runs an RPC that fails at a place, and checks the error of the client.
    private func fail(
        at place: Place, register: (DependencyContainer) -> Void = { _ in },
        _ failing: @escaping @Sendable (DependencyContainer) async throws -> Void,
        check: (RPCError) -> Void
    ) async throws -> TestApp {
        let app = TestApp { child, _, _ in if place == .preparation { try await failing(child) } }
        register(app.container)
        app.container.register([String].self, lifetime: .scoped) { _ in throw Refused() }
        let service = TestService { _, context in
            if place == .handler || place == .behindAnotherInterceptor { try await failing(try context.dependencies) }
            return StreamingServerResponse { writer in
                if place != .preparation { try await failing(try context.dependencies) }
                try await writer.write("done")
                return [:]
            }
        }
        let isLast = place == .preparation || place == .handler || place == .stream
        try await app.serve(service, behind: [app.interceptor] + (isLast ? [] : [Transparent()])) { server in
            let error = await #expect(throws: RPCError.self) { try await server.unary("") }
            app.journal.note("answered")
            if let error { check(error) }
        }
        return app
    }
}
