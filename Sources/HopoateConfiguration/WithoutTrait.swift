// Without the trait, this module has no functionality. These stand-ins have the same declarations, so that a user who forgot the
// trait gets an error that names it.
#if !Configuration
    /// Unavailable: enable the package trait with `.package(…, traits: ["Configuration"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Configuration' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Configuration"])
            """
    )
    public struct DependencyConfiguration: Sendable, ExpressibleByArrayLiteral {
        /// Unavailable: enable the package trait `Configuration`. Declared so that the compiler can name it.
        public init(arrayLiteral providers: Any...) {}
    }

    /// Unavailable: enable the package trait with `.package(…, traits: ["Configuration"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Configuration' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Configuration"])
            """
    )
    public protocol Configurable {}

    /// Unavailable: enable the package trait with `.package(…, traits: ["Configuration"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Configuration' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Configuration"])
            """
    )
    public protocol ConfigurationValue {}

    /// Unavailable: enable the package trait with `.package(…, traits: ["Configuration"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Configuration' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Configuration"])
            """
    )
    public struct Setting<Value> {}

    /// Unavailable: enable the package trait with `.package(…, traits: ["Configuration"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Configuration' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Configuration"])
            """
    )
    public struct Secret<Value> {}

    /// Unavailable: enable the package trait with `.package(…, traits: ["Configuration"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Configuration' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Configuration"])
            """
    )
    public struct ConfigurationDiagnostics {}

    /// Unavailable: enable the package trait with `.package(…, traits: ["Configuration"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Configuration' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Configuration"])
            """
    )
    public final class DependencyReload {}

    /// Unavailable: enable the package trait with `.package(…, traits: ["Configuration"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Configuration' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Configuration"])
            """
    )
    public struct DependencyReloadError: Error {}

    /// Unavailable: enable the package trait with `.package(…, traits: ["Configuration"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Configuration' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Configuration"])
            """
    )
    public struct DependencyConfigurationError: Error {}
#endif
