import Hopoate
import Ledger

/// Holds handles instead of services.
private final class Desk: Sendable {
    let life = Life()
    let base: LazyDependency<Base>
    let client: DependencyProvider<Client>

    init(base: LazyDependency<Base>, client: DependencyProvider<Client>) {
        self.base = base
        self.client = client
    }

    func work() { precondition(base.object != nil && client().base === base.resolve()) }
}

private final class Left: Sendable {
    let life = Life()
    let right: LazyDependency<Right>
    init(right: LazyDependency<Right>) { self.right = right }
}

private final class Right: Sendable {
    let life = Life()
    let left: LazyDependency<Left>
    init(left: LazyDependency<Left>) { self.left = left }
}

private protocol Reading: Sendable {}
private protocol Writing: Sendable {}
private final class Store: Reading, Writing {
    let life = Life()
}

private protocol Greeter: Sendable {}
private final class Polite: Greeter {
    let life = Life()
}
private final class Counting: Greeter {
    let life = Life()
    let inner: any Greeter
    init(_ inner: any Greeter) { self.inner = inner }
}

/// Lazy dependencies, providers, decorators and aliases.
let handlePatterns: [Pattern] =
    (lazyLifetimes + [.weak]).map { lifetime in
        Pattern("lazy services and providers in a service, \(lifetime)") {
            let container = DependencyContainer.withBase()
            container.register(Client.self, lifetime: .transient, using: Client.init)
            container.register(Desk.self, lifetime: lifetime, using: Desk.init)
            container.register(Desk.self, named: "by hand", lifetime: lifetime) { container in
                Desk(base: LazyDependency(container: container), client: container.provider())
            }
            for asked in [container, container.makeTrackedChild()] {
                asked.resolve(Desk.self).work()
                asked.resolve(Desk.self, named: "by hand").work()
                _ = asked.resolve(Desk.self)
            }
        }
    }
    + (lazyLifetimes + [.eager]).map { lifetime in
        Pattern("decorators around a service, \(lifetime)") {
            let container = DependencyContainer.tracked()
            container.register((any Greeter).self, lifetime: lifetime) { _ in Polite() }
            let first = container.decorate((any Greeter).self) { inner, _ in Counting(inner) }
            container.decorate((any Greeter).self) { inner, container in
                _ = container
                return Counting(inner)
            }
            let child = container.makeTrackedChild()
            child.decorate((any Greeter).self) { inner, _ in Counting(inner) }
            for asked in [container, child] { precondition(asked.resolve((any Greeter).self) is Counting) }
            container.remove(first)
            for asked in [container, child] { precondition(asked.resolve((any Greeter).self) is Counting) }
        }
    } + [
        Pattern("two services with lazy handles of each other") {
            let container = DependencyContainer.tracked()
            container.register(Left.self, using: Left.init)
            container.register(Right.self, using: Right.init)
            let left = container.resolve(Left.self)
            let right = left.right.resolve()
            precondition(right.left.resolve() === left)
            // Both handles are used, so one of them is disposed of, as the documentation requires.
            right.left.dispose()
        },
        Pattern("handles that outlive their container") {
            var container: DependencyContainer? = .withBase()
            let lazy = container.map { LazyDependency<Base>(container: $0) }
            let provider = container?.provider(Base.self)
            _ = provider?()
            container = nil
            precondition(lazy?.object == nil && provider?.optionalResolve() == nil)
        },
        Pattern("one service behind several types") {
            let container = DependencyContainer.tracked()
            container.register(Store.self, lifetime: .scoped) { _ in Store() }
            container.forward((any Reading).self, to: Store.self) { $0 }
            container.forward((any Writing).self, to: Store.self) { $0 }
            for asked in [container, container.makeTrackedChild()] {
                let store = asked.resolve(Store.self)
                precondition(asked.resolve((any Reading).self) as? Store === store)
                precondition(asked.resolve((any Writing).self) as? Store === store)
            }
        },
    ]
