#if GRPC
    import GRPCCore
    import Hopoate

    /// Shuts the container of an RPC down: after the stream of the response, or if the response is released unwritten.
    ///
    /// Invariant: every path of an RPC reaches the end, and no hook runs twice. The stream and each failure call `reach()`. The server
    /// does not run the stream if it cannot write the head of the response, for example because the client has cancelled the RPC in
    /// between. Then it releases the response, and with it the last reference to this object. Since the stream retains the object,
    /// `deinit` never races with `reach()`. After `reach()`, the shutdown in `deinit` does nothing.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    final class ScopeEnd: Sendable {
        private let child: DependencyContainer
        private let report: FailureReport

        init(of child: DependencyContainer, report: FailureReport) {
            self.child = child
            self.report = report
        }

        deinit {
            if child.hasDisposals {
                Task { [child, report] in await Self.shutDown(child, report) }
            } else {
                try? child.shutdown()
            }
        }

        /// Ends the scope.
        func reach() async {
            await Self.shutDown(child, report)
        }

        /// Returns the contents of a response whose stream sees the container, and is followed by the end.
        func follow<Message>(
            _ contents: StreamingServerResponse<Message>.Contents
        ) -> StreamingServerResponse<Message>.Contents {
            let produce = contents.producer
            return .init(metadata: contents.metadata) { writer in
                let trailer: Metadata
                do {
                    // The server runs the stream after the handler has returned, outside of its binding.
                    trailer = try await ServerContext.$container.withValue(self.child) { try await produce(writer) }
                } catch {
                    let visible = self.report.visibleError(for: error)
                    await self.reach()
                    throw visible
                }
                await self.reach()
                return trailer
            }
        }

        private static func shutDown(_ child: DependencyContainer, _ report: FailureReport) async {
            do throws(DependencyShutdownError) {
                try await child.shutdown()
            } catch {
                report.log(error)
            }
        }
    }
#endif
