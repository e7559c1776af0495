// Without the trait nothing of this module exists. What stands in for it has its shapes, so that who forgot the trait reads
// which one, and not what else does not fit.
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
        ///   - logger: As with the trait.
        ///   - isOfInterest: As with the trait.
        public init(
            logger: Any? = nil, where isOfInterest: @escaping @Sendable (ObservedDependency) -> Bool = { _ in true }
        ) {}

        /// Needs the trait.
        ///
        /// - Parameter dependency: What is registered.
        /// - Returns: Nil.
        public func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { nil }
    }
#endif
