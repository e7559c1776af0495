public import Hopoate
public import Testing

extension Trait where Self == IsolatedDependenciesTrait {
    /// Builds the container of each test with a closure, and validates it before the test.
    ///
    /// ```swift
    /// @Test(.validates(roots: Checkout.self) { Application.registerServices(in: $0) }) func wiringIsComplete() {
    ///     #expect(DependencyContainer.shared.canResolve(Checkout.self))
    /// }
    /// ```
    ///
    /// Each finding of `validate(_:roots:prepare:)` fails the test, at the place of the registration. Then the test runs, with the container as
    /// `DependencyContainer.shared`. Validation creates nothing.
    ///
    /// - Parameters:
    ///   - rules: The mistakes to look for, such as `.strict`.
    ///   - roots: The services that code outside the container resolves, such as the controllers of routes.
    ///   - sourceLocation: The place of findings without a registration, and of the roots.
    ///   - build: Registers the services of the program.
    ///   - prepare: Registers the services that each HTTP request brings.
    /// - Returns: The trait.
    /// - Complexity: Constant. For each test, that of `validate(_:roots:prepare:)`.
    public static func validates<each Root>(
        _ rules: DependencyValidationRules = .standard, roots: repeat (each Root).Type,
        sourceLocation: SourceLocation = #_sourceLocation,
        build: @escaping @Sendable (DependencyContainer) async throws -> Void,
        prepare: @escaping @Sendable (DependencyContainer) throws -> Void = { _ in }
    ) -> Self {
        var all: [DependencyRoot] = []
        // Without a place: that of the test is reported.
        for root in repeat each roots { all.append(DependencyRoot(root, fileID: "", line: 0)) }
        let roots = all
        return isolatedDependencies { container in
            try await build(container)
            do {
                try container.validate(rules, roots: roots, prepare: prepare)
            } catch let error as DependencyValidationError {
                for finding in error.findings { finding.record(at: sourceLocation) }
            }
        }
    }
}

extension DependencyValidationError.Finding {
    /// Fails the test of the calling task.
    fileprivate func record(at place: SourceLocation) {
        Issue.record(Comment(rawValue: description), sourceLocation: self.place.flatMap(location) ?? place)
    }
}
