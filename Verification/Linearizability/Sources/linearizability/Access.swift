import CHarness
import History
import Hopoate

/// A service that knows its registration, and whether it was deinitialized.
final class Service<Key> {
    private(set) var identifier: Identifier

    init(_ identifier: Identifier) {
        self.identifier = identifier
    }

    deinit {
        // In C, because the compiler may remove a store to an object that is being deinitialized.
        withUnsafeMutablePointer(to: &identifier) { har_store($0, .dead) }
    }
}

// Unchecked, because the deinitializer writes. Sound, because it runs when no other thread has a reference. If the library
// breaks that, the tool finds it here.
extension Service: @unchecked Sendable {}

/// The container's calls for one type, type-erased. They are closures, because closures of a concrete type are specialized,
/// like calls in a user's module. The witnesses of a generic type would not be.
struct Access: Sendable {
    let registerFallback: @Sendable (DependencyContainer) -> Void
    /// Returns the token, retained.
    let register: @Sendable (Step, DependencyContainer) -> UnsafeRawPointer
    let overwrite: @Sendable (Step, DependencyContainer) -> UnsafeRawPointer
    /// The token must come from `register` or `overwrite` of the same type.
    let remove: @Sendable (UnsafeRawPointer, DependencyContainer) -> Void
    /// Balances the retain of `register` and `overwrite`.
    let drop: @Sendable (UnsafeRawPointer) -> Void
    let resolve: @Sendable (DependencyContainer) -> Identifier
    let optionalResolve: @Sendable (DependencyContainer) -> Identifier
    let canResolve: @Sendable (DependencyContainer) -> Bool
    let resolveAll: @Sendable (DependencyContainer) -> [Identifier]
    /// Calls the body with a closure that reads the borrowed service. Returns whether there was a service.
    let borrow: @Sendable (DependencyContainer, _ body: (_ look: () -> Identifier) -> Void) -> Bool

    @inline(__always)
    init<Key>(_: Key.Type) {
        typealias Item = Service<Key>
        typealias Token = Unmanaged<ServiceRegistration<Item>>
        registerFallback = { $0.register(Item(.none), for: Item.self) }
        register = { step, container in
            let identifier = step.identifier
            let token = container.register(Item.self, lifetime: step.isCached ? .eager : .transient) { _ in
                Item(identifier)
            }
            return UnsafeRawPointer(Token.passRetained(token).toOpaque())
        }
        overwrite = { step, container in
            let identifier = step.identifier
            let token = container.register(
                Item.self, lifetime: step.isCached ? .eager : .transient, replacing: true
            ) { _ in
                Item(identifier)
            }
            return UnsafeRawPointer(Token.passRetained(token).toOpaque())
        }
        remove = { token, container in container.remove(Token.fromOpaque(token).takeUnretainedValue()) }
        drop = { Token.fromOpaque($0).release() }
        resolve = { $0.resolve(Item.self).identifier }
        optionalResolve = { $0.optionalResolve(Item.self)?.identifier ?? .none }
        canResolve = { $0.canResolve(Item.self) }
        resolveAll = { $0.resolveAll(Item.self).map { $0.identifier } }
        borrow = { container, body in
            container.withOptionalService(Item.self) { service in body { service.identifier } } != nil
        }
    }
}
