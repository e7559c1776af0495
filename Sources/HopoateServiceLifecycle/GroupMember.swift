#if ServiceLifecycle
    import Hopoate
    import HopoateServer
    import Logging
    import ServiceLifecycle

    // How a DependencyServiceGroup starts and stops.
    //
    // It runs a ServiceGroup, which handles the signals and shuts its members down in the reverse of this order:
    //
    //     position   member
    //     0 …        the services that disposal hooks need, in the order of the user
    //     next       GroupEnd: shuts the container down
    //     next …     the services of the configuration, and then the others, in the order of the user
    //     next       GroupDrain: tells load balancers, and waits
    //     last       GroupStart: creates the singletons, and lets the services run
    //
    // So a stop that comes during the start ends the start first, while the services that it uses run. Then load balancers are told, the
    // servers end, the container is shut down, and at last the clients end that its hooks need.
    //
    // 1. A ServiceGroup that is cancelled cancels all members at once. Each of them passes the cancellation on when the later ones have
    //    ended (GroupProgress), so the order is the same.
    // 2. The group ends when all services have ended by themselves. GroupEnd and GroupDrain notice it, and end too.
    // 3. A service that the hooks of others need, and that has hooks of its own, ends between them. GroupEnd asks for it (`end`), before
    //    the ServiceGroup does.
    // 4. During a graceful shutdown, a ServiceGroup shuts down one member after the other, and throws an error if another member returns
    //    meanwhile. So two members wait until the ServiceGroup shuts them down: a GroupMember whose service GroupEnd has ended, and
    //    GroupEnd itself, after all services have ended.

    /// The members of a group that have ended.
    ///
    /// Invariant: each waiter is resumed once, by the call that finds the last of its members ended, under the lock.
    final class GroupProgress: Sendable {
        private struct Waiter {
            let positions: [Int]
            let continuation: CheckedContinuation<Void, Never>
        }

        private struct Contents {
            var hasEnded: [Bool]
            var isStarted = false
            var isStopping = false
            var waiters: [Waiter] = []

            func haveEnded(_ positions: [Int]) -> Bool { positions.allSatisfy { hasEnded[$0] } }
        }

        /// The positions of the services, and of the start.
        private let services: [Int]
        private let contents: Locked<Contents>

        init(_ count: Int, services: [Int]) {
            self.services = services
            contents = Locked(Contents(hasEnded: Array(repeating: false, count: count)))
        }

        /// Whether the services were let run.
        var isStarted: Bool { contents.withLock { $0.isStarted } }

        func noteStart() { contents.withLock { $0.isStarted = true } }

        /// Whether the group was shut down or cancelled before all services ended by themselves.
        var isStopping: Bool { contents.withLock { $0.isStopping } }

        func noteStop() { contents.withLock { $0.isStopping = true } }

        func noteEnd(of position: Int) {
            let over = contents.withLock { contents in
                contents.hasEnded[position] = true
                let waiters = contents.waiters
                contents.waiters = waiters.filter { !contents.haveEnded($0.positions) }
                return waiters.filter { contents.haveEnded($0.positions) }
            }
            for waiter in over { waiter.continuation.resume() }
        }

        /// Waits until members have ended, also if the task is cancelled.
        func end(of positions: [Int]) async {
            await withCheckedContinuation { continuation in
                let isOver = contents.withLock { contents in
                    let isOver = contents.haveEnded(positions)
                    if !isOver { contents.waiters.append(Waiter(positions: positions, continuation: continuation)) }
                    return isOver
                }
                if isOver { continuation.resume() }
            }
        }

        /// The reason why a member ends.
        enum Cause: Sendable {
            case gracefulShutdown, cancellation
            /// All services have ended by themselves, and the group is not shut down.
            case end
        }

        /// Waits until the group is shut down or cancelled, or all services have ended.
        func stop() async -> Cause {
            let (causes, sender) = AsyncStream.makeStream(of: Cause.self, bufferingPolicy: .bufferingOldest(1))
            Task {
                await end(of: services)
                if !isStopping { sender.yield(.end) }
            }
            return await withGracefulShutdownHandler {
                // Nil if the task is cancelled.
                await causes.first { _ in true } ?? .cancellation
            } onGracefulShutdown: {
                sender.yield(.gracefulShutdown)
            }
        }

        /// Waits until the members at the positions after one have ended.
        func end(after position: Int) async {
            let count = contents.withLock { $0.hasEnded.count }
            await end(of: Array(position + 1..<count))
        }
    }

    /// The stand-in of a service in a group. It waits until the service is created, and runs it.
    ///
    /// It never ends by itself because of a start that fails: the group would take that for the end of the service, and report it instead of
    /// the failure.
    final class GroupMember: Service {
        private struct State {
            var isCancelled = false
            var isEnding = false
            var running: Task<Void, any Error>?
            /// The group around a service that `end` can end.
            var group: ServiceGroup?
        }

        private let position: Int
        private let progress: GroupProgress
        private let services: AsyncStream<any Service>
        private let sender: AsyncStream<any Service>.Continuation
        /// The logger of a service that `end` can end; nil for one that only the group ends.
        private let logger: Logger?
        private let state = Locked(State())

        init(at position: Int, _ progress: GroupProgress, endedBeforeItsHooks logger: Logger?) {
            self.position = position
            self.progress = progress
            self.logger = logger
            (services, sender) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        }

        /// Lets the stand-in run its service.
        func start(_ service: any Service) { sender.yield(service) }

        func run() async throws {
            let result = await serviceResult()
            // Before the end is noted, which lets GroupEnd call `end` also in a group that nobody shuts down.
            let isEnding = state.withLock(\.isEnding)
            progress.noteEnd(of: position)
            if isEnding { try? await gracefulShutdown() }
            try result.get()
        }

        /// Runs the service, and returns how it has ended.
        private func serviceResult() async -> Result<Void, any Error> {
            var iterator = services.makeAsyncIterator()
            // A service that was sent before the shutdown still runs, and ends by itself.
            let service = await withGracefulShutdownHandler {
                await iterator.next()
            } onGracefulShutdown: { [sender] in
                sender.finish()
            }
            guard let service else { return Result { try Task.checkCancellation() } }
            let group = logger.map { logger in
                ServiceGroup(
                    configuration: ServiceGroupConfiguration(
                        services: [.init(service: service, successTerminationBehavior: .ignore)], logger: logger))
            }
            // In a task of its own, which is cancelled in its turn.
            let running = Task { if let group { try await group.run() } else { try await service.run() } }
            let isEnding = state.withLock { state in
                (state.running, state.group) = (running, group)
                return state.isEnding
            }
            if isEnding { await group?.triggerGracefulShutdown() }
            defer { state.withLock { ($0.running, $0.group) = (nil, nil) } }
            return await withTaskCancellationHandler {
                await running.result
            } onCancel: {
                let isEnding = state.withLock { state in
                    state.isCancelled = true
                    return state.isEnding
                }
                if isEnding { return running.cancel() }
                Task {
                    await progress.end(after: position)
                    running.cancel()
                }
            }
        }

        /// Ends the service before the group does, and waits for its end. After the limit, or if the group is cancelled, the service is
        /// cancelled.
        ///
        /// - Parameter warn: Called before a service is cancelled because of the limit.
        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        func end(within limit: Duration?, orAfter warn: @escaping @Sendable () -> Void) async {
            let (isCancelled, running, group) = state.withLock { state in
                state.isEnding = true
                return (state.isCancelled, state.running, state.group)
            }
            sender.finish()
            if isCancelled { running?.cancel() }
            await group?.triggerGracefulShutdown()
            let timer = limit.map { limit in
                Task { [state] in
                    try await Task.sleep(for: limit.saturated)
                    warn()
                    state.withLock(\.running)?.cancel()
                }
            }
            await progress.end(of: [position])
            timer?.cancel()
        }
    }

    /// The member that tells load balancers of the end, and waits until they have noticed it.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    struct GroupDrain: Service {
        let position: Int
        let progress: GroupProgress
        let container: DependencyContainer
        let time: Duration

        func run() async throws {
            defer { progress.noteEnd(of: position) }
            let cause = await progress.stop()
            if cause == .end { return }
            progress.noteStop()
            container.beginDraining()
            // Nobody sends anything to a server that was never started.
            guard progress.isStarted, time > .zero else { return }
            let sleep = Task { [time] in try await Task.sleep(for: time.saturated) }
            // A cancellation that follows a graceful shutdown is in a hurry.
            if cause == .cancellation { return _ = await sleep.result }
            await withTaskCancellationHandler {
                _ = await sleep.result
            } onCancel: {
                sleep.cancel()
            }
        }
    }

    /// The member that shuts the container down, while the services run that its hooks need.
    struct GroupEnd: Service {
        let position: Int
        let progress: GroupProgress
        let end: @Sendable () async -> Void

        func run() async throws {
            defer { progress.noteEnd(of: position) }
            _ = await progress.stop()
            await progress.end(after: position)
            // In a task of its own, so that a cancellation does not interrupt the hooks.
            await Task { await end() }.value
        }
    }
#endif
