import Foundation
import Hopoate
import HopoateConfiguration
import HopoateServer
import HopoateServiceLifecycle
import Logging
import Shop
import UnixSignals

/// `shop` serves. `shop --graph` prints the dependency graph for Graphviz.
@main
struct ShopCommand {
    static func main() async {
        do {
            let sources = try await SettingsSources.open()
            let settings = try DependencyConfiguration(sources.reader).read(Settings.self)
            let logger = logger(settings.logLevel)
            let container = DependencyContainer.allowingCommits { logger.error("\($0)") }
            container.values.settings = settings
            container.values.logger = logger
            // Only the default container needs no override, and it allows no commits.
            try await DependencyContainer.$shared.withValue(container) {
                switch Array(CommandLine.arguments.dropFirst()) {
                case []: try await serve(container, sources)
                case ["--graph"]: try graph(container)
                default: throw Misuse()
                }
            }
        } catch {
            FileHandle.standardError.write(Data("shop: \(error)\n".utf8))
            exit(error is Misuse || error is DependencyConfigurationError ? 2 : 1)
        }
    }

    private static func serve(_ container: DependencyContainer, _ sources: SettingsSources) async throws {
        if container.values.settings.snapshot { container.recordCreations() }
        let followers = try await ShopService.prepare(in: container, following: sources)
        let host = container.values.settings.address.host
        let group = ShopService.group(of: container, with: followers, stoppedBy: [.sigterm, .sigint]) { port in
            let greeting = Greeting(host: host, port: port, hasSnapshot: container.values.settings.snapshot)
            FileHandle.standardOutput.write(Data(greeting.text.utf8))
        }
        try await group.run()
    }

    /// Includes a request container, so that the services of a request are drawn, too.
    private static func graph(_ container: DependencyContainer) throws {
        try container.install(ShopModule(container.values.settings))
        print(ShopService.makeSampleRequest(in: container).graph().dot, terminator: "")
    }

    private static func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "shop") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = level
        return logger
    }
}

private struct Misuse: Error, CustomStringConvertible {
    let description = "usage: shop [--graph]"
}
