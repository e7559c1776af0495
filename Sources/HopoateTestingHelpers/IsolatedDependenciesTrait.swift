import Hopoate
public import Testing

/// Gives each test a container of its own in the place of `DependencyContainer.shared`.
///
/// ```swift
/// @Suite(.isolatedDependencies)
/// struct CheckoutTests {
///     @Test func pays() {
///         DependencyContainer.shared.register(PaymentMock(), for: (any Paying).self)  // seen by this test only
///     }
/// }
/// ```
///
/// Put it on a suite, and each test in it and in its inner suites is isolated, each argument of a parameterised test too;
/// or put it on a single test. Tests run in parallel as usual and do not see each other.
///
/// A test that asks for what is not registered, or makes another mistake with which the library ends a process, fails with the
/// text of the error, and the other tests go on. The function that asked cannot return, so the test is given up where it is:
/// nothing after that runs, also no `defer`, what it holds stays held (a lock, an actor, a borrowed service), and its child
/// tasks are cancelled. For that, tests run on threads of this library. Where the mistake is made on another thread, the main
/// one or that of an unstructured task, the failure is recorded and the process ends all the same; so it does in all tests
/// before macOS 15 and its relatives.
///
/// - Note: Concurrency. The container is bound to the test's task and those that it starts; see
///   `DependencyContainer.shared` for what a binding does not reach.
public struct IsolatedDependenciesTrait: SuiteTrait, TestTrait, TestScoping {
    /// What a test's container holds at first.
    public struct Contents: Sendable {
        fileprivate enum Kind { case nothing, surroundings }
        fileprivate let kind: Kind

        /// Nothing at all.
        public static let empty = Contents(kind: .nothing)

        /// What the surrounding container holds, which is the application's, or the one of an outer trait. Registrations of
        /// the test hide it and do not reach it.
        public static let inheriting = Contents(kind: .surroundings)

        func makeContainer() -> DependencyContainer {
            switch kind {
            case .nothing: DependencyContainer()
            case .surroundings: DependencyContainer.shared.makeChild()
            }
        }
    }

    fileprivate let contents: Contents

    /// A suite hands the trait on to each of its tests.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. Stateless.
    public var isRecursive: Bool { true }

    /// The scope of a test case; suites and parameterised tests as a whole have none.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: One of its cases, or nil for the test as a whole.
    /// - Returns: The trait itself, for each case.
    /// - Complexity: Constant.
    /// - Note: Concurrency. Stateless.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> IsolatedDependenciesTrait? {
        testCase == nil ? nil : self
    }

    /// Runs a test case with a container of its own.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: The case.
    ///   - function: What to run.
    /// - Throws: What the test throws. Where it is given up, nothing: the failure is recorded already.
    /// - Complexity: A container, a task, and two task-local bindings.
    /// - Note: Concurrency. In a task that has the test's task-locals and is cancelled with it.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withoutActuallyEscaping(function) { function in
            let lent = LentFunction(function)
            let outcome = await DependencyContainer.$shared.withValue(contents.makeContainer()) {
                await attempt(Handed { try await lent() }) { error in
                    Issue.record(error, sourceLocation: test.sourceLocation)
                }
            }
            switch outcome {
            case .over(let result):
                lent.end()
                try result.get()
            case .failed(let error):
                // Here and not where the mistake was made: a factory of a service for all callers does not run in the task of the
                // test, and the testing library knows the test by its task.
                Issue.record(error, sourceLocation: test.sourceLocation)
            }
        }
    }
}

extension Trait where Self == IsolatedDependenciesTrait {
    /// Gives each test an empty container in the place of `DependencyContainer.shared`.
    ///
    /// ```swift
    /// @Test(.isolatedDependencies) func startsEmpty() {
    ///     #expect(!DependencyContainer.shared.canResolve((any Paying).self))
    /// }
    /// ```
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. Stateless.
    public static var isolatedDependencies: Self { Self(contents: .empty) }

    /// Gives each test a container in the place of `DependencyContainer.shared`.
    ///
    /// ```swift
    /// @Test(.isolatedDependencies(.inheriting)) func seesWhatTheApplicationRegistered() {
    ///     DependencyContainer.shared.register(PaymentMock(), for: (any Paying).self)  // hides the application's
    /// }
    /// ```
    ///
    /// - Parameter contents: What it holds at first.
    /// - Returns: The trait.
    /// - Complexity: Constant.
    /// - Note: Concurrency. Stateless.
    public static func isolatedDependencies(_ contents: IsolatedDependenciesTrait.Contents) -> Self {
        Self(contents: contents)
    }
}
