#if ServiceLifecycle
    import Hopoate
    import HopoateServer
    import HopoateServiceLifecycle
    import InMemoryLogging
    import Logging
    import ServiceLifecycle
    import Testing
    import UnixSignals

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// How a group stops: load balancers are told, then the servers end, then the container is shut down, and at last the services end that
    /// its hooks need.
    @Suite struct StopOrderTests {
        /// A running service that others need.
        // Unchecked like its superclass. Sound, because it is immutable.
        class Client: Worker, @unchecked Sendable {}

        struct Repository: Sendable {
            let client: Client
        }

        /// The way in which a group is stopped.
        enum Stop: CaseIterable, Sendable { case graceful, cancelled, failed }

        let container = DependencyContainer()
        let journal = Journal()
        let log = InMemoryLogHandler()
        let gate = Journal()

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        private func group(
            _ services: [DependencyService], warmUp: DependencyWarmUp = .none, drain: Duration = .zero,
            hookLimit: Duration? = nil, gracefulShutdownSignals: [UnixSignal] = []
        ) -> DependencyServiceGroup {
            DependencyServiceGroup(
                container: container, services: services, warmUp: warmUp, drain: drain, hookLimit: hookLimit,
                gracefulShutdownSignals: gracefulShutdownSignals, logger: makeLogger(log))
        }

        private var client: DependencyService { DependencyService(Client.self) }
        private var server: DependencyService { DependencyService(Worker.self, named: "server") }
        private var failing: DependencyService { DependencyService(Worker.self, named: "failing") }

        /// Registers a client that runs, a repository that needs it in its hook, and a server.
        private func registerShop(hookOfClient: Bool = false) {
            if hookOfClient {
                container.register(Client.self) { [journal] _ in
                    Client("client", journal)
                } onDispose: { [journal] _ in
                    journal.note("dispose client")
                }
            } else {
                container.register(Client.self) { [journal] _ in Client("client", journal) }
            }
            container.register(
                Repository.self, using: Repository.init,
                onDispose: { [journal] _ in
                    journal.note("dispose repository")
                })
            container.register(Worker("server", journal))
        }

        /// Runs a group, stops it, and checks which error `run()` throws.
        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        private func run(_ services: [DependencyService], _ stop: Stop, hookLimit: Duration? = nil) async throws {
            var services = services
            if stop == .failed {
                container.register(Worker.self, named: "failing") { [journal] _ in
                    Errand("failing", journal) {
                        await journal.wait(for: "fail")
                        throw Refused()
                    }
                }
                services.append(failing)
            }
            _ = try container.require(Repository.self)
            let group = group(services, hookLimit: hookLimit)
            let running = Task { try await withDeadline { try await group.run() } }
            for name in ["client", "server"] { await journal.wait(for: "begin \(name)") }
            switch stop {
            case .graceful: await group.triggerGracefulShutdown()
            case .cancelled: running.cancel()
            case .failed: journal.note("fail")
            }
            switch stop {
            case .graceful: try await running.value
            case .cancelled: await #expect(throws: CancellationError.self) { try await running.value }
            case .failed: await #expect(throws: Refused.self) { try await running.value }
            }
        }

        /// The events of the stop.
        private var end: [String] {
            journal.all.filter { line in ["end", "cancelled", "dispose"].contains { line.hasPrefix($0 + " ") } }
        }

        // MARK: - Services that hooks need

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test(arguments: Stop.allCases, [[0, 1], [1, 0]])
        func aServiceThatHooksNeedEndsAfterThem(stop: Stop, order: [Int]) async throws {
            registerShop()
            try await run(order.map { [client, server][$0] }, stop)
            let word = stop == .graceful ? "end" : "cancelled"
            #expect(end == ["\(word) server", "dispose server", "dispose repository", "\(word) client"])
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test(arguments: Stop.allCases, [nil, Duration.seconds(3_600)])
        func aServiceWithAHookEndsBetweenTheHooksOfItsUsersAndItsOwn(stop: Stop, limit: Duration?) async throws {
            registerShop(hookOfClient: true)
            try await run([client, server], stop, hookLimit: limit)
            let word = stop == .graceful ? "end" : "cancelled"
            let last = ["dispose repository", "\(word) client", "dispose client"]
            #expect(end.first == "\(word) server" && end.suffix(3) == last)
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aNeededServiceThatDoesNotEndIsCancelledAfterTheLimit() async throws {
            container.register(Client.self) { [journal] _ in
                Stubborn("client", journal)
            } onDispose: { [journal] _ in
                journal.note("dispose client")
            }
            container.register(Repository.self, using: Repository.init, onDispose: { _ in })
            container.register(Worker("server", journal))
            await #expect(throws: CancellationError.self) {
                try await run([client, server], .graceful, hookLimit: .milliseconds(1))
            }
            #expect(
                log.entries.map { "\($0.message)" }.contains(
                    "A service did not end when it was shut down, and is cancelled."))
            #expect(end.suffix(2) == ["cancelled client", "dispose client"])
        }

        /// Ends only if it is cancelled.
        private final class Stubborn: Client, @unchecked Sendable {
            // Unchecked like its superclass. Sound, because it is immutable.
            override func work() async throws { try await Task.sleep(nanoseconds: 3_600_000_000_000) }
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aServiceThatOnlyClosuresNeedEndsBeforeTheHooks() async throws {
            container.register(Client.self) { [journal] _ in Client("client", journal) }
            container.register(Repository.self) { container in
                Repository(client: container.resolve(Client.self))
            } onDispose: { [journal] _ in
                journal.note("dispose repository")
            }
            container.register(Worker("server", journal))
            try await run([client, server], .graceful)
            #expect(end == ["end server", "end client", "dispose server", "dispose repository"])
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aGroupEndsWhenANeededServiceHasEndedByItself() async throws {
            container.register(Client.self) { [journal] _ in Client("client", journal) }
            container.register(
                Repository.self, using: Repository.init,
                onDispose: { [journal] _ in
                    journal.note("dispose repository")
                })
            let brief = DependencyService(Client.self, successTerminationBehavior: .ignore) { [journal] _ in
                Errand("errand", journal) {}
            }
            _ = try container.require(Repository.self)
            try await withDeadline { try await group([brief]).run() }
            #expect(end == ["end errand", "dispose repository"])
        }

        // MARK: - Cancellation

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func cancelledServicesEndInReverseOrder() async throws {
            container.register(Worker("database", journal))
            container.register(Worker("server", journal))
            let group = group([DependencyService(Worker.self, named: "database"), server])
            let running = Task { try await withDeadline { try await group.run() } }
            for name in ["database", "server"] { await journal.wait(for: "begin \(name)") }
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
            #expect(end == ["cancelled server", "cancelled database", "dispose server", "dispose database"])
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aServiceThatIsTheLastToEndDoesNotFailTheGroup() async throws {
            // The group notices that all services have ended, and ends too. Several times, because the two ends race.
            for _ in 0..<1_000 {
                let (container, journal) = (DependencyContainer(), Journal())
                container.register(Worker.self) { _ in Worker("server", journal) }
                let group = DependencyServiceGroup(
                    container: container, services: [.init(Worker.self)], logger: makeLogger(log))
                async let running: Void = withDeadline { try await group.run() }
                await journal.wait(for: "begin server")
                await group.triggerGracefulShutdown()
                try await running
            }
        }

        // MARK: - Draining

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test(arguments: [Stop.graceful, .cancelled])
        func healthChecksReportTheEndWhileTheServerRuns(stop: Stop) async throws {
            container.register(Worker("server", journal))
            let drain = Duration.milliseconds(stop == .graceful ? 3_600_000 : 20)
            let group = group([server], drain: drain)
            let running = Task { try await withDeadline { try await group.run() } }
            await journal.wait(for: "begin server")
            #expect(await container.health(within: .seconds(3_600)).isReady)
            if stop == .graceful { await group.triggerGracefulShutdown() } else { running.cancel() }
            while !container.isDraining { try await Task.sleep(nanoseconds: 1_000_000) }
            let health = await container.health(within: .seconds(3_600))
            #expect(!health.isReady && health.isAlive && (stop == .cancelled || !health.isShutDown))
            if stop == .graceful {
                #expect("\(health)" == "The container is draining." && end.isEmpty)
                // In a hurry: the rest of the time is left out.
                running.cancel()
            }
            _ = await running.result
            // The end of the drain and the cancellation race for the server.
            #expect([["cancelled server", "dispose server"], ["end server", "dispose server"]].contains(end))
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aServerIsToldToStopAfterTheDrain() async throws {
            container.register(Worker("server", journal))
            let group = group([server], drain: .milliseconds(5))
            async let running: Void = withDeadline { try await group.run() }
            await journal.wait(for: "begin server")
            let begun = ContinuousClock.now
            await group.triggerGracefulShutdown()
            try await running
            #expect(ContinuousClock.now - begun >= .milliseconds(5) && container.isDraining)
            #expect(end == ["end server", "dispose server"])
        }

        @Test func aChildOfADrainingContainerDrains() async throws {
            let child = container.makeChild()
            #expect(!child.isDraining)
            container.beginDraining()
            container.beginDraining()
            #expect(child.isDraining && container.isDraining)
            let parent = DependencyContainer()
            parent.makeChild().beginDraining()
            #expect(!parent.isDraining)
        }

        // MARK: - A stop during the start

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test(.serialized, arguments: [DependencyWarmUp.none, .beforeRunning, .whileRunning(limit: nil)])
        func aSignalDuringTheStartClosesWhatIsOpen(warmUp: DependencyWarmUp) async throws {
            var warmUp = warmUp
            warmUp.show = { _ in }
            container.register(Int.self) { _ in
                7
            } onDispose: { [journal] _ in
                journal.note("dispose 7")
            }
            container.register(Worker.self, named: "server") { [journal, gate] container async throws in
                _ = try container.require(Int.self)
                journal.note("create server")
                await gate.wait(for: "open")
                return Worker("server", journal)
            }
            let group = group([server], warmUp: warmUp, drain: .seconds(3_600), gracefulShutdownSignals: [.sighup])
            async let running: Void = withDeadline { try await group.run() }
            await journal.wait(for: "create server")
            kill(getpid(), SIGHUP)
            try await running
            #expect(!journal.all.contains("begin server"))
            #expect(end == ["dispose 7"])
            gate.note("open")
        }
    }
#endif
