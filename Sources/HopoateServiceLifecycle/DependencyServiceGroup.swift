#if ServiceLifecycle
    public import Hopoate
    public import HopoateServer
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
    /// `run()` starts in these steps. From the first one on it handles the signals: a signal ends the start, and then all that was started.
    ///
    /// 1. It creates every singleton, if `warmUp` is ``DependencyWarmUp/beforeRunning``.
    /// 2. It resolves the services in their order, asynchronous ones included. If one fails, none is run.
    /// 3. It runs them as a `ServiceGroup`. If `warmUp` is ``DependencyWarmUp/whileRunning(limit:width:)``, it creates the singletons meanwhile,
    ///    and then resolves and runs the services that start ``DependencyService/Start/afterWarmUp``. If the warm-up fails, it shuts the
    ///    services down.
    ///
    /// It stops in these steps, also if the task is cancelled, or if the end or the failure of a service ends the group:
    ///
    /// 1. It calls `DependencyContainer.beginDraining()`, so that the health checks tell load balancers, and lets the services run for `drain`.
    /// 2. It ends the services in the reverse order: gracefully, or by a cancellation if that stops the group.
    /// 3. It shuts the container down, which disposes of its instances in the reverse order of their creation. Cancelling the task does not
    ///    interrupt the disposal hooks. A `shutdownLimit` does.
    ///
    /// A disposal hook may need a service of the group: that of a repository needs the client of the database. Then the group ends the client
    /// in step 3. First the hooks of its dependents run, then the client ends, then the hooks of the client run. A dependent is an instance
    /// whose initializer takes the client, directly or through other services; the group does not know which services a closure resolves.
    /// The limit of a hook is also the limit for the end of the client.
    ///
    /// Errors of disposal hooks, and hooks that do not finish within a limit, are logged. `run()` throws the error of a service or of the
    /// warm-up. If there is none, it throws the errors of the hooks.
    ///
    /// A group is a service too, so it can run in another group. Then its services end before its container does, and the
    /// container ends before the services that the outer group lists before this group.
    ///
    /// - Note: Concurrency. An actor. A group runs once.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    public actor DependencyServiceGroup: Service {
        private enum State {
            case initial, starting, finished
            case running(ServiceGroup)
        }

        private let container: DependencyContainer
        private let services: [DependencyService]
        private let warmUp: DependencyWarmUp
        private let shutdownLimit: Duration?
        private let hookLimit: Duration?
        private let drain: Duration
        private var configuration: ServiceGroupConfiguration
        private var state = State.initial
        private var isShutdownRequested = false
        private var isContainerEnding = false
        /// The errors of the disposal hooks.
        private var disposalFailure: DependencyShutdownError?

        /// The times of the singletons that were created while the services run; nil before the end of the warm-up.
        ///
        /// It is nil for other values of `warmUp` than ``DependencyWarmUp/whileRunning(limit:width:)``. The group logs the total and the
        /// critical path at the level `info`. It writes the chart of the report to the standard error if that is a terminal.
        public private(set) var startReport: DependencyStartReport?

        /// The instances that the shutdown disposed of, with their times; nil before its end, and without limits.
        ///
        /// The group logs the report at the level `info`, and writes it to the standard error if that is a terminal.
        public private(set) var shutdownReport: DependencyShutdownReport?

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
        ///         shutdownLimit: .seconds(20),
        ///         hookLimit: .seconds(5),
        ///         gracefulShutdownSignals: [.sigterm, .sigint])
        /// }
        /// ```
        ///
        /// With a `shutdownLimit` or a `hookLimit`, disposal hooks of independent services run in parallel, and the group logs each hook that
        /// does not finish. `DependencyContainer.shutdown(limit:hookLimit:isolation:)` has the rules.
        ///
        /// - Parameters:
        ///   - container: The container of the services. It is shut down after the services have ended.
        ///   - services: The services to run, in this order. They are shut down in reverse order.
        ///   - warmUp: The time at which the group creates the singletons of the container; `true` for before any service runs.
        ///   - drain: The time in which the services still answer requests after the group was told to stop. Choose the time after which your
        ///     load balancer has noticed that the server is not ready. It is left out if the services do not run yet, and its rest if a
        ///     graceful shutdown is followed by a cancellation.
        ///   - shutdownLimit: The time for all disposal hooks together, after the services have ended; nil for no limit.
        ///   - hookLimit: The time for each asynchronous disposal hook; nil for no limit.
        ///   - gracefulShutdownSignals: The signals that start a graceful shutdown.
        ///   - cancellationSignals: The signals that cancel the group.
        ///   - logger: The logger of the group.
        /// - Complexity: O(n) in the number of services.
        public init(
            container: DependencyContainer = .shared, services: [DependencyService], warmUp: DependencyWarmUp = .none,
            drain: Duration = .zero, shutdownLimit: Duration? = nil, hookLimit: Duration? = nil,
            gracefulShutdownSignals: [UnixSignal] = [],
            cancellationSignals: [UnixSignal] = [], logger: Logger = .current
        ) {
            self.init(
                container: container, services: services, warmUp: warmUp, drain: drain, shutdownLimit: shutdownLimit,
                hookLimit: hookLimit,
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
        ///   - warmUp: The time at which the group creates the singletons of the container; `true` for before any service runs.
        ///   - drain: The time in which the services still answer requests after the group was told to stop. Choose the time after which your
        ///     load balancer has noticed that the server is not ready. It is left out if the services do not run yet, and its rest if a
        ///     graceful shutdown is followed by a cancellation.
        ///   - shutdownLimit: The time for all disposal hooks together, after the services have ended; nil for no limit.
        ///   - hookLimit: The time for each asynchronous disposal hook; nil for no limit.
        ///   - configuration: The options of the group. The initializer traps if a signal is listed both for graceful shutdown
        ///     and for cancellation. Services in the configuration start before those in `services` and end after them, before
        ///     the container is shut down. `maximumGracefulShutdownDuration` includes `drain`, and does not interrupt disposal hooks.
        ///     `maximumCancellationDuration` includes them.
        /// - Complexity: O(n) in the number of services.
        public init(
            container: DependencyContainer = .shared, services: [DependencyService], warmUp: DependencyWarmUp = .none,
            drain: Duration = .zero, shutdownLimit: Duration? = nil, hookLimit: Duration? = nil,
            configuration: ServiceGroupConfiguration
        ) {
            if !Set(configuration.gracefulShutdownSignals).isDisjoint(with: configuration.cancellationSignals) {
                // Not by `precondition`, which prints no message in release.
                fatalError("A signal triggers either graceful shutdown or cancellation. List it once.")
            }
            self.container = container
            self.services = services
            self.warmUp = warmUp
            self.shutdownLimit = shutdownLimit
            self.hookLimit = hookLimit
            self.drain = drain
            self.configuration = configuration
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
        ///   `CancellationError` if the task is cancelled before all are resolved; then no service was run. `DependencyStartError` if the
        ///   warm-up failed while the services ran.
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
            // From here on the group keeps no service.
            state = .finished
            // Nothing, if the group has run.
            await shutDownContainer(ending: [])
            if let error = failure ?? disposalFailure { throw error }
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
        /// If the services do not run yet, none is run.
        ///
        /// - Complexity: Constant. It does not wait for the services.
        public func triggerGracefulShutdown() async {
            isShutdownRequested = true
            if case .running(let group) = state { await group.triggerGracefulShutdown() }
        }

        /// Creates the services and runs them, and shuts the container down in between.
        ///
        /// - Returns: The error; nil if there was none.
        private func runServices() async -> (any Error)? {
            do {
                let group = ServiceGroup(configuration: membership())
                state = .running(group)
                if isShutdownRequested { return nil }
                try await group.run()
                return nil
            } catch let error as DependencyError where error.reason == .cancelled && Task.isCancelled {
                return CancellationError()
            } catch {
                return error
            }
        }

        /// The members of the group, as GroupMember.swift says.
        private func membership() -> ServiceGroupConfiguration {
            typealias Member = ServiceGroupConfiguration.ServiceConfiguration
            var group = configuration
            configuration.services = []
            let wiring = Wiring(container, readsSource: false)
            let areKept = services.map { $0.identity.map(wiring.isNeededByHooks) ?? false }
            let end = areKept.count(where: \.self)
            let drain = services.count + group.services.count + 1
            let progress = GroupProgress(drain + 2, services: (0..<drain + 2).filter { $0 != end && $0 != drain })

            var pairs: [GroupStart.Pair] = []
            for index in group.services.indices {
                let member = GroupMember(at: end + 1 + index, progress, endedBeforeItsHooks: nil)
                pairs.append((member, DependencyService(running: group.services[index].service)))
                group.services[index].service = member
            }
            var (kept, others): ([GroupStart.Pair], [Member]) = ([], [])
            for (service, isKept) in zip(services, areKept) {
                let member = GroupMember(
                    at: isKept ? kept.count : end + 1 + group.services.count + others.count, progress,
                    endedBeforeItsHooks: isKept ? group.logger : nil)
                pairs.append((member, service))
                if isKept {
                    kept.append((member, service))
                } else {
                    others.append(service.configuration(running: member))
                }
            }
            func own(_ service: any Service, _ name: String) -> Member {
                Member(
                    service: service, successTerminationBehavior: .ignore,
                    failureTerminationBehavior: .gracefullyShutdownGroup, serviceName: "DependencyContainer.\(name)")
            }
            let shutdown = GroupEnd(position: end, progress: progress) { [weak self, kept] in
                await self?.shutDownContainer(ending: kept)
            }
            let start = GroupStart(
                position: drain + 1, progress: progress, container: container, warmUp: warmUp, services: pairs
            ) { [weak self] report in await self?.note(report) }
            group.services =
                kept.map { $0.service.configuration(running: $0.member) } + [own(shutdown, "shutdown")] + group.services
                + others + [
                    own(
                        GroupDrain(position: drain, progress: progress, container: container, time: self.drain), "drain"
                    ),
                    own(start, "warmUp"),
                ]
            return group
        }

        private func note(_ report: DependencyStartReport) {
            startReport = report
            let summary = report.summary
            configuration.logger.info(
                "The container is warmed up.",
                metadata: [
                    "services": "\(report.creations.count)", "total": "\(summary.total)",
                    "critical-path": "\(summary.criticalPath)",
                ])
            warmUp.show(report.description)
        }

        private func note(_ report: DependencyShutdownReport) {
            shutdownReport = report
            configuration.logger.info(
                "The container is shut down.",
                metadata: [
                    "instances": "\(report.entries.count)", "total": "\(report.duration)",
                    "order": "\(report.entries.map { typeLabel($0.service) }.joined(separator: ", "))",
                ])
            warmUp.show(report.description)
        }

        /// Shuts the container down in a task of its own, so that cancelling the caller does not interrupt it. Does nothing if the shutdown
        /// has begun before.
        ///
        /// - Parameter members: The services that end before their own hooks.
        private func shutDownContainer(ending members: [GroupStart.Pair]) async {
            if isContainerEnding { return }
            isContainerEnding = true
            let container = container
            let (limit, hookLimit) = (shutdownLimit, hookLimit)
            let hasLimit = limit != nil || hookLimit != nil
            let (logger, serviceKey) = (configuration.logger, configuration.logging.keys.serviceKey)
            let end =
                members.isEmpty
                ? nil
                : { @Sendable (identity: ServiceIdentity) in
                    for (member, service) in members where service.identity == identity {
                        await member.end(within: hookLimit ?? limit) {
                            logger.error(
                                "A service did not end when it was shut down, and is cancelled.",
                                metadata: [serviceKey: "\(service.serviceName)"])
                        }
                    }
                }
            let shutdown = Task { () async -> (report: DependencyShutdownReport?, error: DependencyShutdownError?) in
                do throws(DependencyShutdownError) {
                    if hasLimit {
                        return (try await container.shutdown(limit: limit, hookLimit: hookLimit, before: end), nil)
                    }
                    try await container.shutdown(before: end)
                    return (nil, nil)
                } catch {
                    return (hasLimit ? error.report : nil, error)
                }
            }
            let (report, error) = await shutdown.value
            disposalFailure = error
            if let report { note(report) }
            guard let error else { return }
            for failure in error.failures {
                configuration.logger.error(
                    "The disposal hook of a service failed.", error: failure.error,
                    metadata: [configuration.logging.keys.serviceKey: "\(typeLabel(failure.service))"])
            }
            for hook in error.unfinished {
                let name = hook.name.map { " named \"\($0)\"" } ?? ""
                configuration.logger.error(
                    "A disposal hook did not finish. Let it end when its task is cancelled, or raise the limit.",
                    metadata: [
                        configuration.logging.keys.serviceKey: "\(typeLabel(hook.service))\(name)",
                        "hook": "\(hook)",
                    ])
            }
        }
    }
#endif
