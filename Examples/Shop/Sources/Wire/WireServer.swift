import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A small HTTP server on the loopback interface, for what stands in for somebody else's.
public final class WireServer: Sendable {
    /// What becomes of a request.
    public enum Reply: Sendable {
        /// An answer.
        case respond(WireResponse)
        /// No answer: the connection is closed.
        case drop
        /// No answer at all.
        case silence
    }

    private let listener: any Channel
    private let connections: Connections

    /// Where it listens.
    public let port: Int

    private init(_ listener: any Channel, _ connections: Connections) {
        self.listener = listener
        self.connections = connections
        port = listener.localAddress?.port ?? 0
    }

    /// Starts one on a free port.
    public static func start(_ handler: @escaping @Sendable (WireRequest) async -> Reply) async throws -> WireServer {
        let connections = Connections()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(ReplyHandler(handler))
                    connections.add(channel)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return WireServer(listener, connections)
    }

    /// Stops listening, and closes all connections.
    public func stop() async {
        try? await listener.close()
        await connections.close()
    }
}

/// Those that are open.
private final class Connections: Sendable {
    private let open = Mutex<[ObjectIdentifier: any Channel]>([:])

    func add(_ channel: any Channel) {
        let key = ObjectIdentifier(channel)
        open.withLock { $0[key] = channel }
        channel.closeFuture.whenComplete { _ in _ = self.open.withLock { $0.removeValue(forKey: key) } }
    }

    func close() async {
        for channel in open.withLock({ Array($0.values) }) { try? await channel.close() }
    }
}
