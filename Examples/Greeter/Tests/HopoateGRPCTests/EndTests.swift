import GRPCCore
import Hopoate
import HopoateGRPC
import Testing

/// The scope of an RPC that is cancelled or never answered ends, too.
@Suite struct EndTests {
    @Test func aClientThatCancelsInTheMiddleOfAStreamEndsTheScopeOnce() async throws {
        let app = TestApp()
        let service = TestService { [journal = app.journal] _, context in
            StreamingServerResponse { writer in
                let work = try context.dependencies.require(Work.self)
                try await writer.write("first")
                try await context.cancellation.cancelled
                // The scope is complete as long as the stream runs.
                #expect(try context.dependencies.require(Work.self) === work)
                do {
                    while true {
                        try await writer.write("more")
                        await Task.yield()
                    }
                } catch {
                    journal.note("the stream has failed")
                    throw error
                }
            }
        }
        try await app.serve(service) { server in
            try await cancelAfterTheFirstMessage(server)
            try await app.journal.wait(for: "disposed")
        }
        #expect(app.journal.all == ["the stream has failed", "disposed"])
    }

    @Test func aStreamThatWaitsForTheCancellationEndsItsScopeOnce() async throws {
        let app = TestApp()
        let service = TestService { [journal = app.journal] _, context in
            StreamingServerResponse { writer in
                _ = try context.dependencies.require(Work.self)
                try await writer.write("first")
                try await context.cancellation.cancelled
                journal.note("cancelled")
                return [:]
            }
        }
        try await app.serve(service) { server in
            try await cancelAfterTheFirstMessage(server)
            try await app.journal.wait(for: "disposed")
        }
        #expect(app.journal.all == ["cancelled", "disposed"])
    }

    @Test func aHandlerThatIgnoresTheCancellationKeepsItsScope() async throws {
        let app = TestApp()
        let service = TestService { [journal = app.journal] _, context in
            _ = try context.dependencies.require(Work.self)
            journal.note("arrived")
            try await context.cancellation.cancelled
            // Would trap if the cancellation had ended the scope.
            journal.note("\(type(of: try context.dependencies.resolve(Work.self)))")
            return "late"
        }
        try await app.serve(service) { server in
            let answer = Task { try await server.unary("") }
            try await app.journal.wait(for: "arrived")
            answer.cancel()
            _ = await answer.result
            try await app.journal.wait(for: "disposed")
        }
        #expect(app.journal.all == ["arrived", "Work", "disposed"])
    }

    @Test func aCancelledServerStillRunsTheHooks() async throws {
        let app = TestApp()
        let service = TestService { [journal = app.journal] _, context in
            _ = try context.dependencies.require(Work.self)
            journal.note("arrived")
            try await Task.sleep(for: .seconds(3_600))
            return "done"
        }
        try await app.serve(service) { server in
            let answer = Task { try await server.unary("") }
            try await app.journal.wait(for: "arrived")
            server.running.cancel()
            _ = await answer.result
            try await app.journal.wait(for: "disposed")
        }
        #expect(app.journal.all == ["arrived", "disposed"])
        #expect(app.errors.isEmpty)
    }

    @Test func aResponseThatIsNeverWrittenEndsItsScope() async throws {
        let app = TestApp()
        let service = TestService { [journal = app.journal] _, context in
            let container = try context.dependencies
            _ = try container.require(Work.self)
            // Retains the container, so its own release does not end the scope.
            Task {
                try await journal.wait(for: "disposed")
                withExtendedLifetime(container) {}
            }
            return StreamingServerResponse { _ in
                journal.note("written")
                return [:]
            }
        }
        try await app.serve(service, behind: [Replacing(), app.interceptor]) { server in
            let error = await #expect(throws: RPCError.self) { try await server.unary("") }
            #expect(error?.code == .resourceExhausted)
            try await app.journal.wait(for: "disposed")
        }
        #expect(app.journal.all == ["disposed"])
    }

    /// Reads one message of a stream, and cancels the RPC.
    private func cancelAfterTheFirstMessage(_ server: TestServer) async throws {
        let received = Journal()
        let reading = Task {
            try await server.stream {
                try await $0.write("start")
            } receive: { messages in
                for try await message in messages { received.note(message) }
            }
        }
        try await eventually { !received.all.isEmpty }
        reading.cancel()
        _ = await reading.result
    }
}

/// Replaces the response of each RPC.
private struct Replacing: ServerInterceptor {
    func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingServerRequest<Input>, context: ServerContext,
        next: @Sendable (StreamingServerRequest<Input>, ServerContext) async throws -> StreamingServerResponse<Output>
    ) async throws -> StreamingServerResponse<Output> {
        _ = try await next(request, context)
        return StreamingServerResponse(error: RPCError(code: .resourceExhausted, message: ""))
    }
}
