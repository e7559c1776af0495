// Changing the payloads. Readers see each of these changes as one atomic step.

internal import CRegistry

/// Notes the number of a payload. Called under the registry's lock, before any lookup can find the payload.
typealias NoteNumber = @convention(c) (_ payload: UnsafeRawPointer, _ number: Int) -> Void

extension Registry {
    /// Pushes an object onto the stack of a key, which retains it.
    ///
    /// - Returns: Whether the registry accepts it. A sealed one does not.
    @inline(__always)
    func push(_ object: AnyObject, under key: RegistryKey, _ note: NoteNumber) -> Bool {
        retain(object) { hop_push(raw, key.raw, $0, note) }
    }

    /// Replaces the whole stack of a key by one object, which it retains.
    ///
    /// - Returns: Whether the registry accepts it. A sealed one does not.
    @inline(__always)
    func replace(_ object: AnyObject, under key: RegistryKey, _ note: NoteNumber, _ release: Release) -> Bool {
        retain(object) { hop_replace(raw, key.raw, $0, note, release) }
    }

    /// Replaces the whole stacks of several keys, in one step. Also in a sealed registry.
    ///
    /// - Parameter objects: The objects of the new stacks, oldest first. The registry retains them.
    func replace(_ objects: [(key: RegistryKey, object: AnyObject)], _ note: NoteNumber?, _ release: Release) {
        let entries = objects.map { key, object in
            hop_entry(key: key.raw, payload: UnsafeRawPointer(Unmanaged.passRetained(object).toOpaque()))
        }
        hop_replace_entries(raw, entries, entries.count, note, release)
    }

    /// Removes an object from the stack of a key, if it is there. The number of the object is that of another registry.
    func remove(_ object: AnyObject, unnumberedUnder key: RegistryKey, _ release: Release) {
        _ = hop_remove(raw, key.raw, Unmanaged.passUnretained(object).toOpaque(), release)
    }

    /// Retains an object for the registry, unless a closure does not add it.
    ///
    /// - Parameter add: Adds the object, and returns whether the registry accepts it.
    @inline(__always)
    func retain(_ object: AnyObject, unlessRefusedBy add: (_ payload: UnsafeMutableRawPointer) -> Bool) -> Bool {
        let payload = Unmanaged.passRetained(object)
        let isAdded = add(payload.toOpaque())
        if !isAdded { payload.release() }
        return isAdded
    }

    /// Adds an object, unless the key has one already. All objects of the key must be of the class.
    ///
    /// - Returns: The object that the key has then, and whether entries that are left behind should be removed.
    @inline(__always)
    func findOrPush<Object: AnyObject>(_ new: Object, under key: RegistryKey) -> (kept: Object, isDue: Bool) {
        let payload = Unmanaged.passRetained(new)
        var isDue = false
        let winner = hop_find_or_push(raw, key.raw, payload.toOpaque(), retainObject, &isDue)
        // Balances `retainObject`.
        let kept = Unmanaged<Object>.fromOpaque(winner).takeRetainedValue()
        if kept !== new { payload.release() }
        return (kept, isDue)
    }

    /// Removes the object of a key with a number, if it is still in the registry. Nil stands for any object.
    @inline(__always)
    func remove(_ object: AnyObject?, under key: RegistryKey, number: Int, _ release: Release) {
        let payload = object.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        _ = hop_remove_numbered(raw, key.raw, number, payload, release)
    }

    /// Removes objects that are the only ones of their keys. The caller holds them.
    ///
    /// - Parameter additions: The number of additions by `findOrPush` after which this is due again.
    func remove<Object: AnyObject>(
        _ objects: [Object], under key: (Object) -> RegistryKey, additions: Int, _ release: Release
    ) {
        let entries = objects.map { object in
            hop_entry(key: key(object).raw, payload: Unmanaged.passUnretained(object).toOpaque())
        }
        hop_remove_entries(raw, entries, entries.count, additions, release)
    }

    /// Removes all payloads.
    @inline(__always)
    func removeAll(_ release: Release) { hop_remove_all(raw, release) }

    /// Returns a number that is greater than those of all earlier payloads, and smaller than those of all later ones.
    func nextNumber() -> Int { hop_next_number(raw) }

    /// Makes the registry refuse `push` and `replace` from now on.
    func seal() { hop_seal(raw) }

    /// Whether the registry refuses `push` and `replace`.
    var isSealed: Bool { hop_is_sealed(raw) }
}
