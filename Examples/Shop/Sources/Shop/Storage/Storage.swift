package import GRDB
import Hopoate
import HopoateConfiguration
import Logging

/// The database: a file with one writer and many readers, or memory.
public final class Storage: Sendable {
    package let writer: any DatabaseWriter
    private let logger: Logger

    private init(_ writer: any DatabaseWriter, _ logger: Logger) {
        self.writer = writer
        self.logger = logger
    }

    /// Opens the database of the settings and migrates its tables.
    @Sendable public static func open(settings: StorageModule) async throws -> Storage {
        @Dependency(\.logger) var logger
        var configuration = Configuration()
        configuration.busyMode = .timeout(settings.timeout)
        let password = settings.password
        configuration.prepareDatabase { connection in try Accounts.check(password, on: connection) }
        let writer: any DatabaseWriter =
            if let path = settings.file {
                try DatabasePool(path: path, configuration: configuration)
            } else {
                try DatabaseQueue(configuration: configuration)
            }
        try await Schema.migrate(writer)
        logger.debug("opened the storage", metadata: ["database": "\(settings.file ?? "in memory")"])
        return Storage(writer, logger)
    }

    /// Checks that the database runs statements.
    package func check() async throws {
        _ = try await writer.read { database in try Int.fetchOne(database, sql: "SELECT 1") }
    }

    package func close() throws {
        try writer.close()
        logger.info("closed the storage")
    }
}
