#if Logging
    import Dispatch
    public import Hopoate
    public import Logging

    /// Logs resolve calls at the level `trace` and creations at the level `debug`.
    ///
    /// ```swift
    /// import HopoateLogging
    ///
    /// container.instrument(with: LoggingInstrument())  // before the modules are installed
    /// ```
    ///
    /// The metadata holds `hopoate.service`, `hopoate.lifetime` and `hopoate.place`, and `hopoate.name` and `hopoate.arguments`
    /// if the service has them. For a creation it also holds `hopoate.outcome` (`created` or `failed`) and `hopoate.duration_ns`.
    /// A failed creation is logged at `debug` too: the caller gets the error and decides how serious it is.
    ///
    /// Cost: if the level is off, each resolve call and each creation checks the level. Without a fixed logger, each of them
    /// reads a task-local first. If the level is on, each message builds a dictionary of metadata. Every logged service loses
    /// its fast path, as every observed service does.
    ///
    /// - Note: Concurrency. Thread-safe. The log handler runs on the resolving thread, with no lock held. It must not resolve
    ///   logged services from the container.
    public struct LoggingInstrument: DependencyInstrument {
        private let logger: Logger?
        private let isOfInterest: @Sendable (ObservedDependency) -> Bool

        /// Creates an instrument that writes to a logger.
        ///
        /// ```swift
        /// import HopoateLogging
        /// import Logging
        ///
        /// container.instrument(with: LoggingInstrument(logger: Logger(label: "dependencies")) { $0.name == nil })
        /// ```
        ///
        /// - Parameters:
        ///   - logger: The logger to write to; nil for the current logger of each resolve call.
        ///   - isOfInterest: Whether to log a service; called once per registration. Other services cost nothing when they are
        ///     resolved.
        public init(
            logger: Logger? = nil, where isOfInterest: @escaping @Sendable (ObservedDependency) -> Bool = { _ in true }
        ) {
            self.logger = logger
            self.isOfInterest = isOfInterest
        }

        /// Returns the observer that logs a service.
        ///
        /// - Parameter dependency: The registration.
        /// - Returns: The observer; nil if the closure `isOfInterest` returned false for the registration.
        /// - Complexity: That of the closure.
        public func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? {
            isOfInterest(dependency) ? LoggingObserver(fixedLogger: logger, dependency: dependency) : nil
        }
    }

    private struct LoggingObserver: DependencyObserver {
        let fixedLogger: Logger?
        let dependency: ObservedDependency

        private var logger: Logger { fixedLogger ?? .current }

        // Copying the logger would make all threads contend on its reference count. So it is used in place.
        func didResolve() {
            guard let fixedLogger else { return logRequest(to: .current) }
            logRequest(to: fixedLogger)
        }

        private func logRequest(to logger: Logger) {
            logger.trace("resolved \(dependency)", metadata: metadata)
        }

        func create<Output>(_ factory: () throws -> Output) rethrows -> Output {
            let logger = logger
            guard logger.logLevel <= .debug else { return try factory() }
            let start = DispatchTime.now()
            do {
                let output = try factory()
                logCreation(since: start, to: logger)
                return output
            } catch {
                logFailure(error, since: start, to: logger)
                throw error
            }
        }

        func create<Output>(
            isolation: isolated (any Actor)?, _ factory: () async throws -> Output
        ) async rethrows -> Output {
            let logger = logger
            guard logger.logLevel <= .debug else { return try await factory() }
            let start = DispatchTime.now()
            do {
                let output = try await factory()
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
                "hopoate.service": .string(typeLabel(dependency.service)),
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
