public import Hopoate

extension IsolatedDependenciesTrait {
    /// The initial contents of a test's container.
    ///
    /// ```swift
    /// @Suite(.isolatedDependencies(.inheriting)) struct GreetingTests {}
    /// ```
    ///
    /// - Note: Concurrency. Immutable and thread-safe.
    public struct Contents: Sendable {
        enum Kind: Sendable {
            case nothing, surroundings
            /// With the types of the live services that a test may use, and the closure that registers all of them.
            case strict(Set<ObjectIdentifier>, (@Sendable (DependencyContainer) throws -> Void)?)
        }
        let kind: Kind

        /// An empty container.
        public static let empty = Contents(kind: .nothing)

        /// The contents of the surrounding container: that of the application, or of an outer trait. Registrations of the test
        /// shadow them and are not visible outside.
        public static let inheriting = Contents(kind: .surroundings)

        /// An empty container, which the test has to shut down if it creates services with disposal hooks.
        ///
        /// For live services, see ``strict(allowing:live:)``.
        public static let strict = Contents(kind: .strict([], nil))

        /// The live services of the program, of which the test may use only those that it allows.
        ///
        /// ```swift
        /// @Suite(.isolatedDependencies(.strict(allowing: Checkout.self, live: Application.registerServices)))
        /// struct CheckoutTests {
        ///     @Test func greets() {
        ///         DependencyContainer.shared.register(GreeterMock(), for: (any Greeter).self)
        ///         DependencyContainer.shared.register(ConsoleLog(), for: (any Log).self)
        ///         _ = resolve(Checkout.self)  // with the fakes; the live greeter would fail the test
        ///     }
        /// }
        /// ```
        ///
        /// A test case fails if
        ///
        /// - it uses a live service that it neither allows nor shadows with a registration of its own. The service is not created. The message
        ///   has the services that needed it. An `.eager` service exists already, and fails the test when it is resolved.
        /// - an instance of its container, or of a child, has disposal hooks that no shutdown and no removal has run.
        ///
        /// Services that cannot be copied are not checked.
        ///
        /// - Parameters:
        ///   - allowed: The types of the live services that the test may use, with any name and arguments.
        ///   - live: Registers the live services, before the set-up of the test. It runs for each test case.
        /// - Returns: The contents.
        /// - Complexity: Linear in the number of types.
        public static func strict<each Service>(
            allowing allowed: repeat (each Service).Type, live: @escaping @Sendable (DependencyContainer) throws -> Void
        ) -> Contents {
            var types: Set<ObjectIdentifier> = []
            for type in repeat each allowed { types.insert(ObjectIdentifier(type)) }
            return Contents(kind: .strict(types, live))
        }
    }
}
