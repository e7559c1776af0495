import Hopoate
import Ledger

/// Each lifetime, resolved through its container and through a child.
let lifetimePatterns: [Pattern] =
    (lazyLifetimes + [.eager, .weak, .recent]).map { lifetime in
        Pattern("lifetime \(lifetime)") {
            let container = DependencyContainer.withBase()
            container.register(Client.self, lifetime: lifetime) { container in Client(base: container.resolve()) }
            container.register(Client.self, named: "other", lifetime: lifetime, using: Client.init)
            for asked in [container, container.makeTrackedChild()] {
                let one = asked.resolve(Client.self)
                let other = asked.resolve(Client.self, named: "other")
                precondition(one.base === other.base)
                precondition(asked.resolveAll(Client.self).count == 1)
                precondition(asked.withService(Client.self) { $0.base === one.base })
                precondition(asked.withResolved(Client.self) { $0.base === one.base })
            }
        }
    } + [
        Pattern("lifetime keyed") {
            let container = DependencyContainer.withBase()
            container.register(Client.self, lifetime: .keyed) { (container, _: Int) in
                Client(base: container.resolve())
            }
            for number in 0..<10 {
                let one = container.resolve(Client.self, arguments: number)
                precondition(one === container.makeTrackedChild().resolve(Client.self, arguments: number))
            }
        },
        Pattern("lifetime graph, two that need each other") {
            // Unchecked, because of the variable. Sound, because the creation writes it before the instance is returned.
            final class Parent: @unchecked Sendable {
                let life = Life()
                var child: Child?
            }
            final class Child: Sendable {
                let life = Life()
                unowned let parent: Parent
                init(parent: Parent) { self.parent = parent }
            }
            let container = DependencyContainer.tracked()
            container.register(Parent.self, lifetime: .graph) { _ in
                Parent()
            } afterCreation: { parent, container in
                parent.child = container.resolve()
            }
            container.register(Child.self, lifetime: .graph) { container in try Child(parent: container()) }
            let parent = container.resolve(Parent.self)
            precondition(parent.child?.parent === parent)
        },
        Pattern("scope that is reset, and one that is not") {
            for isReset in [false, true] {
                let scope = DependencyScope("session")
                let container = DependencyContainer.withBase()
                container.register(Client.self, lifetime: .cached(in: scope), using: Client.init, onDispose: { _ in })
                let first = container.resolve(Client.self)
                if isReset {
                    scope.reset()
                    precondition(container.resolve(Client.self) !== first)
                }
            }
        },
        Pattern("registrations that come and go") {
            let container = DependencyContainer.withBase()
            let token = container.register(Client.self, using: Client.init)
            _ = container.resolve(Client.self)
            container.register(Client.self, replacing: true) { container in Client(base: container.resolve()) }
            _ = container.resolve(Client.self)
            container.remove(token)
            container.register(Client.self, lifetime: .scoped) { container in
                Client(base: container.resolve())
            } onDispose: { _ in
            }
            let child = container.makeTrackedChild()
            _ = child.resolve(Client.self)
            container.removeAll()
            precondition(!child.canResolve(Client.self))
        },
        Pattern("a service that cannot be copied") {
            struct Journal: ~Copyable {
                let life = Life()
                func write(_ line: String) {}
            }
            let container = DependencyContainer.tracked()
            let journal = container.register(noncopyable: Journal(), for: Journal.self)
            container.withService(Journal.self) { $0.write("a line") }
            container.remove(journal)
            container.register(noncopyable: Journal(), for: Journal.self)
            container.withService(Journal.self) { $0.write("a line") }
        },
    ]

extension Lifetime {
    fileprivate static let recent = Lifetime("recent", policy: Recent())

    /// A custom lifetime that acts like a singleton.
    private struct Recent: LifetimePolicy {
        func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> { InstanceStorage() }
    }
}
