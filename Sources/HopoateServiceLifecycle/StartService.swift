#if ServiceLifecycle
    import Hopoate
    import HopoateServer
    import ServiceLifecycle

    // Warming up while services run.
    //
    // The warm-up is the last service of the group. So a graceful shutdown stops it first, while the services that it uses still run. If it
    // fails, the group shuts down gracefully and throws its error. If another service ends, the group cancels it, or shuts it down
    // gracefully, as for any service.
    //
    // A service that starts after the warm-up has a stand-in at its place in the group, so that it is shut down in its turn. The warm-up
    // resolves the service and sends it to the stand-in, which runs it. Until then the stand-in waits. It never ends by itself because of a
    // failed warm-up: the group would take that for the end of the service, and report it instead of the failure.

    /// The stand-in of a service that starts after the warm-up.
    struct LateService: Service {
        private let services: AsyncStream<any Service>
        private let sender: AsyncStream<any Service>.Continuation

        init() {
            (services, sender) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        }

        /// Lets the stand-in run its service.
        func start(_ service: any Service) { sender.yield(service) }

        func run() async throws {
            var iterator = services.makeAsyncIterator()
            // A service that was sent before the shutdown still runs, and ends by itself.
            let service = await withGracefulShutdownHandler {
                await iterator.next()
            } onGracefulShutdown: {
                sender.finish()
            }
            guard let service else { return try Task.checkCancellation() }
            try await service.run()
        }
    }

    /// Creates the singletons, and lets the services start that wait for them.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    struct StartService: Service {
        let container: DependencyContainer
        let limit: Duration?
        let width: Int
        let late: [(stand: LateService, service: DependencyService)]
        let finish: @Sendable (DependencyStartReport) async -> Void

        func run() async throws {
            // In a task of its own, which a graceful shutdown can cancel.
            let start = Task { try await self.start() }
            let result = await withTaskCancellationOrGracefulShutdownHandler {
                await start.result
            } onCancelOrGracefulShutdown: {
                start.cancel()
            }
            guard case .failure(let error) = result else { return }
            if Task.isCancelled { throw CancellationError() }
            if Task.isShuttingDownGracefully, error.isCancellation { return }
            throw error
        }

        private func start() async throws {
            let report = try await container.warmUp(limit: limit, width: width)
            // All of them before the first one runs.
            var services: [any Service] = []
            for (_, service) in late { services.append(try await service.resolve(container)) }
            // Before the services run: one that answers requests finds the report.
            await finish(report)
            for (index, service) in services.enumerated() { late[index].stand.start(service) }
        }
    }

    extension Error {
        /// Whether a warm-up or the creation of a service was cancelled.
        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        fileprivate var isCancellation: Bool {
            switch self {
            case let error as DependencyStartError: error.isCancelled
            case let error as DependencyError: error.reason == .cancelled
            default: self is CancellationError
            }
        }
    }
#endif
