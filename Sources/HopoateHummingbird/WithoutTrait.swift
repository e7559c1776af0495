// Without the trait, this module has no functionality. These stand-ins have the same declarations, so that a user who forgot the
// trait gets an error that names it.
#if !Hummingbird
    public import Hopoate

    /// Unavailable: enable the package trait with `.package(…, traits: ["Hummingbird"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Hummingbird' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Hummingbird"])
            """
    )
    public protocol DependencyRequestContext {}

    /// Unavailable: enable the package trait with `.package(…, traits: ["Hummingbird"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Hummingbird' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Hummingbird"])
            """
    )
    public struct RequestScope<Context>: Sendable {
        /// Unavailable: enable the package trait `Hummingbird`. Declared so that the compiler can name it.
        public init(
            _ parent: DependencyContainer = .shared,
            tenant: MissingRequestScope? = nil, logsErrors: Bool = true,
            prepare: @escaping @Sendable (DependencyContainer, Any, Any) async throws -> Void = { _, _, _ in }
        ) {}
    }

    /// Unavailable: enable the package trait with `.package(…, traits: ["Hummingbird"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Hummingbird' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Hummingbird"])
            """
    )
    public struct MissingRequestScope: Error {}

    /// Unavailable: enable the package trait with `.package(…, traits: ["Hummingbird"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Hummingbird' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Hummingbird"])
            """
    )
    public struct DependencyRoutes<Context> {}
#endif
