/// A stand-in for a database. Opening it takes time and may fail.
actor Database {
    private var rows: [String] = []

    static func open() async throws -> Database {
        try await Task.sleep(nanoseconds: 100_000_000)
        print("database opened")
        return Database()
    }

    func insert(_ row: String) -> Int {
        rows.append(row)
        return rows.count
    }

    func row(_ number: Int) -> String? {
        rows.indices.contains(number - 1) ? rows[number - 1] : nil
    }
}
