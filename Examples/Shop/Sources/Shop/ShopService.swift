public import Hopoate
import HopoateHummingbird
import HopoateServer
import Hummingbird
import Logging
public import ServiceLifecycle

/// The shop as a service: prepared in a container, served until it is told to stop, and disposed of.
public struct ShopService: Service {
    private let container: DependencyContainer
    private let onRunning: @Sendable (Int) async -> Void
    private let didBegin: (@Sendable (DependencyContainer) -> Void)?

    /// Creates a service on a prepared container.
    ///
    /// - Parameters:
    ///   - container: A container that `prepare` has prepared.
    ///   - onRunning: Receives the port when the server listens.
    public init(_ container: DependencyContainer, onRunning: @escaping @Sendable (Int) async -> Void = { _ in }) {
        self.init(container, onRunning: onRunning, didBegin: nil)
    }

    /// Creates a service that passes the container of each HTTP request to a function.
    init(
        _ container: DependencyContainer, onRunning: @escaping @Sendable (Int) async -> Void,
        didBegin: (@Sendable (DependencyContainer) -> Void)?
    ) {
        self.container = container
        self.onRunning = onRunning
        self.didBegin = didBegin
    }

    /// Serves until the service is told to stop. Then it waits for requests in flight, within the limit of the settings, and
    /// disposes of all services: users before the services that they use.
    ///
    /// A request that takes longer loses its connection and is cancelled. The rows that it has written stay in the database, and
    /// the next start settles an order that it leaves pending.
    public func run() async throws {
        let logger = container.values.logger
        do {
            try await serve()
        } catch {
            _ = try? await container.shutdown(limit: Self.disposalLimit)
            throw error
        }
        let report = try await container.shutdown(limit: Self.disposalLimit)
        logger.info("\(report)")
    }

    /// The time for closing the database and the payment client.
    private static let disposalLimit = Duration.seconds(10)

    private func serve() async throws {
        let (settings, logger) = (container.values.settings, container.values.logger)
        let connections = OpenConnections()
        let settlement = try container.require(Settlement.self)
        let application = makeApplication(
            settings: settings, logger: logger, connections: connections, onRunning: onRunning
        ) { router, group in
            Routes.addOperations(to: router, container)
            Routes.add(to: group, container, didBegin: didBegin)
        }
        try await withShutdownLimit(.seconds(settings.shutdownTimeout)) {
            await cancelWhenGracefulShutdown { await settlement.settlePending(logger: logger) }
            if Task.isShuttingDownGracefully { return }
            do {
                try await application.run()
            } catch {
                throw PortInUse(error, settings.address) ?? error
            }
        } onTimeout: {
            let count = connections.closeAll()
            logger.warning("stopped with requests in flight", metadata: ["connections": "\(count)"])
        }
    }
}

extension ShopService {
    /// Installs and validates the shop, seals the container and creates the singletons, so that mistakes are found before the
    /// first HTTP request.
    ///
    /// - Parameters:
    ///   - container: The container, which must be `DependencyContainer.shared`.
    ///   - rules: The mistakes to look for.
    ///   - extra: Modules that shadow parts of the shop, in tests for example.
    /// - Throws: A validation error, or the error of a factory.
    public static func prepare(
        in container: DependencyContainer, rules: DependencyValidationRules = .strict,
        @DependencyModuleBuilder adding extra: () -> [any DependencyModule] = { [] }
    ) async throws {
        try container.install {
            ShopModule()
            extra()
        }
        let routes = Routes.add(to: Router(context: ShopContext.self).group(), container)
        try container.seal(rules, roots: routes.roots) { registerSample(in: $0) }
        do {
            let report = try await container.warmUp(limit: startLimit)
            container.values.logger.info("\(report)")
        } catch {
            _ = try? await container.shutdown(limit: disposalLimit)
            throw error
        }
    }

    /// The time for the creation of each singleton.
    private static let startLimit = Duration.seconds(30)

    /// Returns the container of a sample request, for the graph.
    package static func makeSampleRequest(in container: DependencyContainer) -> DependencyContainer {
        let sample = container.makeChild()
        registerSample(in: sample)
        return sample
    }

    /// Registers the values that each HTTP request brings.
    static func registerSample(in child: DependencyContainer) {
        child.register(RequestInfo(id: "sample", session: nil, base: child.values.logger), for: RequestInfo.self)
    }
}
