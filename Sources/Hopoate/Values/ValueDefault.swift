// The default of an environment value, which is computed once.
//
// It is kept by the container without a parent, so all containers of one tree share it. It is stored in the registry next to the
// registrations, under a key that no registration has, and ends with the registry's other entries. A factory of a singleton computes
// it. So it is computed once, no lock is held meanwhile, a default that depends on itself is reported, and nothing of its first reader
// gets into it.

/// The default of one key in one container.
// Unchecked for the same reason as the base class.
final class ValueDefault<Key: DependencyKey>: AnyServiceRegistration, @unchecked Sendable {
    private let computing: ServiceFactory<EnvironmentValue<Key>, Void>
    /// The address of the value. Stored here, so that reading it retains nothing.
    private let pointer: InstancePointer?

    init() {
        computing = ServiceFactory(
            ServiceDefinition(
                key: ServiceKey(), lifetime: .singleton, callSite: nil,
                closures: .synchronous { _, _ in EnvironmentValue(Key.defaultValue) }))
        pointer = computing.singletonPointer
        super.init(AnyServiceKey(defaultOf: Key.self), name: nil, callSite: nil, disposals: nil)
    }

    /// The value; nil before it is computed.
    var computed: Key.Value? { pointer?.load(as: EnvironmentValue<Key>.self)?.pointee.value }

    /// Returns the value, computed on first use; nil if the container was shut down before.
    func value(in container: DependencyContainer) -> Key.Value? {
        do throws(DependencyError) {
            return try computing.resolve(ServiceKey(), (), Resolution(container: container, owner: container)).value
        } catch {
            if error.reason == .shutDown { return nil }
            fail(error, in: container)
        }
    }
}

extension AnyServiceKey {
    /// The key of the default of an environment value.
    init<Key: DependencyKey>(defaultOf key: Key.Type) {
        self.init(entryUnder: ObjectIdentifier(Key.self))
    }
}

extension DependencyContainer {
    /// Returns the default of a key.
    func defaultValue<Key: DependencyKey>(of key: Key.Type) -> Key.Value {
        if let parent { return parent.defaultValue(of: key) }
        // The key of a default belongs to one type of key.
        let existing = registry.read(AnyServiceKey(defaultOf: key), as: ValueDefault<Key>.self) { $0.computed }
        return existing ?? defaultValueSlow(of: key)
    }

    /// Returns a default that was not computed yet. A container that was shut down keeps none.
    private func defaultValueSlow<Key: DependencyKey>(of key: Key.Type) -> Key.Value {
        if hasEnded { return Key.defaultValue }
        // The key of a default belongs to one type of key.
        let added = registry.scoped(AnyServiceKey(defaultOf: key)) { ValueDefault<Key>() }
        return added.value(in: self) ?? Key.defaultValue
    }
}
