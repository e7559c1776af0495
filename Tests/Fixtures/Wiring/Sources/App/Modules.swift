import Hopoate
import Model

struct StorageModule: DependencyModule {
    func register(in container: DependencyContainer) {
        container.register(Stamp.self) { _ in Stamp() }
        container.register(Stamp.self, replacing: true) { _ in Stamp() }
        container.register((any Store).self) { c in
            _ = try c.require(Stamp.self)
            return Memory()
        }
        container.register(Bucket.self, named: .europe) { _ in Bucket(region: "eu") }
        container.register(Bucket.self, named: .asia) { _ in Bucket(region: "as") }
        #if MISTAKE_18
            container.register(Copier.self, using: Copier.init)
        #elseif MISTAKE_10
            container.register(Copier.self) { c in
                Copier(
                    source: try c.require(Bucket.self, named: "erope"), target: try c.require(Bucket.self, named: .asia)
                )
            }
        #else
            container.register(Copier.self) { c in
                Copier(
                    source: try c.require(Bucket.self, named: "europe"),
                    target: try c.require(Bucket.self, named: .asia))
            }
        #endif
        #if MISTAKE_23
            container.register(Database.self, lifetime: .eager) { _ in try await Database() }
        #else
            container.register(Database.self) { _ in try await Database() }
        #endif
        #if MISTAKE_14
            container.register(Archive.self) { c in Archive(database: try c()) }
        #else
            // `asyncResolve` resolves the parameters asynchronously.
            container.register(Archive.self) { (database: Database) in Archive(database: database) }
        #endif
        #if MISTAKE_7
            container.register((any Store).self) { _ in Memory() }
        #endif
    }
}

/// A private type, which the run time does not find by its name.
private struct Stamp: Sendable {}

struct MailModule: DependencyModule {
    func register(in container: DependencyContainer) {
        #if MISTAKE_12
            container.register(Console.self) { _ in Console() }
            container.register(Mailing.self, using: Mailing.init)
        #elseif MISTAKE_13
            container.register(Mailing.self, using: Mailing.init)
        #elseif MISTAKE_2
            container.register(Mailing.self) { c in Mailing(sender: try c()) }
        #else
            container.register((any MailSender).self) { _ in Console() }
            container.decorate((any MailSender).self) { inner, _ in Metered(inner: inner) }
            container.register(Mailing.self) { c in Mailing(sender: try c()) }
        #endif
        #if MISTAKE_8
            container.register((any Store).self) { _ in Memory() }
        #endif
        #if MISTAKE_17
            container.decorate(Footer.self) { inner, _ in inner }
        #endif
    }
}

struct AppModule: DependencyModule {
    var modules: [any DependencyModule] {
        #if !MISTAKE_16
            StorageModule()
        #endif
        MailModule()
    }

    func register(in container: DependencyContainer) {
        #if !(MISTAKE_1 || MISTAKE_20)
            container.register(SystemTime(), for: (any TimeSource).self)
        #endif
        container.register(Reports.self, using: Reports.init)
        container.registerPolicy(Limits())
        container.register(Parent.self, using: Parent.init)
        container.register(Child.self, using: Child.init)
        #if MISTAKE_24
            container.register(Label.self, lifetime: .singleton) { (_, number: Int, text: String) in
                Label(text: "\(text) \(number)")
            }
        #else
            container.register(Label.self) { (_, number: Int, text: String) in Label(text: "\(text) \(number)") }
        #endif
        container.register(Page.self, using: Page.init)
        container.register(
            Backup.self, using: Backup.init, taking: .named(.europe), .service, .named(.asia), .value(3))
        #if MISTAKE_11
            container.register(Cache() as Cache?, for: Cache?.self)
        #elseif MISTAKE_22
            container.register(Cache.self, replacing: true) { _ in Cache() }
        #elseif !MISTAKE_21
            container.register(Cache(), for: Cache.self)
        #endif
        #if OPEN_FACTS
            for region in ["us", "ca"] {
                container.register(Bucket.self, named: .init(region)) { _ in Bucket(region: region) }
            }
            registerAll(in: container)
        #endif
        #if !MISTAKE_3
            container.register(Controller.self, using: Controller.init)
        #endif
        container.register(Session.self, lifetime: .scoped) { (id: RequestID) in Session(id: id) }
        #if MISTAKE_6
            container.register(Cart.self, using: Cart.init)
        #else
            container.register(Cart.self, lifetime: .scoped, using: Cart.init)
        #endif
        #if MISTAKE_9
            container.register(Forgotten.self) { _ in Forgotten() }
        #endif
        #if MISTAKE_4
            container.register(Chicken.self, using: Chicken.init)
            container.register(Egg.self, using: Egg.init)
        #endif
    }
}

#if OPEN_FACTS
    /// A generic function that no call gives a type.
    func registerAny<Service: Policy>(_ service: Service, in container: DependencyContainer) {
        container.register(Service.self) { _ in service }
    }

    func registerAll(in container: DependencyContainer) {
        let policies: [any Policy] = [Limits()]
        for policy in policies { registerAny(policy, in: container) }
    }
#endif

#if MISTAKE_9
    struct Forgotten: Sendable {}
#endif
