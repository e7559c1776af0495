package import Hummingbird
package import Logging

/// The server: routes and where it listens.
///
/// - Parameters:
///   - wiring: Where routes get their controllers from.
///   - settings: Where it listens, and how much it takes.
///   - logger: What its logging begins with.
///   - connections: Gets every connection, as long as it is open.
///   - onRunning: Gets the port, as soon as requests are taken.
/// - Returns: The application, to be run.
package func makeApplication(
    wiring: any Wiring, settings: Settings, logger: Logger, connections: OpenConnections = OpenConnections(),
    onRunning: @escaping @Sendable (Int) async -> Void
) -> some ApplicationProtocol {
    Application(
        router: Routes(wiring: wiring, requestLimit: settings.requestLimit).makeRouter(),
        server: .http1(
            configuration: .init(
                additionalChannelHandlers: [
                    RequestDeadline(limit: .seconds(settings.requestTimeout), connections: connections)
                ])),
        configuration: ApplicationConfiguration(
            address: .hostname(settings.address.host, port: settings.address.port), serverName: "shop"),
        onServerRunning: { await onRunning($0.localAddress?.port ?? 0) },
        logger: logger)
}
