#if Configuration
    import Configuration
    import Hopoate
    import HopoateConfiguration
    import HopoateServer
    import Synchronization
    import Testing

    #if ServiceLifecycle
        import ServiceLifecycle
        import ServiceLifecycleTestKit
    #endif

    private struct Pool: Sendable { let size: Int }

    /// A singleton that uses a pool, and is registered by nobody who follows settings.
    private struct Mailer: Sendable {
        let pool: Pool
        let started: Counted
        init(pool: Pool, started: Counted) { (self.pool, self.started) = (pool, started) }
    }

    private final class Counted: Sendable {
        private let count = Atomic(0)
        @discardableResult func next() -> Int { count.add(1, ordering: .relaxed).newValue }
        var value: Int { count.load(ordering: .relaxed) }
    }

    private struct PoolModule: DependencyModule, Configurable, Equatable {
        static let configurationKey: ConfigKey = "pool"
        let size: Int

        init(configuration: DependencyConfiguration) throws {
            size = try configuration.read(.optional("size", default: 4, in: 1...64))
        }

        func register(in container: DependencyContainer) {
            let size = size
            container.register(Pool.self, lifetime: .singleton) { Pool(size: size) }
            container.addHealthCheck(of: Pool.self) { if $0.size == 13 { throw CancellationError() } }
        }
    }

    private struct Token: Sendable { let text: Secret<String> }

    /// Creates the token asynchronously, and refuses the texts that begin with "bad".
    private struct TokenModule: DependencyModule, Configurable, Equatable {
        static let configurationKey: ConfigKey = "token"
        let text: Secret<String>

        init(configuration: DependencyConfiguration) throws {
            text = try configuration.read(.required("text"))
        }

        func register(in container: DependencyContainer) {
            let text = text
            container.register(Token.self) { container async throws in
                let attempt = container.resolve(Counted.self).next()
                if text.exposed == "bad" || text.exposed.hasPrefix("late") && attempt < 5 { throw Refused() }
                return Token(text: text)
            }
        }
    }

    private struct Refused: Error {}

    private struct Names: DependencyModule, Configurable, Equatable {
        let name: String
        init(configuration: DependencyConfiguration) throws {
            name = try configuration.read(.optional("name", default: "a"))
        }
        func register(in container: DependencyContainer) { container.register(name, for: String.self) }
    }

    private struct Broken: DependencyModule, Configurable, Equatable {
        init(configuration: DependencyConfiguration) {}
        func register(in container: DependencyContainer) throws { throw Refused() }
    }

    /// Modules that follow their settings.
    @Suite struct ReloadTests {
        private let app = DependencyContainer.allowingCommits { Issue.record($0) }
        /// The number of tokens that were begun.
        private let attempts = Counted()
        private let settings = MutableInMemoryProvider(initialValues: ["token.text": "old"])
        private let changes: AsyncStream<Result<DependencyCommit, any Error>>
        private let change: AsyncStream<Result<DependencyCommit, any Error>>.Continuation

        init() {
            (changes, change) = AsyncStream.makeStream()
            app.register(attempts, for: Counted.self)
        }

        private var reader: ConfigReader {
            ConfigReader(provider: settings, accessReporter: ConfigurationDiagnostics())
        }

        private func install() throws -> DependencyReload {
            try app.install(PoolModule.self, TokenModule.self, following: reader, retryInterval: .milliseconds(1)) {
                [change] in
                change.yield($0)
            }
        }

        /// Runs a closure while the settings are followed.
        private func following(
            _ reload: DependencyReload,
            _ body: (inout AsyncStream<Result<DependencyCommit, any Error>>.Iterator) async throws -> Void
        ) async throws {
            let running = Task { try await reload.run() }
            var outcomes = changes.makeAsyncIterator()
            do { try await body(&outcomes) } catch { Issue.record(error) }
            running.cancel()
            try await running.value
        }

        private func failure(_ outcome: Result<DependencyCommit, any Error>?) throws -> any Error {
            struct Success: Error {}
            guard case .failure(let error) = try #require(outcome) else { throw Success() }
            return error
        }

        private func set(_ value: ConfigValue?, _ key: String) {
            settings.setValue(value, forKey: AbsoluteConfigKey(ConfigKey(key)))
        }

        @Test func aChangeReplacesTheServicesOfItsModuleAlone() async throws {
            let reload = try install()
            app.seal()
            _ = try await app.asyncResolve(Token.self)
            let earlier = app.makeChild()
            try await following(reload) { outcomes in
                set(9, "pool.size")
                let commit = try #require(try await outcomes.next()?.get())
                #expect(commit.replaced == ["HopoateConfigurationTests.Pool"])
                #expect(app.resolve(Pool.self).size == 9)
                #expect(app.makeChild().resolve(Pool.self).size == 9)
                #expect(earlier.resolve(Pool.self).size == 4)
                #expect(attempts.value == 1)
                set("new", "token.text")
                #expect(try await outcomes.next()?.get().replaced == ["HopoateConfigurationTests.Token"])
                #expect(app.resolve(Token.self).text.exposed == "new")
                #expect(app.resolve(Pool.self).size == 9)
            }
        }

        @Test func wrongSettingsAreReportedWithAllKeysAndChangeNothing() async throws {
            let reload = try install()
            try await following(reload) { outcomes in
                set(65, "pool.size")
                let error = try await failure(outcomes.next())
                #expect((error as? DependencyConfigurationError)?.problems.map(\.key) == ["pool.size"])
                #expect(app.resolve(Pool.self).size == 4)
                set(nil, "token.text")
                let errors = try await failure(outcomes.next())
                #expect((errors as? DependencyConfigurationError)?.problems.map(\.key) == ["pool.size", "token.text"])
                set("other", "token.text")
                _ = try await failure(outcomes.next())
                set(7, "pool.size")
                let commit = try #require(try await outcomes.next()?.get())
                #expect(commit.replaced == ["HopoateConfigurationTests.Pool", "HopoateConfigurationTests.Token"])
                #expect(app.resolve(Pool.self).size == 7)
            }
        }

        @Test func aChangeBetweenInstallAndRunIsNotMissed() async throws {
            let reload = try install()
            set(5, "pool.size")
            try await following(reload) { outcomes in
                _ = try await outcomes.next()?.get()
                #expect(app.resolve(Pool.self).size == 5)
            }
        }

        @Test func itCanRunAgain() async throws {
            let reload = try install()
            for size in [5, 6] {
                try await following(reload) { outcomes in
                    set(ConfigValue(.int(size), isSecret: false), "pool.size")
                    _ = try await outcomes.next()?.get()
                    #expect(app.resolve(Pool.self).size == size)
                }
            }
        }

        @Test func aCommitThatFailsIsTriedAgainUntilItSucceeds() async throws {
            let reload = try install()
            _ = try await app.asyncResolve(Token.self)
            try await following(reload) { outcomes in
                set("late", "token.text")
                for _ in 1...3 {
                    let error = try await failure(outcomes.next())
                    #expect((error as? DependencyError)?.underlying is Refused)
                    #expect(app.resolve(Token.self).text.exposed == "old")
                }
                _ = try await outcomes.next()?.get()
                #expect(app.resolve(Token.self).text.exposed == "late")
            }
        }

        @Test func newSettingsEndTheAttemptsWithEarlierOnes() async throws {
            let reload = try install()
            _ = try await app.asyncResolve(Token.self)
            try await following(reload) { outcomes in
                set("bad", "token.text")
                _ = try await failure(outcomes.next())
                set("good", "token.text")
                // Attempts that are under way may still fail.
                while let outcome = await outcomes.next() {
                    guard case .success = outcome else { continue }
                    break
                }
                #expect(app.resolve(Token.self).text.exposed == "good")
            }
        }

        @Test func singletonsThatHoldAReplacedServiceAreRebuilt() async throws {
            let reload = try install()
            app.register(Mailer.self, using: Mailer.init)
            #expect(app.resolve(Mailer.self).pool.size == 4)
            try await following(reload) { outcomes in
                set(8, "pool.size")
                let commit = try #require(try await outcomes.next()?.get())
                #expect(commit.rebuilt == ["HopoateConfigurationTests.Mailer"] && commit.outdated.isEmpty)
                #expect(app.resolve(Mailer.self).pool.size == 8)
            }
        }

        @Test func healthChecksOfOtherServicesStay() async throws {
            app.addHealthCheck(of: Counted.self) { _ in throw Refused() }
            let reload = try install()
            _ = app.resolve(Pool.self)
            try await following(reload) { outcomes in
                set(13, "pool.size")
                _ = try await outcomes.next()?.get()
                let results = await app.health(within: .seconds(60)).results
                #expect(results.map { "\($0.service)" } == ["Counted", "Pool"])
                for result in results {
                    if case .unhealthy = result.status { continue }
                    Issue.record("\(result)")
                }
            }
        }

        @Test func registrationsOfOthersAreNotLost() async throws {
            let reload = try app.install(Names.self, following: reader) { _ in }
            app.register("another", for: String.self)
            app.register("named", for: String.self, named: "other")
            let error = await #expect(throws: DependencyReloadError.self) { try await reload.run() }
            #expect(error?.services == ["Swift.String"])
            #expect(
                error?.description.hasPrefix(
                    "Cannot follow the settings of the modules installed at HopoateConfigurationTests/ReloadTests.swift:"
                ) == true)
        }

        @Test func nothingIsInstalledIfAModuleCannotBe() throws {
            set(nil, "token.text")
            #expect(throws: DependencyConfigurationError.self) { try install() }
            #expect(throws: Refused.self) {
                try app.install(PoolModule.self, Broken.self, following: reader) { _ in }
            }
            #expect(!app.canResolve(Pool.self))
            let plain = DependencyContainer()
            let error = #expect(throws: DependencyCommitError.self) {
                try plain.install(PoolModule.self, following: reader) { _ in }
            }
            #expect(error?.reason == .notAllowed && !plain.canResolve(Pool.self))
        }

        @Test func aContainerThatWasShutDownIsReportedOnce() async throws {
            let reload = try install()
            try await app.shutdown()
            try await following(reload) { outcomes in
                for size in [6, 7] {
                    set(ConfigValue(.int(size), isSecret: false), "pool.size")
                    let error = try await failure(outcomes.next())
                    #expect((error as? DependencyCommitError)?.reason == .shutDown)
                }
            }
        }

        #if ServiceLifecycle
            @Test func aGracefulShutdownEndsIt() async throws {
                let reload = try install()
                try await testGracefulShutdown { trigger in
                    async let running: Void = (reload as any Service).run()
                    set(3, "pool.size")
                    var outcomes = changes.makeAsyncIterator()
                    _ = try await outcomes.next()?.get()
                    trigger.triggerGracefulShutdown()
                    try await running
                }
            }
        #endif
    }
#endif
