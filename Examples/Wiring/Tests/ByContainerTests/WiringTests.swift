import ByContainer
import Components
import Hopoate
import Testing

@Suite struct WiringTests {
    @Test func everyServiceOfARouteCanBeCreated() throws {
        let app = DependencyContainer()
        app.registerComponents(events: Events())
        let report = try app.validate(roots: CatalogueController.self, OrderController.self, Transaction.self) {
            $0.register(Session(user: "Ada"), for: Session.self)
        }
        #expect(report.unknown.isEmpty)
    }
}
