/// Stores addresses under numbers.
protocol LinkStore: Sendable {
    func add(_ address: String) async -> Int
    func address(of number: Int) async -> String?
}

/// A store in memory.
actor MemoryLinkStore: LinkStore {
    private var addresses: [String] = []

    func add(_ address: String) -> Int {
        addresses.append(address)
        return addresses.count
    }

    func address(of number: Int) -> String? {
        addresses.indices.contains(number - 1) ? addresses[number - 1] : nil
    }
}

/// A store in a database.
struct DatabaseLinkStore: LinkStore {
    let database: Database

    func add(_ address: String) async -> Int {
        await database.insert(address)
    }

    func address(of number: Int) async -> String? {
        await database.row(number)
    }
}
