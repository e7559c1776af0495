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

    /// Singletons that are created while the services of a group run.
    @Suite struct WarmUpWhileRunningTests {
        /// A client that answers only while it runs.
        final class Client: Worker, @unchecked Sendable {
            // Unchecked like its superclass. Sound, because it is immutable.
            func query() async throws -> Int {
                await journal.wait(for: "begin \(name)")
                try Task.checkCancellation()
                return 7
            }
        }

        struct Repository: Sendable {
            let rows: Int
        }

        let container = DependencyContainer()
        let journal = Journal()
        let log = InMemoryLogHandler()
        let charts = Journal()
        let gate = Journal()

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        private func group(
            _ services: [DependencyService], limit: Duration? = nil, gracefulShutdownSignals: [UnixSignal] = []
        ) -> DependencyServiceGroup {
            var warmUp = DependencyWarmUp.whileRunning(limit: limit)
            warmUp.show = { [charts] in charts.note($0) }
            return DependencyServiceGroup(
                container: container, services: services, warmUp: warmUp,
                gracefulShutdownSignals: gracefulShutdownSignals, logger: makeLogger(log))
        }

        private var client: DependencyService { DependencyService(Client.self) }

        private var server: DependencyService {
            DependencyService(Worker.self, named: "server", starts: .afterWarmUp)
        }

        /// Registers a client, a repository that needs it while it is created, and a server.
        private func registerShop() {
            registerClient()
            container.register(Repository.self) { [journal] container in
                let rows = try await container.asyncResolve(Client.self).query()
                journal.note("create repository")
                return Repository(rows: rows)
            } onDispose: { [journal] _ in
                journal.note("dispose repository")
            }
            container.register(Worker("server", journal))
        }

        private func registerClient() {
            container.register(Client.self) { [journal] _ in
                Client("client", journal)
            } onDispose: { [journal] client in
                journal.note("dispose \(client.name)")
            }
        }

        /// Registers a repository of which the creation ends when it is cancelled.
        private func registerWaitingRepository() {
            container.register(Repository.self) { [journal] _ async throws in
                journal.note("create repository")
                // The handler runs before the call that cancels the creation returns.
                try await withTaskCancellationHandler {
                    try await Task.sleep(nanoseconds: 3_600_000_000_000)
                } onCancel: {
                    journal.note("cancelled repository")
                }
                return Repository(rows: 0)
            }
        }

        /// Registers a repository of which the creation ignores its cancellation.
        private func registerHangingRepository() {
            container.register(Repository.self) { [journal, gate] _ async in
                journal.note("create repository")
                await gate.wait(for: "open")
                return Repository(rows: 0)
            } onDispose: { [journal] _ in
                journal.note("dispose repository")
            }
        }

        // MARK: - The start

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aServiceIsUsedWhileItRuns() async throws {
            registerShop()
            let group = group([server, client])
            async let running: Void = withDeadline { try await group.run() }
            await journal.wait(for: "begin server")
            #expect(try container.require(Repository.self).rows == 7)
            await group.triggerGracefulShutdown()
            try await running
            let order = ["begin client", "create repository", "begin server", "dispose repository", "dispose client"]
            #expect(journal.all.filter(order.contains) == order)
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func servicesStopInReverseOrderAfterAWarmUp() async throws {
            registerShop()
            let group = group([client, server])
            async let running: Void = withDeadline { try await group.run() }
            await journal.wait(for: "begin server")
            await group.triggerGracefulShutdown()
            try await running
            #expect(journal.all.filter { $0.hasPrefix("end") } == ["end server", "end client"])
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func theReportIsLoggedAndShown() async throws {
            registerShop()
            let group = group([client, server])
            async let running: Void = withDeadline { try await group.run() }
            await journal.wait(for: "begin client")
            await journal.wait(for: "begin server")
            let report = try #require(await group.startReport)
            #expect(report.creations.count == 2)
            let entry = try #require(log.entries.first)
            #expect(entry.level == .info && log.entries.count == 1)
            #expect(entry.metadata["services"] == "2" && entry.metadata["total"] != nil)
            #expect("\(entry.metadata["critical-path"] ?? "")".isEmpty == false)
            #expect(charts.all == [report.description])
            await group.triggerGracefulShutdown()
            try await running
            #expect(await group.startReport == report)
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func thereIsNoReportBeforeTheEndOfTheWarmUp() async throws {
            registerClient()
            registerHangingRepository()
            let group = group([client])
            async let running: Void = withDeadline { try await group.run() }
            await journal.wait(for: "create repository")
            #expect(await group.startReport == nil)
            gate.note("open")
            while await group.startReport == nil { try await Task.sleep(nanoseconds: 1_000_000) }
            await group.triggerGracefulShutdown()
            try await running
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aLateServiceStartsAtOnceWithoutAWarmUp() async throws {
            container.register(Worker("server", journal))
            let group = DependencyServiceGroup(
                container: container, services: [server], warmUp: true, logger: makeLogger(log))
            async let running: Void = withDeadline { try await group.run() }
            await journal.wait(for: "begin server")
            await group.triggerGracefulShutdown()
            try await running
            #expect(await group.startReport == nil)
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aGroupWithoutServicesEndsAfterItsWarmUp() async throws {
            container.register(Repository.self) { [journal] _ async in
                journal.note("create repository")
                return Repository(rows: 0)
            }
            let group = group([])
            try await withDeadline { try await group.run() }
            #expect(journal.all == ["create repository"])
            #expect(await group.startReport?.creations.count == 1)
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aGroupWithAWarmUpRunsOnce() async throws {
            registerShop()
            let group = group([client, server])
            async let running: Void = withDeadline { try await group.run() }
            await journal.wait(for: "begin server")
            let early = try await #require(throws: ServiceGroupError.self) { try await group.run() }
            #expect(early.errorCode == .alreadyRunning)
            await group.triggerGracefulShutdown()
            try await running
            let late = try await #require(throws: ServiceGroupError.self) { try await group.run() }
            #expect(late.errorCode == .alreadyFinished)
        }

        // MARK: - Failures

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aFailedWarmUpStopsTheGroupAndDisposesOfWhatWasCreated() async throws {
            registerShop()
            container.register(Int.self) { _ async throws in throw Refused() }
            let group = group([client, server])
            let error = try await #require(throws: DependencyStartError.self) {
                try await withDeadline { try await group.run() }
            }
            #expect(error.failures.map { "\($0.service)" } == ["Int"])
            // The repository may be created before or after the failure, but always before the warm-up ends.
            #expect(
                journal.all == [
                    "begin client", "create repository", "end client", "dispose repository", "dispose client",
                ])
            #expect(await group.startReport == nil)
            #expect(log.entries.isEmpty && charts.all.isEmpty)
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aCreationThatExceedsTheLimitStopsTheGroup() async throws {
            registerClient()
            registerHangingRepository()
            container.register(Worker("server", journal))
            let group = group([client, server], limit: .milliseconds(1))
            let error = try await #require(throws: DependencyStartError.self) {
                try await withDeadline { try await group.run() }
            }
            #expect(error.unfinished.map { "\($0.service)" } == ["Repository"])
            #expect(!journal.all.contains("begin server") && journal.all.contains("dispose client"))
            gate.note("open")
            await journal.wait(for: "dispose repository")
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aMissingLateServiceStopsTheGroup() async throws {
            registerClient()
            let group = group([client, server])
            let error = try await #require(throws: DependencyError.self) {
                try await withDeadline { try await group.run() }
            }
            #expect(error.reason == .notRegistered)
            #expect(journal.all.filter { $0.hasSuffix("server") }.isEmpty && journal.all.last == "dispose client")
        }

        // MARK: - An end during the warm-up

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aStopSignalDuringTheWarmUpIsNoError() async throws {
            registerClient()
            registerWaitingRepository()
            container.register(Worker("server", journal))
            let group = group([client, server], gracefulShutdownSignals: [.sigwinch])
            async let running: Void = withDeadline { try await group.run() }
            await journal.wait(for: "create repository")
            await journal.wait(for: "begin client")
            kill(getpid(), SIGWINCH)
            try await running
            // The warm-up stops first, while the services that it uses still run.
            let end = ["cancelled repository", "end client", "dispose client"]
            #expect(journal.all.suffix(3) == end && !journal.all.contains("begin server"))
            #expect(await group.startReport == nil)
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func aShutdownOfTheOuterGroupDuringTheWarmUpIsNoError() async throws {
            registerClient()
            registerHangingRepository()
            let group = group([client, server])
            try await testGracefulShutdown { trigger in
                async let running: Void = group.run()
                await journal.wait(for: "create repository")
                trigger.triggerGracefulShutdown()
                try await running
            }
            gate.note("open")
            await journal.wait(for: "dispose repository")
            #expect(journal.all.contains("dispose client"))
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test func cancellationDuringTheWarmUpReachesTheCreations() async throws {
            registerClient()
            registerWaitingRepository()
            let group = group([client, server])
            let running = Task { try await group.run() }
            await journal.wait(for: "create repository")
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
            await journal.wait(for: "cancelled repository")
            #expect(!journal.all.contains("begin server") && journal.all.contains("dispose client"))
        }

        @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
        @Test(arguments: [true, false])
        func aServiceThatEndsDuringTheWarmUpCancelsIt(isGraceful: Bool) async throws {
            registerWaitingRepository()
            container.register(Worker.self, named: "client") { [journal] _ in
                Errand("client", journal) {
                    await journal.wait(for: "create repository")
                    throw Refused()
                }
            }
            let client = DependencyService(
                Worker.self, named: "client",
                failureTerminationBehavior: isGraceful ? .gracefullyShutdownGroup : .cancelGroup)
            let group = group([client, server])
            await #expect(throws: Refused.self) { try await withDeadline { try await group.run() } }
            await journal.wait(for: "cancelled repository")
            #expect(!journal.all.contains("begin server"))
        }

        // MARK: - Where the chart goes

        @Test func aFileThatIsNoTerminalGetsNoChart() throws {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            Terminal(file: ends[1]).write("chart")
            close(ends[1])
            #expect(contents(of: ends[0]) == "")
            close(ends[0])
        }

        #if os(Linux)
            @Test func aTerminalGetsTheChart() throws {
                let controller = open("/dev/ptmx", O_RDWR | O_NOCTTY)
                var (lock, number): (Int32, Int32) = (0, -1)
                // TIOCSPTLCK and TIOCGPTN, macros that Swift does not import.
                try #require(ioctl(controller, 0x4004_5431, &lock) == 0)
                try #require(ioctl(controller, 0x8004_5430, &number) == 0)
                let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
                try #require(terminal >= 0)
                Terminal(file: terminal).write("chart ░█")
                #expect(contents(of: controller) == "chart ░█\r\n")
                close(terminal)
                close(controller)
            }
        #endif

        /// One read of a file, as text.
        private func contents(of file: Int32) -> String {
            var bytes = [UInt8](repeating: 0, count: 1_000)
            let count = read(file, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }
#endif
