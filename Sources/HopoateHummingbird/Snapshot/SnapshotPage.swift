#if Hummingbird
    import Hopoate
    import HopoateServer

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The page of a snapshot: one HTML document that loads nothing.
    ///
    /// All of the content is in the HTML, so the page can be read without its script. The script adds searching, sorting and highlighting.
    struct SnapshotPage {
        let snapshot: DependencySnapshot
        /// Whether the registrations of the level 0 are those of an HTTP request.
        let hasRequest: Bool
        let nonce: String
        /// For each registration, those that resolve it.
        let dependents: [[Int]]
        /// The name of each service without modules; that of two services may be the same.
        let names: [String]
        /// The same by the full description of a service, as in the chain of a creation.
        let shortNames: [String: String]

        init(_ snapshot: DependencySnapshot, hasRequest: Bool, nonce: String) {
            self.snapshot = snapshot
            self.hasRequest = hasRequest
            dependents = snapshot.dependents
            self.nonce = nonce
            names = snapshot.registrations.map { shortName($0.type, $0.arguments, $0.name) }
            shortNames = Dictionary(zip(snapshot.registrations.map(\.service), names)) { first, _ in first }
        }

        /// Makes a random text of 128 bits.
        static func nonce() -> String {
            var random = SystemRandomNumberGenerator()
            return [random.next(), random.next()].map { String($0 | 1 << 63, radix: 16) }.joined()
        }

        @available(macOS 14, *)
        var html: String {
            """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <meta name="referrer" content="no-referrer">
            <meta name="color-scheme" content="light dark">
            <title>Dependencies</title>
            <style nonce="\(nonce)">\(Self.style)</style>
            </head>
            <body>
            <a class="skip" href="#registrations">Skip to the registrations</a>
            <header>
            <h1>Dependencies</h1>
            <p class="lead">The services that a container holds, at \(time).</p>
            <nav aria-label="Sections"><a href="#registrations">Registrations</a> <a href="#graph">Graph</a> \
            <a href="#creations">Creations</a></nav>
            </header>
            <main>
            \(summary)
            \(table)
            \(graphSection)
            \(creationsSection)
            </main>
            <script nonce="\(nonce)">\(Self.script)</script>
            </body>
            </html>

            """
        }

        /// The time of the snapshot, as `2026-03-01 12:00:00 UTC`.
        @available(macOS 14, *)
        private var time: String {
            let date = Date(timeIntervalSince1970: TimeInterval(snapshot.time))
            let text = date.formatted(
                .iso8601.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false))
            return "<time datetime=\"\(date.formatted(.iso8601))\">\(text) UTC</time>"
        }

        private var summary: String {
            let registrations = snapshot.registrations.filter { !$0.isHealthCheck }
            let checks = snapshot.registrations.count - registrations.count
            let missing = registrations.flatMap { $0.dependencies ?? [] }.count(where: \.isMissing)
            var tiles = [
                (registrations.count, "registrations", ""),
                (registrations.count(where: \.exists), "instances exist", ""),
                (registrations.count(where: \.isShadowed), "shadowed", ""),
                (missing, "missing dependencies", missing > 0 ? " alert" : ""),
            ]
            if snapshot.recorded != nil {
                let failures = registrations.reduce(0) { $0 + ($1.creations?.failures ?? 0) }
                tiles.append((registrations.reduce(0) { $0 + ($1.creations?.count ?? 0) }, "creations", ""))
                tiles.append((failures, "failed creations", failures > 0 ? " alert" : ""))
            }
            if checks > 0 { tiles.append((checks, "health checks", "")) }
            if let children = snapshot.liveChildren { tiles.append((children, "living children", "")) }
            tiles.append((snapshot.deferredReleases, "deferred releases", ""))
            let items = tiles.map { "<div class=\"tile\($2)\"><dt>\($1)</dt><dd>\($0)</dd></div>" }
            return "<dl class=\"tiles\">\(items.joined())</dl>"
        }

        /// A link to the row of a registration.
        func link(to id: Int) -> String {
            "<a href=\"#r\(id)\"><bdi>\(escaped(names[id]))</bdi></a>"
        }
    }

    extension DependencySnapshot.Registration {
        /// Whether this is a health check, which the library registers beside the services.
        var isHealthCheck: Bool { type == typeLabel(DependencyHealthCheck.self) }

        /// Whether this is a value of `DependencyValues`. Such a value has no place.
        var isEnvironmentValue: Bool { type.hasPrefix("Hopoate.EnvironmentValue<") }
    }

    /// The name of a service without modules and enclosing types.
    func shortName(_ type: String, _ arguments: String?, _ name: String?) -> String {
        var text = withoutQualifiers(type)
        if text.isEmpty { text = type }
        if let arguments { text += withoutQualifiers(arguments) }
        if let name { text += " “\(name)”" }
        return text
    }
#endif
