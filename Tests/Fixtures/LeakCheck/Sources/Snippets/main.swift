// Runs the snippets of the articles and doc comments, each with its own container, which is released afterwards. `.ci/snippets
// --runnable` writes them beside this file. Arguments select snippets; `--plant` is one that leaks.

import Hopoate
import Ledger

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A snippet with statements.
struct Snippet: Sendable {
    let place: String
    /// Whether the services that it registers can be created in any order.
    let isWarmedUp: Bool
    let run: @Sendable () async throws -> Void

    init(_ place: String, isWarmedUp: Bool = true, _ run: @escaping @Sendable () async throws -> Void) {
        self.place = place
        self.isWarmedUp = isWarmedUp
        self.run = run
    }
}

/// The `container` of the running snippet. Snippets run one at a time.
enum Stage {
    // Sound, because it is set between two snippets, when no code reads it.
    nonisolated(unsafe) private static var current: DependencyContainer?

    static var container: DependencyContainer {
        guard let current else { preconditionFailure("no snippet is running") }
        return current
    }

    static func run(_ snippet: Snippet) async throws {
        let container = DependencyContainer.tracked()
        registerWhatSnippetsTakeForGranted(in: container)
        current = container
        defer { current = nil }
        try await DependencyContainer.$shared.withValue(container) {
            try await snippet.run()
            // Creates the services that were only registered. A container that was shut down creates nothing.
            if snippet.isWarmedUp { try? await container.warmUp() }
        }
    }
}

/// The services of the prelude.
private func registerWhatSnippetsTakeForGranted(in container: DependencyContainer) {
    for name in [nil, "greeter", "formal", "replica"] as [DependencyName?] {
        register(in: container, name) { Polite() as any Greeter }
    }
    for name in [nil, .audit, "log"] as [DependencyName?] { register(in: container, name) { ConsoleLog() as any Log } }
    register(in: container, nil) { PaymentMock() as any Paying }
    register(in: container, nil) { Store() }
    register(in: container, nil) { Cart() }
    register(in: container, nil) { Pool() }
    register(in: container, nil) { Report() }
    register(in: container, nil) { Database() }
    container.register(Invoice.self) { (_, customer: Int, currency: String) in
        Invoice(customer: customer, currency: currency)
    }
    container.register(Profile.self, lifetime: .keyed) { (_, id: Int) async throws in try await Profile.load(id) }
}

private func register<Service: Sendable>(
    in container: DependencyContainer, _ name: DependencyName?, _ make: @escaping @Sendable () -> Service
) {
    if let name {
        container.register(Service.self, named: name) { _ in make() }
    } else {
        container.register(Service.self) { _ in make() }
    }
}

/// Prints to standard error, because the snippets print to standard output.
private func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = write(2, bytes, bytes.count)
}

/// Retains the container that retains it.
private final class Keeper: Sendable {
    let life = Life()
    let container: DependencyContainer
    init(_ container: DependencyContainer) { self.container = container }
}

private let plant = Snippet("--plant") { container.register(Keeper.self) { container in Keeper(container) } }

let chosen = CommandLine.arguments.dropFirst()
var failures = 0
for snippet in snippets + [plant] where chosen.isEmpty ? snippet.place != plant.place : chosen.contains(snippet.place) {
    let mark = Ledger.mark
    say(snippet.place)
    do { try await Stage.run(snippet) } catch { say("    \(error)") }
    DependencyContainer.shared.removeAll()
    if let leftovers = await Ledger.leftovers(since: mark) {
        failures += 1
        say("\(snippet.place): \(leftovers)")
    }
}
say("\(snippets.count) snippets, \(failures) of them leave their container")
Ledger.forget()
if failures > 0 { exit(1) }
