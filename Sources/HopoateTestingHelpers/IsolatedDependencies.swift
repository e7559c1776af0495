import Hopoate

/// Runs a closure with its own container as `DependencyContainer.shared`, for tests without traits, such as those of XCTest.
///
/// ```swift
/// func testGreets() async throws {
///     try await withIsolatedDependencies {
///         DependencyContainer.shared.register(Polite(), for: (any Greeter).self)  // visible only in here
///         _ = resolve((any Log).self)  // not registered: the test fails, and the next one runs
///     }
/// }
/// ```
///
/// An error that would otherwise trap is thrown. The closure runs in a task of its own, on threads of this library. If it fails, it is
/// abandoned as ``IsolatedDependenciesTrait`` describes. A closure that is isolated to the main actor runs there, and its failure traps.
///
/// - Parameters:
///   - contents: The initial contents of the container.
///   - body: The closure to run.
/// - Returns: The result of the closure.
/// - Throws: The error of the closure, or the `DependencyError` of a failure that would otherwise trap. After a closure that succeeds, an
///   error with the mistakes that ``IsolatedDependenciesTrait/Contents/strict(allowing:live:)`` finds.
/// - Complexity: One container, one task, and two task-local bindings.
/// - Note: Concurrency. The task of the closure, and the tasks that it starts, see the container. The task sees the caller's
///   task-locals, and is cancelled with the caller.
public func withIsolatedDependencies<Output>(
    _ contents: IsolatedDependenciesTrait.Contents = .empty, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping () async throws -> Output
) async throws -> Output {
    let (outcome, findings) = await Isolation(contents).run(Handed(body)) { _ in }
    switch outcome {
    case .over(let result):
        let output = try result.get()
        if !findings.isEmpty { throw Findings.Failure(findings) }
        return output
    case .failed(let error): throw error
    }
}
