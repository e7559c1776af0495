import Hopoate
import NIOCore
import NIOPosix
import Synchronization

@testable import Shop

/// A connection for input that no client should send. It sends text and records the response.
final class RawConnection: Sendable {
    private let channel: any Channel
    private let transcript: Transcript

    private init(_ channel: any Channel, _ transcript: Transcript) {
        self.channel = channel
        self.transcript = transcript
    }

    static func open(port: Int) async throws -> RawConnection {
        let transcript = Transcript()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(ChannelOptions.allowRemoteHalfClosure, value: false)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Reader(transcript))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawConnection(channel, transcript)
    }

    /// Whether a server listens on a port of this machine.
    ///
    /// Looks without a connection: NIO ends the process if a port closes while it accepts one (swift-nio issue 2813).
    static func isListening(port: Int) async -> Bool {
        let server = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        guard let channel = try? await server.bind(host: "127.0.0.1", port: port).get() else { return true }
        try? await channel.close()
        return false
    }

    /// The text received so far.
    var received: String { transcript.text.withLock { $0 } }
    var isClosed: Bool { !channel.isActive }

    func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)) }

    /// Closes the sending side.
    func closeOutput() async throws { try await channel.close(mode: .output) }

    func close() { channel.close(promise: nil) }
}

private final class Transcript: Sendable {
    let text = Mutex("")
}

private final class Reader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let transcript: Transcript

    init(_ transcript: Transcript) {
        self.transcript = transcript
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        transcript.text.withLock { $0 += String(buffer: buffer) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Returns the beginning of `POST /orders`, with a valid body that is shorter than its head announces.
func halfAnOrder(session: String, id: String = "half") -> String {
    "POST /orders HTTP/1.1\r\nHost: shop\r\nSession: \(session)\r\nX-Request-ID: \(id)\r\nContent-Length: 100\r\n\r\n"
        + #"{"card":"any"}"#
}

extension OpenShop {
    /// Opens a connection on which the service has read half of an order. The response to the previous request proves it.
    func openHalfAnOrder(session: String) async throws -> RawConnection {
        let connection = try await RawConnection.open(port: port)
        try await connection.send("GET /health/live HTTP/1.1\r\nHost: shop\r\n\r\n" + halfAnOrder(session: session))
        try await eventually { connection.received.contains(#""status":"healthy"}"#) }
        return connection
    }

    /// Sends a request on one connection after the other, until the service has read it within its limit. Returns that connection.
    ///
    /// The limit begins with the connection. On a busy machine, it may end before the service reads anything: then the service closes the
    /// connection without an answer. With a defect, this happens on every connection.
    ///
    /// - Parameter hasRead: Whether the service has read the request. If it is left out, an answer proves it.
    func connect(
        sending request: String, until hasRead: (RawConnection) -> Bool = { !$0.received.isEmpty }
    ) async throws -> RawConnection {
        var attempts = 10
        while true {
            let connection = try await RawConnection.open(port: port)
            // Sending on a closed connection is an error.
            try? await connection.send(request)
            try await eventually { hasRead(connection) || connection.isClosed }
            attempts -= 1
            if hasRead(connection) || attempts == 0 { return connection }
        }
    }

    /// Creates a session with a basket without an HTTP request, which could exceed short limits on a slow machine.
    func makeStoredCustomer() async throws -> String {
        let session = try await container.require(SessionStore.self).create()
        _ = try await container.require(BasketStore.self).put(.init(product: "TEA-01", quantity: 2), of: session)
        return session
    }

    /// Reads the states of the session's orders without an HTTP request.
    func storedOrders(_ session: String) async throws -> [Order.State] {
        try await container.require(OrderStore.self).orders(of: session).map(\.state)
    }
}
