import Hopoate
import HopoateServer
import Ledger

private struct Refusal: Error {}

private struct BaseModule: DependencyModule {
    let life = Life()

    func register(in container: DependencyContainer) {
        container.register(Base.self) { [life] _ in
            _ = life
            return Base()
        }
    }
}

private struct ClientModule: DependencyModule {
    var isRefused = false
    var modules: [any DependencyModule] { BaseModule() }

    func register(in container: DependencyContainer) throws {
        container.register(Client.self, using: Client.init)
        if isRefused { throw Refusal() }
    }

    func didInstall(in container: DependencyContainer) { _ = container.resolve(Client.self) }
}

private final class Services: Sendable {
    let life = Life()
    let base = Base()
    var client: Client { Client(base: base) }
}

private struct Quiet: DependencyInstrument {
    let life = Life()

    func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? { Observer(life: life) }

    private struct Observer: DependencyObserver {
        let life: Life
    }
}

/// Modules, property containers, inspection, failures and shutdown.
let modulePatterns: [Pattern] = [
    Pattern("modules that stay") {
        let container = DependencyContainer.tracked()
        try container.install {
            ClientModule()
            BaseModule()
        }
        _ = container.resolve(Client.self)
    },
    Pattern("modules that come and go") {
        let container = DependencyContainer.tracked()
        let installation = try container.install(ClientModule())
        container.uninstall(installation)
        precondition(!container.canResolve(Client.self))
        do { _ = try container.install(ClientModule(isRefused: true)) } catch is Refusal {}
        precondition(!container.canResolve(Base.self))
    },
    Pattern("an object as a bundle") {
        let container = DependencyContainer.tracked()
        let services = container.install(Services(), \.base, \.client)
        precondition(container.resolve(Client.self).base === container.resolve(Base.self))
        container.uninstall(services)
        container.install(Services(), .property(\.base), .property(\.client, named: "client"))
        _ = container.resolve(Client.self, named: "client")
    },
    Pattern("validation, explanation and graph") {
        let container = DependencyContainer.withBase()
        container.register(Client.self, using: Client.init)
        let child = container.makeTrackedChild()
        _ = try child.validate()
        _ = child.explain(Client.self).description
        _ = child.graph().dot
        for registration in child.registrations { _ = registration.description }
        container.seal()
        _ = child.resolve(Client.self)
    },
    Pattern("observed services") {
        let container = DependencyContainer.tracked()
        container.instrument(with: Quiet())
        container.register(Base.self) { _ in Base() }
        container.register(Client.self, lifetime: .scoped, using: Client.init)
        for asked in [container, container.makeTrackedChild()] { _ = asked.resolve(Client.self) }
    },
    Pattern("services that are missing, circular or refused") {
        let container = DependencyContainer.tracked()
        container.register(Client.self, using: Client.init)
        container.register(Base.self, named: "circular") { container in
            try container.require(Base.self, named: "circular")
        }
        container.register(Base.self, named: "refused", lifetime: .scoped) { _ in throw Refusal() }
        for asked in [container, container.makeTrackedChild()] {
            var errors: [any Error] = []
            for attempt in [
                { _ = try asked.require(Client.self) }, { _ = try asked.require(Base.self, named: "circular") },
                { _ = try asked.require(Base.self, named: "refused") },
            ] {
                do { try attempt() } catch { errors.append(error) }
            }
            precondition(errors.count == 3)
        }
    },
    Pattern("a service that is removed while it is borrowed") {
        let container = DependencyContainer.tracked()
        let token = container.register(Base(), for: Base.self)
        container.withService(Base.self) { base in
            container.remove(token)
            _ = base.life
        }
    },
    Pattern("shutdown") {
        for isAsynchronous in [false, true] {
            let container = DependencyContainer.withBase()
            container.register(Client.self) { container in
                Client(base: container.resolve())
            } onDispose: { _ in
            }
            container.register(Client.self, named: "late") { container in
                Client(base: container.resolve())
            } onAsyncDispose: { _ in
                await Task.yield()
            }
            let child = container.makeTrackedChild()
            _ = (child.resolve(Client.self), child.resolve(Client.self, named: "late"))
            if isAsynchronous { try await container.shutdown() } else { try container.shutdownWithoutAwaitingHooks() }
            precondition(!child.canResolve(Client.self))
        }
    },
]
