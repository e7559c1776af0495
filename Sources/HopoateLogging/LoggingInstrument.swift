#if Logging
    import Dispatch
    public import Hopoate
    public import Logging

    /// Logs what a container hands out, at the level `trace`, and what it creates, at the level `debug`.
    ///
    /// ```swift
    /// import HopoateLogging
    ///
    /// container.instrument(with: LoggingInstrument())  // before the modules are installed
    /// ```
    ///
    /// What there is to know is in the metadata: `hopoate.service`, `hopoate.lifetime` and `hopoate.place`, and `hopoate.name` and
    /// `hopoate.arguments` where there are such; for a creation `hopoate.outcome`, which is `created` or `failed`, and
    /// `hopoate.duration_ns`. A creator that throws is whoever asked's to judge, so that is no more than a message for debugging.
    ///
    /// Where the level is off, a request costs a look at the level, and so does a creation.
    ///
    /// - Note: Concurrency. From any thread. The log handler is called on the thread that asks, with nothing locked; it must not ask
    ///   the container for something that is logged.
    public struct LoggingInstrument: DependencyInstrument {
        private let logger: Logger?
        private let isOfInterest: @Sendable (ObservedDependency) -> Bool

        /// Makes an instrument that writes to a logger.
        ///
        /// ```swift
        /// import HopoateLogging
        /// import Logging
        ///
        /// container.instrument(with: LoggingInstrument(logger: Logger(label: "dependencies")) { $0.name == nil })
        /// ```
        ///
        /// - Parameters:
        ///   - logger: Where to write; nil for the logger that is current where a service is asked for.
        ///   - isOfInterest: Whether to log a service; asked once for each registration. What is not logged costs nothing.
        /// - Complexity: Constant.
        /// - Note: Concurrency. From any thread.
        public init(
            logger: Logger? = nil, where isOfInterest: @escaping @Sendable (ObservedDependency) -> Bool = { _ in true }
        ) {
            self.logger = logger
            self.isOfInterest = isOfInterest
        }

        /// Says who logs a service.
        ///
        /// - Parameter dependency: What is registered.
        /// - Returns: Who logs it; nil where it is not of interest.
        /// - Complexity: Constant, plus the closure.
        /// - Note: Concurrency. From any thread.
        public func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? {
            isOfInterest(dependency) ? LoggingObserver(fixedLogger: logger, dependency: dependency) : nil
        }
    }

    private struct LoggingObserver: DependencyObserver {
        let fixedLogger: Logger?
        let dependency: ObservedDependency

        private var logger: Logger { fixedLogger ?? .current }

        // A logger is counted like any object, and all threads would count this one: so it is not taken out here.
        func didResolve() {
            guard let fixedLogger else { return logRequest(to: .current) }
            logRequest(to: fixedLogger)
        }

        private func logRequest(to logger: Logger) {
            logger.trace("resolved \(dependency)", metadata: metadata)
        }

        func create<Output>(_ creator: () throws -> Output) rethrows -> Output {
            let logger = logger
            guard logger.logLevel <= .debug else { return try creator() }
            let start = DispatchTime.now()
            do {
                let output = try creator()
                logCreation(since: start, to: logger)
                return output
            } catch {
                logFailure(error, since: start, to: logger)
                throw error
            }
        }

        func create<Output>(
            isolation: isolated (any Actor)?, _ creator: () async throws -> Output
        ) async rethrows -> Output {
            let logger = logger
            guard logger.logLevel <= .debug else { return try await creator() }
            let start = DispatchTime.now()
            do {
                let output = try await creator()
                logCreation(since: start, to: logger)
                return output
            } catch {
                logFailure(error, since: start, to: logger)
                throw error
            }
        }

        private func logCreation(since start: DispatchTime, to logger: Logger) {
            logger.debug("created \(dependency)", metadata: metadata(of: "created", since: start))
        }

        private func logFailure(_ error: any Error, since start: DispatchTime, to logger: Logger) {
            logger.debug("failed to create \(dependency)", error: error, metadata: metadata(of: "failed", since: start))
        }

        private var metadata: Logger.Metadata {
            var metadata: Logger.Metadata = [
                "hopoate.service": .string(String(reflecting: dependency.service)),
                "hopoate.lifetime": .string(dependency.lifetime.description),
            ]
            metadata["hopoate.name"] = (dependency.name?.text).map { .string($0) }
            metadata["hopoate.arguments"] = dependency.arguments.map { .string($0) }
            metadata["hopoate.place"] = dependency.place.map { .string($0) }
            return metadata
        }

        private func metadata(of outcome: String, since start: DispatchTime) -> Logger.Metadata {
            var metadata = metadata
            metadata["hopoate.outcome"] = .string(outcome)
            metadata["hopoate.duration_ns"] = .stringConvertible(
                DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds)
            return metadata
        }
    }
#endif
