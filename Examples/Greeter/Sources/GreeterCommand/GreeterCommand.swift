import Greeter
import Hopoate
import HopoateServiceLifecycle
import Logging
import UnixSignals

/// Serves on port 50051 until a signal stops it: first the RPCs in flight end, then the container is shut down.
@main
struct GreeterCommand {
    static func main() async throws {
        let logger = Logger(label: "greeter")
        let app = DependencyContainer.shared
        try app.install(GreeterModule(port: 50_051, logger: logger))
        try app.validate()
        app.seal()
        let group = DependencyServiceGroup(
            container: app, services: [.init(GreeterServer.self)], warmUp: true, shutdownLimit: .seconds(20),
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
    }
}
