extension Lifetime {
    /// One instance for as long as somebody holds it; then the next request makes another one.
    ///
    /// For classes, and for protocols that only classes can conform to (`protocol Cache: AnyObject`): a value is copied when
    /// it is handed out, so nobody could hold the one that was kept. Others are refused when they are registered.
    public static let weak = Lifetime("weak", policy: Weak())
}

private struct Weak: LifetimePolicy {
    var ownsInstances: Bool { false }

    func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> { WeakStorage() }

    func objection<Service>(to type: Service.Type) -> String? {
        isClassBound(type)
            ? nil
            : """
            is not bound to classes, so there is no telling whether somebody still holds it: \
            declare the protocol as AnyObject, register the class, or take another lifetime
            """
    }
}

// Unchecked as the base class.
private final class WeakStorage<Instance>: InstanceStorage<Instance>, @unchecked Sendable {
    /// Immutable, so that threads can share it: whoever makes a new instance makes a new one of these.
    private final class Reference: Sendable {
        // Only the runtime changes it, and it does so for any thread.
        nonisolated(unsafe) weak var object: AnyObject?

        init(_ object: AnyObject) {
            self.object = object
        }
    }

    private let reference = MemoCell<Void, Reference>.make(())

    override func load() -> Instance? {
        reference.value?.object as? Instance
    }

    override func store(_ instance: Instance) { reference.assign(Reference(instance as AnyObject)) }

    override func clear() { reference.clear() }
}

/// Whether all values of a type are instances of classes.
private func isClassBound<Service>(_ type: Service.Type) -> Bool {
    if type is AnyObject.Type { return true }
    // For protocols there is no question in the language, so the metadata are asked, whose layout the ABI fixes (docs/ABI/
    // TypeMetadata.rst in the compiler's sources, and include/swift/ABI/MetadataValues.h).
    let metadata = unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self)
    switch metadata.load(as: UInt.self) {
    case 0x303:
        // Protocols: the highest bit of the 32 after the kind is clear where only classes conform.
        return metadata.load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt32.self) & 0x8000_0000 == 0
    case 0x307:
        // Protocols with arguments, as `any Cache<Int>`: after the kind comes the address of what all of this form share, and
        // that begins with flags, of which the lowest 8 bits are 1 where only classes conform.
        let shape = metadata.load(fromByteOffset: MemoryLayout<UInt>.size, as: UnsafeRawPointer.self)
        return shape.load(as: UInt32.self) & 0xFF == 1
    default:
        return false
    }
}
