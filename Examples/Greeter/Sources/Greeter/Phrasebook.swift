/// The greetings of all languages. One for the process.
struct Phrasebook: Sendable {
    let greetings: [String: String]

    /// Reads the greetings, in a real service from a database.
    static func load() async throws -> Phrasebook {
        Phrasebook(greetings: ["en": "Hello", "fr": "Bonjour", "sw": "Hujambo"])
    }
}
