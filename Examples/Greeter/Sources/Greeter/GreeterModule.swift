public import Hopoate
import HopoateServer
public import Logging

/// The services of the greeter.
public struct GreeterModule: DependencyModule {
    private let port: Int
    private let logger: Logger

    /// Creates a module.
    ///
    /// - Parameters:
    ///   - port: The port to listen on; 0 for any free port.
    ///   - logger: The logger of the services.
    public init(port: Int, logger: Logger) {
        self.port = port
        self.logger = logger
    }

    /// Registers the services, and the health check of the phrasebook.
    public func register(in container: DependencyContainer) {
        container.register(logger, for: Logger.self)
        container.register(Phrasebook.self, using: Phrasebook.load)
        container.addHealthCheck(of: Phrasebook.self) { phrasebook in
            if phrasebook.greetings.isEmpty { throw EmptyPhrasebook() }
        }
        container.register(Language.self, lifetime: .scoped) { _ in Language(code: "en") }
        container.register(Visit.self, lifetime: .scoped) { container in
            Visit(
                language: try container.require(), phrasebook: try container.require(), logger: try container.require())
        } onAsyncDispose: { visit in
            await visit.end()
        }
        container.register(GreeterServer.self) { [port, logger] container in
            GreeterServer(container, port: port, logger: logger)
        }
    }
}

struct EmptyPhrasebook: Error {}
