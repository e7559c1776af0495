#if Hummingbird
    import Hopoate
    import Hummingbird
    import Logging

    extension ResponseBody {
        /// Returns the body, followed by the end of a scope. If the body is never written, the scope ends when the body is released.
        func followed(by end: ScopeEnd) -> ResponseBody {
            ResponseBody(contentLength: contentLength) { writer in
                do {
                    try await write(writer)
                } catch {
                    await end.reach()
                    throw error
                }
                await end.reach()
            }
        }
    }

    extension Logger {
        /// Logs each failed hook.
        func logHooks(of error: DependencyShutdownError) {
            for failure in error.failures {
                self.error(
                    "The disposal hook of a service failed.",
                    metadata: ["service": "\(typeLabel(failure.service))", "error": "\(failure.error)"])
            }
        }
    }
#endif
