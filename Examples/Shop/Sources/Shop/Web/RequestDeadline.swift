import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// The body of a request did not arrive within the limit after its head.
struct RequestTooSlow: Error {}

/// Limits the time for the head and the body of an HTTP request to arrive on one connection.
///
/// | the connection waits for | from | after the limit |
/// |---|---|---|
/// | a complete head | its opening, or the end of the last response | it is closed |
/// | the end of a body | the head | reading the body throws `RequestTooSlow`; the connection closes after the response |
/// | the end of a body that was answered early | the head | it is closed |
/// | the response to a complete request | | no limit: that is the time of the service |
///
/// The limit covers the whole body, so a client cannot extend it by sending single bytes.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limit: TimeAmount
    private let connections: OpenConnections
    /// Nil while the connection waits for nothing.
    private var deadline: NIODeadline?
    /// Fires at the deadline or earlier, so a later deadline needs no new timer.
    private var timer: Scheduled<Void>?
    private var isReceiving = false
    private var isTooSlow = false
    private var unanswered = 0

    init(limit: Duration, connections: OpenConnections) {
        self.limit = TimeAmount(limit)
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        connections.add(context.channel)
        if context.channel.isActive { expectMore(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelActive(context: ChannelHandlerContext) {
        expectMore(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            isReceiving = true
            unanswered += 1
            expectMore(context)
        case .body: break
        case .end:
            isReceiving = false
            deadline = nil
            if unanswered == 0 { expectMore(context) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        unanswered -= 1
        if isTooSlow && unanswered == 0 {
            context.writeAndFlush(data, promise: promise)
            context.close(promise: nil)
        } else {
            context.write(data, promise: promise)
            if unanswered == 0 && !isReceiving { expectMore(context) }
        }
    }

    private func expectMore(_ context: ChannelHandlerContext) {
        let deadline = NIODeadline.now() + limit
        self.deadline = deadline
        if timer == nil { schedule(deadline, context) }
    }

    private func schedule(_ deadline: NIODeadline, _ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.timerFired(context) }
    }

    private func timerFired(_ context: ChannelHandlerContext) {
        timer = nil
        guard let deadline else { return }
        if NIODeadline.now() < deadline { return schedule(deadline, context) }
        self.deadline = nil
        if isReceiving && unanswered > 0 && !isTooSlow {
            isTooSlow = true
            context.fireErrorCaught(RequestTooSlow())
            // The connection is closed even if the body is not read or the client does not take the response.
            expectMore(context)
        } else {
            context.close(promise: nil)
        }
    }

    private func stop() {
        deadline = nil
        timer?.cancel()
        timer = nil
    }
}
