import NIOCore
import NIOHTTP1

/// Collects a request, has it answered by a task, and writes the answer.
final class ReplyHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let handler: @Sendable (WireRequest) async -> WireServer.Reply
    private var request = WireRequest("", "")

    init(_ handler: @escaping @Sendable (WireRequest) async -> WireServer.Reply) {
        self.handler = handler
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = WireRequest(
                head.method.rawValue, head.uri, headers: head.headers.map { ($0.name, $0.value) })
        case .body(let buffer): request.body += buffer.readableBytesView
        case .end: answer(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ context: ChannelHandlerContext) {
        let channel = context.channel
        let request = request
        let handler = handler
        Task { @Sendable in
            let reply = await handler(request)
            switch reply {
            case .respond(let response): Self.write(response, to: channel)
            case .drop: channel.close(promise: nil)
            case .silence: return
            }
        }
    }

    private static func write(_ response: WireResponse, to channel: any Channel) {
        var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
        headers.add(name: "Content-Length", value: "\(response.body.count)")
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        channel.write(
            HTTPServerResponsePart.body(.byteBuffer(channel.allocator.buffer(bytes: response.body))), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
    }
}
