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
    /// Validation cannot look into closures. If you pass the file that `swift package check-wiring --write wiring.json` has written, it
    /// follows the services that the closures resolve as well:
    ///
    /// ```swift
    /// @Test(.validates(.strict, roots: Checkout.self, needs: "wiring.json") { Application.registerServices(in: $0) })
    /// func closuresAreComplete() {
    ///     _ = resolve(Checkout.self)
    /// }
    /// ```
    ///
    /// Then the test also fails if a factory resolves a service that the file does not list for it, and if the file is out of date: a
    /// closure of the program is registered at a place that the file does not have. A place of the file at which nothing is registered is
    /// no failure, because the program may register there under a condition or for each request.
    ///
    /// - Parameters:
    ///   - rules: The mistakes to look for, such as `.strict`.
    ///   - roots: The services that code outside the container resolves, such as the controllers of routes.
    ///   - needs: The path of the file: absolute, or relative to the folder of the test's source file or one above it in the package. Nil to
    ///     validate without the needs of closures.
    ///   - filePath: The source file of the test.
    ///   - sourceLocation: The place of findings without a registration, and of the roots.
    ///   - build: Registers the services of the program.
    ///   - prepare: Registers the services that each HTTP request brings.
    /// - Returns: The trait.
    /// - Complexity: Constant. For each test, that of `validate(_:roots:prepare:)`.
    public static func validates<each Root>(
        _ rules: DependencyValidationRules = .standard, roots: repeat (each Root).Type,
        needs: String? = nil, filePath: StaticString = #filePath, sourceLocation: SourceLocation = #_sourceLocation,
        build: @escaping @Sendable (DependencyContainer) async throws -> Void,
        prepare: @escaping @Sendable (DependencyContainer) throws -> Void = { _ in }
    ) -> Self {
        var all: [DependencyRoot] = []
        // Without a place: that of the test is reported.
        for root in repeat each roots { all.append(DependencyRoot(root, fileID: "", line: 0)) }
        let roots = all
        return isolatedDependencies { container in
            let source = try needs.map { try SourceWiringFile.read($0, besides: "\(filePath)") }
            if let source { container.observe(source) }
            try await build(container)
            if let source, container.record(differencesFrom: source, at: sourceLocation) { return }
            do {
                try container.validate(rules, roots: roots, prepare: prepare)
            } catch let error as DependencyValidationError {
                for finding in error.findings { finding.record(at: sourceLocation) }
            }
        }
    }
}

extension DependencyContainer {
    /// Lets validation follow the needs of the source, and the test fail for uses that they do not list.
    fileprivate func observe(_ source: SourceWiring) {
        sourceWiring = source
        if let findings = Findings.current { instrument(with: SourceUses(source, findings)) }
    }

    /// Fails the test of the calling task if the needs of the source are those of other code.
    ///
    /// - Returns: Whether they are.
    fileprivate func record(differencesFrom source: SourceWiring, at place: SourceLocation) -> Bool {
        if source.isUnrelated(to: self) {
            Issue.record(Comment(rawValue: unrelatedWiringMessage(source.file)), sourceLocation: place)
            return true
        }
        let unlisted = source.unlisted(in: self)
        for registration in unlisted {
            Issue.record(
                Comment(rawValue: unlistedRegistrationMessage(registration, source.file)),
                sourceLocation: registration.place.flatMap(location) ?? place)
        }
        return !unlisted.isEmpty
    }
}

extension DependencyValidationError.Finding {
    /// Fails the test of the calling task.
    fileprivate func record(at place: SourceLocation) {
        Issue.record(Comment(rawValue: description), sourceLocation: self.place.flatMap(location) ?? place)
    }
}
