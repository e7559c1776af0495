#if Tracing
    public import Hopoate
    public import Tracing

    /// Draws what a container creates into traces: a span around each creator.
    ///
    /// ```swift
    /// import HopoateTracing
    ///
    /// container.instrument(with: TracingInstrument())  // before the modules are installed
    /// ```
    ///
    /// The span is called `create` and the type in full. It is current while the creator runs, also across suspensions, so the spans
    /// of what the creator asks for, and of the calls it makes, are its children. What a creator throws is recorded in its span.
    /// The attributes are `hopoate.service`, `hopoate.lifetime`, `hopoate.place`, and `hopoate.name` and `hopoate.arguments` where there
    /// are such. Requests that create nothing leave no span.
    ///
    /// - Note: Concurrency. From any thread.
    public struct TracingInstrument: DependencyInstrument {
        private let tracer: (any Tracer)?
        private let isOfInterest: @Sendable (ObservedDependency) -> Bool

        /// Makes an instrument that draws with a tracer.
        ///
        /// ```swift
        /// import HopoateTracing
        ///
        /// container.instrument(with: TracingInstrument { $0.lifetime.description != "transient" })
        /// ```
        ///
        /// - Parameters:
        ///   - tracer: Makes the spans; nil for the tracer that is current where a service is created.
        ///   - isOfInterest: Whether to trace a service; asked once for each registration. What is not traced costs nothing.
        /// - Complexity: Constant.
        /// - Note: Concurrency. From any thread.
        public init(
            tracer: (any Tracer)? = nil,
            where isOfInterest: @escaping @Sendable (ObservedDependency) -> Bool = { _ in true }
        ) {
            self.tracer = tracer
            self.isOfInterest = isOfInterest
        }

        /// Says who traces a service.
        ///
        /// - Parameter dependency: What is registered.
        /// - Returns: Who traces it; nil where it is not of interest.
        /// - Complexity: Constant, plus the closure.
        /// - Note: Concurrency. From any thread.
        public func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? {
            isOfInterest(dependency) ? TracingObserver(fixedTracer: tracer, dependency: dependency) : nil
        }
    }

    private struct TracingObserver: DependencyObserver {
        let fixedTracer: (any Tracer)?
        let dependency: ObservedDependency

        private var tracer: any Tracer { fixedTracer ?? InstrumentationSystem.tracer }
        private var spanName: String { "create " + String(reflecting: dependency.service) }

        func create<Output>(_ creator: () throws -> Output) rethrows -> Output {
            try tracer.withSpan(spanName) { span in
                describe(dependency, in: span)
                return try creator()
            }
        }

        func create<Output>(
            isolation: isolated (any Actor)?, _ creator: () async throws -> Output
        ) async rethrows -> Output {
            try await tracer.withSpan(spanName, isolation: isolation) { span in
                describe(dependency, in: span)
                return try await creator()
            }
        }

        private func describe(_ dependency: ObservedDependency, in span: any Span) {
            // A span that nobody records, as without a tracer, needs no texts.
            guard span.isRecording else { return }
            span.updateAttributes { attributes in
                attributes["hopoate.service"] = String(reflecting: dependency.service)
                attributes["hopoate.lifetime"] = dependency.lifetime.description
                attributes["hopoate.place"] = dependency.place
                attributes["hopoate.name"] = dependency.name?.text
                attributes["hopoate.arguments"] = dependency.arguments
            }
        }
    }
#endif
