#if ServiceLifecycle
    import Hopoate
    import HopoateServer
    import ServiceLifecycle

    /// The member that creates the singletons, and lets the services run.
    ///
    /// It is the last one, so a graceful shutdown stops it first, while the services that it uses still run. If it fails, the group shuts down
    /// gracefully and throws its error. If another service ends, the group cancels it, or shuts it down gracefully, as for any service.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    struct GroupStart: Service {
        typealias Pair = (member: GroupMember, service: DependencyService)

        let position: Int
        let progress: GroupProgress
        let container: DependencyContainer
        let warmUp: DependencyWarmUp
        let services: [Pair]
        let finish: @Sendable (DependencyStartReport) async -> Void

        func run() async throws {
            defer { progress.noteEnd(of: position) }
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
            switch warmUp.mode {
            case .none: try await begin(services)
            case .beforeRunning:
                try await container.warmUp()
                try await begin(services)
            case .whileRunning(let limit, let width):
                try await begin(services.filter { !$0.service.start.isLate })
                let report = try await container.warmUp(limit: limit, width: width)
                // Before the services run: one that answers requests finds the report.
                try await begin(services.filter(\.service.start.isLate)) { await finish(report) }
            }
            progress.noteStart()
        }

        /// Creates services, all of them before the first one runs, and runs them.
        private func begin(_ pairs: [Pair], _ willBegin: () async -> Void = {}) async throws {
            var services: [(member: GroupMember, service: any Service)] = []
            for (member, service) in pairs { services.append((member, try await service.resolve(container))) }
            try Task.checkCancellation()
            await willBegin()
            for (member, service) in services { member.start(service) }
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
