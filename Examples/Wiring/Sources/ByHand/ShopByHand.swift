package import Components
import Hummingbird
package import Logging
import ServiceLifecycle

/// The service, wired by hand.
package struct ShopByHand: Service {
    private let settings: Settings
    private let events: Events
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void

    package init(
        settings: Settings, events: Events, logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void
    ) {
        self.settings = settings
        self.events = events
        self.logger = logger
        self.onRunning = onRunning
    }

    /// Opens the components, serves until it is told to stop, and closes the components.
    package func run() async throws {
        let closers = Closers()
        do {
            try await serve(closers)
        } catch {
            try? await stop(closers)
            throw error
        }
        try await stop(closers)
    }

    private func serve(_ closers: Closers) async throws {
        let services = try await Services.open(events: events, closers: closers)
        let server = Application(
            router: makeRouter(services, settings),
            configuration: .init(address: .hostname("127.0.0.1", port: settings.port)),
            onServerRunning: { [onRunning] in await onRunning($0.localAddress?.port ?? 0) },
            logger: logger)
        try await ServiceGroup(services: [services.database, server], logger: logger).run()
    }

    /// Closes the components in a task of its own, because a cancelled service has to close them, too.
    private func stop(_ closers: Closers) async throws {
        let stop = Task { try await closers.close(within: settings.stopLimit, each: settings.closeLimit) }
        do {
            try await stop.value
        } catch {
            logger.error("The service did not stop cleanly.", metadata: ["error": "\(error)"])
            throw error
        }
    }
}
