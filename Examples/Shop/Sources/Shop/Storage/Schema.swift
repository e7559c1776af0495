import GRDB

/// The tables and their migrations.
enum Schema {
    static func migrate(_ writer: any DatabaseWriter) async throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("tables") { try $0.execute(sql: tables) }
        migrator.registerMigration("sample products") { database in
            for (id, name, price) in sampleProducts {
                try database.execute(
                    sql: "INSERT OR IGNORE INTO product (id, name, price) VALUES (?, ?, ?)",
                    arguments: [id, name, price])
            }
        }
        // Not `migrator.migrate`, which blocks a thread that may belong to Swift's pool.
        let ready = migrator
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            ready.asyncMigrate(writer) { result in continuation.resume(with: result.map { _ in }) }
        }
    }

    // A unique index enforces that a session has at most one pending order; see OrderStore.
    private static let tables = """
        CREATE TABLE product (
            id TEXT PRIMARY KEY, name TEXT NOT NULL, price INTEGER NOT NULL CHECK (price >= 0)) STRICT;
        CREATE TABLE session (id TEXT PRIMARY KEY, created REAL NOT NULL) STRICT;
        CREATE TABLE basketLine (
            session TEXT NOT NULL REFERENCES session (id), product TEXT NOT NULL REFERENCES product (id),
            quantity INTEGER NOT NULL CHECK (quantity > 0), PRIMARY KEY (session, product)) STRICT;
        CREATE TABLE purchase (
            id TEXT PRIMARY KEY, session TEXT NOT NULL REFERENCES session (id), state TEXT NOT NULL,
            total INTEGER NOT NULL, card TEXT NOT NULL, charge TEXT UNIQUE, created REAL NOT NULL) STRICT;
        CREATE UNIQUE INDEX onePending ON purchase (session) WHERE state = 'pending';
        CREATE INDEX purchasesOfSession ON purchase (session, created);
        CREATE TABLE purchaseLine (
            purchase TEXT NOT NULL REFERENCES purchase (id), product TEXT NOT NULL REFERENCES product (id),
            quantity INTEGER NOT NULL, amount INTEGER NOT NULL, PRIMARY KEY (purchase, product)) STRICT;
        """

    private static let sampleProducts = [
        ("BOOK-01", "The Book of Tea", 1_290), ("CUP-01", "Cup, white", 650), ("CUP-02", "Cup, blue", 875),
        ("FILTER-01", "Paper filters, 100", 333), ("HONEY-01", "Heather honey", 725), ("KETTLE-01", "Kettle", 4_990),
        ("POT-01", "Teapot, cast iron", 2_799), ("SUGAR-01", "Rock sugar", 199), ("TEA-01", "Assam", 489),
        ("TEA-02", "Darjeeling", 615), ("TEA-03", "Gyokuro", 2_850), ("TIN-01", "Tea tin", 555),
    ]
}
