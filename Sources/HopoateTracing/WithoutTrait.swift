// Without the trait, this module has no functionality. These stand-ins have the same declarations, so that a user who forgot the
// trait gets one error, which names it.
#if !Tracing
    public import Hopoate

    /// Needs the trait `Tracing`.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Tracing' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Tracing"])
            """
    )
    public struct TracingInstrument: DependencyInstrument {
        /// Needs the trait.
        ///
        /// - Parameters:
        ///   - tracer: See the declaration with the trait.
        ///   - isOfInterest: See the declaration with the trait.
        public init(
            tracer: Any? = nil, where isOfInterest: @escaping @Sendable (ObservedDependency) -> Bool = { _ in true }
        ) {}

        /// Needs the trait.
        ///
        /// - Parameter dependency: The registration.
        /// - Returns: Nil.
        public func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { nil }
    }
#endif
