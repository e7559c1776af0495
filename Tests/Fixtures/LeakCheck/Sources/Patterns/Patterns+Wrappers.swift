import Hopoate
import Ledger

/// Its properties resolve from the container that was bound when it was created.
// Unchecked, because a wrapped property is a variable. Sound, because wrappers are thread-safe.
private final class Wrapped: @unchecked Sendable {
    let life = Life()
    @Dependency var base: Base
    @OptionalDependency var optional: Base?
    @OptionalDependency("missing") var missing: Base?
    @Dependency(\.wrapperLimit) var limit: Int
    @LazyDependency var later: Base

    func use() { precondition(base === optional && later === base && missing == nil && limit == 7) }
}

/// The same as a Sendable value.
private struct WrappedValue: Sendable {
    let life = Life()
    @Dependency var base: Base
    @OptionalDependency var optional: Base?
    @LazyDependency var later: Base

    func use() { precondition(base === optional && later === base) }
}

private enum WrapperLimit: DependencyKey {
    static var defaultValue: Int { 7 }
}

extension DependencyValues {
    fileprivate var wrapperLimit: Int { self[WrapperLimit.self] }
}

/// Property wrappers in services of every lifetime, in the application's container and in a request's container.
let wrapperPatterns: [Pattern] =
    [false, true].flatMap { isUsed in
        (lazyLifetimes + [.eager]).map { lifetime in
            Pattern("wrappers in a service, \(lifetime)\(isUsed ? "" : ", unused")") {
                let container = DependencyContainer.withBase()
                container.bound { _ = container.register(Wrapped.self, lifetime: lifetime) { _ in Wrapped() } }
                container.bound {
                    _ = container.register(WrappedValue.self, lifetime: lifetime) { _ in WrappedValue() }
                }
                for asked in [container, container.makeTrackedChild()] {
                    asked.bound {
                        let one = resolve(Wrapped.self)
                        let other = resolve(WrappedValue.self)
                        if isUsed {
                            one.use()
                            other.use()
                        }
                    }
                }
            }
        }
    } + [
        Pattern("wrappers in a weak service") {
            let container = DependencyContainer.withBase()
            container.register(Wrapped.self, lifetime: .weak) { _ in Wrapped() }
            for asked in [container, container.makeTrackedChild()] { asked.bound { resolve(Wrapped.self).use() } }
        },
        Pattern("wrappers in a keyed service") {
            let container = DependencyContainer.withBase()
            container.register(Wrapped.self, lifetime: .keyed) { (_, _: Int) in Wrapped() }
            for asked in [container, container.makeTrackedChild()] {
                asked.bound { resolve(Wrapped.self, arguments: 7).use() }
            }
        },
        Pattern("wrappers in a scoped service that a request asks for without being bound") {
            let container = DependencyContainer.withBase()
            container.register(Wrapped.self, lifetime: .scoped) { _ in Wrapped() }
            let request = container.makeTrackedChild()
            request.register(7, for: Int.self)
            // The default container has a transient `Base`, so the container of the property is only known from the creation.
            DependencyContainer.shared.register(Base.self, lifetime: .transient) { _ in Base() }
            let wrapped = request.resolve(Wrapped.self)
            _ = (wrapped.base, wrapped.optional, wrapped.later)
            DependencyContainer.shared.removeAll()
        },
        Pattern("wrappers in a service of an asynchronous creation") {
            let container = DependencyContainer.withBase()
            container.register(WrappedValue.self) { _ async in
                await Task.yield()
                return WrappedValue()
            }
            container.register(WrappedValue.self, named: "scoped", lifetime: .scoped) { _ async in
                await Task.yield()
                return WrappedValue()
            }
            let request = container.makeTrackedChild()
            try await request.bound {
                try await container.asyncResolve(WrappedValue.self).use()
                try await request.asyncResolve(WrappedValue.self, named: "scoped").use()
            }
        },
        Pattern("wrappers outside of every creation") {
            let container = DependencyContainer.withBase()
            let wrapped = container.bound { Wrapped() }
            wrapped.use()
            wrapped.base = Base()
            precondition(wrapped.base !== wrapped.optional)
        },
    ]
