public import Hummingbird
public import Logging

/// Returns the server of the shop with its middleware and the given routes.
///
/// - Parameters:
///   - settings: The address and the limits.
///   - logger: The logger from which those of the requests derive.
///   - connections: Receives every open connection.
///   - onRunning: Receives the port when the server listens.
///   - addRoutes: Adds routes without a limit to the router, and all others to a group. A request of the group is handled after
///     it has arrived completely, if fewer than `requestLimit` of them are in progress.
/// - Returns: The application, to be run.
public func makeApplication(
    settings: Settings, logger: Logger, connections: OpenConnections = OpenConnections(),
    onRunning: @escaping @Sendable (Int) async -> Void,
    addRoutes: (_ router: Router<ShopContext>, _ group: RouterGroup<ShopContext>) -> Void
) -> some ApplicationProtocol {
    let router = Router(context: ShopContext.self)
    router.add(middleware: RequestMiddleware())
    let group = router.group()
        .add(middleware: BodyMiddleware())
        .add(middleware: AdmissionMiddleware(limit: settings.requestLimit))
    addRoutes(router, group)
    return Application(
        router: router,
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
