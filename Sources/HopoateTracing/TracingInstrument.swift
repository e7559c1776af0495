#if Tracing
    public import Hopoate
    public import Tracing

    /// Records a tracing span around each creation.
    ///
    /// ```swift
    /// import HopoateTracing
    ///
    /// container.instrument(with: TracingInstrument())  // before the modules are installed
    /// ```
    ///
    /// The span is named `create` and the type in full. It is the current span while the factory runs, also across suspensions.
    /// So its children are the spans of dependencies that the factory creates, and of calls that it makes. The span records an
    /// error of the factory. Its attributes are `hopoate.service`, `hopoate.lifetime`, `hopoate.place`, and `hopoate.name` and
    /// `hopoate.arguments` if the service has them.
    ///
    /// Cost: one span per creation. A resolve call that creates nothing records no span, but a traced service loses its fast
    /// path, as every observed service does.
    ///
    /// - Note: Concurrency. Thread-safe.
    public struct TracingInstrument: DependencyInstrument {
        private let tracer: (any Tracer)?
        private let isOfInterest: @Sendable (ObservedDependency) -> Bool

        /// Creates an instrument that records spans with a tracer.
        ///
        /// ```swift
        /// import HopoateTracing
        ///
        /// container.instrument(with: TracingInstrument { $0.lifetime.description != "transient" })
        /// ```
        ///
        /// - Parameters:
        ///   - tracer: The tracer; nil for the current tracer of each creation.
        ///   - isOfInterest: Whether to trace a service; called once per registration. Other services cost nothing when they are
        ///     resolved.
        public init(
            tracer: (any Tracer)? = nil,
            where isOfInterest: @escaping @Sendable (ObservedDependency) -> Bool = { _ in true }
        ) {
            self.tracer = tracer
            self.isOfInterest = isOfInterest
        }

        /// Returns the observer that traces a service.
        ///
        /// - Parameter dependency: The registration.
        /// - Returns: The observer; nil if the closure `isOfInterest` returned false for the registration.
        /// - Complexity: That of the closure.
        public func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? {
            isOfInterest(dependency) ? TracingObserver(fixedTracer: tracer, dependency: dependency) : nil
        }
    }

    private struct TracingObserver: DependencyObserver {
        let fixedTracer: (any Tracer)?
        let dependency: ObservedDependency

        private var tracer: any Tracer { fixedTracer ?? InstrumentationSystem.tracer }
        private var spanName: String { "create " + typeLabel(dependency.service) }

        func create<Output>(_ factory: () throws -> Output) rethrows -> Output {
            try tracer.withSpan(spanName) { span in
                describe(dependency, in: span)
                return try factory()
            }
        }

        func create<Output>(
            isolation: isolated (any Actor)?, _ factory: () async throws -> Output
        ) async rethrows -> Output {
            try await tracer.withSpan(spanName, isolation: isolation) { span in
                describe(dependency, in: span)
                return try await factory()
            }
        }

        private func describe(_ dependency: ObservedDependency, in span: any Span) {
            // A span that is not recorded, such as one without a tracer, needs no texts.
            guard span.isRecording else { return }
            span.updateAttributes { attributes in
                attributes["hopoate.service"] = typeLabel(dependency.service)
                attributes["hopoate.lifetime"] = dependency.lifetime.description
                attributes["hopoate.place"] = dependency.place
                attributes["hopoate.name"] = dependency.name?.text
                attributes["hopoate.arguments"] = dependency.arguments
            }
        }
    }
#endif
