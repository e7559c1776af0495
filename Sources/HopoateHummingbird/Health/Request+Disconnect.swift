#if Hummingbird
    import Hummingbird

    /// The result of an operation that a disconnect may have cancelled.
    struct Watched<Output: Sendable>: Sendable {
        let output: Output
        /// Whether the operation was cancelled before it ended.
        let wasCancelled: Bool
        /// Whether the server closes the connection after the response.
        var endsConnection = false
    }

    @available(macOS 14, *)
    extension Request {
        /// Runs an operation, and cancels it if the client disconnects or the calling task is cancelled.
        ///
        /// Hummingbird reports a disconnect only while something reads the connection, and closes such a connection after the response.
        /// So the first milliseconds pass without reading: an operation that ends in time leaves the connection open. After that, the
        /// response needs `Connection: close`, or a client might send its next HTTP request on a connection that is about to be closed.
        /// HTTP/2 forbids this field, so only HTTP requests that are certainly HTTP/1 are watched.
        func untilDisconnected<Output>(_ operation: @escaping @Sendable () async -> Output) async -> Watched<Output> {
            let pause = Task { try? await Task.sleep(for: .milliseconds(50)) }
            let work = Task {
                let output = await operation()
                let watched = Watched(output: output, wasCancelled: Task.isCancelled)
                pause.cancel()
                return watched
            }
            return await withTaskCancellationHandler {
                await pause.value
                // The end of the operation cancels the pause.
                guard !pause.isCancelled, isCertainlyHTTP1, body.isConnection else { return await work.value }
                let watched = try? await body.consumeWithInboundCloseHandler { _ in
                    await work.value
                } onInboundClosed: {
                    work.cancel()
                }
                var result: Watched<Output>
                if let watched { result = watched } else { result = await work.value }
                result.endsConnection = true
                return result
            } onCancel: {
                work.cancel()
                pause.cancel()
            }
        }

        /// Whether the version is known to be 1: HTTP/2 has neither capital letters in names of fields nor the field `Connection`.
        private var isCertainlyHTTP1: Bool {
            headers.contains { field in
                field.name == .connection
                    || field.name.rawName.utf8.contains { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
            }
        }
    }

    @available(macOS 14, *)
    extension RequestBody {
        /// Whether the body comes from a connection, and no middleware has replaced it. Hummingbird traps if any other body is watched.
        ///
        /// By reflection, because a body does not publish its origin. If another version of Hummingbird stores it otherwise, no body is
        /// watched, and the checks run to their limit.
        fileprivate var isConnection: Bool {
            let backing = Mirror(reflecting: self).descendant("_backing")
            return backing.flatMap { Mirror(reflecting: $0).children.first?.label } == "nioAsyncChannelRequestBody"
        }
    }
#endif
