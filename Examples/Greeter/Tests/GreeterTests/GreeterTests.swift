import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Hopoate
import HopoateServiceLifecycle
import Logging
import ServiceLifecycle
import Testing

@testable import Greeter

@Suite struct GreeterTests {
    @Test func aVisitorIsGreetedInTheLanguageOfTheRPC() async throws {
        try await serve { client async throws in
            #expect(try await greet("Ada", in: nil, client) == "Hello, Ada.")
            #expect(try await greet("Ada", in: "fr", client) == "Bonjour, Ada.")
            #expect(try await greet("Ada", in: "tlh", client) == "Hello, Ada.")
        }
    }

    @Test func aStreamGreetsInAllLanguages() async throws {
        try await serve { client in
            let greetings = try await client.serverStreaming(
                request: ClientRequest(message: "Ada"), descriptor: GreeterService.greetInAllLanguages,
                serializer: TextCodec(), deserializer: TextCodec(), options: .defaults
            ) { try await $0.messages.reduce(into: []) { $0.append($1) } }
            #expect(greetings == ["Hello, Ada.", "Bonjour, Ada.", "Hujambo, Ada."])
        }
    }

    @Test func theGreeterValidates() throws {
        let app = DependencyContainer()
        try app.install(GreeterModule(port: 0, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        try app.validate()
    }

    private func greet(
        _ name: String, in language: String?, _ client: GRPCClient<HTTP2ClientTransport.Posix>
    ) async throws -> String {
        var metadata: Metadata = [:]
        if let language { metadata.addString(language, forKey: "language") }
        return try await client.unary(
            request: ClientRequest(message: name, metadata: metadata), descriptor: GreeterService.greet,
            serializer: TextCodec(), deserializer: TextCodec(), options: .defaults
        ) { try $0.message }
    }

    /// Runs the greeter as `GreeterCommand` does, on a free port, and stops it. Checks that the container is shut down at the end.
    private func serve(_ body: (GRPCClient<HTTP2ClientTransport.Posix>) async throws -> Void) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let app = DependencyContainer()
        try app.install(GreeterModule(port: 0, logger: logger))
        app.seal()
        let group = DependencyServiceGroup(
            container: app, services: [.init(GreeterServer.self)], warmUp: true, logger: logger)
        let running = Task { try await group.run() }
        let port = try #require(try await app.require(GreeterServer.self).port)
        try await withGRPCClient(
            transport: try .http2NIOPosix(
                target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext)
        ) { client in
            try await body(client)
        }
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(throws: DependencyError.self) { try app.require(Phrasebook.self) }
    }
}
