import Logging

/// The language that a client has asked for. One for each RPC.
struct Language: Sendable {
    let code: String
}

/// Greets in the language of its RPC. One for each RPC.
struct Visit: Sendable {
    let language: Language
    let phrasebook: Phrasebook
    let logger: Logger

    func greeting(for name: String) -> String {
        "\(phrasebook.greetings[language.code] ?? "Hello"), \(name)."
    }

    /// Greets in all languages, in their alphabetical order.
    func greetings(for name: String) -> [String] {
        phrasebook.greetings.sorted { $0.key < $1.key }.map { "\($0.value), \(name)." }
    }

    func end() async {
        logger.info("a visit has ended", metadata: ["language": "\(language.code)"])
    }
}
