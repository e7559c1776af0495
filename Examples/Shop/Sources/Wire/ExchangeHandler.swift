import NIOCore
import NIOHTTP1

/// A request on its way through the pipeline, and who waits for the answer.
struct Exchange: Sendable {
    let request: WireRequest
    let host: String
    let timeout: TimeAmount
    let promise: EventLoopPromise<WireResponse>
}

/// Turns an exchange into the parts of a request, and the parts of a response into its answer.
final class ExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = Exchange
    typealias OutboundOut = HTTPClientRequestPart

    private var promise: EventLoopPromise<WireResponse>?
    private var deadline: Scheduled<Void>?
    private var response = WireResponse(0)

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let exchange = unwrapOutboundIn(data)
        self.promise = exchange.promise
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: exchange.timeout) {
            self.finish(.failure(WireError.timedOut))
            context.close(promise: nil)
        }
        context.write(wrapOutboundOut(.head(HTTPRequestHead(exchange))), promise: nil)
        if !exchange.request.body.isEmpty {
            let body = context.channel.allocator.buffer(bytes: exchange.request.body)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            response = WireResponse(Int(head.status.code), headers: head.headers.map { ($0.name, $0.value) })
        case .body(let buffer): response.body += buffer.readableBytesView
        case .end: finish(.success(response))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.failure(WireError.connectionLost))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finish(.failure(WireError.connectionLost))
        context.close(promise: nil)
    }

    private func finish(_ result: Result<WireResponse, any Error>) {
        deadline?.cancel()
        deadline = nil
        promise?.completeWith(result)
        promise = nil
    }
}

extension HTTPRequestHead {
    fileprivate init(_ exchange: Exchange) {
        let request = exchange.request
        var headers = HTTPHeaders([("Host", exchange.host)])
        for (name, value) in request.headers { headers.add(name: name, value: value) }
        if !request.body.isEmpty || request.method != "GET" {
            headers.add(name: "Content-Length", value: "\(request.body.count)")
        }
        self.init(
            version: .http1_1, method: HTTPMethod(rawValue: request.method), uri: request.path, headers: headers)
    }
}
