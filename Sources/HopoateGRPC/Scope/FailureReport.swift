#if GRPC
    import GRPCCore
    import Hopoate
    import Logging

    /// Logs the failures of an RPC that clients must not read, and returns the errors that they get instead.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    struct FailureReport: Sendable {
        let method: MethodDescriptor
        let logger: Logger

        /// Returns the error that leaves the interceptor. Logs a `DependencyError`.
        func visibleError(for error: any Error) -> any Error {
            switch error {
            case let error as RPCError: visibleError(in: error)
            case let error as DependencyError: visibleError(for: error)
            case is CancellationError: RPCError(code: .cancelled, message: "")
            default: error
            }
        }

        /// Returns the same error, unless the server has wrapped an error of a handler in it.
        ///
        /// The server does so with the errors of handlers behind a later interceptor. An `RPCError` of the handler's own is left alone.
        func visibleError(in error: RPCError) -> RPCError {
            guard error.code == .unknown, error.message.isEmpty else { return error }
            return switch error.cause {
            case let cause as DependencyError: visibleError(for: cause)
            case is CancellationError: RPCError(code: .cancelled, message: "")
            default: error
            }
        }

        /// Logs each failed hook.
        func log(_ error: DependencyShutdownError) {
            for failure in error.failures {
                logger.error(
                    "The disposal hook of a service failed.",
                    metadata: [
                        "method": "\(method.fullyQualifiedMethod)", "service": "\(typeLabel(failure.service))",
                        "error": "\(failure.error)",
                    ])
            }
        }

        private func visibleError(for error: DependencyError) -> RPCError {
            // A call is cancelled if its task is, for example because the server is cancelled.
            let isCancelled = error.reason == .cancelled
            logger.log(
                level: isCancelled ? .debug : .error, "A service of an RPC could not be resolved.",
                metadata: ["method": "\(method.fullyQualifiedMethod)", "error": "\(error)"])
            return RPCError(code: isCancelled ? .cancelled : .internalError, message: "")
        }
    }
#endif
