#if Configuration
    import Configuration
    import Hopoate
    import HopoateConfiguration
    import Testing

    private struct Contradiction: Error, CustomStringConvertible {
        let description = "the lower limit exceeds the upper one"
    }

    private struct Limits: DependencyModule, Configurable {
        let lower: Int
        let upper: Int

        init(configuration: DependencyConfiguration) throws {
            (lower, upper) = try configuration.read(
                Setting.optional("lower", default: 1), Setting.optional("upper", default: 2))
            if lower > upper { throw Contradiction() }
        }
    }

    private struct PoolModule: DependencyModule, Configurable {
        let size: Int

        init(configuration: DependencyConfiguration) throws {
            size = try configuration.read(.required("size", in: 1...64))
        }

        func register(in container: DependencyContainer) { container.register(size, for: Int.self) }
    }

    private struct OuterModule: DependencyModule, Configurable {
        static let configurationKey: ConfigKey = "outer"
        let name: String
        let storage: StorageModule
        let readers: PoolModule
        let writers: PoolModule

        init(configuration: DependencyConfiguration) throws {
            (name, storage, readers, writers) = try configuration.read(
                Setting.required("name"), Setting.part(StorageModule.self),
                Setting.part(PoolModule.self, at: "readers"), Setting.part(PoolModule.self, at: "writers"))
        }

        var modules: [any DependencyModule] {
            storage
            readers
            writers
        }
    }

    /// Modules that are created from a configuration.
    @Suite struct ModuleTests {
        private let container = DependencyContainer()
        private let storage = "'HopoateConfigurationTests.StorageModule'"
        private let file = "HopoateConfigurationTests/Support.swift"

        @Test func modulesAreCreatedFromTheirSettingsAndInstalled() throws {
            let installation = try container.install(
                StorageModule.self, PaymentModule.self,
                configuration: environment(["STORAGE_PATH": "/data", "STORAGE_CONNECTIONS": "7", "PAYMENT_TOKEN": "t"]))
            #expect(container.resolve(String.self) == "/data 7")
            #expect(container.resolve(Secret<String>.self).exposed == "t")
            container.uninstall(installation)
            #expect(!container.canResolve(String.self))
        }

        @Test func oneErrorListsTheProblemsOfAllModules() {
            let found = messages {
                try container.install(
                    StorageModule.self, PaymentModule.self, configuration: environment(["STORAGE_CONNECTIONS": "65"]))
            }
            #expect(
                found == [
                    """
                    STORAGE_PATH is absent. Set it to a text that is not empty. \
                    \(storage) reads it at \(file):\(StorageModule.lines.path).
                    """,
                    """
                    STORAGE_CONNECTIONS is '65'. Set it to a whole number from 1 to 64, or leave it out. \
                    \(storage) reads it at \(file):\(StorageModule.lines.connections).
                    """,
                    """
                    PAYMENT_TOKEN is absent. Set it to a text that is not empty. \
                    'HopoateConfigurationTests.PaymentModule' reads it at \(file):\(StorageModule.lines.connections + 13).
                    """,
                ])
        }

        @Test func nothingIsInstalledIfOneModuleFails() {
            container.register("before", for: String.self)
            #expect(throws: DependencyConfigurationError.self) {
                try container.install(
                    StorageModule.self, PaymentModule.self, configuration: environment(["STORAGE_PATH": "/data"]))
            }
            #expect(container.resolve(String.self) == "before")
            #expect(container.resolveAll(String.self).count == 1)
        }

        @Test func nestedModulesReadBelowTheKeyOfTheOuterModule() throws {
            try container.install(
                OuterModule.self,
                configuration: environment([
                    "OUTER_NAME": "n", "OUTER_STORAGE_PATH": "/p", "OUTER_READERS_SIZE": "3", "OUTER_WRITERS_SIZE": "5",
                ]))
            #expect(container.resolve(String.self) == "/p 4")
            #expect(container.resolveAll(Int.self) == [5, 3])
        }

        @Test func problemsOfNestedModulesAreInTheSameError() {
            let error = #expect(throws: DependencyConfigurationError.self) {
                try container.install(OuterModule.self, configuration: environment(["OUTER_READERS_SIZE": "0"]))
            }
            #expect(
                error?.problems.map(\.key) == [
                    "OUTER_NAME", "OUTER_STORAGE_PATH", "OUTER_READERS_SIZE", "OUTER_WRITERS_SIZE",
                ])
            #expect(error?.problems.map(\.reason) == [.absent, .absent, .malformed, .absent])
            #expect(error?.problems.dropFirst(2).first?.type == PoolModule.self)
        }

        @Test func errorsOfAnInitializerAreProblemsToo() {
            let found = messages {
                try container.install(
                    Limits.self, StorageModule.self, configuration: environment(["LOWER": "3", "STORAGE_PATH": ""]))
            }
            #expect(found.count == 2)
            let limits = "HopoateConfigurationTests.Limits"
            #expect(found.first == "'\(limits)' refuses its settings: the lower limit exceeds the upper one")
            #expect(found.last?.hasPrefix("STORAGE_PATH is ''. Set it to a text that is not empty. ") == true)
        }

        @Test func typesThatAreNoModulesAreReadWithModules() throws {
            struct Address: Configurable, Equatable {
                let host: String
                let port: Int
                init(configuration: DependencyConfiguration) throws {
                    (host, port) = try configuration.read(
                        Setting.optional("host", default: "127.0.0.1"), Setting.required("port", in: 0...65_535))
                }
            }
            let configuration = environment(["PORT": "80", "STORAGE_PATH": "/data"])
            let (address, module) = try configuration.read(Address.self, StorageModule.self)
            #expect(address.host == "127.0.0.1")
            #expect(address.port == 80)
            try container.install {
                module
            }
            #expect(container.resolve(String.self) == "/data 4")
        }

        @Test func theErrorOfSeveralProblemsHasOneLineForEach() {
            let error = #expect(throws: DependencyConfigurationError.self) {
                try container.install(StorageModule.self, PaymentModule.self, configuration: [])
            }
            let lines = error?.description.split(separator: "\n") ?? []
            #expect(lines.first == "2 settings are wrong:")
            #expect(
                lines.dropFirst().map { $0.prefix(24) } == ["  storage.path is absent", "  payment.token is absen"])
        }

        @Test func aSealedContainerRefusesConfiguredModules() {
            container.seal()
            #expect(throws: DependencyError.self) {
                try container.install(StorageModule.self, configuration: environment(["STORAGE_PATH": "/data"]))
            }
        }
    }
#endif
