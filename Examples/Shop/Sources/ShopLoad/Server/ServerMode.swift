import Foundation
import Hopoate
import Logging
import ServiceLifecycle
import Shop

/// The service as a process of its own, told what to do over its standard input.
///
/// It prints its port, answers each line with what it has used, and ends when its input does: so it never outlives
/// who started it.
enum ServerMode {
    static func run(_ kind: WiringKind) async throws {
        var settings = Settings()
        settings.address.port = 0
        settings.requestLimit = 10_000
        // Connections are silent while other servers have their turn.
        settings.requestTimeout = 3_600
        var logger = Logger(label: "shop") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        DependencyContainer.shared.values.settings = settings
        DependencyContainer.shared.values.logger = logger
        let application = makeApplication(
            wiring: try await makeWiring(kind), settings: settings, logger: logger,
            onRunning: { port in say("port \(port)") })
        let group = ServiceGroup(services: [application], logger: logger)
        Thread.detachNewThread {
            while readLine() != nil { say(Usage.current.text) }
            Task { await group.triggerGracefulShutdown() }
        }
        try await group.run()
        if kind == .container { try await DependencyContainer.shared.shutdown() }
    }

    private static func makeWiring(_ kind: WiringKind) async throws -> any Wiring {
        switch kind {
        case .container:
            try await ShopService.prepare(in: .shared)
            return ContainerWiring(.shared)
        case .hand: return HandWiring(try await .make())
        case .dictionary: return DictionaryWiring(try await .make())
        }
    }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
