extension DependencyContainer {
    /// Runs an operation with a child container, and shuts the child down when the operation ends.
    ///
    /// ```swift
    /// container.register(Cart.self, lifetime: .scoped) { _ in Cart() }
    /// let cart = try await container.withChild { request in
    ///     request.register(7, for: Int.self)
    /// } operation: { request in
    ///     request.resolve(Cart.self)
    /// }
    /// print(cart)
    /// ```
    ///
    /// The child is shut down when the operation has returned or thrown, also after a cancellation, and if `prepare` throws. Disposal hooks
    /// run in the reverse order of creation, asynchronous ones are awaited, and cancelling the calling task does not cancel them. If a task
    /// outlives the operation and asks the child for one of its services, `resolve` traps and `require` throws
    /// ``DependencyError/Reason/shutDown``.
    ///
    /// The child is passed to the operation. It is not bound as ``shared``.
    ///
    /// - Parameters:
    ///   - prepare: Registers services that only the child has, such as the ID of an HTTP request.
    ///   - onDisposalFailure: Gets the errors of disposal hooks. If the closure is nil, the errors are thrown after an operation that
    ///     succeeded, and dropped after one that failed.
    ///   - operation: Runs with the child.
    /// - Returns: The result of the operation.
    /// - Throws: The error of `prepare` or of the operation, never replaced by that of a hook. If both succeed, hooks throw,
    ///   and `onDisposalFailure` is nil: ``DependencyShutdownError``.
    /// - Complexity: That of ``makeChild()`` and ``shutdown(isolation:)``, plus the closures.
    public func withChild<Output>(
        isolation: isolated (any Actor)? = #isolation, _ prepare: (DependencyContainer) throws -> Void,
        onDisposalFailure: ((DependencyShutdownError) -> Void)? = nil,
        operation: (DependencyContainer) async throws -> Output
    ) async throws -> Output {
        var child = makeChild()
        let result: Result<Output, any Error>
        do {
            try prepare(child)
            result = .success(try await operation(child))
        } catch {
            result = .failure(error)
        }
        if Self.endsByRelease(&child) { return try result.get() }
        do throws(DependencyShutdownError) {
            try await child.shutdown()
        } catch {
            try report(error, after: result, to: onDisposalFailure)
        }
        return try result.get()
    }

    /// Runs a synchronous operation with a child container, and shuts the child down without awaiting asynchronous hooks.
    ///
    /// ```swift
    /// let lines = try container.withChildWithoutAwaitingHooks { job in
    ///     job.register(7, for: Int.self)
    /// } operation: { job in
    ///     job.resolve(Report.self).lines
    /// }
    /// ```
    ///
    /// Use it in code that cannot suspend. Asynchronous disposal hooks are started, but not awaited. Otherwise this does the same as
    /// ``withChild(isolation:_:onDisposalFailure:operation:)``.
    ///
    /// - Parameters:
    ///   - prepare: Registers services that only the child has.
    ///   - onDisposalFailure: Gets the errors of synchronous disposal hooks; see `withChild`.
    ///   - operation: Runs with the child.
    /// - Returns: The result of the operation.
    /// - Throws: The same errors as `withChild`.
    /// - Complexity: That of ``makeChild()`` and ``shutdownWithoutAwaitingHooks()``, plus the closures.
    public func withChildWithoutAwaitingHooks<Output>(
        _ prepare: (DependencyContainer) throws -> Void, onDisposalFailure: ((DependencyShutdownError) -> Void)? = nil,
        operation: (DependencyContainer) throws -> Output
    ) throws -> Output {
        var child = makeChild()
        let result: Result<Output, any Error>
        do {
            try prepare(child)
            result = .success(try operation(child))
        } catch {
            result = .failure(error)
        }
        if Self.endsByRelease(&child) { return try result.get() }
        do throws(DependencyShutdownError) {
            try child.shutdownWithoutAwaitingHooks()
        } catch {
            try report(error, after: result, to: onDisposalFailure)
        }
        return try result.get()
    }

    /// Whether an instance of this container has a disposal hook, at this moment.
    package var hasDisposals: Bool { stateIfAny?.hasDisposals ?? false }

    /// Whether releasing a container does all that a shutdown would do: nobody else holds it, and there are no hooks.
    ///
    /// A shutdown waits for lookups in progress. The release of a container waits for nothing, because a lookup holds its container.
    /// Almost all request scopes can end in this way. If the result is true, the caller releases the container.
    ///
    /// The race: a weak reference is read after the count of references, for example by a ``DependencyProvider``. That thread would have
    /// a container that never ends, as long as its call lasts, and would create instances of which nobody awaits the hooks. So this
    /// function marks the container and then counts once more. The other thread gets its reference and then looks for the mark. Each of
    /// the two has a fence in between. So this function sees the reference, and the container is shut down; or the other thread sees the
    /// mark, and has no container. A weak reference of the user is not looked after: it may find the container until that is released.
    package static func endsByRelease(_ container: inout DependencyContainer) -> Bool {
        guard isKnownUniquelyReferenced(&container), !container.hasDisposals else { return false }
        return !container.registry.hasWeakReferences || endsByReleaseSlow(&container)
    }

    /// The slow path of `endsByRelease`, for a container with weak references.
    @inline(never)
    private static func endsByReleaseSlow(_ container: inout DependencyContainer) -> Bool {
        guard isUnused(&container) else { return false }
        if !container.hasDisposals { return true }
        container.registry.unmarkAsReleased()
        return false
    }

    /// Whether nobody else holds the container. Then no handle finds it any more, and the caller ends it.
    package static func isUnused(_ container: inout DependencyContainer) -> Bool {
        container.registry.markAsReleased()
        if isKnownUniquelyReferenced(&container) { return true }
        container.registry.unmarkAsReleased()
        return false
    }

    /// Whether releasing a container does all that a shutdown would do, although services of its scope are still in use: nothing that is
    /// left can resolve from it.
    package static func endsByReleaseBeforeLastUse(_ container: inout DependencyContainer) -> Bool {
        // A handle would not find the container any more.
        !container.registry.hasHandles && endsByRelease(&container)
    }

    /// Passes the errors of hooks to the handler. Without one, throws them unless the operation has failed.
    private func report<Output>(
        _ failure: DependencyShutdownError, after result: Result<Output, any Error>,
        to handler: ((DependencyShutdownError) -> Void)?
    ) throws(DependencyShutdownError) {
        if let handler { return handler(failure) }
        if case .success = result { throw failure }
    }
}
