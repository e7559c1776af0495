#if GRPC
    import GRPCCore
    import Hopoate

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension StreamingServerResponse.Contents {
        /// Returns the contents with a stream that sees a container, and is followed by the end of its scope.
        ///
        /// The server does not run the stream if it cannot write the head of the response, for example because the client has cancelled
        /// the RPC in between. Then it releases the contents, and with them the last reference to the end.
        func followed(by end: ScopeEnd, report: FailureReport) -> StreamingServerResponse.Contents {
            let produce = producer
            return .init(metadata: metadata) { writer in
                let trailer: Metadata
                do {
                    // The server runs the stream after the handler has returned, outside of its binding.
                    trailer = try await ServerContext.$container.withValue(end.container) { try await produce(writer) }
                } catch {
                    let visible = report.visibleError(for: error)
                    await end.reach()
                    throw visible
                }
                await end.reach()
                return trailer
            }
        }
    }
#endif
