// Finding payloads. A payload is valid in the read section in which it was found, and while it is borrowed.

public import CRegistry

/// The newest payload of a key, in a read section.
@frozen
@usableFromInline
struct Found {
    @usableFromInline
    let raw: hop_found

    @inlinable
    @inline(__always)
    init(_ raw: hop_found) { self.raw = raw }

    /// The payload; nil if the key has none.
    @inlinable
    @inline(__always)
    var payload: UnsafeRawPointer? { raw.payload }

    /// Ends the read section.
    @inlinable
    @inline(__always)
    func end() { hop_section_end(raw.thread) }

    /// Ends the read section, and borrows the payload. Counts no reference: all threads would write the same count.
    ///
    /// - Returns: The borrow, which has to end on this thread. Nil if there is none, and then the read section is still open.
    @inline(__always)
    func borrow() -> Borrow? {
        guard let payload = raw.payload, let borrow = hop_section_borrow(raw.thread, payload) else { return nil }
        return Borrow(raw: borrow)
    }

    /// Ends the read section, and returns the object that the payload refers to; nil if there is none. It must be of the class.
    @inline(__always)
    func object<Object: AnyObject>(as type: Object.Type) -> Object? {
        defer { end() }
        return payload.map { Uncounted<Object>(payload: $0).object }
    }

    /// Looks the key up in another registry, in the same read section.
    @inline(__always)
    func next(_ key: RegistryKey, in registry: Registry) -> Found? {
        guard let payload = hop_find(registry.raw, key.raw) else { return nil }
        return Found(hop_found(payload: payload, thread: raw.thread))
    }
}

/// A hazard pointer: keeps one payload, although it may be removed.
@frozen
@usableFromInline
struct Borrow {
    @usableFromInline
    let raw: OpaquePointer

    @inlinable
    @inline(__always)
    init(raw: OpaquePointer) { self.raw = raw }

    /// Ends the borrow. The payload may be gone afterwards.
    @inlinable
    @inline(__always)
    func end() { hop_borrow_end(raw) }
}

/// The newest payload of a key, borrowed.
@frozen
@usableFromInline
struct BorrowedPayload {
    @usableFromInline
    let raw: hop_borrowed

    @inlinable
    @inline(__always)
    init(_ raw: hop_borrowed) { self.raw = raw }

    @inline(__always)
    init(_ payload: UnsafeRawPointer, _ borrow: Borrow) {
        raw = hop_borrowed(payload: payload, borrow: borrow.raw)
    }

    /// Nothing is borrowed.
    @inlinable
    @inline(__always)
    static var nothing: BorrowedPayload { BorrowedPayload(hop_borrowed()) }

    /// The payload; nil if nothing is borrowed.
    @inlinable
    @inline(__always)
    var payload: UnsafeRawPointer? { raw.payload }

    /// The hazard pointer that keeps the payload; nil if nothing is borrowed.
    @inlinable
    @inline(__always)
    var hazard: Borrow? {
        guard let hazard = raw.borrow else { return nil }
        return Borrow(raw: hazard)
    }

    /// Ends the borrow, if there is one.
    @inlinable
    @inline(__always)
    func end() {
        if let hazard { hazard.end() }
    }
}

extension Registry {
    /// Enters a read section, and finds the newest payload of a key in it.
    @inlinable
    @inline(__always)
    func find(_ key: RegistryKey) -> Found { Found(hop_read_begin(raw, key.raw)) }

    /// Finds the newest payload of a key, and borrows it. Nothing is borrowed if there is none, or if the thread can borrow nothing more.
    @inlinable
    @inline(__always)
    func findBorrowed(_ key: RegistryKey) -> BorrowedPayload { BorrowedPayload(hop_borrow_begin(raw, key.raw)) }

    /// Passes the newest payload of a key to a closure, in a read section. The payloads of the key must be of the class.
    ///
    /// The closure only copies: it runs no user code and does not block.
    ///
    /// - Returns: The result of the closure; nil if the key has no payload.
    @inline(__always)
    func read<Object: AnyObject, Output>(
        _ key: RegistryKey, as type: Object.Type, _ copy: (Object) -> Output?
    ) -> Output? {
        let found = find(key)
        defer { found.end() }
        guard let payload = found.payload else { return nil }
        return Uncounted<Object>(payload: payload).with(copy)
    }

    /// Returns the newest payload of a key; nil if there is none. The payloads of the key must be of the class.
    @inline(__always)
    func newest<Object: AnyObject>(_ key: RegistryKey, as type: Object.Type) -> Object? {
        find(key).object(as: type)
    }

    /// Returns whether a key has a payload.
    @inlinable
    @inline(__always)
    func contains(_ key: RegistryKey) -> Bool { hop_contains(raw, key.raw) }

    /// Returns a snapshot of the stack of a key, newest first. The caller owns a reference to each payload.
    @usableFromInline
    func retainedPayloads(_ key: RegistryKey) -> [UnsafeRawPointer] {
        // Large enough for most stacks, so that one pass is enough.
        var capacity = 8
        while true {
            if let payloads = retainedPayloads(key, upTo: &capacity) { return payloads }
        }
    }

    /// The same as the other form; nil if there are more than a limit, which is set to their number.
    @inline(__always)
    func retainedPayloads(_ key: RegistryKey, upTo limit: inout Int) -> [UnsafeRawPointer]? {
        let capacity = limit
        var height = 0
        let payloads = [UnsafeRawPointer](unsafeUninitializedCapacity: capacity) { buffer, count in
            buffer.withMemoryRebound(to: UnsafeRawPointer?.self) {
                height = hop_copy_stack(raw, key.raw, retainObject, $0.baseAddress, capacity)
            }
            // If they do not fit, the call has stored and retained none.
            count = height <= capacity ? height : 0
        }
        limit = height
        return height <= capacity ? payloads : nil
    }

    /// Returns the keys that have a payload, in no order.
    func keys() -> [RegistryKey] {
        // Not zero: all threads share the empty array, and would contend on its reference count.
        var capacity = 8
        while true {
            var count = 0
            let keys = [hop_key](unsafeUninitializedCapacity: capacity) { buffer, initialized in
                count = hop_copy_keys(raw, buffer.baseAddress, capacity)
                initialized = min(count, capacity)
            }
            if count <= capacity { return keys.map(RegistryKey.init) }
            capacity = count
        }
    }

    /// Returns some keys that have a payload, in no order, and whether they are all.
    func someKeys(atMost limit: Int) -> (keys: [RegistryKey], isComplete: Bool) {
        if limit == 0 { return ([], false) }
        var isComplete = false
        let found = [hop_key](unsafeUninitializedCapacity: limit) { buffer, initialized in
            guard let base = buffer.baseAddress else { return }
            initialized = hop_copy_first_keys(raw, base, limit, &isComplete)
        }
        return (found.map(RegistryKey.init), isComplete)
    }

    /// The number of slots of the table.
    var capacity: Int { hop_statistics_read(raw).capacity }

    /// The number of deferred releases in the whole process. A release is deferred while a thread borrows the object.
    var deferredReleases: Int { hop_statistics_read(raw).deferred }
}

extension RegistryKey {
    fileprivate init(_ key: hop_key) { self.init(type: key.type, discriminator: key.discriminator) }
}
