import Hopoate
import HopoateHummingbird
import HopoateServer
import Hummingbird
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Serves the pages of four containers on a free port, and prints the port.
@main struct PageServer {
    static func main() async throws {
        let router = Router(context: BasicRequestContext.self)
        router.addSnapshotPage("bookshop", of: try await makeBookshop())
        router.addSnapshotPage("hostile", of: makeHostile())
        router.addSnapshotPage("large", of: makeLarge(1_000))
        router.addSnapshotPage("empty", of: DependencyContainer())
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                print(channel.localAddress?.port ?? 0)
                fflush(nil)
            },
            logger: Logger(label: "pages") { _ in SwiftLogNoOpLogHandler() })
        try await application.run()
    }
}

/// Names that would run a script, end an element or hide a text if they were not escaped.
func makeHostile() -> DependencyContainer {
    let app = DependencyContainer()
    app.recordCreations()
    app.register(`</script><img src=x onerror=alert(1)>`.self) { _ in .init() }
    for name in [
        "</script><img src=x onerror=alert(1)>", "<!--", "\" onmouseover=alert(1) x=\"", "'`\\${alert(1)}",
        "\u{202E}txt.exe",
        "\u{2028}\u{2029}", "</title></svg><script>alert(1)</script>", "שלום",
    ] {
        app.register(`</script><img src=x onerror=alert(1)>`.self, named: DependencyName(name)) { _ in .init() }
        app.register(Wrapper.self, named: DependencyName(name), using: Wrapper.init)
        _ = app.resolve(Wrapper.self, named: DependencyName(name))
    }
    return app
}

struct `</script><img src=x onerror=alert(1)>`: Sendable {}
struct Wrapper: Sendable {
    init(_ service: `</script><img src=x onerror=alert(1)>`) {}
}

func makeLarge(_ count: Int) -> DependencyContainer {
    let app = DependencyContainer()
    app.recordCreations()
    app.register(Settings(), for: Settings.self)
    for number in 1..<count {
        let name = DependencyName("tenant \(number)")
        app.register(Metrics.self, named: name, using: Metrics.init)
        if number % 3 == 0 { _ = app.resolve(Metrics.self, named: name) }
    }
    return app
}
