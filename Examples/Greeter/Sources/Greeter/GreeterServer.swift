import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Hopoate
import HopoateGRPC
import Logging
public import ServiceLifecycle

/// The gRPC server: the greeter and the health service, behind the request scope.
public struct GreeterServer: Service {
    private let server: GRPCServer<HTTP2ServerTransport.Posix>
    private let logger: Logger

    init(_ app: DependencyContainer, port: Int, logger: Logger) {
        self.logger = logger
        server = GRPCServer(
            transport: .http2NIOPosix(address: .ipv4(host: "127.0.0.1", port: port), transportSecurity: .plaintext),
            services: [
                GreeterService(),
                DependencyHealthService(
                    of: app, within: .seconds(1),
                    services: [GreeterService.name.fullyQualifiedService: [Phrasebook.self]]),
            ],
            interceptors: [
                RequestScopeInterceptor(app, logger: logger) { child, metadata, _ in
                    if let code = metadata[stringValues: "language"].first(where: { _ in true }) {
                        child.register(Language(code: code), for: Language.self)
                    }
                }
            ])
    }

    /// The port that the server listens on.
    var port: Int? {
        get async throws { try await server.listeningAddress?.ipv4?.port }
    }

    /// Serves until a graceful shutdown, and then finishes the RPCs in flight.
    public func run() async throws {
        try await withGracefulShutdownHandler {
            async let serving: Void = server.serve()
            if let port = try await port { logger.info("listening", metadata: ["port": "\(port)"]) }
            try await serving
        } onGracefulShutdown: {
            server.beginGracefulShutdown()
        }
    }
}
