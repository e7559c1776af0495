import Hopoate
import Synchronization

/// The number of live services.
let living = Atomic<Int>(0)

/// A service type for each mark.
final class Service<Mark>: Sendable {
    let number: Int

    init(_ number: Int) {
        self.number = number
        living.add(1, ordering: .relaxed)
    }

    deinit { living.subtract(1, ordering: .relaxed) }
}

/// The operations on one type of service, type-erased.
struct Kind: Sendable {
    typealias Undo = @Sendable () -> Void

    let register: @Sendable (DependencyContainer, _ cached: Bool) -> Undo
    let overwrite: @Sendable (DependencyContainer) -> Void
    let resolve: @Sendable (DependencyContainer) -> Int
    let optionalResolve: @Sendable (DependencyContainer) -> Bool
    let canResolve: @Sendable (DependencyContainer) -> Bool
    let resolveAll: @Sendable (DependencyContainer) -> Int
    let borrow: @Sendable (DependencyContainer, (Int) -> Void) -> Void
    let resolveFree: @Sendable () -> Int

    init<Mark>(_: Mark.Type) {
        let type = Service<Mark>.self
        register = { container, cached in
            let token = container.register(type, lifetime: cached ? .eager : .transient) { _ in Service(1) }
            return { container.remove(token) }
        }
        overwrite = { $0.register(Service(1), for: type, replacing: true) }
        resolve = { $0.resolve(type).number }
        optionalResolve = { $0.optionalResolve(type) != nil }
        canResolve = { $0.canResolve(type) }
        resolveAll = { $0.resolveAll(type).count }
        borrow = { container, body in container.withOptionalService(type) { body($0.number) } }
        resolveFree = { Hopoate.resolve(type).number }
    }

    /// Types that are registered from the start to the end.
    static let lasting = [Kind(Int8.self), Kind(Int16.self), Kind(Int32.self), Kind(Int64.self)]
    /// Types that are registered and removed all the time, so that tables are replaced, too.
    static let changing = [
        Kind(UInt8.self), Kind(UInt16.self), Kind(UInt32.self), Kind(UInt64.self), Kind(Float.self), Kind(Double.self),
        Kind(Bool.self), Kind(String.self), Kind([Int8].self), Kind([Int16].self), Kind([Int32].self),
        Kind([Int64].self),
    ]
    /// Types that are never registered.
    static let unknown = [Kind(Character.self), Kind([Character].self), Kind([Bool].self)]
}
