import Configuration
public import Hopoate
public import HopoateConfiguration
import HopoateServer

/// Registers the database and its stores.
public struct StorageModule: DependencyModule, Configurable, Equatable, Sendable {
    /// `DATABASE`: the file, or nil for a database in memory.
    public var file: String?
    /// `DATABASE_TIMEOUT`: the seconds that a statement waits for a lock.
    public var timeout = 5.0
    /// `DATABASE_PASSWORD`, or the contents of the file `DATABASE_PASSWORD_FILE`: a password that the database accepts; see `Accounts`.
    public var password: Secret<String>?

    /// Creates the default settings.
    public init() {}

    /// Reads the settings. A setting that is absent leaves its default.
    public init(configuration: DependencyConfiguration) throws {
        (file, timeout, password) = try configuration.read(
            Setting.optional("database"), Setting.seconds("database.timeout", default: timeout, from: 0),
            Setting.optional("database.password"))
    }

    /// Registers the services.
    public func register(in container: DependencyContainer) {
        container.register(self, for: StorageModule.self)
        // Opened asynchronously, so it is created before all other services and closed after them.
        container.register(Storage.self, using: Storage.open, onDispose: { try $0.close() })
        container.addHealthCheck(of: Storage.self) { try await $0.check() }
        container.register(ProductStore.self, using: ProductStore.init)
        container.register(SessionStore.self, using: SessionStore.init)
        container.register(BasketStore.self, using: BasketStore.init)
        container.register(OrderStore.self, using: OrderStore.init)
    }
}
