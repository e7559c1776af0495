#if ServiceLifecycle
    import Hopoate
    import HopoateServer
    import HopoateServiceLifecycle
    import InMemoryLogging
    import Logging
    import ServiceLifecycle
    import ServiceLifecycleTestKit
    import Testing
    import UnixSignals

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// Services of a container that run as a group. The container is shut down after them.
    @Suite struct DependencyServiceGroupTests {
        let container = DependencyContainer()
        let journal = Journal()
        let log = InMemoryLogHandler()

        /// Registers workers that run until they are told to stop.
        private func register(_ names: String...) {
            for name in names { container.register(Worker(name, journal)) }
        }

        /// Registers a worker that runs a closure.
        private func register(_ name: String, _ errand: @escaping @Sendable () async throws -> Void) {
            container.register(Errand(name, journal, errand))
        }

        private func service(
            _ name: String, success: DependencyService.TerminationBehavior = .cancelGroup,
            failure: DependencyService.TerminationBehavior = .cancelGroup
        ) -> DependencyService {
            DependencyService(
                Worker.self, named: DependencyName(name), successTerminationBehavior: success,
                failureTerminationBehavior: failure)
        }

        private func group(
            _ services: [DependencyService], warmUp: DependencyWarmUp = false,
            gracefulShutdownSignals: [UnixSignal] = [], cancellationSignals: [UnixSignal] = []
        ) -> DependencyServiceGroup {
            DependencyServiceGroup(
                container: container, services: services, warmUp: warmUp,
                gracefulShutdownSignals: gracefulShutdownSignals, cancellationSignals: cancellationSignals,
                logger: makeLogger(log))
        }

        /// Runs a group, and shuts it down gracefully when its services run.
        private func runAndStop(_ group: DependencyServiceGroup, whenRunning names: String...) async throws {
            async let running: Void = group.run()
            for name in names { await journal.wait(for: "begin \(name)") }
            await group.triggerGracefulShutdown()
            try await running
        }

        /// The events without those of the start, whose order depends on the tasks.
        private var events: [String] { journal.all.filter { !$0.hasPrefix("begin") } }

        private var isShutDown: Bool {
            do throws(DependencyError) {
                _ = try container.require(Worker.self, named: "nobody")
                return false
            } catch {
                return error.reason == .shutDown
            }
        }

        // MARK: - Graceful shutdown

        @Test func servicesStopInReverseOrderBeforeDisposal() async throws {
            register("database", "cache", "server")
            let group = group([service("database"), service("cache"), service("server")])
            try await runAndStop(group, whenRunning: "server", "database", "cache")
            #expect(
                events == [
                    "create database", "create cache", "create server", "end server", "end cache", "end database",
                    "dispose server", "dispose cache", "dispose database",
                ])
            #expect(isShutDown)
        }

        @Test func aServiceThatExistsRunsInItsPlace() async throws {
            register("database", "server")
            let cache = Worker("cache", journal)
            let group = group([service("database"), .init(running: cache, starts: .afterWarmUp), service("server")])
            try await runAndStop(group, whenRunning: "database", "cache", "server")
            // Nothing creates it or disposes of it.
            #expect(
                events == [
                    "create database", "create server", "end server", "end cache", "end database", "dispose server",
                    "dispose database",
                ])
        }

        @Test func otherInstancesAreDisposedOfWithTheServices() async throws {
            container.register(Int.self) { _ in
                7
            } onDispose: { [journal] number in
                journal.note("dispose \(number)")
            }
            container.register(Worker.self, named: "server") { [journal] container in
                Errand("server", journal) { [number = container.resolve(Int.self)] in journal.note("use \(number)") }
            } onDispose: { [journal] _ in
                journal.note("dispose server")
            }
            try await group([service("server", success: .gracefullyShutdownGroup)]).run()
            #expect(journal.all == ["begin server", "use 7", "end server", "dispose server", "dispose 7"])
        }

        @Test func signalShutsDownGracefully() async throws {
            register("server")
            let group = group([service("server")], gracefulShutdownSignals: [.sigusr1])
            async let running: Void = group.run()
            await journal.wait(for: "begin server")
            kill(getpid(), SIGUSR1)
            try await running
            #expect(events == ["create server", "end server", "dispose server"])
        }

        @Test func signalCancels() async throws {
            register("server")
            let group = group([service("server")], cancellationSignals: [.sigusr2])
            let running = Task { try await group.run() }
            await journal.wait(for: "begin server")
            kill(getpid(), SIGUSR2)
            await #expect(throws: CancellationError.self) { try await running.value }
            #expect(events == ["create server", "cancelled server", "dispose server"])
        }

        @Test func shutdownTriggeredBeforeRunPreventsTheStart() async throws {
            register("server")
            let group = group([service("server")])
            await group.triggerGracefulShutdown()
            try await withDeadline { try await group.run() }
            #expect(journal.all.isEmpty && isShutDown)
        }

        @Test func shutdownTriggeredDuringCreationPreventsTheStart() async throws {
            let gate = Journal()
            container.register(Worker.self, named: "server") { [journal] _ in
                journal.note("create server")
                await gate.wait(for: "open")
                return Worker("server", journal)
            }
            let group = group([service("server")])
            async let running: Void = withDeadline { try await group.run() }
            await journal.wait(for: "create server")
            await group.triggerGracefulShutdown()
            try await running
            #expect(journal.all == ["create server"] && isShutDown)
            gate.note("open")
        }

        @Test func servicesOfTheConfigurationStopAfterThoseOfTheContainer() async throws {
            register("server")
            let configuration = ServiceGroupConfiguration(
                services: [Worker("telemetry", journal)], logger: makeLogger(log))
            let group = DependencyServiceGroup(
                container: container, services: [service("server")], configuration: configuration)
            try await runAndStop(group, whenRunning: "telemetry", "server")
            #expect(events == ["create server", "end server", "end telemetry", "dispose server"])
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
        @Test func maximumShutdownDurationOfTheConfigurationApplies() async throws {
            register("server") { try await Task.sleep(nanoseconds: 3_600_000_000_000) }
            var configuration = ServiceGroupConfiguration(services: [] as [any Service], logger: makeLogger(log))
            configuration.maximumGracefulShutdownDuration = .milliseconds(1)
            let group = DependencyServiceGroup(
                container: container, services: [service("server")], configuration: configuration)
            let running = Task { try await group.run() }
            await journal.wait(for: "begin server")
            await group.triggerGracefulShutdown()
            await #expect(throws: CancellationError.self) { try await running.value }
            #expect(events == ["create server", "cancelled server", "dispose server"])
        }

        // MARK: - Services that end by themselves

        @Test func failureCancelsTheOthersByDefault() async throws {
            register("server")
            register("mailer") { [journal] in
                await journal.wait(for: "begin server")
                throw Refused()
            }
            await #expect(throws: Refused.self) { try await group([service("server"), service("mailer")]).run() }
            #expect(
                events == ["create server", "create mailer", "cancelled server", "dispose mailer", "dispose server"])
        }

        @Test func failureShutsDownGracefullyIfConfigured() async throws {
            register("server")
            register("mailer") { [journal] in
                await journal.wait(for: "begin server")
                throw Refused()
            }
            let group = group([service("server"), service("mailer", failure: .gracefullyShutdownGroup)])
            await #expect(throws: Refused.self) { try await group.run() }
            #expect(events == ["create server", "create mailer", "end server", "dispose mailer", "dispose server"])
        }

        @Test func failureIsIgnoredIfConfigured() async throws {
            register("server")
            register("mailer") { throw Refused() }
            let group = group([service("server"), service("mailer", failure: .ignore)])
            async let running: Void = group.run()
            await journal.wait(for: "begin server")
            await journal.wait(for: "begin mailer")
            #expect(!isShutDown)
            await group.triggerGracefulShutdown()
            try await running
            #expect(events == ["create server", "create mailer", "end server", "dispose mailer", "dispose server"])
        }

        @Test func unexpectedEndIsAnErrorThatNamesTheService() async throws {
            register("server")
            register("migration") { [journal] in await journal.wait(for: "begin server") }
            let group = group([service("server"), service("migration")])
            let error = try await #require(throws: ServiceGroupError.self) { try await group.run() }
            #expect(error.errorCode == .serviceFinishedUnexpectedly)
            #expect(error.description.contains("HopoateServiceLifecycleTests.Worker named \"migration\""))
            #expect(events.suffix(2) == ["dispose migration", "dispose server"])
        }

        @Test func endShutsDownGracefullyIfConfigured() async throws {
            register("server")
            register("migration") { [journal] in await journal.wait(for: "begin server") }
            try await group([service("server"), service("migration", success: .gracefullyShutdownGroup)]).run()
            #expect(
                events == [
                    "create server", "create migration", "end migration", "end server", "dispose migration",
                    "dispose server",
                ])
        }

        @Test func groupEndsWhenAllIgnoredServicesHaveEnded() async throws {
            register("one") {}
            register("other") { throw Refused() }
            let group = group([service("one", success: .ignore), service("other", failure: .ignore)])
            try await group.run()
            #expect(events.suffix(2) == ["dispose other", "dispose one"])
        }

        // MARK: - Creating the services

        @Test func missingServicePreventsTheStartAndShutsDownTheContainer() async throws {
            register("server")
            let group = group([service("server"), service("mailer")])
            let line = #line - 1
            let error = try await #require(throws: DependencyError.self) { try await group.run() }
            #expect(error.reason == .notRegistered && error.service == Worker.self)
            #expect(error.description.contains("named \"mailer\""))
            #expect(error.description.contains("HopoateServiceLifecycleTests/"), "at \(line)")
            #expect(journal.all == ["create server", "dispose server"])
            #expect(isShutDown)
        }

        @Test func failedCreationPreventsTheStart() async throws {
            register("server")
            container.register(Worker.self, named: "mailer") { _ -> Worker in
                await Task.yield()
                throw Refused()
            }
            let group = group([service("server"), service("mailer")])
            let error = try await #require(throws: DependencyError.self) { try await group.run() }
            #expect(error.underlying is Refused)
            #expect(journal.all == ["create server", "dispose server"])
        }

        @Test func asynchronouslyCreatedServicesRun() async throws {
            container.register(Int.self) { _ in
                await Task.yield()
                return 7
            }
            container.register(Worker.self, named: "server") { [journal] container in
                let number = try await container.asyncResolve(Int.self)
                return Errand("server", journal) { journal.note("use \(number)") }
            } onAsyncDispose: { [journal] _ in
                journal.note("dispose server")
            }
            try await group([service("server", success: .gracefullyShutdownGroup)]).run()
            #expect(journal.all == ["begin server", "use 7", "end server", "dispose server"])
        }

        @Test func warmUpCreatesSingletonsThatNoServiceUses() async throws {
            register("server") {}
            container.register(Int.self) { [journal] _ in
                await Task.yield()
                journal.note("create 7")
                return 7
            }
            try await group([service("server", success: .gracefullyShutdownGroup)], warmUp: true).run()
            #expect(
                journal.all == ["create 7", "create server", "begin server", "end server", "dispose server"])
        }

        @Test func withoutWarmUpOnlyTheServicesAreCreated() async throws {
            register("server") {}
            container.register(Int.self) { [journal] _ in
                journal.note("create 7")
                return 7
            }
            try await group([service("server", success: .gracefullyShutdownGroup)]).run()
            #expect(!journal.all.contains("create 7"))
        }

        @Test func failedWarmUpPreventsTheStart() async throws {
            register("server")
            container.register(Int.self) { _ in throw Refused() }
            let error = try await #require(throws: DependencyError.self) {
                try await group([service("server")], warmUp: true).run()
            }
            #expect(error.underlying is Refused && error.service == Int.self)
            #expect(!journal.all.contains("begin server") && isShutDown)
        }

        @Test func serviceMayBeAnExistentialOrAPropertyOfAnotherService() async throws {
            struct Application { let server: Worker }
            container.register(Errand("mailer", journal) {}, for: (any Service).self)
            container.register(Application(server: Errand("server", journal) {}), for: Application.self)
            let services = [
                DependencyService((any Service).self, successTerminationBehavior: .ignore) { $0 },
                DependencyService(Application.self, successTerminationBehavior: .ignore) { $0.server },
            ]
            try await group(services).run()
            #expect(Set(journal.all) == ["begin mailer", "end mailer", "begin server", "end server"])
        }

        @Test func groupWithoutServicesShutsTheContainerDown() async throws {
            container.register(Int.self) { _ in
                7
            } onDispose: { [journal] _ in
                journal.note("dispose")
            }
            try await group([], warmUp: true).run()
            #expect(journal.all == ["dispose"] && isShutDown)
        }

        // MARK: - Cancellation

        @Test func cancellationReachesServicesButNotTheirDisposal() async throws {
            register("database", "server")
            container.register(Int.self) { _ in
                7
            } onAsyncDispose: { [journal] _ in
                try await Task.sleep(nanoseconds: 20_000_000)
                journal.note("disposed of, cancelled: \(Task.isCancelled)")
            }
            _ = container.resolve(Int.self)
            let group = group([service("database"), service("server")])
            let running = Task { try await group.run() }
            await journal.wait(for: "begin server")
            await journal.wait(for: "begin database")
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
            #expect(Set(events[2..<4]) == ["cancelled server", "cancelled database"])
            #expect(
                events.dropFirst(4) == ["dispose server", "dispose database", "disposed of, cancelled: false"])
            #expect(log.entries.isEmpty)
        }

        @Test func cancellationDuringCreationPreventsTheStart() async throws {
            register("database")
            let gate = Journal()
            container.register(Worker.self, named: "server") { [journal] _ in
                journal.note("create server")
                await gate.wait(for: "open")
                return Worker("server", journal)
            } onDispose: { [journal] _ in
                journal.note("dispose server")
            }
            let group = group([service("database"), service("server")])
            let running = Task { try await group.run() }
            await journal.wait(for: "create server")
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
            #expect(isShutDown)
            gate.note("open")
            await journal.wait(for: "dispose server")
            #expect(journal.all == ["create database", "create server", "dispose database", "dispose server"])
        }

        // MARK: - Failed disposal

        @Test func failedDisposalIsLoggedAndThrown() async throws {
            container.register(Int.self) { _ in
                7
            } onAsyncDispose: { _ in
                throw Refused()
            }
            container.register(Worker.self, named: "server") { [journal] container in
                _ = container.resolve(Int.self)
                return Errand("server", journal) {}
            } onDispose: { [journal] _ in
                journal.note("dispose server")
                throw Refused()
            }
            let group = group([service("server", success: .gracefullyShutdownGroup)])
            let error = try await #require(throws: DependencyShutdownError.self) { try await group.run() }
            #expect(error.failures.map { "\($0.service)" } == ["Worker", "Int"])
            #expect(log.entries.map(\.level) == [.error, .error])
            #expect(log.entries.allSatisfy { $0.error is Refused })
            #expect(
                log.entries.map { $0.metadata["sl-service"] } == [
                    .string("HopoateServiceLifecycleTests.Worker"), "Swift.Int",
                ])
            #expect(journal.all.last == "dispose server")
        }

        @Test func serviceErrorTakesPrecedenceOverFailedDisposal() async throws {
            struct Late: Error {}
            container.register(Int.self) { _ in
                7
            } onAsyncDispose: { _ in
                throw Late()
            }
            _ = container.resolve(Int.self)
            register("server") { throw Refused() }
            await #expect(throws: Refused.self) { try await group([service("server")]).run() }
            #expect(log.entries.count == 1 && log.entries.first?.error is Late)
        }

        @Test func missingServiceTakesPrecedenceOverFailedDisposal() async throws {
            container.register(Int.self) { _ in
                7
            } onDispose: { _ in
                throw Refused()
            }
            _ = container.resolve(Int.self)
            await #expect(throws: DependencyError.self) { try await group([service("server")]).run() }
            #expect(log.entries.count == 1 && log.entries.first?.error is Refused)
        }

        // MARK: - Limits of the disposal

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func hookThatExceedsItsLimitIsLoggedAndThrown() async throws {
            let gate = Journal()
            container.register(
                Int.self, named: "pool", factory: { _ in 7 },
                onAsyncDispose: { _ in
                    await gate.wait(for: "open")
                    gate.note("end")
                })
            _ = container.resolve(Int.self, named: "pool")
            let group = DependencyServiceGroup(
                container: container, services: [], shutdownLimit: .seconds(600), hookLimit: .milliseconds(1),
                logger: makeLogger(log))
            let error = try await #require(throws: DependencyShutdownError.self) { try await group.run() }
            #expect(error.unfinished.map { "\($0.service) \($0.name?.text ?? "")" } == ["Int pool"])
            #expect(log.entries.map(\.level) == [.info, .error])
            #expect(await group.shutdownReport?.entries.map(\.outcome) == [.cancelled])
            let metadata = try #require(log.entries.last?.metadata)
            #expect(metadata["sl-service"] == "Swift.Int named \"pool\"")
            #expect("\(metadata["hook"] ?? "")".contains(": cancelled after "))
            gate.note("open")
            await gate.wait(for: "end")
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func groupWithLimitsRunsAllHooksThatEndInTime() async throws {
            register("database", "server")
            let group = DependencyServiceGroup(
                container: container, services: [service("database"), service("server")], shutdownLimit: .seconds(600),
                configuration: ServiceGroupConfiguration(services: [] as [any Service], logger: makeLogger(log)))
            try await runAndStop(group, whenRunning: "server", "database")
            #expect(events.suffix(2) == ["dispose server", "dispose database"])
            #expect(isShutDown)

            let report = try #require(await group.shutdownReport)
            #expect(report.entries.map { $0.name?.text } == ["server", "database"])
            #expect(log.entries.map(\.message) == ["The container is shut down."])
            let metadata = try #require(log.entries.first?.metadata)
            #expect(metadata["instances"] == "2" && "\(metadata["order"] ?? "")".contains("Worker, "))
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func groupWithoutLimitsHasNoShutdownReport() async throws {
            let group = DependencyServiceGroup(container: container, services: [], logger: makeLogger(log))
            try await group.run()
            #expect(await group.shutdownReport == nil && log.entries.isEmpty)
        }

        // MARK: - Nested groups

        @Test func groupRunsInAnOuterGroup() async throws {
            register("database", "server")
            let inner = group([service("database"), service("server")])
            let outer = ServiceGroup(services: [Worker("telemetry", journal), inner], logger: makeLogger(log))
            async let running: Void = outer.run()
            for name in ["telemetry", "database", "server"] { await journal.wait(for: "begin \(name)") }
            await outer.triggerGracefulShutdown()
            try await running
            #expect(
                events == [
                    "create database", "create server", "end server", "end database", "dispose server",
                    "dispose database", "end telemetry",
                ])
        }

        @Test func failureReachesTheOuterGroup() async throws {
            register("server") { throw Refused() }
            let inner = group([service("server")])
            let outer = ServiceGroup(services: [Worker("telemetry", journal), inner], logger: makeLogger(log))
            await #expect(throws: Refused.self) { try await outer.run() }
            #expect(Set(events) == ["create server", "dispose server", "cancelled telemetry"])
        }

        @Test func shutdownOfTheOuterGroupDuringCreationTakesEffect() async throws {
            let gate = Journal()
            container.register(Worker.self, named: "server") { [journal] _ in
                journal.note("create server")
                await gate.wait(for: "open")
                return Worker("server", journal)
            }
            let group = group([service("server")])
            try await testGracefulShutdown { trigger in
                async let running: Void = group.run()
                await journal.wait(for: "create server")
                trigger.triggerGracefulShutdown()
                gate.note("open")
                try await running
            }
            #expect(journal.all == ["create server", "begin server", "end server"])
        }

        // MARK: - Ended groups

        @Test func groupRunsOnce() async throws {
            register("server")
            let group = group([service("server")])
            async let running: Void = group.run()
            await journal.wait(for: "begin server")
            let early = try await #require(throws: ServiceGroupError.self) { try await group.run() }
            #expect(early.errorCode == .alreadyRunning)
            #expect(!isShutDown)
            await group.triggerGracefulShutdown()
            try await running
            let late = try await #require(throws: ServiceGroupError.self) { try await group.run() }
            #expect(late.errorCode == .alreadyFinished)
            await group.triggerGracefulShutdown()
        }

        #if compiler(>=6.2)
            @Test func signalForBothShutdownAndCancellationIsRefused() async {
                await #expect(processExitsWith: .failure) {
                    _ = DependencyServiceGroup(
                        container: DependencyContainer(), services: [], gracefulShutdownSignals: [.sigterm],
                        cancellationSignals: [.sigint, .sigterm])
                }
            }
        #endif

        @Test func endedGroupReleasesItsServices() async throws {
            weak var server: Worker?
            weak var telemetry: Worker?
            weak var other: DependencyContainer?
            let group: DependencyServiceGroup
            do {
                let container = DependencyContainer()
                container.register(Worker.self) { [journal] _ in Worker("server", journal) }
                let first = Worker("telemetry", journal)
                group = DependencyServiceGroup(
                    container: container, services: [DependencyService(Worker.self)],
                    configuration: ServiceGroupConfiguration(services: [first], logger: makeLogger(log)))
                server = container.resolve(Worker.self)
                telemetry = first
                other = container
            }
            #expect(server != nil && telemetry != nil)
            await group.triggerGracefulShutdown()
            try await group.run()
            // The group and its container are alive, but none of its services.
            #expect(server == nil && telemetry == nil && other != nil)
            withExtendedLifetime(group) {}
        }

        @Test func containerIsReleasedWithItsGroup() async throws {
            weak var container: DependencyContainer?
            do {
                let inner = DependencyContainer()
                container = inner
                inner.register(Errand("server", journal) {})
                let group = DependencyServiceGroup(
                    container: inner, services: [service("server", success: .ignore)], logger: makeLogger(log))
                try await group.run()
            }
            #expect(container == nil)
            #expect(journal.all.last == "dispose server")
        }
    }
#endif
