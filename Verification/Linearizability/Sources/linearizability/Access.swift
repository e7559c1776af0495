import CHarness
import History
import Hopoate

/// What is registered: an object that knows which registration it came from, and whether it is gone.
final class Service<Key> {
    private(set) var identifier: Identifier

    init(_ identifier: Identifier) {
        self.identifier = identifier
    }

    deinit {
        // In C, because the compiler may leave out what is stored to an object that is about to go.
        withUnsafeMutablePointer(to: &identifier) { har_store($0, .dead) }
    }
}

// Unchecked, because the deinitializer writes. Sound, because it runs when nobody else has the object; where the
// library breaks that, this is where it shows.
extension Service: @unchecked Sendable {}

/// The container's calls for one type, with the type hidden. Closures, because those of a concrete type are
/// specialized, as calls in a user's module are; the witnesses of a generic type would not be.
struct Access: Sendable {
    let registerFallback: @Sendable (DependencyContainer) -> Void
    /// Returns the token, retained.
    let register: @Sendable (Step, DependencyContainer) -> UnsafeRawPointer
    let overwrite: @Sendable (Step, DependencyContainer) -> UnsafeRawPointer
    /// The token comes from `register` or `overwrite` of this very type.
    let remove: @Sendable (UnsafeRawPointer, DependencyContainer) -> Void
    /// Balances the retain of `register` and `overwrite`.
    let drop: @Sendable (UnsafeRawPointer) -> Void
    let resolve: @Sendable (DependencyContainer) -> Identifier
    let optionalResolve: @Sendable (DependencyContainer) -> Identifier
    let canResolve: @Sendable (DependencyContainer) -> Bool
    let resolveAll: @Sendable (DependencyContainer) -> [Identifier]
    /// Calls the body with a way to look at what it has borrowed; returns whether there was anything.
    let borrow: @Sendable (DependencyContainer, _ body: (_ look: () -> Identifier) -> Void) -> Bool

    @inline(__always)
    init<Key>(_: Key.Type) {
        typealias Item = Service<Key>
        typealias Token = Unmanaged<ServiceRegistration<Item>>
        registerFallback = { $0.register(Item(.none), for: Item.self) }
        register = { step, container in
            let identifier = step.identifier
            let token = container.register(service: Item.self, cacheService: step.isCached) { Item(identifier) }
            return UnsafeRawPointer(Token.passRetained(token).toOpaque())
        }
        overwrite = { step, container in
            let identifier = step.identifier
            let token = container.overwriteExistingRegistrations(service: Item.self, cacheService: step.isCached) {
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
