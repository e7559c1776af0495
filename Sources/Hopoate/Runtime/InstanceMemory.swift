// Type-erased memory for one instance, in the elements of a `ManagedBuffer`:
//
//   +--------+------+------------+---------+----------+
//   | header | lock | is there?  | padding | instance |
//   +--------+------+------------+---------+----------+
//
// One thread at a time writes the instance, and then publishes the second word. From then on the instance does not change, and it ends
// with the buffer. So other threads read it in place once they have seen the word, as long as something keeps the buffer alive.

/// The header of a buffer with a lock and, perhaps, memory for an instance.
protocol InstanceHeader {
    /// The type of the instance, which never changes; nil if there is no memory for one.
    var typeOfInstance: (any Any.Type)? { get }
}

// A type that is passed to one of these functions must be the one that the header names. All functions are inlined: if the type of the
// instance is unknown at compile time, the compiler does not specialise them for the buffer either.
extension ManagedBuffer where Header: InstanceHeader, Element == UInt32 {
    /// Makes a buffer with memory for an instance of the type, which the header must name. Its class has to call `endInstance` at its end.
    @inline(__always)
    static func make<Instance>(_ header: Header, for type: Instance.Type) -> Self {
        make(header, bytes: MemoryLayout<Instance>.size + MemoryLayout<Instance>.alignment)
    }

    /// Makes a buffer without memory for an instance.
    @inline(__always)
    static func makeWithoutMemory(_ header: Header) -> Self { make(header, bytes: 0) }

    @inline(__always)
    private static func make(_ header: Header, bytes: Int) -> Self {
        let buffer = create(minimumCapacity: 2 + (bytes + 3) / 4) { buffer in
            buffer.withUnsafeMutablePointerToElements { $0.initialize(repeating: 0, count: 2) }
            return header
        }
        // `create` makes an instance of the class that it is called on.
        return unsafeDowncast(buffer, to: self)
    }

    /// Runs a closure on the header, under the lock. It runs no user code, and returns the objects that it would release.
    @inline(__always)
    func withLockedHeader<Output>(_ body: (inout Header) -> Output) -> Output {
        withUnsafeMutablePointers { header, lock in
            acquireLock(lock)
            defer { releaseLock(lock) }
            return body(&header.pointee)
        }
    }

    /// The memory of the instance; nil if the instance is not published. Valid as long as the buffer.
    @inline(__always)
    var filledMemory: InstanceMemory? {
        withUnsafeMutablePointerToElements { words in
            loadPublished(words + 1) == 0 ? nil : InstanceMemory(words: words)
        }
    }

    /// Returns the published instance; nil if there is none.
    @inline(__always)
    func publishedInstance<Instance>(as type: Instance.Type) -> Instance? {
        withExtendedLifetime(self) { filledMemory?.address(of: type).pointee }
    }

    /// Runs a closure with the memory of the instance, which is valid during the call.
    @inline(__always)
    func withMemory<Output>(_ body: (InstanceMemory) throws -> Output) rethrows -> Output {
        try withUnsafeMutablePointerToElements { try body(InstanceMemory(words: $0)) }
    }

    /// Lets other threads see the instance in the memory. Once; release, pairs with the acquire in `filledMemory`.
    @inline(__always)
    func publishInstance() { withUnsafeMutablePointerToElements { publish($0 + 1, 1) } }

    /// Returns the instance in the memory, which must be there.
    @inline(__always)
    func instance<Instance>(as type: Instance.Type) -> Instance { withMemory { $0.mutableAddress(of: type).pointee } }

    /// Moves an instance that is not published out of the memory.
    @inline(__always)
    func takeInstance<Instance>(as type: Instance.Type) -> Instance {
        withMemory { $0.mutableAddress(of: type).move() }
    }

    /// Ends an instance that is not published.
    @inline(__always)
    func discardInstance() { withMemory { $0.deinitialize(knownType) } }

    /// Ends the instance, if one was published, at the end of the buffer.
    @inline(__always)
    func endInstance() {
        if withUnsafeMutablePointerToElements({ $0[1] != 0 }) { discardInstance() }
    }

    /// Returns a box with a copy of the instance in the memory.
    @inline(__always)
    func box() -> AnyBox { withMemory { $0.box(knownType) } }

    @inline(__always)
    private var knownType: any Any.Type {
        // Not by `header`, which checks at run time that nothing else changes it.
        guard let type = withUnsafeMutablePointerToHeader({ $0.pointee.typeOfInstance }) else {
            preconditionFailure("the buffer has memory for an instance")
        }
        return type
    }

    /// Runs a closure on the header, while no other thread has the buffer.
    @inline(__always)
    func withUnsharedHeader(_ body: (inout Header) -> Void) { withUnsafeMutablePointerToHeader { body(&$0.pointee) } }
}

/// The memory of an instance in a buffer, which something has to keep alive.
@frozen
@usableFromInline
struct InstanceMemory {
    /// The two words in front of it.
    @usableFromInline
    let words: UnsafeMutablePointer<UInt32>

    @inline(__always)
    fileprivate init(words: UnsafeMutablePointer<UInt32>) {
        self.words = words
    }

    /// Initializes the memory with the result of a closure, which is of the type that the header names.
    @inline(__always)
    func initialize<Instance>(with make: () throws -> Instance) rethrows {
        mutableAddress(of: Instance.self).initialize(to: try make())
    }

    fileprivate func deinitialize<Instance>(_ type: Instance.Type) { mutableAddress(of: type).deinitialize(count: 1) }

    fileprivate func box<Instance>(_ type: Instance.Type) -> AnyBox { AnyBox(mutableAddress(of: type).pointee) }

    /// Returns the address of the instance, which is of the type that the header names.
    @inlinable
    @inline(__always)
    func address<Instance>(of type: Instance.Type) -> UnsafePointer<Instance> {
        // The caller's guarantee.
        UnsafePointer(UnsafeMutableRawPointer(words + 2).alignedUp(for: type).assumingMemoryBound(to: type))
    }

    /// The same for code that is not specialised, where the compiler does not inline `alignedUp`.
    @inline(__always)
    fileprivate func mutableAddress<Instance>(of type: Instance.Type) -> UnsafeMutablePointer<Instance> {
        let mask = UInt(MemoryLayout<Instance>.alignment) &- 1
        let bits = (UInt(bitPattern: words + 2) &+ mask) & ~mask
        // Not zero, because it is not less than the address of the words. The caller guarantees the type.
        return UnsafeMutableRawPointer(bitPattern: bits).unsafelyUnwrapped.assumingMemoryBound(to: type)
    }
}

extension InstancePointer {
    /// The address of the instance of a buffer with memory.
    @inline(__always)
    init<Header: InstanceHeader, Instance>(_ buffer: ManagedBuffer<Header, UInt32>, _ type: Instance.Type) {
        (state, instance) = buffer.withMemory { (UnsafePointer($0.words + 1), UnsafeRawPointer($0.address(of: type))) }
    }
}
