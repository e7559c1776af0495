#if Metrics
    public import CoreMetrics
    import Dispatch
    public import Hopoate

    /// Counts what a container hands out and creates, and how long the creation takes.
    ///
    /// ```swift
    /// import HopoateMetrics
    ///
    /// container.instrument(with: MetricsInstrument())  // after MetricsSystem.bootstrap, and before the modules are installed
    /// ```
    ///
    /// The counters are `hopoate.resolves`, `hopoate.creations`, and `hopoate.creation_failures` for those creations that threw; the
    /// timer of all creations is `hopoate.creation_time`. The dimensions are `service`, which is the type in full with the types of
    /// the arguments, `name`, which is empty where there is none, and `lifetime`.
    ///
    /// Services that have all of these in common share their metrics. So children that register the same again and again make no
    /// new ones; but names that are made up at run time would: leave such services out.
    ///
    /// - Note: Concurrency. From any thread. The metrics are made once however many threads register at once.
    public struct MetricsInstrument: DependencyInstrument {
        private let metrics = DependencyContainer()
        private let isOfInterest: @Sendable (ObservedDependency) -> Bool

        /// Makes an instrument that reports to a factory of metrics.
        ///
        /// ```swift
        /// import HopoateMetrics
        ///
        /// container.instrument(with: MetricsInstrument { $0.lifetime.description == "singleton" })
        /// ```
        ///
        /// - Parameters:
        ///   - factory: Makes the metrics; by default the one that is current where the instrument is made.
        ///   - isOfInterest: Whether to count a service; asked once for each registration. What is not counted costs nothing.
        /// - Complexity: Constant.
        /// - Note: Concurrency. From any thread.
        public init(
            factory: any MetricsFactory = MetricsSystem.factory,
            where isOfInterest: @escaping @Sendable (ObservedDependency) -> Bool = { _ in true }
        ) {
            self.isOfInterest = isOfInterest
            metrics.register(CreationMetrics.self, lifetime: .keyed) { (_, dimensions: Dimensions) in
                CreationMetrics(dimensions, factory)
            }
        }

        /// Says who counts a service.
        ///
        /// - Parameter dependency: What is registered.
        /// - Returns: Who counts it; nil where it is not of interest.
        /// - Complexity: Constant, plus the closure. The first of its kind makes four metrics.
        /// - Note: Concurrency. From any thread.
        public func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? {
            guard isOfInterest(dependency) else { return nil }
            return metrics.resolve(CreationMetrics.self, arguments: Dimensions(dependency))
        }
    }

    /// What tells metrics apart.
    private struct Dimensions: Hashable, Sendable {
        let service: String
        let name: String
        let lifetime: String

        init(_ dependency: ObservedDependency) {
            service = String(reflecting: dependency.service) + (dependency.arguments ?? "")
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

        func create<Output>(_ creator: () throws -> Output) rethrows -> Output {
            let start = DispatchTime.now()
            defer { noteCreation(since: start) }
            do {
                return try creator()
            } catch {
                failures.increment()
                throw error
            }
        }

        func create<Output>(
            isolation: isolated (any Actor)?, _ creator: () async throws -> Output
        ) async rethrows -> Output {
            let start = DispatchTime.now()
            defer { noteCreation(since: start) }
            do {
                return try await creator()
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
