// The entries of a container's registry besides its registrations: its instances of scoped services, the defaults of environment
// values, and its state.

public import CRegistry

extension Registry {
    /// Returns the container's own instance of a scoped service; nil if it does not exist yet.
    @inlinable
    @inline(__always)
    func scopedInstance<Service>(_ key: AnyServiceKey, _ type: Service.Type) -> Service? {
        let found = hop_read_begin(raw, key.raw)
        defer { hop_section_end(found.thread) }
        guard let payload = found.payload else { return nil }
        // A key of a scoped instance belongs to one factory, whose services have one type.
        return Unmanaged<ScopedInstance<Service>>.fromOpaque(payload)._withUnsafeGuaranteedRef {
            $0.pointer?.load(as: type)?.pointee
        }
    }

    /// Adds a scoped instance or a default, unless the key has one already. Returns the one that the key has then.
    @usableFromInline
    func addScoped(_ new: AnyServiceRegistration) -> AnyServiceRegistration {
        let payload = Unmanaged.passRetained(new)
        let winner = hop_find_or_push(raw, new.key.raw, payload.toOpaque(), retainRegistration)
        // Balances `retainRegistration`.
        let kept = Unmanaged<AnyServiceRegistration>.fromOpaque(winner).takeRetainedValue()
        if kept !== new { payload.release() }
        return kept
    }

    /// Returns the entry of a key, and makes it if there is none. The caller guarantees that all entries of the key are of one type.
    func scoped<Entry: AnyServiceRegistration>(_ key: AnyServiceKey, make: () -> Entry) -> Entry {
        // The caller's guarantee.
        unsafeDowncast(newest(key) ?? addScoped(make()), to: Entry.self)
    }

    /// Returns the default of an environment value; nil before it is computed.
    func defaultValue<Key: DependencyKey>(of key: Key.Type) -> Key.Value? {
        let found = hop_read_begin(raw, AnyServiceKey(defaultOf: key).raw)
        defer { hop_section_end(found.thread) }
        guard let payload = found.payload else { return nil }
        // The key of a default belongs to one type of key.
        return Unmanaged<ValueDefault<Key>>.fromOpaque(payload)._withUnsafeGuaranteedRef(\.computed)
    }

    /// The attached state, which stays until the registry ends; nil if none was needed yet.
    var state: ContainerState? {
        hop_attachment(raw).map { Unmanaged<ContainerState>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Returns the attached state, and makes it if there is none.
    func attachState() -> ContainerState { attached { ContainerState() } }

    /// Releases the state that `attachState` has attached, at the end of the container.
    func detachState() {
        if let state = hop_attachment(raw) { Unmanaged<ContainerState>.fromOpaque(state).release() }
    }

    /// Returns the object attached to the registry, and makes it if there is none. All callers attach objects of one type.
    func attached<Object: AnyObject>(_ make: () -> Object) -> Object {
        let new = Unmanaged.passRetained(make())
        let attached = Unmanaged<Object>.fromOpaque(hop_attach(raw, new.toOpaque()))
        if attached.toOpaque() != new.toOpaque() { new.release() }
        return attached.takeUnretainedValue()
    }
}
