/// Where routes get their controllers from.
///
/// The shop has one, `ContainerWiring`. It is a protocol because the load generator compares it with others that do
/// the same work without a container; a service that has no such curiosity asks `context.container` in its routes.
package protocol Wiring: Sendable {
    /// Prepares what belongs to a request.
    func begin(_ context: inout ShopContext)

    func health() throws -> HealthController
    func products(_ context: ShopContext) throws -> ProductController
    func sessions(_ context: ShopContext) throws -> SessionController
    func baskets(_ context: ShopContext) throws -> BasketController
    func orders(_ context: ShopContext) throws -> OrderController
}
