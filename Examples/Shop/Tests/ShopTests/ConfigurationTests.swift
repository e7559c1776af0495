import Hopoate
import HopoateTestingHelpers
import Logging
import Testing

@testable import Shop

@Suite(.isolatedDependencies) struct ConfigurationTests {
    @Test func theEnvironmentOfTheProcessIsRead() throws {
        let settings = try Settings(environment: [
            "HOST": "0.0.0.0", "PORT": "81", "DATABASE": "/data/shop.sqlite", "DATABASE_TIMEOUT": "0.5",
            "PAYMENT": "pay.example:443", "PAYMENT_TIMEOUT": "2", "REQUEST_LIMIT": "3", "LOG_LEVEL": "debug",
        ])
        #expect(settings.address == .init(host: "0.0.0.0", port: 81))
        #expect(settings.database == "/data/shop.sqlite")
        #expect(settings.databaseTimeout == 0.5)
        #expect(settings.payment == .init(host: "pay.example", port: 443))
        #expect(settings.paymentTimeout == 2)
        #expect(settings.requestLimit == 3)
        #expect(settings.logLevel == .debug)
        #expect(try Settings(environment: [:]) == Settings())
    }

    @Test(arguments: [
        ("PORT", "none"), ("PORT", "70000"), ("PAYMENT", "here"), ("PAYMENT", ":80"), ("PAYMENT_TIMEOUT", "-1"),
        ("PAYMENT_TIMEOUT", "inf"), ("REQUEST_LIMIT", "0"), ("LOG_LEVEL", "loud"),
    ])
    func aVariableThatMakesNoSenseIsNamed(variable: String, text: String) {
        let error = #expect(throws: SettingsError.self) { try Settings(environment: [variable: text]) }
        #expect(error?.variable == variable)
        #expect(error?.description.contains("'\(text)'") == true)
    }

    @Test func clockAndIdentifiersAreThoseOfTheContainer() async throws {
        DependencyContainer.shared.values.now = { 42 }
        DependencyContainer.shared.values.makeIdentifier = { "the one" }
        try await withShop { shop in
            let session = try await shop.makeCustomer()
            #expect(session == "the one")
            let order: Order.View = try await shop.checkOut(session).body()
            #expect(order.id == "the one")
            #expect(order.created == 42)
        }
    }

    @Test func aModuleOnTopReplacesAService() async throws {
        try await withShop(extra: [FreeOfCharge()]) { shop in
            let answer = try await shop.checkOut(try await shop.makeCustomer(), card: "declined")
            #expect(answer.status == 201)
            #expect(shop.provider.requests == 0)
        }
    }

    @Test func theShopFitsTogetherAndAllOfItIsKnown() throws {
        try DependencyContainer.shared.install(ShopModule())
        let report = try ShopService.makeSampleRequest(in: .shared).validate()
        #expect(report.unknown.isEmpty)
    }

    @Test func withoutARequestWhatBelongsToOneIsMissing() throws {
        try DependencyContainer.shared.install(ShopModule())
        #expect(throws: DependencyValidationError.self) { try DependencyContainer.shared.validate() }
    }

    @Test func theGraphShowsWhatBelongsToARequest() throws {
        try DependencyContainer.shared.install(ShopModule())
        let dot = ShopService.makeSampleRequest(in: .shared).graph().dot
        for service in ["RequestInfo", "CurrentSession", "OrderController", "Storage"] {
            #expect(dot.contains("Shop.\(service)"))
        }
        #expect(!dot.contains("color=red"))
    }

    @Test func theShopThatStandsAloneServesFromMemoryWithItsOwnProvider() async throws {
        try await withShop(settings: {
            $0.database = nil
            $0.payment = nil
        }) { shop in
            let answer = try await shop.checkOut(try await shop.makeCustomer())
            #expect(answer.status == 201)
            #expect(try shop.container.require(FakeProvider.self).charges.count == 1)
        }
    }
}

private struct FreeOfCharge: DependencyModule {
    private struct Giver: PaymentProvider {
        func charge(_ payment: Payment) async throws(PaymentUnknown) -> PaymentAnswer { .accepted(charge: payment.key) }
    }

    func register(in container: DependencyContainer) {
        container.register(Giver(), for: (any PaymentProvider).self)
    }
}
