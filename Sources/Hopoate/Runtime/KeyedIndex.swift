// Instances by the values of their arguments, found without a lock. KeyedEntries.swift has the protocol.

import CRegistry

/// Where resolve calls find the instances of a registration by the values of their arguments.
///
/// The registration has its address, and the factory keeps it alive. So a read section in which the registration was found can read it
/// without counting a reference.
@usableFromInline
struct KeyedIndex {
    /// How arguments are hashed and compared.
    let arguments: any KeyedArguments.Type
    /// The time for `LastUses`, written under the lock of the table; nil if uses are not recorded, because there is no limit.
    let now: UnsafeMutablePointer<UInt32>?
    /// Whether an instance may end while callers hold it, so that a service that lives longer must not get it.
    fileprivate let mayEndEarly: Bool
    /// The heads of entries, by the hash values of their arguments.
    private let registry: Registry

    init(_ arguments: any KeyedArguments.Type, recordsUses: Bool, mayEndEarly: Bool) {
        self.arguments = arguments
        self.mayEndEarly = mayEndEarly
        now = recordsUses ? .allocate(capacity: 1) : nil
        now?.initialize(to: 0)
        registry = .make()
    }

    /// Releases the entries. Called when no lookup can find the index any more.
    func destroy() {
        if let raw = registry.raw { hop_registry_destroy(raw, releaseEntry) }
        now?.deallocate()
    }

    /// Adds an entry, in place of another one with the same hash value.
    func add(_ entry: KeyedEntry) {
        _ = Unmanaged.passRetained(entry)
        _ = hop_replace(registry.raw, Self.key(entry.hash), entry.head, nil, releaseEntry)
    }

    /// Removes an entry, if it is there.
    func remove(_ entry: KeyedEntry) { _ = hop_remove(registry.raw, Self.key(entry.hash), entry.head, releaseEntry) }

    /// Returns the entry with a hash value, and records that it is used; nil if there is none, or if it was removed from its table.
    func entry(hash: Int) -> KeyedEntry? {
        let found = hop_read_begin(registry.raw, Self.key(hash))
        defer { hop_section_end(found.thread) }
        // Only heads are added to an index.
        guard let head = found.payload?.assumingMemoryBound(to: KeyedHead.self), use(head) else { return nil }
        return head.pointee.entry?.takeUnretainedValue()
    }

    /// The same as `entry(hash:)`, in a read section in which the index was found. The head is valid until the section ends.
    @inline(__always)
    fileprivate func head(hash: Int) -> UnsafePointer<KeyedHead>? {
        // Only heads are added to an index.
        guard let head = hop_find(registry.raw, Self.key(hash))?.assumingMemoryBound(to: KeyedHead.self), use(head)
        else {
            return nil
        }
        return head
    }

    /// Records that an entry is used. Returns whether it is in its table.
    @inline(__always)
    private func use(_ head: UnsafePointer<KeyedHead>) -> Bool {
        let words = KeyedHead.words(of: head)
        // The linearization point of a lookup that finds the entry (race E of `KeyedEntries`).
        if loadPublished(words.isRemoved) != 0 { return false }
        if let now {
            let now = loadPublished(now)
            if loadPublished(words.lastUse) != now { publish(words.lastUse, now) }
        }
        return true
    }

    /// The type of a key is never zero: its lowest bit is set, and the discriminator has that of the hash value.
    @inline(__always)
    private static func key(_ hash: Int) -> hop_key {
        let hash = UInt(bitPattern: hash)
        return hop_key(type: hash | 1, discriminator: hash & 1)
    }
}

/// The part of a keyed entry that lookups read. Its memory, which the entry owns, ends with the arguments.
struct KeyedHead {
    /// Not zero if the entry was removed from its table. Written with release, read with acquire.
    private var isRemoved: UInt32 = 0
    /// The time of the last use, if uses are recorded. Written with release, read with acquire.
    private var lastUse: UInt32 = 0
    fileprivate var entry: Unmanaged<KeyedEntry>?
    /// The address of the instance; nil if only the storage can find it.
    fileprivate let instance: InstancePointer?
    /// The address of the arguments.
    let arguments: UnsafeRawPointer

    private init(_ instance: InstancePointer?, _ arguments: UnsafeRawPointer) {
        self.instance = instance
        self.arguments = arguments
    }

    /// Makes a head with a copy of the arguments. The entry has to be set, and the head to be freed.
    static func make<Arguments>(
        _ arguments: UnsafePointer<Arguments>, _ instance: InstancePointer?
    ) -> UnsafeMutablePointer<KeyedHead> {
        let alignment = max(MemoryLayout<KeyedHead>.alignment, MemoryLayout<Arguments>.alignment)
        let offset = (MemoryLayout<KeyedHead>.size + alignment - 1) & ~(alignment - 1)
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: offset + MemoryLayout<Arguments>.size, alignment: alignment)
        // Not the form with a count: it copies whole strides, and a value may be shorter.
        (memory + offset).initializeMemory(as: Arguments.self, to: arguments.pointee)
        return memory.initializeMemory(as: KeyedHead.self, to: KeyedHead(instance, memory + offset))
    }

    static func setEntry(_ entry: KeyedEntry, of head: UnsafeMutablePointer<KeyedHead>) {
        head.pointee.entry = Unmanaged.passUnretained(entry)
    }

    /// Releases the arguments and frees the memory.
    static func free<Arguments>(_ head: UnsafeMutablePointer<KeyedHead>, _ type: Arguments.Type) {
        // `make` has copied arguments of this type.
        let arguments = UnsafeMutablePointer(mutating: head.pointee.arguments.assumingMemoryBound(to: type))
        arguments.deinitialize(count: 1)
        UnsafeMutableRawPointer(head).deallocate()
    }

    /// The addresses of the two words.
    @inline(__always)
    static func words(
        of head: UnsafePointer<KeyedHead>
    ) -> (isRemoved: UnsafeMutablePointer<UInt32>, lastUse: UnsafeMutablePointer<UInt32>) {
        // Stored properties lie in the order of their declaration, and the first two are words.
        let words = UnsafeMutableRawPointer(mutating: head).assumingMemoryBound(to: UInt32.self)
        return (words, words + 1)
    }
}

/// Releases an entry that an index had retained. Called outside locks and read sections.
private func releaseEntry(_ payload: UnsafeRawPointer) {
    // Only heads are added to an index.
    payload.assumingMemoryBound(to: KeyedHead.self).pointee.entry?.release()
}

extension Registry {
    /// Initializes the instance for some arguments, if a resolve call would find it in the index of the newest registration of a key.
    /// There is one copy of this for all types, which computes no layouts.
    ///
    /// Neither locks nor counts a reference besides that of the instance, if instances stay where they were first stored and the
    /// arguments contain no references. It hashes before the read section and compares after it, because both run user code.
    ///
    /// - Parameters:
    ///   - keyed: How these arguments are hashed and compared. This depends on their types only, so the newest registration may have
    ///     changed meanwhile.
    ///   - copy: Memory for a copy of the arguments, which is empty again at the end.
    ///   - instance: Memory for the instance.
    /// - Returns: Whether there is an instance.
    @inline(never)
    func copyExisting<Service, Arguments>(
        _ key: ServiceKey<Service>, _ own: UnsafePointer<Arguments>, _ keyed: any KeyedArguments.Type,
        _ copy: UnsafeMutablePointer<Arguments>, _ instance: UnsafeMutablePointer<Service>
    ) -> Bool {
        let hash = keyed.hash(own)
        let found = hop_read_begin(raw, key.raw)
        guard let payload = found.payload,
            let index = Unmanaged<ServiceRegistration<Service>>.fromOpaque(payload)._withUnsafeGuaranteedRef({
                $0.keyedIndex
            }), let head = index.pointee.head(hash: hash)
        else {
            hop_section_end(found.thread)
            return false
        }
        // The slow path names the service that would keep the instance.
        if index.pointee.mayEndEarly, OwningService.captorOfExpiring != nil {
            hop_section_end(found.thread)
            return false
        }
        guard let pointer = head.pointee.instance else {
            let entry = head.pointee.entry?.takeUnretainedValue()
            hop_section_end(found.thread)
            guard let entry, keyed.areEqual(entry.arguments, own) else { return false }
            return load(entry, own, instance)
        }
        guard let address = pointer.load(as: Service.self) else {
            hop_section_end(found.thread)
            return false
        }
        instance.initialize(to: address.pointee)
        // The key names the types of the arguments.
        copy.initialize(to: head.pointee.arguments.assumingMemoryBound(to: Arguments.self).pointee)
        hop_section_end(found.thread)
        let isFound = keyed.areEqual(copy, own)
        // Without references, there is nothing to release. Asking is faster than the call.
        if !_isPOD(Arguments.self) { copy.deinitialize(count: 1) }
        if !isFound { instance.deinitialize(count: 1) }
        return isFound
    }

    /// Initializes the instance of an entry, if its storage still has one.
    @inline(never)
    private func load<Service, Arguments>(
        _ entry: KeyedEntry, _ own: UnsafePointer<Arguments>, _ instance: UnsafeMutablePointer<Service>
    ) -> Bool {
        // The key names the types of the service and of its arguments.
        let shared = unsafeDowncast(entry, to: KeyedInstance<Service, Arguments>.self).shared
        guard let existing = shared.load() else { return false }
        instance.initialize(to: existing)
        return true
    }
}
