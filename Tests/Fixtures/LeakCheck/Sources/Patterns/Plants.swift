import Hopoate
import Ledger

/// A service that retains the container that retains it.
private final class Keeper: Sendable {
    let life = Life()
    let container: DependencyContainer
    init(_ container: DependencyContainer) { self.container = container }
}

private struct KeeperModule: DependencyModule {
    let container: DependencyContainer

    func register(in other: DependencyContainer) {
        other.register(Keeper.self, lifetime: .transient) { [container] _ in Keeper(container) }
    }
}

private enum KeeperKey: DependencyKey {
    static var defaultValue: Keeper? { nil }
}

/// Mistakes: each is a cycle through a strong capture, which must be reported.
let plants: [Pattern] = [
    Pattern("eager") {
        let container = DependencyContainer.tracked()
        container.register(Keeper(container), for: Keeper.self)
    },
    Pattern("singleton") {
        let container = DependencyContainer.tracked()
        container.register(Keeper.self) { container in Keeper(container) }
        _ = container.resolve(Keeper.self)
    },
    Pattern("creator") {
        let container = DependencyContainer.tracked()
        let base = Base()
        container.register(Base.self, lifetime: .transient) { _ in
            _ = container
            return base
        }
    },
    Pattern("scoped") {
        let container = DependencyContainer.tracked()
        container.register(Keeper.self, lifetime: .scoped) { container in Keeper(container) }
        _ = container.makeTrackedChild().resolve(Keeper.self)
    },
    Pattern("keyed") {
        let container = DependencyContainer.tracked()
        container.register(Keeper.self, lifetime: .keyed) { (container, _: Int) in Keeper(container) }
        _ = container.resolve(Keeper.self, arguments: 7)
    },
    Pattern("cached") {
        let container = DependencyContainer.tracked()
        container.register(Keeper.self, lifetime: .cached(in: DependencyScope("session"))) { container in
            Keeper(container)
        }
        _ = container.resolve(Keeper.self)
    },
    Pattern("decorator") {
        let container = DependencyContainer.withBase()
        let base = Base()
        container.decorate(Base.self) { [container] inner, _ in
            _ = container
            return base
        }
    },
    Pattern("hook") {
        let container = DependencyContainer.tracked()
        container.register(Base.self) { _ in
            Base()
        } onDispose: { [container] _ in
            _ = container
        }
        _ = container.resolve(Base.self)
    },
    Pattern("module") {
        let container = DependencyContainer.tracked()
        let base = Base()
        container.register(base, for: Base.self)
        try container.install(KeeperModule(container: container))
    },
    Pattern("value") {
        let container = DependencyContainer.tracked()
        container.values[KeeperKey.self] = Keeper(container)
    },
    Pattern("asynchronous") {
        let container = DependencyContainer.tracked()
        container.register(Keeper.self) { container async in
            await Task.yield()
            return Keeper(container)
        }
        _ = try await container.asyncResolve(Keeper.self)
    },
    Pattern("lazy") {
        final class Left: @unchecked Sendable {
            let life = Life()
            let right: LazyDependency<Right>
            init(right: LazyDependency<Right>) { self.right = right }
        }
        final class Right: @unchecked Sendable {
            let life = Life()
            let left: LazyDependency<Left>
            init(left: LazyDependency<Left>) { self.left = left }
        }
        let container = DependencyContainer.tracked()
        container.register(Left.self, using: Left.init)
        container.register(Right.self, using: Right.init)
        _ = container.resolve(Left.self).right.resolve().left.resolve()
    },
    Pattern("request that nobody ends") {
        let application = DependencyContainer.withBase()
        let request = application.makeTrackedChild()
        request.register(Keeper.self) { container in Keeper(container) }
        _ = request.resolve(Keeper.self)
    },
]
