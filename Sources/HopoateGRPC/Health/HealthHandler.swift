#if GRPC
    import GRPCCore
    import Hopoate
    import HopoateServer
    import SwiftProtobuf

    /// Handles the RPCs of the health service.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    struct HealthHandler: Grpc_Health_V1_Health.SimpleServiceProtocol {
        typealias Request = Grpc_Health_V1_HealthCheckRequest
        typealias Response = Grpc_Health_V1_HealthCheckResponse

        let statuses: ServingStatuses
        let interval: Duration

        func check(request: Request, context: ServerContext) async throws -> Response {
            guard let status = await statuses.status(of: request.service) else {
                throw RPCError(code: .notFound, message: "This server does not list the health of that service.")
            }
            return Response.with { $0.status = status }
        }

        /// Sends the status, and then each change, until the RPC is cancelled or its stream is closed.
        func watch(request: Request, response: RPCWriter<Response>, context: ServerContext) async throws {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await context.cancellation.cancelled }
                group.addTask { try? await send(statusOf: request.service, to: response) }
                await group.next()
                group.cancelAll()
            }
            throw RPCError(code: .unavailable, message: "The server is shutting down.")
        }

        /// Sends the status whenever it differs from the last one. Throws if the task is cancelled or the stream is closed.
        private func send(statusOf service: String, to response: RPCWriter<Response>) async throws {
            var last: ServingStatuses.Status?
            while true {
                let status = await statuses.status(of: service) ?? .serviceUnknown
                // A report is incomplete if its task is cancelled.
                try Task.checkCancellation()
                if status != last { try await response.write(.with { $0.status = status }) }
                last = status
                try await Task.sleep(for: interval.saturated)
            }
        }
    }
#endif
