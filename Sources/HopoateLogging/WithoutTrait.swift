// Without the trait, this module has no functionality. These stand-ins have the same declarations, so that a user who forgot the
// trait gets one error, which names it.
#if !Logging
    public import Hopoate

    /// Needs the trait `Logging`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Logging' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Logging"])
            """
    )
    public struct LoggingInstrument: DependencyInstrument {
        /// Needs the trait.
        ///
        /// - Parameters:
        ///   - logger: See the declaration with the trait.
        ///   - isOfInterest: See the declaration with the trait.
        public init(
            logger: Any? = nil, where isOfInterest: @escaping @Sendable (ObservedDependency) -> Bool = { _ in true }
        ) {}

        /// Needs the trait.
        ///
        /// - Parameter dependency: The registration.
        /// - Returns: Nil.
        public func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { nil }
    }
#endif
