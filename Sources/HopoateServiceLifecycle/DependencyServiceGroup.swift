#if ServiceLifecycle
    public import Hopoate
    public import Logging
    public import ServiceLifecycle
    public import UnixSignals

    /// Runs services of a container as a `ServiceGroup`, and shuts the container down after they have ended.
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
    /// 1. It creates every singleton, if `warmUp` is set.
    /// 2. It resolves the services in their order, asynchronous ones included. If one fails, none is run.
    /// 3. It runs them as a `ServiceGroup`, which handles the signals from here on and shuts the services down in reverse order.
    /// 4. It shuts the container down, which disposes of its services in the reverse order of their creation. This happens even
    ///    if an earlier step fails. Cancelling the task does not interrupt the disposal hooks. A `shutdownLimit` does.
    ///
    /// Errors of disposal hooks, and hooks that do not finish within a limit, are logged. `run()` throws the error of a service; if there is none, it throws the errors of the
    /// hooks.
    ///
    /// A group is a service too, so it can run in another group. Then its services end before its container does, and the
    /// container ends before the services that the outer group lists before this group.
    ///
    /// - Note: Concurrency. An actor. A group runs once.
    public actor DependencyServiceGroup: Service {
        private enum State {
            case initial, starting, finished
            case running(ServiceGroup)
        }

        private let container: DependencyContainer
        private let services: [DependencyService]
        private let warmUp: Bool
        private let shutDown: @Sendable (DependencyContainer) async throws(DependencyShutdownError) -> Void
        private var configuration: ServiceGroupConfiguration
        private var state = State.initial
        private var isShutdownRequested = false

        /// Creates a group of services of a container.
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
        ///   - container: The container of the services. It is shut down after the services have ended.
        ///   - services: The services to run, in this order. They are shut down in reverse order.
        ///   - warmUp: Whether to create every singleton of the container before any service runs.
        ///   - gracefulShutdownSignals: The signals that start a graceful shutdown.
        ///   - cancellationSignals: The signals that cancel the group.
        ///   - logger: The logger of the group.
        /// - Complexity: O(n) in the number of services.
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

        /// Creates a group of services of a container, with all options of a `ServiceGroup`.
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
        ///   - container: The container of the services. It is shut down after the services have ended.
        ///   - services: The services to run, in this order. They are shut down in reverse order.
        ///   - warmUp: Whether to create every singleton of the container before any service runs.
        ///   - configuration: The options of the group. The initializer traps if a signal is listed both for graceful shutdown
        ///     and for cancellation. Services in the configuration start before those in `services` and end after them, before
        ///     the container is shut down. The time limits apply to services, not to disposal.
        /// - Complexity: O(n) in the number of services.
        public init(
            container: DependencyContainer = .shared, services: [DependencyService], warmUp: Bool = false,
            configuration: ServiceGroupConfiguration
        ) {
            self.init(container, services, warmUp, configuration) { container async throws(DependencyShutdownError) in
                try await container.shutdown()
            }
        }

        /// Creates a group of services of a container that is shut down within time limits.
        ///
        /// ```swift
        /// import HopoateServiceLifecycle
        /// import ServiceLifecycle
        ///
        /// func makeGroup<Server: Service>(_ server: Server.Type) -> DependencyServiceGroup {
        ///     DependencyServiceGroup(
        ///         container: container, services: [.init(server)], shutdownLimit: .seconds(20), hookLimit: .seconds(5),
        ///         gracefulShutdownSignals: [.sigterm])
        /// }
        /// ```
        ///
        /// Disposal hooks of independent services run in parallel. The group logs each hook that does not finish, with its service.
        /// `DependencyContainer.shutdown(limit:hookLimit:isolation:)` has the rules.
        ///
        /// - Parameters:
        ///   - container: The container of the services. It is shut down after the services have ended.
        ///   - services: The services to run, in this order. They are shut down in reverse order.
        ///   - warmUp: Whether to create every singleton of the container before any service runs.
        ///   - shutdownLimit: The time for all disposal hooks together, after the services have ended; nil for no limit.
        ///   - hookLimit: The time for each asynchronous disposal hook; nil for no limit.
        ///   - gracefulShutdownSignals: The signals that start a graceful shutdown.
        ///   - cancellationSignals: The signals that cancel the group.
        ///   - logger: The logger of the group.
        /// - Complexity: O(n) in the number of services.
        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        public init(
            container: DependencyContainer = .shared, services: [DependencyService], warmUp: Bool = false,
            shutdownLimit: Duration?, hookLimit: Duration? = nil, gracefulShutdownSignals: [UnixSignal] = [],
            cancellationSignals: [UnixSignal] = [], logger: Logger = .current
        ) {
            self.init(
                container: container, services: services, warmUp: warmUp, shutdownLimit: shutdownLimit,
                hookLimit: hookLimit,
                configuration: ServiceGroupConfiguration(
                    services: [] as [ServiceGroupConfiguration.ServiceConfiguration],
                    gracefulShutdownSignals: gracefulShutdownSignals, cancellationSignals: cancellationSignals,
                    logger: logger))
        }

        /// Creates a group of services of a container that is shut down within time limits, with all options of a `ServiceGroup`.
        ///
        /// ```swift
        /// import HopoateServiceLifecycle
        /// import Logging
        /// import ServiceLifecycle
        ///
        /// func makeGroup<Server: Service>(_ server: Server.Type) -> DependencyServiceGroup {
        ///     DependencyServiceGroup(
        ///         container: container, services: [.init(server)], shutdownLimit: .seconds(20),
        ///         configuration: ServiceGroupConfiguration(services: [] as [any Service], logger: Logger(label: "app")))
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - container: The container of the services. It is shut down after the services have ended.
        ///   - services: The services to run, in this order. They are shut down in reverse order.
        ///   - warmUp: Whether to create every singleton of the container before any service runs.
        ///   - shutdownLimit: The time for all disposal hooks together, after the services have ended; nil for no limit.
        ///   - hookLimit: The time for each asynchronous disposal hook; nil for no limit.
        ///   - configuration: The options of the group. The initializer traps if a signal is listed both for graceful shutdown
        ///     and for cancellation. The time limits of the configuration apply to services, not to disposal.
        /// - Complexity: O(n) in the number of services.
        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        public init(
            container: DependencyContainer = .shared, services: [DependencyService], warmUp: Bool = false,
            shutdownLimit: Duration?, hookLimit: Duration? = nil, configuration: ServiceGroupConfiguration
        ) {
            self.init(container, services, warmUp, configuration) { container async throws(DependencyShutdownError) in
                try await container.shutdown(limit: shutdownLimit, hookLimit: hookLimit)
            }
        }

        private init(
            _ container: DependencyContainer, _ services: [DependencyService], _ warmUp: Bool,
            _ configuration: ServiceGroupConfiguration,
            shutDown: @escaping @Sendable (DependencyContainer) async throws(DependencyShutdownError) -> Void
        ) {
            precondition(
                Set(configuration.gracefulShutdownSignals).isDisjoint(with: configuration.cancellationSignals),
                "A signal triggers either graceful shutdown or cancellation. List it once.")
            self.container = container
            self.services = services
            self.warmUp = warmUp
            self.configuration = configuration
            self.shutDown = shutDown
        }

        /// Runs the services until all have ended, and then shuts the container down.
        ///
        /// - Throws: The same errors as `run(file:line:)`.
        /// - Complexity: That of the services, plus O(n) in the number of services in the container.
        @_disfavoredOverload
        public func run() async throws {
            try await run(file: #fileID, line: #line)
        }

        /// Runs the services until all have ended, and then shuts the container down.
        ///
        /// - Throws: The error of a `ServiceGroup` with these services. `DependencyError` if a service cannot be resolved, and
        ///   `CancellationError` if the task is cancelled before all are resolved; then no service was run.
        ///   `DependencyShutdownError` if only the disposal failed. `ServiceGroupError` if the group was run before; then nothing
        ///   happens.
        /// - Complexity: That of the services, plus O(n) in the number of services in the container.
        public func run(file: String = #fileID, line: Int = #line) async throws {
            switch state {
            case .initial: state = .starting
            case .starting, .running: throw ServiceGroupError.alreadyRunning(file: file, line: line)
            case .finished: throw ServiceGroupError.alreadyFinished(file: file, line: line)
            }

            let failure = await runServices()
            // From here on the group keeps no service, so that the container can free them.
            state = .finished
            let shutdownFailure = await shutDownContainer()
            if let error = failure ?? shutdownFailure { throw error }
        }

        /// Shuts all services down gracefully, in reverse order. `run()` returns after the services have ended and the
        /// container is shut down.
        ///
        /// ```swift
        /// import HopoateServiceLifecycle
        ///
        /// func stop(_ group: DependencyServiceGroup) async {
        ///     await group.triggerGracefulShutdown()
        /// }
        /// ```
        ///
        /// If the services do not run yet, they are shut down as soon as they run.
        ///
        /// - Complexity: Constant. It does not wait for the services.
        public func triggerGracefulShutdown() async {
            isShutdownRequested = true
            if case .running(let group) = state { await group.triggerGracefulShutdown() }
        }

        /// Resolves the services and runs them.
        ///
        /// - Returns: The error; nil if there was none.
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

        /// Shuts the container down in a task of its own, so that cancelling the caller does not interrupt it.
        ///
        /// - Returns: The errors of the hooks.
        private func shutDownContainer() async -> DependencyShutdownError? {
            let container = container
            let shutDown = shutDown
            let shutdown = Task { () async -> DependencyShutdownError? in
                do throws(DependencyShutdownError) {
                    try await shutDown(container)
                    return nil
                } catch {
                    return error
                }
            }
            guard let error = await shutdown.value else { return nil }
            for failure in error.failures {
                configuration.logger.error(
                    "The disposal hook of a service failed.", error: failure.error,
                    metadata: [configuration.logging.keys.serviceKey: "\(String(reflecting: failure.service))"])
            }
            for hook in error.unfinished {
                let name = hook.name.map { " named \"\($0)\"" } ?? ""
                configuration.logger.error(
                    "A disposal hook did not finish. Let it end when its task is cancelled, or raise the limit.",
                    metadata: [
                        configuration.logging.keys.serviceKey: "\(String(reflecting: hook.service))\(name)",
                        "hook": "\(hook)",
                    ])
            }
            return error
        }
    }
#endif
