#if Hummingbird
    import Hopoate
    import Hummingbird
    import Logging

    /// Shuts the container of an HTTP request down, once: after the body of the response, or if the body is released unwritten.
    final class RequestEnd: Sendable {
        private let child: DependencyContainer
        private let logger: Logger

        init(of child: DependencyContainer, logger: Logger) {
            self.child = child
            self.logger = logger
        }

        /// The second shutdown of a container does nothing.
        deinit {
            if child.hasDisposals {
                Task { [child, logger] in await child.endRequest(logger: logger) }
            } else {
                try? child.shutdown()
            }
        }

        /// Returns the body, followed by the end.
        func follow(_ body: ResponseBody) -> ResponseBody {
            ResponseBody(contentLength: body.contentLength) { writer in
                do {
                    try await body.write(writer)
                } catch {
                    await self.child.endRequest(logger: self.logger)
                    throw error
                }
                await self.child.endRequest(logger: self.logger)
            }
        }
    }

    extension DependencyContainer {
        /// Shuts the container down, and logs the errors of its hooks.
        func endRequest(logger: Logger) async {
            do throws(DependencyShutdownError) {
                try await shutdown()
            } catch {
                for failure in error.failures {
                    logger.error(
                        "The disposal hook of a service failed.",
                        metadata: ["service": "\(String(reflecting: failure.service))", "error": "\(failure.error)"])
                }
            }
        }
    }
#endif
