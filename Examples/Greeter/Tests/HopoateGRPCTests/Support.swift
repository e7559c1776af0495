import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Hopoate
import HopoateGRPC
import InMemoryLogging
import Logging
import Synchronization
import Testing

/// A service of one RPC.
final class Work: Sendable {}

/// An application with a journal. When the scope of an RPC ends, it adds a line to the journal.
struct TestApp {
    let container = DependencyContainer()
    let journal = Journal()
    let scopes = Scopes()
    let log = InMemoryLogHandler()
    private let prepare: RequestScopeInterceptor.Preparation

    /// Creates an application.
    ///
    /// - Parameter prepare: Runs for each RPC, after the scope was counted.
    init(prepare: @escaping RequestScopeInterceptor.Preparation = { _, _, _ in }) {
        self.prepare = prepare
        container.register(Work.self, lifetime: .scoped) { _ in
            Work()
        } onAsyncDispose: { [journal] _ in
            await Task.yield()
            journal.note(Task.isCancelled ? "disposed of in a cancelled task" : "disposed")
        }
    }

    var interceptor: RequestScopeInterceptor {
        RequestScopeInterceptor(container) { [scopes, prepare] child, metadata, context in
            scopes.add(child)
            try await prepare(child, metadata, context)
        }
    }

    /// Serves on a free port while the body runs. Checks that each request scope has been released.
    ///
    /// - Parameters:
    ///   - services: The services of the server.
    ///   - interceptors: Its interceptors; nil for the request scope alone.
    func serve(
        _ services: any RegistrableRPCService..., behind interceptors: [any ServerInterceptor]? = nil,
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let server = GRPCServer(
            transport: .http2NIOPosix(address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext),
            services: services, interceptors: interceptors ?? [interceptor])
        let running = Task { [log] in
            try await withLogger(Logger(label: "server") { _ in log }) { _ in try await server.serve() }
        }
        let port = try #require(try await server.listeningAddress?.ipv4?.port)
        let client = GRPCClient(
            transport: try .http2NIOPosix(
                target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext))
        let connecting = Task { try await client.runConnections() }
        do {
            try await body(TestServer(client: client, server: server, running: running))
        } catch {
            Issue.record(error)
            running.cancel()
        }
        client.beginGracefulShutdown()
        server.beginGracefulShutdown()
        _ = await (connecting.result, running.result)
        try await eventually { scopes.live == 0 }
    }

    /// The errors in the log, with their metadata in one line.
    var errors: [String] {
        log.entries.filter { $0.level >= .error }.map { "\($0.message) \($0.metadata)" }
    }
}

/// A server that runs in this process, and a client that is connected to it.
struct TestServer: Sendable {
    let client: GRPCClient<HTTP2ClientTransport.Posix>
    let server: GRPCServer<HTTP2ServerTransport.Posix>
    let running: Task<Void, any Error>

    /// Sends a message and returns the response.
    func unary(_ message: String, metadata: Metadata = [:]) async throws -> String {
        try await client.unary(
            request: ClientRequest(message: message, metadata: metadata), descriptor: TestService.method,
            serializer: TextCodec(), deserializer: TextCodec(), options: .defaults
        ) { try $0.message }
    }

    /// Sends messages and reads a stream of messages.
    func stream<Output: Sendable>(
        send: @escaping @Sendable (RPCWriter<String>) async throws -> Void,
        receive: @escaping @Sendable (RPCAsyncSequence<String, any Error>) async throws -> Output
    ) async throws -> Output {
        try await client.bidirectionalStreaming(
            request: StreamingClientRequest(producer: send), descriptor: TestService.method, serializer: TextCodec(),
            deserializer: TextCodec(), options: .defaults
        ) { try await receive($0.messages) }
    }

    /// Sends a message and returns all messages of the response.
    func all(_ message: String) async throws -> [String] {
        try await stream {
            try await $0.write(message)
        } receive: {
            try await $0.reduce(into: []) { $0.append($1) }
        }
    }
}

/// A service with one method. Its handler is a closure.
struct TestService: RegistrableRPCService {
    typealias Handler =
        @Sendable (StreamingServerRequest<String>, ServerContext) async throws -> StreamingServerResponse<String>

    static let method = MethodDescriptor(fullyQualifiedService: "test.Test", method: "Do")
    let handler: Handler

    /// Creates a service that answers with a stream.
    init(handler: @escaping Handler) {
        self.handler = handler
    }

    /// Creates a service that answers a message with a message.
    init(unary: @escaping @Sendable (String, ServerContext) async throws -> String) {
        handler = { request, context in
            let message = try await ServerRequest(stream: request).message
            return StreamingServerResponse(single: ServerResponse(message: try await unary(message, context)))
        }
    }

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        router.registerHandler(
            forMethod: Self.method, deserializer: TextCodec(), serializer: TextCodec(), handler: handler)
    }
}

/// Messages are UTF-8.
struct TextCodec: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: String) throws -> Bytes { Bytes(message.utf8) }

    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> String {
        bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

/// An interceptor that passes everything on. The server wraps the errors of handlers behind it.
struct Transparent: ServerInterceptor {
    func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingServerRequest<Input>, context: ServerContext,
        next: @Sendable (StreamingServerRequest<Input>, ServerContext) async throws -> StreamingServerResponse<Output>
    ) async throws -> StreamingServerResponse<Output> {
        try await next(request, context)
    }
}

struct Refused: Error {}
