// What a container keeps beside its registrations: its instances of scoped services, and its state.

public import CRegistry

extension Registry {
    /// The container's own instance of a scoped service; nil before it exists.
    @inlinable
    @inline(__always)
    func scopedInstance<Service>(_ key: AnyServiceKey, _ type: Service.Type) -> Service? {
        let found = hop_read_begin(raw, key.raw)
        defer { hop_section_end(found.thread) }
        guard let payload = found.payload else { return nil }
        // A factory creates services of one type, and its key leads to an instance of that.
        return Unmanaged<ScopedInstance<Service>>.fromOpaque(payload)._withUnsafeGuaranteedRef {
            $0.pointer?.load(as: type)?.pointee
        }
    }

    /// Adds a scoped instance, unless another thread was faster; returns the one that is there.
    @usableFromInline
    func addScoped(_ new: AnyServiceRegistration) -> AnyServiceRegistration {
        let payload = Unmanaged.passRetained(new)
        let winner = hop_find_or_push(raw, new.key.raw, payload.toOpaque(), retainRegistration)
        // Balances `retainRegistration`.
        let kept = Unmanaged<AnyServiceRegistration>.fromOpaque(winner).takeRetainedValue()
        if kept !== new { payload.release() }
        return kept
    }

    /// The attached state, which stays until the registry ends; nil if none was needed yet.
    var state: ContainerState? {
        hop_attachment(raw).map { Unmanaged<ContainerState>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The attached state, made if there was none.
    func attachState() -> ContainerState { attached { ContainerState() } }

    /// Balances `attachState`, at the end of the container.
    func detachState() {
        if let state = hop_attachment(raw) { Unmanaged<ContainerState>.fromOpaque(state).release() }
    }

    /// The object that is attached to the registry; made if there is none. Always of the same type.
    func attached<Object: AnyObject>(_ make: () -> Object) -> Object {
        let new = Unmanaged.passRetained(make())
        let attached = Unmanaged<Object>.fromOpaque(hop_attach(raw, new.toOpaque()))
        if attached.toOpaque() != new.toOpaque() { new.release() }
        return attached.takeUnretainedValue()
    }
}
