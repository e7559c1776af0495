import Hopoate

/// Runs a closure with a container of its own in the place of `DependencyContainer.shared`: the trait `.isolatedDependencies`
/// for tests that have no traits, such as those of XCTest.
///
/// ```swift
/// withIsolatedDependencies {
///     DependencyContainer.shared.register(Polite(), for: (any Greeter).self)  // seen in here only
/// }
/// ```
///
/// It runs where it is called. So what is missing in it ends the process, as anywhere; the asynchronous form throws instead.
///
/// - Parameters:
///   - contents: What the container holds at first.
///   - body: What to run.
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
/// - Complexity: A container and a task-local binding.
/// - Note: Concurrency. For the current task and those that it starts.
@_disfavoredOverload  // So that an asynchronous test gets the other form even if its closure suspends nowhere.
public func withIsolatedDependencies<Output>(
    _ contents: IsolatedDependenciesTrait.Contents = .empty, _ body: () throws -> Output
) rethrows -> Output {
    try DependencyContainer.$shared.withValue(contents.makeContainer(), operation: body)
}

/// Runs an asynchronous closure with a container of its own in the place of `DependencyContainer.shared`, and throws where
/// that would have ended the process.
///
/// ```swift
/// func testGreets() async throws {
///     try await withIsolatedDependencies {
///         _ = resolve((any Greeter).self)  // not registered: the test fails, and the next one runs
///     }
/// }
/// ```
///
/// The closure runs on threads of this library, in a task of its own. Where it fails, it is given up as
/// ``IsolatedDependenciesTrait`` tells; a closure of the main actor runs there, and a failure ends the process.
///
/// - Parameters:
///   - contents: What the container holds at first.
///   - isolation: Where it is called; filled in by the compiler.
///   - body: What to run.
/// - Returns: What the closure returns.
/// - Throws: What the closure throws, and `DependencyError` for a mistake with which the library ends a process.
/// - Complexity: A container, a task, and two task-local bindings.
/// - Note: Concurrency. For the closure's task, which has the caller's task-locals and is cancelled with it, and for those
///   that it starts.
public func withIsolatedDependencies<Output>(
    _ contents: IsolatedDependenciesTrait.Contents = .empty, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping () async throws -> Output
) async throws -> Output {
    let handed = Handed(body)
    let outcome = await DependencyContainer.$shared.withValue(contents.makeContainer()) { await attempt(handed) }
    switch outcome {
    case .over(let result): return try result.get()
    case .failed(let error): throw error
    }
}
