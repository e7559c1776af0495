public import Hopoate

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension DependencyContainer {
    /// Creates every singleton that does not exist yet, independent ones in parallel, and reports how long each took.
    ///
    /// ```swift
    /// let report = try await container.warmUp(limit: .seconds(30))
    /// print(report)  // a bar for each service, and the chain that determined the total
    /// ```
    ///
    /// Each creation has the same time limit, which begins when it starts. A creation that exceeds it is cancelled and left behind: the call
    /// does not wait for it, and the error names it.
    ///
    /// - **Order.** A singleton that was registered with `using:` is created after the singletons that its initializer needs. Of several that
    ///   can be created, the oldest registration comes first.
    /// - **In parallel.** Asynchronous factories run at the same time. Synchronous factories run one at a time, because each occupies a
    ///   thread. A synchronous closure runs after all other factories, so that it finds asynchronous services with `resolve`.
    /// - **Asynchronous closures** use `asyncResolve` for other asynchronous services. If `require` throws because such a service does not
    ///   exist yet, the factory runs again later. `resolve` would trap.
    /// - **Failures.** If a creation fails, singletons that need it are not created. Independent ones still are, so that the error names all
    ///   causes. No synchronous closure runs after a failure, because it may `resolve` a service that does not exist.
    /// - **Cancellation.** If the task is cancelled, the call cancels the creations that it has begun and throws, without waiting for them.
    ///
    /// Existing instances stay when the call fails. ``shutdown(limit:hookLimit:isolation:)`` disposes of them in the reverse order. It does not
    /// wait for a creation that was left behind. The hook of such an instance runs as soon as it exists.
    ///
    /// Singletons of the parents are not created. Other callers may resolve services at the same time; they share the instances.
    ///
    /// - Parameters:
    ///   - limit: The time for each creation; nil for no limit. If it is zero or less, creations are cancelled when they start.
    ///   - width: The greatest number of creations at the same time; at least 1.
    /// - Returns: The singletons that were created, with their times.
    /// - Throws: ``DependencyStartError`` with all failures and all creations that did not end in time.
    /// - Complexity: O(n · m) in the number of singletons and of the services behind each of them, plus the factories. A factory that is
    ///   tried again runs again.
    @discardableResult
    public func warmUp(limit: Duration?, width: Int = 8) async throws(DependencyStartError) -> DependencyStartReport {
        try await warmUp(limit: limit, width: width, clock: ContinuousClock())
    }

    /// The same with another clock.
    ///
    /// ```swift
    /// let report = try await container.warmUp(limit: .seconds(30), clock: SuspendingClock())
    /// print(report.total)
    /// ```
    ///
    /// - Parameters:
    ///   - limit: The time for each creation; nil for no limit. If it is zero or less, creations are cancelled when they start.
    ///   - width: The greatest number of creations at the same time; at least 1.
    ///   - clock: The clock that measures all times, for example one that a test controls.
    /// - Returns: The singletons that were created, with their times.
    /// - Throws: ``DependencyStartError`` with all failures and all creations that did not end in time.
    /// - Complexity: That of ``warmUp(limit:width:)``.
    @discardableResult
    public func warmUp(
        limit: Duration?, width: Int = 8, clock: some Clock<Duration>
    ) async throws(DependencyStartError) -> DependencyStartReport {
        var run = StartRun(self, limit: limit, width: width, ClockTime(clock))
        return try await run.run()
    }
}
