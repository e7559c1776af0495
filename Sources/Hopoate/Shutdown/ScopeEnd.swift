/// The end of a request's scope: shuts its container down after the response, or when the response is released unwritten.
///
/// The integrations with servers share it. A server retains it in the closure that writes the response, and calls `reach()` when it has
/// written the response or has failed to.
///
/// - Note: Concurrency. Thread-safe.
///
/// Invariant: the scope ends on every path, and once: the call that takes the container out of this object ends it. Then the container
/// is released, even if the server keeps this object.
///
/// 1. `reach()` against `deinit`, for example because the client disconnects while the response is written: the caller of `reach()`
///    holds a reference until the call returns. So `deinit` runs after `reach()`, or instead of it.
/// 2. `deinit` after `reach()`, or two calls of `reach()`: the later one finds no container.
/// 3. `deinit` against a task that outlives the request and creates an instance: the shutdown takes the hooks in the step in which it
///    begins. So either it runs the hooks of that instance in their order, or the container refuses the instance and disposes of it.
package final class ScopeEnd: Sendable {
    /// The container of the request; nil once the end was reached.
    private let child: Locked<DependencyContainer?>
    private let report: @Sendable (DependencyShutdownError) -> Void

    /// Creates the end of a scope.
    ///
    /// - Parameters:
    ///   - child: The container of the request.
    ///   - report: Gets the errors of disposal hooks, because nobody else does.
    package init(of child: DependencyContainer, report: @escaping @Sendable (DependencyShutdownError) -> Void) {
        self.child = Locked(child)
        self.report = report
    }

    deinit {
        guard var child = take(), !DependencyContainer.endsByRelease(&child) else { return }
        // A task costs more than all the rest, so it is started only if there is a hook to await.
        guard let disposals = child.beginShutdown(), !disposals.isEmpty else { return }
        Task { [child, report] in
            defer { withExtendedLifetime(child) {} }
            let failures = await child.finish(disposals, isolation: nil)
            if !failures.isEmpty { report(DependencyShutdownError(failures)) }
        }
    }

    /// The container of the request; nil once the end was reached.
    package var container: DependencyContainer? { child.withLock { $0 } }

    /// Ends the scope. Disposal hooks are awaited, unless another call has begun the shutdown.
    package func reach() async {
        guard var child = take(), !DependencyContainer.endsByRelease(&child) else { return }
        await child.shutdown(reportingTo: report)
    }

    private func take() -> DependencyContainer? {
        child.withLock { child in
            defer { child = nil }
            return child
        }
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
