public import Hopoate
public import Testing

extension Trait where Self == IsolatedDependenciesTrait {
    /// Starts a program many times before the test, each time with a fault in another factory.
    ///
    /// ```swift
    /// @Test(.everyStart(of: { Application.registerServices(in: $0) })) func failedStartsLeaveNothingOpen() {}
    /// ```
    ///
    /// Each start has a container of its own. One of the factories that the start runs
    ///
    /// - throws an error;
    /// - begins when the start is cancelled;
    /// - or, if it is asynchronous, hangs until the start has ended, which is cancelled meanwhile. Then it throws, or creates its instance too
    ///   late.
    ///
    /// Nothing takes time: a factory that hangs waits for the end of the start. The test fails if
    ///
    /// - a start or a stop does not end;
    /// - a start succeeds in spite of the fault, or throws another error;
    /// - a factory traps, because it calls `resolve` where `require` would throw;
    /// - the disposal hooks of an instance do not run exactly once;
    /// - a singleton is closed before one that has used it in its factory, and that existed when the stop began.
    ///
    /// By default, a start creates all singletons: the asynchronous ones first, in any order or at the same time, and then the others. The
    /// message of a failure has the seed, with which it can be repeated. The test itself runs with a container that is not started.
    ///
    /// - Parameters:
    ///   - build: Registers the services of the program: the same ones each time, and fakes of those that a test cannot start.
    ///   - start: Starts the container, for example with the `warmUp(limit:)` of HopoateServer.
    ///   - stop: Stops the container.
    ///   - seed: Decides the orders, and which starts are left out if there are too many; nil for another one each time.
    ///   - runs: The greatest number of starts with a fault.
    ///   - patience: The time in seconds after which a start counts as one that does not end.
    ///   - sourceLocation: The place of the failures.
    /// - Returns: The trait.
    /// - Complexity: Up to four starts for each factory of a start.
    public static func everyStart(
        of build: @escaping @Sendable (DependencyContainer) async throws -> Void,
        start: (@Sendable (DependencyContainer) async throws -> Void)? = nil,
        stop: @escaping @Sendable (DependencyContainer) async throws -> Void = { try await $0.shutdown() },
        seed: UInt64? = nil, runs: Int = 200, patience: Double = 600,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
        isolatedDependencies { container in
            let faults = StartFaults(
                build: build, start: start, stop: stop, seed: seed ?? .random(in: 0...UInt64(UInt32.max)), runs: runs,
                patience: patience)
            for mistake in await faults.mistakes() {
                Issue.record(Comment(rawValue: mistake), sourceLocation: sourceLocation)
            }
            try await build(container)
        }
    }
}
