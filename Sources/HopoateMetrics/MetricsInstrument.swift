#if Metrics
    public import CoreMetrics
    import Dispatch
    public import Hopoate

    /// Counts resolve calls and creations, and measures how long creations take.
    ///
    /// ```swift
    /// import HopoateMetrics
    ///
    /// container.instrument(with: MetricsInstrument())  // after MetricsSystem.bootstrap, and before the modules are installed
    /// ```
    ///
    /// The counters are `hopoate.resolves`, `hopoate.creations` and `hopoate.creation_failures`. The timer
    /// `hopoate.creation_time` measures all creations, failed ones included. The dimensions are `service` (the type in full with
    /// the types of its arguments), `name` (empty if there is none) and `lifetime`.
    ///
    /// Services with equal dimensions share their metrics. So children that register the same services again add no metrics. Do
    /// not use dynamic names as metric dimensions: exclude such services.
    ///
    /// Cost: a counter per resolve call; two clock readings, a counter and a timer per creation; a lookup of the metrics per
    /// registration. Every counted service loses its fast path, as every observed service does.
    ///
    /// - Note: Concurrency. Thread-safe. Metrics are created once, however many threads register at the same time.
    public struct MetricsInstrument: DependencyInstrument {
        private let metrics = DependencyContainer()
        private let isOfInterest: @Sendable (ObservedDependency) -> Bool

        /// Creates an instrument that reports to a metrics factory.
        ///
        /// ```swift
        /// import HopoateMetrics
        ///
        /// container.instrument(with: MetricsInstrument { $0.lifetime.description == "singleton" })
        /// ```
        ///
        /// - Parameters:
        ///   - factory: The metrics factory; by default the current one at the time of this call.
        ///   - isOfInterest: Whether to count a service; called once per registration. Other services cost nothing when they are
        ///     resolved.
        public init(
            factory: any MetricsFactory = MetricsSystem.factory,
            where isOfInterest: @escaping @Sendable (ObservedDependency) -> Bool = { _ in true }
        ) {
            self.isOfInterest = isOfInterest
            metrics.register(CreationMetrics.self, lifetime: .keyed) { (_, dimensions: Dimensions) in
                CreationMetrics(dimensions, factory)
            }
        }

        /// Returns the observer that counts a service.
        ///
        /// - Parameter dependency: The registration.
        /// - Returns: The observer; nil if the closure `isOfInterest` returned false for the registration.
        /// - Complexity: One lookup, plus the closure. The first call for a combination of type, name and lifetime creates
        ///   three counters and a timer.
        public func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? {
            guard isOfInterest(dependency) else { return nil }
            return metrics.resolve(CreationMetrics.self, arguments: Dimensions(dependency))
        }
    }

    /// The dimensions of the metrics of a service.
    private struct Dimensions: Hashable, Sendable {
        let service: String
        let name: String
        let lifetime: String

        init(_ dependency: ObservedDependency) {
            service = typeLabel(dependency.service) + (dependency.arguments ?? "")
            name = dependency.name?.text ?? ""
            lifetime = dependency.lifetime.description
        }

        var pairs: [(String, String)] { [("service", service), ("name", name), ("lifetime", lifetime)] }
    }

    private final class CreationMetrics: DependencyObserver {
        private let resolves: Counter
        private let creations: Counter
        private let failures: Counter
        private let time: Timer

        init(_ dimensions: Dimensions, _ factory: any MetricsFactory) {
            let pairs = dimensions.pairs
            resolves = Counter(label: "hopoate.resolves", dimensions: pairs, factory: factory)
            creations = Counter(label: "hopoate.creations", dimensions: pairs, factory: factory)
            failures = Counter(label: "hopoate.creation_failures", dimensions: pairs, factory: factory)
            time = Timer(label: "hopoate.creation_time", dimensions: pairs, factory: factory)
        }

        func didResolve() { resolves.increment() }

        func create<Output>(_ factory: () throws -> Output) rethrows -> Output {
            let start = DispatchTime.now()
            defer { noteCreation(since: start) }
            do {
                return try factory()
            } catch {
                failures.increment()
                throw error
            }
        }

        func create<Output>(
            isolation: isolated (any Actor)?, _ factory: () async throws -> Output
        ) async rethrows -> Output {
            let start = DispatchTime.now()
            defer { noteCreation(since: start) }
            do {
                return try await factory()
            } catch {
                failures.increment()
                throw error
            }
        }

        private func noteCreation(since start: DispatchTime) {
            time.recordNanoseconds(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds)
            creations.increment()
        }
    }
#endif
