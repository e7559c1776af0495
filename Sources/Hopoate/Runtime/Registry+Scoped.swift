// The entries of a container's registry besides its registrations: its instances of scoped services, the defaults of environment
// values, and its state.

internal import CRegistry

extension Registry {
    /// Returns the container's own instance of a scoped service that is in the table; nil if it is not there.
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

    /// Whether an instance of a registration can be in a scope slot. If not, it is in the table.
    func hasScopeSlot(_ place: ScopePlace) -> Bool { hop_scope_has_slot(raw, place.index, place.key) }

    /// Returns the cell in a scope slot that the registry has, and makes it if there is none.
    func scopeSlot(_ place: ScopePlace, make: () -> Cell) -> Cell {
        while true {
            if let cell = scopeSlot(place) { return cell }
            let cell = make()
            if fill(place, with: cell) { return cell }
        }
    }

    /// Returns the cell in a scope slot; nil if it is empty or belongs to another registration.
    func scopeSlot(_ place: ScopePlace) -> Cell? {
        let thread = hop_section_begin()
        defer { hop_section_end(thread) }
        return hop_scope_find(raw, place.index, place.key).map {
            // Only cells are put into slots.
            Unmanaged<Cell>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Puts a cell into its scope slot, unless there is one already, or the slot belongs to another registration.
    ///
    /// - Returns: Whether it is there.
    func fill(_ place: ScopePlace, with cell: Cell) -> Bool {
        let payload = Unmanaged.passRetained(cell)
        let isFilled = hop_scope_fill(raw, place.index, place.key, payload.toOpaque())
        if !isFilled { payload.release() }
        return isFilled
    }

    /// The number of scope slots.
    var scopeSlots: Int { hop_statistics_read(raw).scope_slots }

    /// Reserves an index of scope slots; nil if there is none left.
    func reserveScopeIndex() -> Int? {
        let index = hop_scope_reserve(raw)
        return index < Int(HOP_MOST_SCOPE_SLOTS) ? index : nil
    }

    /// Adds a scoped instance or a default, unless the key has one already. Returns the one that the key has then.
    @usableFromInline
    func addScoped(_ new: AnyServiceRegistration) -> AnyServiceRegistration {
        let payload = Unmanaged.passRetained(new)
        var isDue = false
        let winner = hop_find_or_push(raw, new.key.raw, payload.toOpaque(), retainRegistration, &isDue)
        // Balances `retainRegistration`.
        let kept = Unmanaged<AnyServiceRegistration>.fromOpaque(winner).takeRetainedValue()
        if kept !== new { payload.release() }
        if isDue { removeEntriesLeftBehind() }
        return kept
    }

    /// Removes the entries of ended scoped registrations.
    ///
    /// It runs again when as many entries were added as there are left now, or a sixteenth of the slots of the table, or 16, whichever is
    /// most. So it takes amortised constant time for each addition, and the entries that are left behind do not grow with the number of
    /// registrations that have been. A new table has at most eight slots for each entry, including those that are left behind. With a
    /// larger part of the slots, each table could let in more of these, and the next one would be larger.
    private func removeEntriesLeftBehind() {
        let all = keys()
        let scoped = all.filter(\.isScoped).compactMap { newest($0) }
        let entries = scoped.filter(\.isLeftBehind).map { entry in
            hop_entry(key: entry.key.raw, payload: Unmanaged.passUnretained(entry).toOpaque())
        }
        let additions = max(16, all.count - entries.count, hop_statistics_read(raw).capacity / 16)
        // The array keeps the payloads alive meanwhile.
        withExtendedLifetime(scoped) {
            hop_remove_entries(raw, entries, entries.count, additions, releaseRegistration)
        }
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

    /// Whether the shutdown of the container has begun.
    var hasEnded: Bool {
        guard let state = hop_attachment(raw) else { return false }
        return Unmanaged<ContainerState>.fromOpaque(state)._withUnsafeGuaranteedRef { $0.hasEnded }
    }

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

    // The marks of a registry.
    private static let released: UInt32 = 1
    private static let weaklyReferenced: UInt32 = 2
    private static let handled: UInt32 = 4

    /// Returns the attached state, and makes it if there is none.
    func attachState() -> ContainerState {
        guard isProcess else { return attached { ContainerState(ofDefaultContainer: false) } }
        return attached(under: .defaultState) { ContainerState(ofDefaultContainer: true) }
    }

    /// Releases the state that `attachState` has attached, at the end of the container.
    func detachState() {
        if let state = hop_attachment(raw) { Unmanaged<ContainerState>.fromOpaque(state).release() }
    }

    /// The same as the other form for a registry that never ends: the object is made once, and lives for ever.
    func attached<Object: AnyObject>(under lock: ProcessLock, _ make: () -> Object) -> Object {
        if let attached = hop_attachment(raw) { return Unmanaged<Object>.fromOpaque(attached).takeUnretainedValue() }
        return lock.withLock {
            let attached = hop_attachment(raw) ?? hop_attach(raw, Unmanaged.passRetained(make()).toOpaque())
            return Unmanaged<Object>.fromOpaque(attached).takeUnretainedValue()
        }
    }

    /// Returns the object attached to the registry, and makes it if there is none. All callers attach objects of one type.
    func attached<Object: AnyObject>(_ make: () -> Object) -> Object {
        let new = Unmanaged.passRetained(make())
        let attached = Unmanaged<Object>.fromOpaque(hop_attach(raw, new.toOpaque()))
        if attached.toOpaque() != new.toOpaque() { new.release() }
        return attached.takeUnretainedValue()
    }
}

extension DependencyContainer {
    /// Whether the shutdown of this container or of a parent has begun.
    var hasEnded: Bool {
        // Each creation of a scoped service asks, so this counts no references. A container holds its parent.
        if registry.hasEnded { return true }
        var next = heldParent
        while let parent = next {
            if parent.registry.hasEnded { return true }
            next = parent.parent
        }
        return false
    }
}
