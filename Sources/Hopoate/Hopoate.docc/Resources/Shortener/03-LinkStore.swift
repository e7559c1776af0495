/// Remembers addresses by number.
protocol LinkStore: Sendable {
    func add(_ address: String) async -> Int
    func address(of number: Int) async -> String?
}

/// Remembers them in a database.
struct DatabaseLinkStore: LinkStore {
    let database: Database

    func add(_ address: String) async -> Int {
        await database.insert(address)
    }

    func address(of number: Int) async -> String? {
        await database.row(number)
    }
}
