// The parts of a registry besides the stacks: scope slots, the attached object, marks and pins.

internal import CRegistry

extension Registry {
    /// Whether the registry has a scope slot that is free, or belongs to a key.
    func hasSlot(_ index: Int, _ key: UInt) -> Bool { hop_scope_has_slot(raw, index, key) }

    /// Enters a read section, and finds the object in a scope slot. It is nil if the slot is empty or belongs to another key.
    @inline(__always)
    func findInSlot(_ index: Int, _ key: UInt) -> Found {
        let thread = hop_section_begin()
        return Found(hop_found(payload: hop_scope_find(raw, index, key), thread: thread))
    }

    /// The same in a read section that is open. The objects in slots must be of the class.
    @inline(__always)
    func slot<Object: AnyObject>(_ index: Int, _ key: UInt, as type: Object.Type) -> Uncounted<Object>? {
        guard let payload = hop_scope_find(raw, index, key) else { return nil }
        return Uncounted(payload: payload)
    }

    /// Returns the object in a scope slot; nil if the slot is empty or belongs to another key. The objects in slots must be of the class.
    @inline(__always)
    func object<Object: AnyObject>(inSlot index: Int, _ key: UInt, as type: Object.Type) -> Object? {
        findInSlot(index, key).object(as: type)
    }

    /// Puts an object into its scope slot, unless there is one already, or the slot belongs to another key.
    ///
    /// - Returns: Whether it is there.
    @inline(__always)
    func fillSlot(_ index: Int, _ key: UInt, with object: AnyObject) -> Bool {
        retain(object) { hop_scope_fill(raw, index, key, $0) }
    }

    /// The number of scope slots.
    var scopeSlots: Int { hop_statistics_read(raw).scope_slots }

    /// Reserves an index of scope slots; nil if there is none left.
    func reserveScopeIndex() -> Int? {
        let index = hop_scope_reserve(raw)
        return index < Int(HOP_MOST_SCOPE_SLOTS) ? index : nil
    }
}

// MARK: - Marks

extension Registry {
    /// Whether the last reference to the container was about to be released when this was called. Pairs with `markAsReleased`.
    ///
    /// The caller has got a reference to the container before.
    var isReleased: Bool { hop_marks_after_fence(raw) & Self.released != 0 }

    /// Marks that the last reference to the container is about to be released.
    ///
    /// The caller then looks for other references once more. A thread that gets one and then asks `isReleased`, and this one: at least one
    /// of them sees the other.
    func markAsReleased() { hop_marks_set(raw, Self.released) }

    /// Undoes `markAsReleased`.
    func unmarkAsReleased() { hop_marks_clear(raw, Self.released) }

    /// Whether this library has made weak references to the container.
    var hasWeakReferences: Bool { hop_marks(raw) & Self.weaklyReferenced != 0 }

    /// Whether a lazy dependency, a provider or a property wrapper refers to the container weakly.
    var hasHandles: Bool { hop_marks(raw) & Self.handled != 0 }

    /// Notes that there is a weak reference to the container, before it is made.
    func noteWeakReference(ofHandle isHandle: Bool) {
        let bits = isHandle ? Self.weaklyReferenced | Self.handled : Self.weaklyReferenced
        // Written once, because other threads read the same cache line.
        if hop_marks(raw) & bits != bits { hop_marks_set(raw, bits) }
    }

    /// Whether `markAsOld` was called.
    var isOld: Bool { hop_marks(raw) & Self.old != 0 }

    /// Marks that the registry is that of a layer which is about to show replaced registrations.
    func markAsOld() { hop_marks_set(raw, Self.old) }

    // The marks of a registry.
    private static let released: UInt32 = 1
    private static let weaklyReferenced: UInt32 = 2
    private static let handled: UInt32 = 4
    private static let old: UInt32 = 8
}

// MARK: - The attached object

extension Registry {
    /// The attached object, which stays until `detach`; nil if there is none. All attached objects must be of the class.
    @inline(__always)
    func attachment<Object: AnyObject>(as type: Object.Type) -> Object? {
        hop_attachment(raw).map { Uncounted<Object>(payload: $0).object }
    }

    /// Passes the attached object to a closure, without retaining it; nil if there is none. All attached objects must be of the class.
    @inline(__always)
    func withAttachment<Object: AnyObject, Output>(as type: Object.Type, _ body: (Object) -> Output) -> Output? {
        guard let attached = hop_attachment(raw) else { return nil }
        return Uncounted<Object>(payload: attached).with(body)
    }

    /// Attaches an object to a new registry, which retains it until `detach`.
    func attach(_ object: AnyObject) { _ = hop_attach(raw, Unmanaged.passRetained(object).toOpaque()) }

    /// Returns the object attached to the registry, and makes it if there is none. All callers attach objects of one class.
    func attached<Object: AnyObject>(_ make: () -> Object) -> Object {
        let new = Unmanaged.passRetained(make())
        let attached = hop_attach(raw, new.toOpaque())
        if attached != UnsafeRawPointer(new.toOpaque()) { new.release() }
        return Uncounted<Object>(payload: attached).object
    }

    /// The same as the other form for a registry that never ends: the object is made once, and lives for ever.
    func attached<Object: AnyObject>(under lock: ProcessLock, _ make: () -> Object) -> Object {
        if let attached = hop_attachment(raw) { return Uncounted<Object>(payload: attached).object }
        return lock.withLock {
            let attached = hop_attachment(raw) ?? hop_attach(raw, Unmanaged.passRetained(make()).toOpaque())
            return Uncounted<Object>(payload: attached).object
        }
    }

    /// Releases the attached object, at the end of the registry's owner.
    func detach() {
        if let attached = hop_attachment(raw) { Uncounted<AnyObject>(payload: attached).release() }
    }
}

// MARK: - Pins

extension Registry {
    /// Adds a pin. Acquire and release.
    ///
    /// - Returns: Whether it is the only one.
    func pin() -> Bool { hop_pin(raw) == 0 }

    /// Removes a pin. Acquire and release.
    ///
    /// - Returns: Whether none is left.
    func unpin() -> Bool { hop_unpin(raw) == 0 }
}
