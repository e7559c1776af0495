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
    }

    fileprivate let contents: Contents

    /// A suite hands the trait on to each of its tests.
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
    /// - Throws: What the test throws.
    /// - Complexity: A container and a task-local binding.
    /// - Note: Concurrency. On the test's task.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let container =
            switch contents.kind {
            case .nothing: DependencyContainer()
            case .surroundings: DependencyContainer.shared.makeChild()
            }
        try await DependencyContainer.$shared.withValue(container) { try await function() }
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
