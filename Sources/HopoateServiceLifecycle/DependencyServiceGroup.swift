#if ServiceLifecycle
    public import Hopoate
    public import Logging
    public import ServiceLifecycle
    public import UnixSignals

    /// Runs services of a container as a `ServiceGroup`, and shuts the container down when all of them have ended.
    ///
    /// ```swift
    /// import HopoateServiceLifecycle
    /// import ServiceLifecycle
    ///
    /// struct Server: Service {
    ///     func run() async throws { try await gracefulShutdown() }
    /// }
    ///
    /// func serve() async throws {
    ///     container.register(Server.self) { _ in Server() }
    ///     let group = DependencyServiceGroup(
    ///         container: container, services: [.init(Server.self)], gracefulShutdownSignals: [.sigterm])
    ///     try await group.run()
    /// }
    /// ```
    ///
    /// `run()` takes these steps:
    ///
    /// 1. It creates every singleton, where `warmUp` is set.
    /// 2. It resolves the services in their order, also those that are created asynchronously. Where that fails, none is run.
    /// 3. It runs them as a `ServiceGroup`, which traps the signals from here on, and shuts them down in the reverse order.
    /// 4. It shuts the container down, which disposes of what it holds in the reverse order of its creation. That is done however
    ///    the steps before ended, and to its end: a cancellation of the task does not reach the hooks.
    ///
    /// What hooks throw is logged. The error of a service comes first; where there is none, the failed disposal is thrown.
    ///
    /// A group is a service itself, so it can run in another group. Its services then end before the container does, and the
    /// container before the services that were listed before the group.
    ///
    /// - Note: Concurrency. From any task. A group is run once.
    public actor DependencyServiceGroup: Service {
        private enum State {
            case initial, starting, finished
            case running(ServiceGroup)
        }

        private let container: DependencyContainer
        private let services: [DependencyService]
        private let warmUp: Bool
        private var configuration: ServiceGroupConfiguration
        private var state = State.initial
        private var isShutdownRequested = false

        /// Makes a group of services of a container.
        ///
        /// ```swift
        /// import HopoateServiceLifecycle
        /// import ServiceLifecycle
        ///
        /// func makeGroup<Server: Service, Mailer: Service>(_ server: Server.Type, _ mailer: Mailer.Type) -> DependencyServiceGroup {
        ///     DependencyServiceGroup(
        ///         container: container,
        ///         services: [.init(mailer, failureTerminationBehavior: .ignore), .init(server)],
        ///         gracefulShutdownSignals: [.sigterm, .sigint])
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - container: Where the services are; it is shut down when they have ended.
        ///   - services: What to run, in this order. They end in the reverse order.
        ///   - warmUp: Whether to create every singleton of the container before anything runs.
        ///   - gracefulShutdownSignals: The signals that lead to graceful shutdown.
        ///   - cancellationSignals: The signals that lead to cancellation.
        ///   - logger: The group's logger.
        /// - Complexity: Linear in the number of services.
        /// - Note: Concurrency. From any thread.
        public init(
            container: DependencyContainer = .shared, services: [DependencyService], warmUp: Bool = false,
            gracefulShutdownSignals: [UnixSignal] = [], cancellationSignals: [UnixSignal] = [],
            logger: Logger = .current
        ) {
            self.init(
                container: container, services: services, warmUp: warmUp,
                configuration: ServiceGroupConfiguration(
                    services: [] as [ServiceGroupConfiguration.ServiceConfiguration],
                    gracefulShutdownSignals: gracefulShutdownSignals, cancellationSignals: cancellationSignals,
                    logger: logger))
        }

        /// Makes a group of services of a container, with all that a `ServiceGroup` can be told.
        ///
        /// ```swift
        /// import HopoateServiceLifecycle
        /// import Logging
        /// import ServiceLifecycle
        ///
        /// func makeGroup<Server: Service>(_ server: Server.Type) -> DependencyServiceGroup {
        ///     var configuration = ServiceGroupConfiguration(
        ///         services: [] as [any Service], gracefulShutdownSignals: [.sigterm], logger: Logger(label: "app"))
        ///     configuration.logging.keys.serviceKey = "service"
        ///     return DependencyServiceGroup(
        ///         container: container, services: [.init(server)], warmUp: true, configuration: configuration)
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - container: Where the services are; it is shut down when they have ended.
        ///   - services: What to run, in this order. They end in the reverse order.
        ///   - warmUp: Whether to create every singleton of the container before anything runs.
        ///   - configuration: The options; no signal may lead to both ends. Services that are in there already begin before those of the container, and end after them;
        ///     its limits of time are for services, and not for disposals.
        /// - Complexity: Linear in the number of services.
        /// - Note: Concurrency. From any thread.
        public init(
            container: DependencyContainer = .shared, services: [DependencyService], warmUp: Bool = false,
            configuration: ServiceGroupConfiguration
        ) {
            precondition(
                Set(configuration.gracefulShutdownSignals).isDisjoint(with: configuration.cancellationSignals),
                "a signal leads either to graceful shutdown or to cancellation: list it once")
            self.container = container
            self.services = services
            self.warmUp = warmUp
            self.configuration = configuration
        }

        /// Runs the services until all of them have ended, and then shuts the container down.
        ///
        /// - Throws: As `run(file:line:)`.
        /// - Complexity: The services, plus what the container holds.
        /// - Note: Concurrency. From any task, once.
        @_disfavoredOverload
        public func run() async throws {
            try await run(file: #fileID, line: #line)
        }

        /// Runs the services until all of them have ended, and then shuts the container down.
        ///
        /// - Parameters:
        ///   - file: Where it is called; filled in by the compiler.
        ///   - line: Where it is called; filled in by the compiler.
        /// - Throws: What a `ServiceGroup` of the services would throw. `DependencyError` where a service cannot be had, and
        ///   `CancellationError` where the task is cancelled before that; then nothing was run. `DependencyShutdownError` where
        ///   nothing but the disposal failed. `ServiceGroupError` where the group was run before: then nothing is done.
        /// - Complexity: The services, plus what the container holds.
        /// - Note: Concurrency. From any task, once.
        public func run(file: String = #fileID, line: Int = #line) async throws {
            switch state {
            case .initial: state = .starting
            case .starting, .running: throw ServiceGroupError.alreadyRunning(file: file, line: line)
            case .finished: throw ServiceGroupError.alreadyFinished(file: file, line: line)
            }

            let failure = await runServices()
            // From here on the group keeps no service: what the container lets go of is gone.
            state = .finished
            let shutdownFailure = await shutDownContainer()
            if let error = failure ?? shutdownFailure { throw error }
        }

        /// Shuts all services down gracefully, in the reverse order; `run()` returns when they have ended and the container has.
        ///
        /// ```swift
        /// import HopoateServiceLifecycle
        ///
        /// func stop(_ group: DependencyServiceGroup) async {
        ///     await group.triggerGracefulShutdown()
        /// }
        /// ```
        ///
        /// Before they run, the request is noted: they are shut down as soon as they do.
        ///
        /// - Complexity: Constant; it does not wait for the services.
        /// - Note: Concurrency. From any task.
        public func triggerGracefulShutdown() async {
            isShutdownRequested = true
            if case .running(let group) = state { await group.triggerGracefulShutdown() }
        }

        /// Makes the services and runs them.
        ///
        /// - Returns: What went wrong.
        private func runServices() async -> (any Error)? {
            do {
                let group = ServiceGroup(configuration: try await resolvedConfiguration())
                state = .running(group)
                if isShutdownRequested { await group.triggerGracefulShutdown() }
                try await group.run()
                return nil
            } catch let error as DependencyError where error.reason == .cancelled && Task.isCancelled {
                return CancellationError()
            } catch {
                return error
            }
        }

        private func resolvedConfiguration() async throws -> ServiceGroupConfiguration {
            var resolved = configuration
            configuration.services = []
            if warmUp { try await container.warmUp() }
            for service in services {
                resolved.services.append(try await service.configuration(container))
            }
            return resolved
        }

        /// Shuts the container down, where a cancellation of the caller does not reach.
        ///
        /// - Returns: What hooks threw.
        private func shutDownContainer() async -> DependencyShutdownError? {
            let container = container
            let shutdown = Task { () async -> DependencyShutdownError? in
                do throws(DependencyShutdownError) {
                    try await container.shutdown()
                    return nil
                } catch {
                    return error
                }
            }
            guard let error = await shutdown.value else { return nil }
            for failure in error.failures {
                configuration.logger.error(
                    "A service could not be disposed of.", error: failure.error,
                    metadata: [configuration.logging.keys.serviceKey: "\(String(reflecting: failure.service))"])
            }
            return error
        }
    }
#endif
