import Hopoate
import HopoateServer

protocol Mailer: Sendable {}
struct Settings: Sendable {}
final class Database: Sendable {}
struct Cache: Sendable {}
struct Metrics: Sendable {
    init(settings: Settings) {}
}
struct SMTPMailer: Mailer {
    init(settings: Settings, metrics: Metrics) {}
}
struct HTTPPool: Sendable {
    init(settings: Settings, metrics: Metrics) {}
}
struct Catalogue: Sendable {
    init(database: Database, cache: Cache, metrics: Metrics) {}
}
struct Prices: Sendable {
    init(catalogue: Catalogue, rates: ExchangeRates) {}
}
struct ExchangeRates: Sendable {
    init(pool: HTTPPool, cache: Cache) {}
}
struct Accounts: Sendable {
    init(database: Database, mailer: any Mailer, orders: LazyDependency<OrderStore>) {}
}
struct Session: Sendable {
    init(accounts: Accounts, audit: AuditLog?) {}
}
struct AuditLog: Sendable {
    init(database: Database) {}
}
struct Basket: Sendable {
    init(session: Session, prices: Prices) {}
}
struct OrderStore: Sendable {
    init(database: Database, audit: AuditLog) {}
}
struct Payments: Sendable {
    init(pool: HTTPPool, fraud: FraudCheck) {}
}
struct FraudCheck: Sendable {
    init(pool: HTTPPool, rules: FraudRules) {}
}
struct FraudRules: Sendable {}
struct Checkout: Sendable {
    init(basket: Basket, payments: Payments, orders: OrderStore, mailer: any Mailer) {}
}
struct Search: Sendable {
    init(catalogue: Catalogue, index: SearchIndex) {}
}
struct SearchIndex: Sendable {
    init(catalogue: Catalogue) {}
}
struct Invoice: Sendable {}

/// A bookshop whose services take some time to create.
func makeBookshop() async throws -> DependencyContainer {
    let app = DependencyContainer()
    app.recordCreations()
    app.register(Settings(), for: Settings.self)
    app.register(Database.self) { _ in
        try await Task.sleep(for: .milliseconds(60))
        return Database()
    }
    app.register(Cache.self) { _ in
        try await Task.sleep(for: .milliseconds(25))
        return Cache()
    }
    app.register(Metrics.self, using: Metrics.init)
    app.register(SMTPMailer.self, using: SMTPMailer.init)
    app.forward((any Mailer).self, to: SMTPMailer.self) { $0 }
    app.register(HTTPPool.self, using: HTTPPool.init)
    app.register(Catalogue.self, using: Catalogue.init)
    app.register(ExchangeRates.self, using: ExchangeRates.init)
    app.register(Prices.self, using: Prices.init)
    app.register(AuditLog.self, using: AuditLog.init)
    app.register(OrderStore.self, using: OrderStore.init)
    app.register(Accounts.self, using: Accounts.init)
    app.register(SearchIndex.self, using: SearchIndex.init)
    app.register(Search.self, using: Search.init)
    app.register(FraudCheck.self, using: FraudCheck.init)  // Its rules are missing.
    app.register(Session.self, lifetime: .scoped, using: Session.init)
    app.register(Basket.self, lifetime: .scoped, using: Basket.init)
    app.register(Payments.self, lifetime: .transient, using: Payments.init)
    app.register(Checkout.self, lifetime: .transient, using: Checkout.init)
    app.register(Invoice.self, named: "customer", lifetime: .keyed) { (_, _: Int) in Invoice() }
    let metrics = Metrics(settings: Settings())
    app.register(metrics, for: Metrics.self, named: "backup")
    app.register(Metrics.self, named: "backup", using: Metrics.init)
    for service in 0..<3 {
        let child = app.makeChild()
        _ = try await child.asyncResolve(Basket.self)
        _ = try await child.asyncResolve(Invoice.self, named: "customer", arguments: service)
    }
    _ = try await app.asyncResolve(Search.self)
    _ = try? await app.asyncResolve(Payments.self)
    return app
}
