// Without the trait, this module has no functionality. These stand-ins have the same declarations, so that a user who forgot the
// trait gets an error that names it.
#if !GRPC
    public import Hopoate

    /// Unavailable: enable the package trait with `.package(…, traits: ["GRPC"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'GRPC' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["GRPC"])
            """
    )
    public struct RequestScopeInterceptor: Sendable {
        /// Unavailable: enable the package trait `GRPC`. Declared so that the compiler can name it.
        public init(
            _ parent: DependencyContainer = .shared, logger: Any? = nil,
            prepare: @escaping @Sendable (DependencyContainer, Any, Any) async throws -> Void = { _, _, _ in }
        ) {}
    }

    /// Unavailable: enable the package trait with `.package(…, traits: ["GRPC"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'GRPC' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["GRPC"])
            """
    )
    public struct DependencyHealthService: Sendable {
        /// Unavailable: enable the package trait `GRPC`. Declared so that the compiler can name it.
        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        public init(
            of container: DependencyContainer = .shared, within limit: Duration,
            services: [String: [any Any.Type]] = [:],
            interval: Duration = .seconds(5)
        ) {}
    }

    /// Unavailable: enable the package trait with `.package(…, traits: ["GRPC"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'GRPC' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["GRPC"])
            """
    )
    public struct MissingRequestScopeInterceptor: Error {}
#endif
