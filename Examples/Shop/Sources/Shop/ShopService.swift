public import Hopoate
import HopoateConfiguration
import HopoateHummingbird
import HopoateServer
public import HopoateServiceLifecycle
import Hummingbird
import Logging
public import ServiceLifecycle
public import UnixSignals

/// The shop as a service, on a container that `prepare` has prepared. `group` runs it.
public struct ShopService: Service {
    private let container: DependencyContainer
    private let onRunning: @Sendable (Int) async -> Void
    private let observer: Routes.Observer?

    /// Serves until the service is told to stop. Then it waits for requests in flight, within the limit of the settings.
    ///
    /// A request that takes longer loses its connection and is cancelled. The rows that it has written stay in the database, and
    /// the next start settles an order that it leaves pending.
    public func run() async throws {
        let (settings, logger) = (container.values.settings, container.values.logger)
        let connections = OpenConnections()
        let application = makeApplication(
            settings: settings, logger: logger, connections: connections, onRunning: onRunning
        ) { router, group in
            Routes.addOperations(to: router, container)
            Routes.add(to: group, container, observedBy: observer)
        }
        try await withShutdownLimit(.seconds(settings.shutdownTimeout)) {
            // A child, so that the database stays open if it is replaced meanwhile.
            try await container.withChild { _ in
            } operation: { child in
                let settlement = try child.require(Settlement.self)
                await cancelWhenGracefulShutdown { await settlement.settlePending(logger: logger) }
            }
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
    ///   - sources: The settings that the database and the payment provider follow; nil to use those of the container for good. The container
    ///     must allow commits.
    ///   - rules: The mistakes to look for.
    ///   - extra: Modules that shadow parts of the shop, in tests for example.
    /// - Returns: The services that follow the settings, for `group`.
    /// - Throws: An error of the settings, a validation error, or the error of a factory.
    @discardableResult
    public static func prepare(
        in container: DependencyContainer, following sources: SettingsSources? = nil,
        rules: DependencyValidationRules = .strict,
        @DependencyModuleBuilder adding extra: () -> [any DependencyModule] = { [] }
    ) async throws -> [any Service] {
        let logger = container.values.logger
        let reload = try sources.map { sources in
            try container.install(StorageModule.self, PaymentModule.self, following: sources.reader) { change in
                switch change {
                case .success(let commit): logger.notice("settings changed", metadata: ["commit": "\(commit)"])
                case .failure(let error): logger.error("settings unchanged", metadata: ["error": "\(error)"])
                }
            }
        }
        try container.install {
            ShopModule(sources == nil ? container.values.settings : nil)
            extra()
        }
        try Routes.ofAnyServer(on: container).seal(rules)
        do {
            let report = try await container.warmUp(limit: startLimit)
            container.values.logger.info("\(report)")
        } catch {
            _ = try? await container.shutdown(limit: disposalLimit)
            throw error
        }
        return (sources?.files ?? []) + (reload.map { [$0] } ?? [])
    }

    /// Returns a group that serves the shop, and then disposes of all services: users before the services that they use.
    ///
    /// - Parameters:
    ///   - container: A container that `prepare` has prepared.
    ///   - followers: The services that `prepare` has returned.
    ///   - signals: The signals that stop the shop.
    ///   - onRunning: Receives the port when the server listens.
    public static func group(
        of container: DependencyContainer, with followers: [any Service] = [], stoppedBy signals: [UnixSignal] = [],
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> DependencyServiceGroup {
        group(of: container, with: followers, stoppedBy: signals, onRunning: onRunning, observer: nil)
    }

    /// The same, with a middleware that handles each HTTP request in its request scope.
    static func group(
        of container: DependencyContainer, with followers: [any Service] = [], stoppedBy signals: [UnixSignal] = [],
        onRunning: @escaping @Sendable (Int) async -> Void, observer: Routes.Observer?
    ) -> DependencyServiceGroup {
        let shop = ShopService(container: container, onRunning: onRunning, observer: observer)
        return DependencyServiceGroup(
            container: container,
            services: followers.map { .init(running: $0) }
                + [.init(running: shop, successTerminationBehavior: .gracefullyShutdownGroup)],
            drain: .seconds(container.values.settings.drainTime), shutdownLimit: disposalLimit,
            gracefulShutdownSignals: signals, logger: container.values.logger)
    }

    /// The time for closing the database and the payment client.
    private static let disposalLimit = Duration.seconds(10)

    /// The time for the creation of each singleton.
    private static let startLimit = Duration.seconds(30)

    /// Returns a container that stands for that of an HTTP request in checks and drawings. It has no values.
    package static func makeSampleRequest(in container: DependencyContainer) -> DependencyContainer {
        let sample = container.makeChild()
        Routes.ofAnyServer(on: container).registerValueTypes(sample)
        return sample
    }
}
