import Foundation
import Hopoate
import Logging
import ServiceLifecycle
import Shop

/// The service as a process of its own, controlled over its standard input.
///
/// It prints its port and answers each line with its usage. It ends when its input ends, so it never outlives the process that
/// started it.
enum ServerMode {
    static func run(_ kind: WiringKind) async throws {
        var settings = Settings()
        settings.address.port = 0
        settings.requestLimit = 10_000
        // Connections are idle while the other servers have their turn.
        settings.requestTimeout = 3_600
        var logger = Logger(label: "shop") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        DependencyContainer.shared.values.settings = settings
        DependencyContainer.shared.values.logger = logger
        let group = ServiceGroup(services: [try await service(kind, settings, logger)], logger: logger)
        Thread.detachNewThread {
            while readLine() != nil { say(Usage.current.text) }
            Task { await group.triggerGracefulShutdown() }
        }
        try await group.run()
    }

    private static func service(
        _ kind: WiringKind, _ settings: Settings, _ logger: Logger
    ) async throws -> any Service {
        switch kind {
        case .container:
            try await ShopService.prepare(in: .shared)
            return ShopService.group(of: .shared, onRunning: announce)
        case .hand: return application(HandWiring(try await .make()), settings, logger)
        case .dictionary: return application(DictionaryWiring(try await .make()), settings, logger)
        }
    }

    private static func application(
        _ wiring: some Wiring, _ settings: Settings, _ logger: Logger
    ) -> any Service {
        makeApplication(settings: settings, logger: logger, onRunning: announce) { router, group in
            // The shop has them, too: all servers search the same routes.
            Routes.addOperations(to: router, .shared)
            wiring.addRoutes(to: group)
        }
    }

    private static func announce(port: Int) { say("port \(port)") }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
