public import Hopoate
public import Testing

/// A trait that gives each test its own container as `DependencyContainer.shared`.
///
/// ```swift
/// @Suite(.isolatedDependencies)
/// struct CheckoutTests {
///     @Test func pays() {
///         DependencyContainer.shared.register(PaymentMock(), for: (any Paying).self)  // visible only to this test
///     }
/// }
/// ```
///
/// Add it to a suite or to a test. In a suite it isolates each test, also in inner suites, and each argument of a parameterised
/// test. Tests run in parallel as usual and do not see each other's containers.
///
/// If a test resolves a missing service, or makes another mistake that traps, it fails with the text of the error, and the other
/// tests go on. The failing call cannot return, so the test is abandoned at this point: no later code runs, not even a `defer`.
/// Whatever the test holds stays held (a lock, an actor, a borrowed service), and its child tasks are cancelled.
///
/// To allow this, tests run on threads of this library. A mistake on another thread, such as the main thread or that of an
/// unstructured task, is recorded, and then the process traps. Before macOS 15 and the corresponding releases of other Apple
/// systems, it traps in all tests.
///
/// - Note: Concurrency. The test's task, and the tasks that it starts, see the container. `DependencyContainer.shared` lists
///   where such a binding does not reach.
public struct IsolatedDependenciesTrait: SuiteTrait, TestTrait, TestScoping {
    private let contents: Contents
    private let setUp: (@Sendable (DependencyContainer) async throws -> Void)?

    init(_ contents: Contents, setUp: (@Sendable (DependencyContainer) async throws -> Void)? = nil) {
        self.contents = contents
        self.setUp = setUp
    }

    /// True: a suite applies the trait to each of its tests.
    public var isRecursive: Bool { true }

    /// Returns the trait for a test case, and nil for suites and for parameterised tests as a whole.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: A case of the test; nil for the test as a whole.
    /// - Returns: The trait itself for a case; nil otherwise.
    /// - Complexity: Constant.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> IsolatedDependenciesTrait? {
        testCase == nil ? nil : self
    }

    /// Runs a test case with its own container.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: The case.
    ///   - function: The test case to run.
    /// - Throws: The error of the test or of its set-up. Nothing if it is abandoned, since the failure is recorded already.
    /// - Complexity: One container, one task, and two task-local bindings.
    /// - Note: Concurrency. The test runs in a task that sees its task-locals and is cancelled with it.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withoutActuallyEscaping(function) { function in
            let lent = LentFunction(function)
            let isolation = Isolation(contents)
            let body = Handed {
                try await setUp?(isolation.container)
                try await lent()
            }
            let (outcome, findings) = await isolation.run(body) { error in
                // Code that does not see the task-locals of the test fails for no test.
                let comment: Comment? = Test.current == nil ? "In the test '\(test.name)'" : nil
                Issue.record(error, comment, sourceLocation: test.sourceLocation)
            }
            for finding in findings { finding.record(at: test.sourceLocation) }
            switch outcome {
            case .over(let result):
                lent.end()
                try result.get()
            case .failed(let error):
                // Recorded here and not at the point of failure: the testing library knows the test by its task, and the factory
                // of a shared service does not run in that task.
                Issue.record(error, sourceLocation: test.sourceLocation)
            }
        }
    }
}

extension Trait where Self == IsolatedDependenciesTrait {
    /// Gives each test an empty container as `DependencyContainer.shared`.
    ///
    /// ```swift
    /// @Test(.isolatedDependencies) func startsEmpty() {
    ///     #expect(!DependencyContainer.shared.canResolve((any Paying).self))
    /// }
    /// ```
    public static var isolatedDependencies: Self { Self(.empty) }

    /// Gives each test its own container as `DependencyContainer.shared`.
    ///
    /// ```swift
    /// @Test(.isolatedDependencies(.inheriting)) func seesWhatTheApplicationRegistered() {
    ///     DependencyContainer.shared.register(PaymentMock(), for: (any Paying).self)  // shadows the application's
    /// }
    /// ```
    ///
    /// - Parameter contents: The initial contents of the container.
    /// - Returns: The trait.
    /// - Complexity: Constant.
    public static func isolatedDependencies(_ contents: IsolatedDependenciesTrait.Contents) -> Self { Self(contents) }

    /// Gives each test its own container as `DependencyContainer.shared`, and sets it up before the test.
    ///
    /// ```swift
    /// @Suite(.isolatedDependencies { $0.register((any Greeter).self) { _ in Polite() } })
    /// struct GreetingTests {
    ///     @Test func greets() {
    ///         _ = resolve((any Greeter).self)
    ///     }
    /// }
    /// ```
    ///
    /// The closure runs for each test case, so tests share nothing that it registers. If it throws or resolves a missing service, the
    /// test fails without running.
    ///
    /// - Parameters:
    ///   - contents: The initial contents of the container.
    ///   - setUp: Registers services in the container, which is `DependencyContainer.shared` meanwhile.
    /// - Returns: The trait.
    /// - Complexity: Constant.
    public static func isolatedDependencies(
        _ contents: IsolatedDependenciesTrait.Contents = .empty,
        setUp: @escaping @Sendable (DependencyContainer) async throws -> Void
    ) -> Self {
        Self(contents, setUp: setUp)
    }
}
