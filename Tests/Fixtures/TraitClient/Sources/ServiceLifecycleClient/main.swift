import Hopoate
import HopoateServiceLifecycle

#if canImport(ServiceLifecycle)
    import ServiceLifecycle
    import UnixSignals

    struct Server: Service {
        func run() async throws { print("run") }
    }
#else
    struct Server {}
#endif

let container = DependencyContainer()
container.register(Server.self) { _ in
    Server()
} onDispose: { _ in
    print("disposed of")
}
let group = DependencyServiceGroup(
    container: container, services: [.init(Server.self, successTerminationBehavior: .gracefullyShutdownGroup)],
    gracefulShutdownSignals: [.sigterm])
try await group.run()
