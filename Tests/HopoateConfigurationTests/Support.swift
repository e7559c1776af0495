#if Configuration
    import Configuration
    import Hopoate
    import HopoateConfiguration
    import Synchronization
    import Testing

    /// A configuration with environment variables.
    func environment(_ variables: [String: String], secrets: Set<String> = []) -> DependencyConfiguration {
        [EnvironmentVariablesProvider(environmentVariables: variables, secretsSpecifier: .specific(secrets))]
    }

    /// The messages of the error that a closure throws.
    func messages(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) -> [String] {
        let error = #expect(throws: DependencyConfigurationError.self, sourceLocation: sourceLocation) { try body() }
        return error?.problems.map(\.description) ?? []
    }

    /// Collects access events as text.
    final class AccessLog: AccessReporter {
        private let lines = Mutex<[String]>([])

        func report(_ event: AccessEvent) {
            let providers = event.providerResults.map { result in
                switch result.result {
                case .success(let lookup): "\(lookup.encodedKey) \(lookup.value?.description ?? "nil")"
                case .failure(let error): "\(error)"
                }
            }
            lines.withLock { $0.append("\(event) \(providers)") }
        }

        var text: String { lines.withLock { $0 }.joined(separator: "\n") }
    }

    /// A module that counts its initializers and registrations.
    struct StorageModule: DependencyModule, Configurable {
        static let configurationKey: ConfigKey = "storage"
        static let lines = (path: #line + 7, connections: #line + 8)

        let path: String
        let connections: Int

        init(configuration: DependencyConfiguration) throws {
            (path, connections) = try configuration.read(
                Setting.required("path"),
                Setting.optional("connections", default: 4, in: 1...64))
        }

        func register(in container: DependencyContainer) {
            container.register("\(path) \(connections)", for: String.self)
        }
    }

    struct PaymentModule: DependencyModule, Configurable {
        static let configurationKey: ConfigKey = "payment"
        let token: Secret<String>

        init(configuration: DependencyConfiguration) throws {
            token = try configuration.read(.required("token"))
        }

        func register(in container: DependencyContainer) {
            container.register(token, for: Secret<String>.self)
        }
    }
#endif
