package import Hopoate

/// One container for the application, and in it one for each request: with the request as its only registration, and
/// what the request asks for as its only contents.
package struct ContainerWiring: Wiring {
    private let application: DependencyContainer
    private let didBegin: (@Sendable (DependencyContainer) -> Void)?

    /// - Parameters:
    ///   - application: What `ShopModule` is installed in.
    ///   - didBegin: Sees the container of each request. For tests, which count them.
    package init(_ application: DependencyContainer, didBegin: (@Sendable (DependencyContainer) -> Void)? = nil) {
        self.application = application
        self.didBegin = didBegin
    }

    package func begin(_ context: inout ShopContext) {
        context.container = Self.makeRequestContainer(in: application, for: context.info)
        didBegin?(context.container)
    }

    /// The container of a request. Nothing has to be disposed of at its end, so it is just let go of; services with
    /// hooks that have to be waited for would want a `shutdown()`.
    package static func makeRequestContainer(
        in application: DependencyContainer, for request: RequestInfo
    ) -> DependencyContainer {
        let container = application.makeChild()
        container.register(request, for: RequestInfo.self)
        return container
    }

    // `require`, which throws: a service that is wrong answers 500, it does not end.
    package func health() throws -> HealthController { try application.require() }
    package func products(_ context: ShopContext) throws -> ProductController { try context.container.require() }
    package func sessions(_ context: ShopContext) throws -> SessionController { try context.container.require() }
    package func baskets(_ context: ShopContext) throws -> BasketController { try context.container.require() }
    package func orders(_ context: ShopContext) throws -> OrderController { try context.container.require() }
}
