// Patterns                 runs every pattern; afterwards none of their objects may be alive
// Patterns --only NAME     runs one
// Patterns --plant NAME    runs a mistake, which must leave objects
// Patterns --plants        prints the names of the mistakes

import Hopoate
import Ledger

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

let patterns = lifetimePatterns + wrapperPatterns + handlePatterns + requestPatterns + modulePatterns + asyncPatterns
let arguments = Array(CommandLine.arguments.dropFirst())

/// Prints a line without buffering, so that it is not lost if the program crashes.
func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = write(1, bytes, bytes.count)
}

/// Repeats a pattern, so that a single stale pointer on a stack does not hide a leak.
func repeatedly(_ pattern: Pattern) async -> String? {
    let mark = Ledger.mark
    for _ in 0..<4 {
        do { try await pattern.run() } catch { return "\(error)" }
    }
    return await Ledger.leftovers(since: mark)
}

switch (arguments.first, arguments.dropFirst().first) {
case ("--plants", nil):
    for plant in plants { say(plant.name) }
case ("--plant", let name?):
    guard let plant = plants.first(where: { $0.name == name }) else { fatalError("no mistake is called \(name)") }
    for _ in 0..<20 { try await plant.run() }
    // The leak checker has to find the objects of the mistake. The counters have to show them, too.
    say("\(Life.alive) instances and \(Ledger.alive) containers are alive")
    precondition(Life.alive > 0)
    Ledger.forget()
case (nil, _), ("--only", _?):
    var failures = 0
    let chosen = arguments.isEmpty ? patterns : patterns.filter { $0.name == arguments.last }
    precondition(!chosen.isEmpty, "no pattern is called that")
    for pattern in chosen {
        if let problem = await repeatedly(pattern) {
            failures += 1
            say("'\(pattern.name)': \(problem)")
        }
    }
    say("\(chosen.count) patterns, \(failures) of them leave something")
    Ledger.forget()
    if failures > 0 { exit(1) }
default:
    fatalError("usage: Patterns [--only NAME | --plants | --plant NAME]")
}
