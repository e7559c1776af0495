import Hopoate
import HopoateTestingHelpers
import Model
import Testing

@testable import App

@Suite struct WiringTests {
    @Test(
        .validates(
            .strict, roots: Controller.self, Cart.self, Mailing.self, Reports.self, Copier.self, Archive.self,
            Backup.self,
            Child.self, needs: "wiring.json"
        ) { app in
            try app.install { AppModule() }
        } prepare: { request in
            request.register(RequestID(0), for: RequestID.self)
        })
    func factoriesResolveWhatTheFileLists() async throws {
        let container = DependencyContainer.shared
        _ = try await container.asyncResolve(Archive.self)
        _ = try container.require(Mailing.self)
        _ = try container.require(Copier.self)
    }
}
