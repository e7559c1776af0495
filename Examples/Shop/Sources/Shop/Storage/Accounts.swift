import GRDB
import HopoateConfiguration

/// The passwords that a database accepts, if it has a table `account`.
///
/// SQLite has no accounts. This stands in for those of a database server, so that the shop shows how a password is changed while it serves:
/// each new connection needs a password that is valid at that time.
enum Accounts {
    struct Refused: Error, CustomStringConvertible {
        let description = "the database refuses the password"
    }

    static func check(_ password: Secret<String>?, on connection: Database) throws {
        guard try connection.tableExists("account") else { return }
        let isValid = try Bool.fetchOne(
            connection, sql: "SELECT EXISTS (SELECT 1 FROM account WHERE password = ?)", arguments: [password?.exposed])
        if isValid != true { throw Refused() }
    }
}
