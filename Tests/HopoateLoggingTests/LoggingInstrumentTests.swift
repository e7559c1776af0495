#if Logging
    import Hopoate
    import HopoateLogging
    import InMemoryLogging
    import Logging
    import Testing

    private final class Engine: Sendable {}
    private final class Wheel: Sendable {}
    private struct Refused: Error {}

    private let engine = "HopoateLoggingTests.Engine"

    /// Log messages of an instrumented container, and their levels.
    @Suite struct LoggingInstrumentTests {
        private let container = DependencyContainer()
        private let log = InMemoryLogHandler()

        private func logger(_ level: Logger.Level) -> Logger {
            var logger = Logger(label: "test") { [log] _ in log }
            logger.logLevel = level
            return logger
        }

        private func instrument(_ level: Logger.Level = .trace) {
            container.instrument(with: LoggingInstrument(logger: logger(level)))
        }

        private var lines: [String] { log.entries.map { "\($0.level): \($0.message)" } }

        @Test func resolvesAreLoggedAtTraceAndCreationsAtDebug() {
            instrument()
            container.register(Engine.self) { _ in Engine() }
            #expect(lines == [])
            _ = container.resolve(Engine.self)
            _ = container.resolve(Engine.self)
            let resolved = "trace: resolved \(engine)"
            #expect(lines == ["debug: created \(engine)", resolved, resolved])
        }

        @Test func metadataDescribesTheService() throws {
            instrument()
            container.register(Engine.self, named: "spare", lifetime: .transient) { (_, _: Int) in Engine() }
            let place = "HopoateLoggingTests/LoggingInstrumentTests.swift:\(#line - 1)"
            _ = container.resolve(Engine.self, named: "spare", arguments: 7)
            var expected: Logger.Metadata = [
                "hopoate.service": .string(engine), "hopoate.name": "spare", "hopoate.arguments": "(Swift.Int)",
                "hopoate.lifetime": "transient", "hopoate.place": .string(place),
            ]
            #expect(log.entries.last?.metadata == expected)
            expected["hopoate.outcome"] = "created"
            var metadata = try #require(log.entries.first?.metadata)
            let duration = metadata.removeValue(forKey: "hopoate.duration_ns")
            #expect(UInt64(duration?.description ?? "") != nil)
            #expect(metadata == expected)
        }

        @Test func metadataOmitsAbsentNamesAndArguments() {
            instrument()
            container.register(Engine(), for: Engine.self)
            _ = container.resolve(Engine.self)
            let keys = log.entries.flatMap(\.metadata.keys)
            #expect(Set(keys) == ["hopoate.service", "hopoate.lifetime", "hopoate.place"])
        }

        @Test func failuresAreLoggedAtDebug() async throws {
            instrument()
            container.register(Engine.self) { _ in throw Refused() }
            container.register(Wheel.self) { _ -> Wheel in
                await Task.yield()
                throw Refused()
            }
            #expect(throws: DependencyError.self) { try container.require(Engine.self) }
            await #expect(throws: DependencyError.self) { try await container.asyncResolve(Wheel.self) }
            #expect(
                lines == [
                    "debug: failed to create \(engine)", "debug: failed to create HopoateLoggingTests.Wheel",
                ])
            #expect(log.entries.allSatisfy { $0.error is Refused && $0.metadata["hopoate.outcome"] == "failed" })
        }

        @Test func suspendingFactoryIsTimedToItsEnd() async throws {
            instrument()
            container.register(Engine.self) { _ in
                try await Task.sleep(nanoseconds: 2_000_000)
                return Engine()
            }
            _ = try await container.asyncResolve(Engine.self)
            let duration = try #require(log.entries.first?.metadata["hopoate.duration_ns"])
            #expect(try #require(UInt64("\(duration)")) >= 2_000_000)
        }

        @Test(arguments: Logger.Level.allCases)
        func logLevelFiltersMessages(level: Logger.Level) async throws {
            instrument(level)
            container.register(Engine.self) { _ in Engine() }
            container.register(Engine.self, named: "spare") { _ in
                await Task.yield()
                return Engine()
            }
            container.register(Wheel.self) { _ in throw Refused() }
            _ = container.resolve(Engine.self)
            _ = try await container.asyncResolve(Engine.self, named: "spare")
            #expect(throws: DependencyError.self) { try container.require(Wheel.self) }
            let expected: [Logger.Level] =
                switch level {
                case .trace: [.debug, .trace, .debug, .trace, .debug]
                case .debug: [.debug, .debug, .debug]
                default: []
                }
            #expect(log.entries.map(\.level) == expected)
        }

        @Test func nestedCreationsAreLoggedInnermostFirst() {
            instrument(.debug)
            container.register(Engine.self) { _ in Engine() }
            container.register(Wheel.self) { container in
                _ = container.resolve(Engine.self)
                return Wheel()
            }
            _ = container.resolve(Wheel.self)
            #expect(lines == ["debug: created \(engine)", "debug: created HopoateLoggingTests.Wheel"])
        }

        @Test func theCurrentLoggerIsTheDefault() async throws {
            container.instrument(with: LoggingInstrument())
            container.register(Engine.self) { _ in
                await Task.yield()
                return Engine()
            }
            var request = logger(.trace)
            request[metadataKey: "request"] = "7"
            try await withLogger(request) { _ in _ = try await container.asyncResolve(Engine.self) }
            #expect(lines == ["debug: created \(engine)", "trace: resolved \(engine)"])
            #expect(log.entries.allSatisfy { $0.metadata["request"] == "7" })
        }

        @Test func filteredServicesAreNotLogged() {
            container.instrument(with: LoggingInstrument(logger: logger(.trace)) { $0.name != nil })
            container.register(Engine.self) { _ in Engine() }
            container.register(Engine.self, named: "spare") { _ in Engine() }
            _ = container.resolve(Engine.self)
            _ = container.resolve(Engine.self, named: "spare")
            #expect(log.entries.count == 2)
        }

        @Test(arguments: [1, 2, 8])
        func concurrentTasksLogEveryResolve(tasks: Int) async throws {
            instrument()
            container.register(Engine.self, lifetime: .transient) { _ in Engine() }
            let rounds = 200
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<tasks {
                    group.addTask { for _ in 0..<rounds { _ = container.resolve(Engine.self) } }
                }
            }
            #expect(log.entries.filter { $0.level == .debug }.count == tasks * rounds)
            #expect(log.entries.filter { $0.level == .trace }.count == tasks * rounds)
        }
    }
#endif
