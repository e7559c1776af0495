import Foundation
import GRDB
import Hopoate
import HopoateTestingHelpers
import Synchronization
import Testing

@testable import Shop

/// Settings that change while the shop serves.
@Suite struct ReloadTests {
    /// The files of settings, which are replaced as a whole, as orchestrators do.
    private final class Files: Sendable {
        let settings = TemporaryFile()
        let password = TemporaryFile()
        private let database = Mutex("")

        /// Writes the files for a shop, and returns the variables that name them.
        func open(_ shop: Settings) async throws -> [String: String] {
            try write(#"{"payment": {"timeout": 60}}"#, to: settings)
            try write("password 0\n", to: password)
            let file = try #require(shop.storage.file)
            database.withLock { $0 = file }
            let provider = try #require(shop.payment.address)
            try await change(
                "CREATE TABLE account (password TEXT NOT NULL)", "INSERT INTO account VALUES ('password 0')")
            return [
                "DATABASE": file, "DATABASE_TIMEOUT": "60", "PAYMENT": "\(provider.host):\(provider.port)",
                "SETTINGS_FILE": settings.path,
                "DATABASE_PASSWORD_FILE": password.path,
            ]
        }

        func write(_ text: String, to file: TemporaryFile) throws {
            try Data(text.utf8).write(to: URL(filePath: file.path), options: .atomic)
        }

        /// Changes the database, as its administrator.
        func change(_ statements: String...) async throws {
            try await DatabaseQueue(path: database.withLock { $0 }, configuration: .patient).writeWithoutTransaction {
                database in
                for statement in statements { try database.execute(sql: statement) }
            }
        }
    }

    /// Runs a test with a container that allows commits.
    private func withApp(_ body: (DependencyContainer) async throws -> Void) async throws {
        let app = DependencyContainer.allowingCommits { Issue.record($0) }
        try await DependencyContainer.$shared.withValue(app) { try await body(app) }
    }

    @Test func thePasswordOfTheDatabaseRotatesWhileTheShopSells() async throws {
        let files = Files()
        let rotations = 20
        try await withApp { app in
            try await withShop(following: files.open) { shop in
                let isOver = Mark()
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            var orders = 0
                            while !isOver.isSet {
                                let answer = try await shop.checkOut(try await shop.makeCustomer())
                                #expect(answer.status == 201, "\(shop.log.lines.suffix(12))")
                                let readiness = try await shop.send("GET", "/health/ready")
                                #expect(readiness.status == 200)
                                orders += 1
                            }
                            return orders
                        }
                    }
                    for number in 1...rotations {
                        let charges = shop.provider.charges.count
                        try await files.change("INSERT INTO account VALUES ('password \(number)')")
                        try files.write("password \(number)\n", to: files.password)
                        try await eventually { shop.log.messages.count { $0 == "settings changed" } == number }
                        // The last requests with the old database may still open connections.
                        try await eventually { shop.log.messages.count { $0 == "closed the storage" } == number }
                        try await files.change("DELETE FROM account WHERE password = 'password \(number - 1)'")
                        try await eventually { shop.provider.charges.count > charges }
                    }
                    isOver.set()
                    var orders = 0
                    for try await count in group { orders += count }
                    #expect(shop.provider.charges.count == orders)
                }
                #expect(!shop.log.messages.contains("settings unchanged"))
                try await shop.close()
                #expect(shop.log.messages.count { $0 == "closed the storage" } == rotations + 1)
                // The payment client uses nothing of the database, so it is not replaced.
                #expect(shop.log.messages.count { $0 == "closed the payment client" } == 1)
            }
        }
    }

    @Test func theTimeForPaymentsChangesWhileTheShopServes() async throws {
        let files = Files()
        try await withApp { _ in
            try await withShop(script: { $0.card == "slow" ? .silence : .answer }, following: files.open) { shop in
                try files.write(#"{"payment": {"timeout": 0.05}}"#, to: files.settings)
                try await eventually { shop.log.messages.contains("settings changed") }
                let answer = try await shop.checkOut(try await shop.makeCustomer(), card: "slow")
                #expect(try answer.failure.code == "payment_pending")
                try await eventually { shop.log.messages.contains("closed the payment client") }
                #expect(!shop.log.messages.contains("closed the storage"))
            }
        }
    }

    @Test func wrongSettingsAreReportedWithAllKeysAndChangeNothing() async throws {
        let files = Files()
        try await withApp { app in
            try await withShop(following: files.open) { shop in
                let storage = try app.require(Storage.self)
                try files.write(#"{"payment": {"timeout": "soon"}, "database": {"timeout": 0}}"#, to: files.settings)
                try await eventually { shop.log.messages.contains("settings unchanged") }
                try files.write("\n", to: files.password)
                try await eventually { shop.log.messages.count { $0 == "settings unchanged" } == 2 }
                let error = try #require(shop.log.errors.last)
                #expect(error.hasPrefix("2 settings are wrong:"))
                for key in ["payment.timeout", "DATABASE_PASSWORD_FILE"] { #expect(error.contains(key)) }
                let answer = try await shop.checkOut(try await shop.makeCustomer())
                #expect(answer.status == 201)
                #expect(!shop.log.messages.contains { $0.hasPrefix("closed") })
                #expect(try app.require(Storage.self) === storage)
            }
        }
    }

    @Test func aPasswordThatTheDatabaseRefusesChangesNothing() async throws {
        let files = Files()
        try await withApp { app in
            try await withShop(following: files.open) { shop in
                try files.write("unknown", to: files.password)
                try await eventually { shop.log.messages.contains("settings unchanged") }
                #expect(try #require(shop.log.errors.last).contains("the database refuses the password"))
                let answer = try await shop.checkOut(try await shop.makeCustomer())
                #expect(answer.status == 201)
            }
        }
    }
}

extension GRDB.Configuration {
    fileprivate static var patient: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(60)
        return configuration
    }
}
