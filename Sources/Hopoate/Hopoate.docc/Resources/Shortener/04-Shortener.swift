/// Answers the two requests of this service: `shorten ADDRESS` and `open NUMBER`.
struct Shortener {
    let store: any LinkStore
    let log: RequestLog

    func answer(to line: String) async -> String {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 2 else { return "shorten ADDRESS, or open NUMBER?" }
        switch (words[0], Int(words[1])) {
        case ("shorten", _):
            await log.note("added \(words[1])")
            return String(await store.add(words[1]))
        case ("open", let number?):
            await log.note("looked for \(number)")
            return await store.address(of: number) ?? "unknown"
        default:
            return "shorten ADDRESS, or open NUMBER?"
        }
    }
}
