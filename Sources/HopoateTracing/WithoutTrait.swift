// Without the trait, this module has no functionality. These stand-ins have the same declarations, so that a user who forgot the
// trait gets one error, which names it.
#if !Tracing
    public import Hopoate

    /// Unavailable: enable the trait `Tracing` where your package depends on Hopoate.
    @available(
        *, unavailable,
        message: """
            Enable the trait 'Tracing' of the package Hopoate: \
            .package(url: "https://github.com/hopoate/hopoate.git", from: "2.0.0", traits: ["Tracing"])
            """
    )
    public struct TracingInstrument: DependencyInstrument {
        /// Unavailable without the trait `Tracing`. Declared so that the compiler can name the missing trait.
        public init(
            tracer: Any? = nil, where isOfInterest: @escaping @Sendable (ObservedDependency) -> Bool = { _ in true }
        ) {}

        /// Unavailable without the trait `Tracing`. Declared so that the compiler can name the missing trait.
        public func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { nil }
    }
#endif
