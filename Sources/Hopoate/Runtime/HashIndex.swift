// Objects by hash values, found without a lock.

import CRegistry

/// Finds entries by the hash values of some arguments. Users compare the arguments.
///
/// It is a registry of its own. A payload is the head of an entry, which is retained meanwhile.
struct HashIndex<Entry: AnyObject> {
    /// Nil if uses are not recorded.
    private let time: UnsafeMutablePointer<UInt32>?
    /// The heads of entries, by the hash values of their arguments.
    private let registry: Registry

    init(recordsUses: Bool) {
        time = recordsUses ? .allocate(capacity: 1) : nil
        time?.initialize(to: 0)
        registry = .make()
    }

    /// Releases the entries. Called when no lookup can find the index any more.
    func destroy() {
        registry.destroy(releaseEntry)
        time?.deallocate()
    }

    /// The time of uses; nil if they are not recorded. Called under a lock of the user.
    var now: UInt32? { time?.pointee }

    /// Makes all later uses come after the earlier ones. Called under the same lock, if uses are recorded.
    func advanceTime() {
        if let time { publish(time, time.pointee &+ 1) }
    }

    /// Adds an entry, in place of another one with the same hash value.
    func add(_ head: IndexHead, hash: Int) {
        head.retainEntry()
        _ = hop_replace(registry.raw, Self.key(hash).raw, head.payload, nil, releaseEntry)
    }

    /// Removes an entry, if it is there.
    func remove(_ head: IndexHead, hash: Int) {
        _ = hop_remove(registry.raw, Self.key(hash).raw, head.payload, releaseEntry)
    }

    /// Returns the entry with a hash value, and records that it is used; nil if there is none, or if it is marked as removed.
    func entry(hash: Int) -> Entry? {
        let found = registry.find(Self.key(hash))
        defer { found.end() }
        guard let head = found.payload.map(IndexHead.init(payload:)), use(head) else { return nil }
        return entry(of: head)
    }

    /// The same as `entry(hash:)`, in a read section in which the index was found. The head is valid until the section ends.
    @inline(__always)
    func head(hash: Int) -> IndexHead? {
        guard let payload = hop_find(registry.raw, Self.key(hash).raw) else { return nil }
        let head = IndexHead(payload: payload)
        return use(head) ? head : nil
    }

    /// Returns the entry of a head of this index.
    @inline(__always)
    func entry(of head: IndexHead) -> Entry? {
        // All entries of an index are of its class.
        head.entry.map { unsafeDowncast($0, to: Entry.self) }
    }

    /// Records that an entry is used. Returns whether it is in its table.
    @inline(__always)
    private func use(_ head: IndexHead) -> Bool {
        // The linearization point of a lookup that finds the entry (race E of `KeyedEntries`).
        if head.isRemoved { return false }
        if let time {
            let now = loadPublished(time)
            if head.lastUse != now { head.lastUse = now }
        }
        return true
    }

    /// The type of a key is never zero: its lowest bit is set, and the discriminator has that of the hash value.
    @inline(__always)
    private static func key(_ hash: Int) -> RegistryKey {
        let hash = UInt(bitPattern: hash)
        return RegistryKey(type: hash | 1, discriminator: hash & 1)
    }
}

/// The part of an entry that lookups read. Its memory, which the entry owns, ends with the arguments.
struct IndexHead {
    private struct Contents {
        /// Not zero if the entry was removed from its table. Written with release, read with acquire.
        var isRemoved: UInt32 = 0
        /// The time of the last use, if uses are recorded. Written with release, read with acquire.
        var lastUse: UInt32 = 0
        var entry: Unmanaged<AnyObject>?
        let instance: InstancePointer?
        let arguments: UnsafeRawPointer
    }

    private let contents: UnsafeMutablePointer<Contents>

    /// Makes a head with a copy of the arguments. The entry has to be set, and the head to be freed.
    init<Arguments>(_ arguments: Arguments, _ instance: InstancePointer?) {
        let alignment = max(MemoryLayout<Contents>.alignment, MemoryLayout<Arguments>.alignment)
        let offset = (MemoryLayout<Contents>.size + alignment - 1) & ~(alignment - 1)
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: offset + MemoryLayout<Arguments>.size, alignment: alignment)
        // Not the form with a count: it copies whole strides, and a value may be shorter.
        (memory + offset).initializeMemory(as: Arguments.self, to: arguments)
        contents = memory.initializeMemory(
            as: Contents.self, to: Contents(instance: instance, arguments: UnsafeRawPointer(memory + offset)))
    }

    @inline(__always)
    fileprivate init(payload: UnsafeRawPointer) {
        // Only heads are added to an index.
        contents = UnsafeMutableRawPointer(mutating: payload).assumingMemoryBound(to: Contents.self)
    }

    @inline(__always)
    fileprivate var payload: UnsafeRawPointer { UnsafeRawPointer(contents) }

    /// Sets the entry, before the head is added to an index. The entry owns the head, so the head does not retain it.
    func setEntry(_ entry: AnyObject) { contents.pointee.entry = .passUnretained(entry) }

    @inline(__always)
    fileprivate var entry: AnyObject? { contents.pointee.entry?.takeUnretainedValue() }

    fileprivate func retainEntry() { _ = contents.pointee.entry?.retain() }

    fileprivate func releaseEntry() { contents.pointee.entry?.release() }

    /// The address of the instance; nil if only the storage can find it.
    @inline(__always)
    var instance: InstancePointer? { contents.pointee.instance }

    /// The address of the arguments.
    @inline(__always)
    var arguments: ArgumentsPointer { ArgumentsPointer(address: contents.pointee.arguments) }

    /// Initializes memory with a copy of the arguments, which must be of its type.
    @inline(__always)
    func copyArguments<Arguments>(to copy: UnsafeMutablePointer<Arguments>) {
        // The caller's guarantee.
        copy.initialize(to: contents.pointee.arguments.assumingMemoryBound(to: Arguments.self).pointee)
    }

    /// Releases the arguments and frees the memory.
    func free<Arguments>(_ type: Arguments.Type) {
        // The initializer has copied arguments of this type.
        let arguments = UnsafeMutablePointer(mutating: contents.pointee.arguments.assumingMemoryBound(to: type))
        arguments.deinitialize(count: 1)
        UnsafeMutableRawPointer(contents).deallocate()
    }

    /// Whether the entry was removed from its table. Acquire; pairs with the release in `noteRemoval`.
    @inline(__always)
    var isRemoved: Bool { loadPublished(words) != 0 }

    /// Tells lookups that the entry is not in its table any more. Release.
    func noteRemoval() { publish(words, 1) }

    /// The time of the last use, if uses are recorded. Written with release, read with acquire.
    @inline(__always)
    var lastUse: UInt32 {
        get { loadPublished(words + 1) }
        nonmutating set { publish(words + 1, newValue) }
    }

    /// The addresses of the two words.
    @inline(__always)
    private var words: UnsafeMutablePointer<UInt32> {
        // Stored properties lie in the order of their declaration, and the first two are words.
        UnsafeMutableRawPointer(contents).assumingMemoryBound(to: UInt32.self)
    }
}

/// The address of the arguments of a service, without their types. It is valid as long as the arguments, and reads them in place.
@usableFromInline
struct ArgumentsPointer {
    fileprivate let address: UnsafeRawPointer

    fileprivate init(address: UnsafeRawPointer) {
        self.address = address
    }

    @inline(__always)
    init<Arguments>(_ arguments: UnsafePointer<Arguments>) {
        address = UnsafeRawPointer(arguments)
    }

    /// Hashes a part of the arguments. There must be a value of the type at the offset.
    @inline(__always)
    func hash<Part: Hashable>(_ type: Part.Type, at offset: Int, into hasher: inout Hasher) {
        part(type, at: offset).pointee.hash(into: &hasher)
    }

    /// Returns the hash value of the arguments, which must be of the type.
    @inline(__always)
    func hashValue<Arguments: Hashable>(of type: Arguments.Type) -> Int { part(type, at: 0).pointee.hashValue }

    /// Returns whether a part of the arguments equals that of others. There must be values of the type at the offset of both.
    @inline(__always)
    func isEqual<Part: Equatable>(to other: ArgumentsPointer, _ type: Part.Type, at offset: Int = 0) -> Bool {
        part(type, at: offset).pointee == other.part(type, at: offset).pointee
    }

    @inline(__always)
    private func part<Part>(_ type: Part.Type, at offset: Int) -> UnsafePointer<Part> {
        // The caller's guarantee.
        (address + offset).assumingMemoryBound(to: type)
    }
}

/// Calls a closure with the address of arguments, which is valid during the call.
@inline(__always)
func withPointer<Arguments, Output>(to arguments: Arguments, _ body: (ArgumentsPointer) -> Output) -> Output {
    withUnsafePointer(to: arguments) { body(ArgumentsPointer($0)) }
}

/// Releases an entry that an index had retained. Called outside locks and read sections.
private func releaseEntry(_ payload: UnsafeRawPointer) { IndexHead(payload: payload).releaseEntry() }
