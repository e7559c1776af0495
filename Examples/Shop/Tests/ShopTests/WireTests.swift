import Synchronization
import Testing
import Wire

@Suite struct WireTests {
    private func withServer(
        _ handler: @escaping @Sendable (WireRequest) async -> WireServer.Reply, timeout: Duration = .seconds(120),
        _ body: (WireServer, WireClient) async throws -> Void
    ) async throws {
        let server = try await WireServer.start(handler)
        let client = WireClient(host: "127.0.0.1", port: server.port, timeout: timeout)
        do { try await body(server, client) } catch { Issue.record(error) }
        client.shutdown()
        await server.stop()
    }

    @Test func requestAndAnswerArriveAsTheyWereSent() async throws {
        let body = Array(repeating: UInt8(7), count: 300_000)
        try await withServer { request in
            let name = request[header: "x-name"] ?? ""
            return .respond(
                WireResponse(
                    201, headers: [("X-Echo", "\(request.method) \(request.path) \(name)")], body: request.body))
        } _: { _, client in
            let answer = try await client.send(WireRequest("POST", "/a?b=c", headers: [("X-Name", "d")], body: body))
            #expect(answer.status == 201)
            #expect(answer[header: "x-echo"] == "POST /a?b=c d")
            #expect(answer.body == body)
        }
    }

    @Test func aConnectionIsKeptFromRequestToRequest() async throws {
        let server = try await WireServer.start { _ in .respond(WireResponse(200)) }
        let connection = try await WireConnection.open(host: "127.0.0.1", port: server.port)
        for _ in 0..<3 {
            let answer = try await connection.send(WireRequest("GET", "/"))
            #expect(answer.status == 200)
            #expect(connection.isOpen)
        }
        connection.close()
        await server.stop()
    }

    @Test func whoWaitsTooLongIsToldAndTheNextOneIsNotDisturbed() async throws {
        try await withServer(
            { $0.path == "/silent" ? .silence : .respond(WireResponse(200)) }
        ) { server, client in
            let connection = try await WireConnection.open(host: "127.0.0.1", port: server.port)
            await #expect(throws: WireError.self) {
                _ = try await connection.send(WireRequest("GET", "/silent"), timeout: .milliseconds(50))
            }
            let answer = try await client.send(WireRequest("GET", "/"))
            #expect(answer.status == 200)
        }
    }

    @Test func aLostConnectionIsAnErrorAndTheNextRequestGetsAnother() async throws {
        let first = Mutex(true)
        try await withServer { _ in
            first.withLock { exchange(&$0, with: false) } ? .drop : .respond(WireResponse(200))
        } _: { _, client in
            await #expect(throws: WireError.self) { _ = try await client.send(WireRequest("GET", "/")) }
            let answer = try await client.send(WireRequest("GET", "/"))
            #expect(answer.status == 200)
        }
    }

    @Test func aTaskThatIsCancelledDoesNotWaitForTheAnswer() async throws {
        let arrived = Atomic<Int>(0)
        try await withServer { _ in
            arrived.add(1, ordering: .relaxed)
            return .silence
        } _: { _, client in
            let answer = Task { try await client.send(WireRequest("GET", "/")) }
            try await eventually { arrived.load(ordering: .relaxed) == 1 }
            answer.cancel()
            let error = await #expect(throws: WireError.self) { _ = try await answer.value }
            #expect(error?.description == WireError.cancelled.description)
        }
    }

    @Test func afterTheEndNothingIsSent() async throws {
        let count = Atomic<Int>(0)
        try await withServer { _ in
            count.add(1, ordering: .relaxed)
            return .respond(WireResponse(200))
        } _: { _, client in
            client.shutdown()
            await #expect(throws: WireError.self) { _ = try await client.send(WireRequest("GET", "/")) }
            #expect(count.load(ordering: .relaxed) == 0)
        }
    }

    @Test func whereNobodyListensThereIsNoConnection() async throws {
        let server = try await WireServer.start { _ in .drop }
        await server.stop()
        await #expect(throws: WireError.self) {
            _ = try await WireConnection.open(host: "127.0.0.1", port: server.port)
        }
    }
}
