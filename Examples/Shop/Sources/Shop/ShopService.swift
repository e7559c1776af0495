public import Hopoate
import Hummingbird
import Logging
public import ServiceLifecycle

/// The shop as a service: prepared in a container, served until it is told to stop, and disposed of.
public struct ShopService: Service {
    private let container: DependencyContainer
    private let onRunning: @Sendable (Int) async -> Void
    private let didBegin: (@Sendable (DependencyContainer) -> Void)?

    /// Serves what is prepared in a container.
    ///
    /// - Parameters:
    ///   - container: What `prepare` has prepared.
    ///   - onRunning: Gets the port, as soon as requests are taken.
    public init(_ container: DependencyContainer, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }) {
        self.init(container, onRunning: onRunning, didBegin: nil)
    }

    /// With a function that sees the container of each HTTP request.
    init(
        _ container: DependencyContainer, onRunning: @escaping @Sendable (Int) async -> Void,
        didBegin: (@Sendable (DependencyContainer) -> Void)?
    ) {
        self.container = container
        self.onRunning = onRunning
        self.didBegin = didBegin
    }

    /// Serves until the service is told to stop; then waits for requests in flight, as long as the settings say, and
    /// disposes of all services, newest first.
    ///
    /// A request that takes longer than that loses its connection and is cancelled. The database keeps the rows that it has
    /// written, and the next start settles an order that it leaves pending.
    public func run() async throws {
        do {
            try await serve()
        } catch {
            try? await container.shutdown()
            throw error
        }
        try await container.shutdown()
    }

    private func serve() async throws {
        let (settings, logger) = (container.values.settings, container.values.logger)
        let connections = OpenConnections()
        let settlement = try container.require(Settlement.self)
        let application = makeApplication(
            settings: settings, logger: logger, connections: connections, onRunning: onRunning
        ) { router, group in
            let routes = Routes(container: container)
            routes.addHealth(to: router)
            routes.add(to: group.add(middleware: ScopeMiddleware(application: container, didBegin: didBegin)))
        }
        try await withShutdownLimit(.seconds(settings.shutdownTimeout)) {
            await cancelWhenGracefulShutdown { await settlement.settlePending(logger: logger) }
            if Task.isShuttingDownGracefully { return }
            try await application.run()
        } onTimeout: {
            let count = connections.closeAll()
            logger.warning("stopped with requests in flight", metadata: ["connections": "\(count)"])
        }
    }
}

extension ShopService {
    /// Installs the shop, looks whether all of it fits together, closes the container, and makes everything that
    /// lives as long as the service: what is wrong is found here, and not by the first customer.
    ///
    /// - Parameters:
    ///   - container: Where; it has to be what `DependencyContainer.shared` is.
    ///   - extra: What hides parts of the shop, in a test, say.
    /// - Throws: What does not fit together, or cannot be made.
    public static func prepare(
        in container: DependencyContainer, @DependencyModuleBuilder adding extra: () -> [any DependencyModule] = { [] }
    ) async throws {
        try container.install {
            ShopModule()
            extra()
        }
        try makeSampleRequest(in: container).validate()
        container.seal()
        do {
            try await container.warmUp()
        } catch {
            try? await container.shutdown()
            throw error
        }
    }

    /// A request that nobody has made, to look at what requests can ask for.
    package static func makeSampleRequest(in container: DependencyContainer) -> DependencyContainer {
        container.makeRequestContainer(
            for: RequestInfo(id: "sample", session: nil, base: container.values.logger))
    }
}
