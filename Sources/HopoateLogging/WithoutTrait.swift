// Without the trait, this module has no functionality. These stand-ins have the same declarations, so that a user who forgot the
// trait gets one error, which names it.
#if !Logging
    public import Hopoate

    /// Unavailable: enable the package trait with `.package(…, traits: ["Logging"])`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Logging' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Logging"])
            """
    )
    public struct LoggingInstrument: DependencyInstrument {
        /// Unavailable: enable the package trait `Logging`. Declared so that the compiler can name it.
        public init(
            logger: Any? = nil, where isOfInterest: @escaping @Sendable (ObservedDependency) -> Bool = { _ in true }
        ) {}

        /// Unavailable: enable the package trait `Logging`. Declared so that the compiler can name it.
        public func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { nil }
    }
#endif
