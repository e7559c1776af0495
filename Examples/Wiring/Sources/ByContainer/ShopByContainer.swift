package import Components
import Hopoate
package import HopoateServiceLifecycle
import Hummingbird
package import Logging

/// Returns the service, wired by a container.
package func makeShopByContainer(
    settings: Settings, events: Events, logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void
) -> DependencyServiceGroup {
    let app = DependencyContainer()
    app.registerComponents(events: events)
    app.addHealthChecks()
    app.register((any ApplicationProtocol).self) { app in
        // The mailer opens on first use.
        async let cache = app.asyncResolve((any Cache).self)
        async let payments = app.asyncResolve((any Payments).self)
        _ = try await (cache, payments)
        return Application(
            router: try makeRouter(app, settings),
            configuration: .init(address: .hostname("127.0.0.1", port: settings.port)),
            onServerRunning: { await onRunning($0.localAddress?.port ?? 0) },
            logger: logger)
    }
    return DependencyServiceGroup(
        container: app,
        services: [.init(Database.self), .init((any ApplicationProtocol).self) { $0 }],
        shutdownLimit: settings.stopLimit,
        hookLimit: settings.closeLimit,
        logger: logger)
}
