extension Lifetime {
    /// One instance for as long as a caller holds it. After that, the next resolve call creates another one.
    ///
    /// It suits caches that may be freed: the container keeps only a weak reference.
    ///
    /// Registering traps unless the service is a class, or a protocol that only classes can adopt (`protocol Cache: AnyObject`):
    /// a value is copied for each caller, so the container could not tell whether a caller still holds one. It also traps if the
    /// factory takes arguments, or if there is a disposal hook, since the container does not own the instance.
    ///
    /// Cost: each resolve call loads the weak reference and casts it.
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
    /// Immutable, so that threads can share it. Storing another instance replaces it.
    private final class Reference: Sendable {
        // Only the runtime changes it, and weak references are thread-safe.
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
    // The language cannot ask this of a protocol. So the metadata is read, whose layout the ABI fixes (docs/ABI/TypeMetadata.rst
    // in the compiler's sources, and include/swift/ABI/MetadataValues.h).
    let metadata = unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self)
    switch metadata.load(as: UInt.self) {
    case 0x303:
        // Protocols: of the 32 bits after the kind, the highest is clear if only classes conform.
        return metadata.load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt32.self) & 0x8000_0000 == 0
    case 0x307:
        // Protocols with arguments, such as `any Cache<Int>`: after the kind comes the address of a shape, which all types of
        // this form share. It begins with flags, of which the lowest 8 bits are 1 if only classes conform.
        let shape = metadata.load(fromByteOffset: MemoryLayout<UInt>.size, as: UnsafeRawPointer.self)
        return shape.load(as: UInt32.self) & 0xFF == 1
    default:
        return false
    }
}
