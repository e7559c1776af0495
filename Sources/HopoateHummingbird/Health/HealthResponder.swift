#if Hummingbird
    import Hopoate
    import HopoateServer
    import Hummingbird

    /// Answers an HTTP request for the health of a container.
    @available(macOS 14, *)
    struct HealthResponder<Context: RequestContext>: HTTPResponder {
        let container: DependencyContainer
        let probe: DependencyHealth.Probe
        let limit: Duration
        let showsErrors: Bool
        let log: HealthLog

        @Sendable func respond(to request: Request, context: Context) async throws -> Response {
            let watched = await request.untilDisconnected {
                await container.health(for: probe, within: limit)
            }
            let health = watched.output
            // The checks of a cancelled call count as timed out, which says nothing about the services.
            if !watched.wasCancelled { await log.note(health, of: probe, to: context.logger) }
            let body = HealthBody(health, of: probe, showsErrors: showsErrors)
            var response = Response(
                status: body.isGood ? .ok : .serviceUnavailable,
                headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: try body.encoded())))
            if watched.endsConnection { response.headers[.connection] = "close" }
            return request.method == .head ? response.createHeadResponse() : response
        }
    }
#endif
