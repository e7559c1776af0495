/// The end of a request's scope: shuts its container down after the response, or when the response is released unwritten.
///
/// The integrations with servers share it. A server retains it in the closure that writes the response, and calls `reach()` when it has
/// written the response or has failed to.
///
/// - Note: Concurrency. Immutable and thread-safe.
///
/// Invariant: the scope ends on every path. The container begins one shutdown, and reports the errors of that one.
///
/// 1. `reach()` against `deinit`, for example because the client disconnects while the response is written: the caller of `reach()`
///    holds a reference until the call returns. So `deinit` runs after `reach()`, or instead of it.
/// 2. `deinit` after `reach()`, or two calls of `reach()`: `ContainerState.beginToEnd()` lets one shutdown begin. The later one finds
///    no hooks, and returns without an error.
/// 3. `deinit` against a task that outlives the request and creates an instance: if the instance exists before the shutdown begins, its
///    hooks run here. Otherwise the container disposes of it as soon as it exists.
package final class ScopeEnd: Sendable {
    private let child: DependencyContainer
    private let report: @Sendable (DependencyShutdownError) -> Void

    /// Creates the end of a scope.
    ///
    /// - Parameters:
    ///   - child: The container of the request.
    ///   - report: Gets the errors of disposal hooks, because nobody else does.
    package init(of child: DependencyContainer, report: @escaping @Sendable (DependencyShutdownError) -> Void) {
        self.child = child
        self.report = report
    }

    deinit {
        // A task costs more than all the rest, so it is started only if there may be a hook to await.
        if child.hasDisposals {
            Task { [child, report] in await child.shutdown(reportingTo: report) }
        } else {
            do throws(DependencyShutdownError) {
                try child.shutdown()
            } catch {
                report(error)
            }
        }
    }

    /// Ends the scope. Disposal hooks are awaited, unless another call has begun the shutdown.
    package func reach() async {
        await child.shutdown(reportingTo: report)
    }
}

extension DependencyContainer {
    /// Shuts the container down, and passes the errors of disposal hooks to a closure instead of throwing them.
    package func shutdown(reportingTo report: (DependencyShutdownError) -> Void) async {
        do throws(DependencyShutdownError) {
            try await shutdown()
        } catch {
            report(error)
        }
    }
}
