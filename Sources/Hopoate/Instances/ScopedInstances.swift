/// A container's own instances of a scoped service that a parent has registered, if they are not in a slot.
///
/// It is stored in the container's registry, next to the registrations. Its key is the address of the origin of the registration's
/// instances. It retains that origin, so no other object can have this address (invariant J1 in Design.md). It does not retain the
/// factory: the factory retains the owner's instances, which have to go when the registration is removed.
// Unchecked, because a service need not be Sendable. All properties are immutable.
final class ScopedInstances<Service>: AnyServiceRegistration, @unchecked Sendable {
    let stored: StoredInstances<Service>
    /// The address of the instance; nil if only the storage or the table can find it.
    let pointer: InstancePointer?
    private let origin: ScopedOrigin

    init(under origin: ScopedOrigin, _ stored: StoredInstances<Service>, _ disposals: Disposals?) {
        self.origin = origin
        self.stored = stored
        pointer = stored.pointer
        super.init(AnyServiceKey(scopedUnder: origin), name: nil, callSite: nil, disposals: disposals)
    }

    /// Instances with hooks stay to the end of the container, which runs the hooks.
    override var isLeftBehind: Bool { disposals == nil && origin.hasEnded }
}

/// Stands for the instances of one scoped registration: by its address, and after they have ended.
final class ScopedOrigin: Sendable {
    private let ends = SharedCounter()

    /// Whether the instances of the registration have ended.
    var hasEnded: Bool { ends.value != 0 }

    func noteEnd() { ends.increment() }
}

extension Registry {
    /// Returns the container's own instance of a scoped service that is in the table; nil if it is not there.
    @inline(__always)
    func scopedInstance<Service>(_ key: AnyServiceKey, _ type: Service.Type) -> Service? {
        // One factory has this key, and it creates services of one type.
        read(key, as: ScopedInstances<Service>.self) { $0.pointer?.load(as: type)?.pointee }
    }
}

extension AnyServiceKey {
    /// The key of a container's part of a scoped registration.
    init(scopedUnder origin: ScopedOrigin) {
        self.init(entryUnder: ObjectIdentifier(origin))
    }
}
