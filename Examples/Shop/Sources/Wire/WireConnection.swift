import NIOCore
import NIOHTTP1
import NIOPosix

/// One connection of a client, kept alive from request to request.
///
/// One exchange at a time: whoever uses it waits for the answer before the next request.
public final class WireConnection: Sendable {
    private let channel: any Channel
    private let host: String

    private init(_ channel: any Channel, host: String) {
        self.channel = channel
        self.host = host
    }

    /// Connects.
    public static func open(host: String, port: Int, timeout: Duration = .seconds(5)) async throws(WireError)
        -> WireConnection
    {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(timeout))
            .channelOption(ChannelOptions.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(ExchangeHandler())
                }
            }
        let connecting = bootstrap.connect(host: host, port: port)
        do {
            return WireConnection(try await value(of: connecting), host: "\(host):\(port)")
        } catch {
            connecting.whenSuccess { $0.close(promise: nil) }
            throw error as? WireError ?? .noConnection("\(error)")
        }
    }

    /// Whether a request may be sent: nobody has closed it yet, as far as is known.
    public var isOpen: Bool { channel.isActive }

    /// Sends a request and waits for the answer.
    ///
    /// Where it throws, the connection is closed. A task that is cancelled does not wait any longer.
    public func send(_ request: WireRequest, timeout: Duration = .seconds(30)) async throws(WireError) -> WireResponse {
        let promise = channel.eventLoop.makePromise(of: WireResponse.self)
        let exchange = Exchange(request: request, host: host, timeout: TimeAmount(timeout), promise: promise)
        channel.writeAndFlush(exchange).whenFailure { _ in promise.fail(WireError.connectionLost) }
        do {
            let response = try await Self.value(of: promise.futureResult)
            if response[header: "Connection"]?.lowercased() == "close" { close() }
            return response
        } catch {
            close()
            throw error as? WireError ?? .connectionLost
        }
    }

    /// Waits for a future until the task is cancelled.
    private static func value<Value: Sendable>(of future: EventLoopFuture<Value>) async throws -> Value {
        let promise = future.eventLoop.makePromise(of: Value.self)
        future.cascade(to: promise)
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            promise.fail(WireError.cancelled)
        }
    }

    /// Closes it; whoever waits for an answer gets an error.
    public func close() { channel.close(promise: nil) }
}
