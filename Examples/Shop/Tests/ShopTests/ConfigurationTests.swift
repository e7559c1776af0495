import Configuration
import Hopoate
import HopoateConfiguration
import HopoateServer
import HopoateTestingHelpers
import Logging
import Testing

@testable import Shop

@Suite(.isolatedDependencies) struct ConfigurationTests {
    private func read(_ environment: [String: String]) throws -> Settings {
        let configuration: DependencyConfiguration = [EnvironmentVariablesProvider(environmentVariables: environment)]
        return try configuration.read(Settings.self)
    }

    @Test func theEnvironmentOfTheProcessIsRead() throws {
        let settings = try read([
            "HOST": "0.0.0.0", "PORT": "81", "DATABASE": "/data/shop.sqlite", "DATABASE_TIMEOUT": "0.5",
            "PAYMENT": "pay.example:443", "PAYMENT_TIMEOUT": "2", "REQUEST_LIMIT": "3", "REQUEST_TIMEOUT": "0.001",
            "DRAIN_TIME": "5", "SHUTDOWN_TIMEOUT": "86400", "LOG_LEVEL": "debug", "SNAPSHOT": "true",
        ])
        #expect(settings.address == .init(host: "0.0.0.0", port: 81))
        #expect(settings.storage.file == "/data/shop.sqlite")
        #expect(settings.storage.timeout == 0.5)
        #expect(settings.payment.address == .init(host: "pay.example", port: 443))
        #expect(settings.payment.timeout == 2)
        #expect(settings.requestLimit == 3)
        #expect(settings.requestTimeout == 0.001)
        #expect(settings.drainTime == 5)
        #expect(settings.shutdownTimeout == 86_400)
        #expect(settings.logLevel == .debug)
        #expect(settings.snapshot)
        #expect(try read([:]) == Settings())
    }

    @Test(arguments: [
        ("HOST", "a text that is not empty"), ("PORT", "a whole number from 0 to 65535"),
        ("DATABASE", "a text that is not empty"),
        ("DATABASE_TIMEOUT", "a number of seconds from 0 to 86400"),
        ("PAYMENT", "host:port, with a port from 1 to 65535"),
        ("PAYMENT_TIMEOUT", "a number of seconds from 0.001 to 86400"),
        ("REQUEST_LIMIT", "a whole number from 1 to 1000000"),
        ("REQUEST_TIMEOUT", "a number of seconds from 0.001 to 86400"),
        ("DRAIN_TIME", "a number of seconds from 0 to 86400"),
        ("SHUTDOWN_TIMEOUT", "a number of seconds from 0 to 86400"),
        ("LOG_LEVEL", "one of trace, debug, info, notice, warning, error, critical"),
    ])
    func anInvalidVariableIsReportedWithItsRange(variable: String, range: String) {
        let texts =
            ["HOST", "DATABASE"].contains(variable)
            ? [""]
            : [
                "", " ", "none", "-1", "-0.5", "-inf", "inf", "nan", "1e300", "1e400", "-1e300", "86400.1", "1e", "10s",
                "99999999999999999999", "9223372036854775808", "-9223372036854775809", "host:", ":80", "host:0",
                "host:65536", "host:1:2",
            ]
        for text in texts {
            let error = #expect(throws: DependencyConfigurationError.self) { try read([variable: text]) }
            #expect(error?.problems.count == 1)
            #expect(
                error?.description.hasPrefix("\(variable) is '\(text)'. Set it to \(range), or leave it out. ") == true)
        }
    }

    @Test func allInvalidVariablesAreReportedAtOnce() {
        let error = #expect(throws: DependencyConfigurationError.self) {
            try read(["PORT": "-1", "HOST": "shop", "LOG_LEVEL": "loud", "PAYMENT_TIMEOUT": "0"])
        }
        #expect(error?.problems.map(\.key) == ["PORT", "PAYMENT_TIMEOUT", "LOG_LEVEL"])
        #expect(error?.description.hasPrefix("3 settings are wrong:\n  PORT is '-1'. ") == true)
    }

    @Test func errorsTruncateLongValues() {
        let text = String(repeating: "9", count: 100_000)
        let error = #expect(throws: DependencyConfigurationError.self) { try read(["PORT": text]) }
        #expect(error.map { $0.description.utf8.count < 250 } == true)
    }

    @Test(arguments: [
        ("PORT", "0"), ("PORT", "65535"), ("DATABASE_TIMEOUT", "0"), ("DATABASE_TIMEOUT", "86400"),
        ("PAYMENT_TIMEOUT", "0.001"), ("PAYMENT_TIMEOUT", "86400"), ("REQUEST_LIMIT", "1"),
        ("REQUEST_LIMIT", "1000000"), ("REQUEST_TIMEOUT", "86400"), ("SHUTDOWN_TIMEOUT", "0"),
    ])
    func rangesIncludeTheirBounds(variable: String, text: String) throws {
        _ = try read([variable: text])
    }

    @Test func clockAndIdentifiersComeFromTheContainer() async throws {
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

    @Test func aLaterModuleShadowsAService() async throws {
        try await withShop(extra: [FreeOfCharge()]) { shop in
            let answer = try await shop.checkOut(try await shop.makeCustomer(), card: "declined")
            #expect(answer.status == 201)
            #expect(shop.provider.requests == 0)
        }
    }

    @Test func theShopValidatesWithoutUnknownDependencies() throws {
        try DependencyContainer.shared.install(ShopModule(Settings()))
        let report = try ShopService.makeSampleRequest(in: .shared).validate()
        #expect(report.unknown.isEmpty)
    }

    @Test func requestServicesAreMissingOutsideARequest() throws {
        try DependencyContainer.shared.install(ShopModule(Settings()))
        #expect(throws: DependencyValidationError.self) { try DependencyContainer.shared.validate() }
    }

    @Test func theGraphIncludesRequestServices() throws {
        try DependencyContainer.shared.install(ShopModule(Settings()))
        let dot = ShopService.makeSampleRequest(in: .shared).graph().dot
        for service in ["RequestInfo", "CurrentSession", "OrderController", "Storage"] {
            #expect(dot.contains("Shop.\(service)"))
        }
        #expect(!dot.contains("color=red"))
    }

    @Test func theStandaloneShopServesFromMemoryAndCallsNoProvider() async throws {
        try await withShop(settings: {
            $0.storage.file = nil
            $0.payment.address = nil
        }) { shop in
            let answer = try await shop.checkOut(try await shop.makeCustomer())
            #expect(answer.status == 201)
            #expect(shop.provider.requests == 0)
        }
    }
}

private struct FreeOfCharge: DependencyModule {
    private struct Giver: PaymentProvider {
        func charge(_ payment: Payment) async throws(PaymentUnknown) -> PaymentAnswer { .accepted(charge: payment.key) }
    }

    func register(in container: DependencyContainer) {
        container.register(Giver(), for: (any PaymentProvider).self, replacing: true)
    }
}
