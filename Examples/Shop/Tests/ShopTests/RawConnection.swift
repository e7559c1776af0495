import Hopoate
import NIOCore
import NIOPosix
import Synchronization

@testable import Shop

/// A connection for what no client should send: it sends text, and keeps what comes back.
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

    /// The text received so far.
    var received: String { transcript.text.withLock { $0 } }
    var isClosed: Bool { !channel.isActive }

    func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)) }

    /// Says that nothing more is going to be sent.
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

/// The beginning of `POST /orders`: a body that means something, and is shorter than its head says.
func halfAnOrder(session: String, id: String = "half") -> String {
    "POST /orders HTTP/1.1\r\nHost: shop\r\nSession: \(session)\r\nX-Request-ID: \(id)\r\nContent-Length: 100\r\n\r\n"
        + #"{"card":"any"}"#
}

extension OpenShop {
    /// A connection on which the service has read half of an order: the response to the request before shows it.
    func openHalfAnOrder(session: String) async throws -> RawConnection {
        let connection = try await RawConnection.open(port: port)
        try await connection.send("GET /health HTTP/1.1\r\nHost: shop\r\n\r\n" + halfAnOrder(session: session))
        try await eventually { connection.received.contains(#"{"status":"ok"}"#) }
        return connection
    }

    /// A session with something in its basket, made without an HTTP request: for short limits, which a slow machine
    /// would hold against any other.
    func makeStoredCustomer() async throws -> String {
        let session = try await container.require(SessionStore.self).create()
        _ = try await container.require(BasketStore.self).put(.init(product: "TEA-01", quantity: 2), of: session)
        return session
    }

    /// The states of its orders, read without an HTTP request.
    func storedOrders(_ session: String) async throws -> [Order.State] {
        try await container.require(OrderStore.self).orders(of: session).map(\.state)
    }
}
