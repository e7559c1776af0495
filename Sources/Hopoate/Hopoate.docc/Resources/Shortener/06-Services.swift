import Hopoate

/// Registers all services of the program.
func registerServices(in container: DependencyContainer) {
    container.register((any LinkStore).self, using: DatabaseLinkStore.init)
    container.register(RequestLog.self, lifetime: .scoped, using: RequestLog.init)
    container.register(Shortener.self, lifetime: .scoped, using: Shortener.init)
}

/// Returns the container of one request.
func makeRequest(_ number: Int, in application: DependencyContainer) -> DependencyContainer {
    let request = application.makeChild()
    request.register(RequestNumber(value: number), for: RequestNumber.self)
    return request
}
