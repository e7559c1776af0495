extension Lifetime {
    /// One instance for as long as a caller holds it. After that, the next resolve call creates another one.
    ///
    /// It suits caches that may be freed: the container keeps only a weak reference. The instance must be of a class, whatever type it is
    /// registered under.
    ///
    /// A value is copied for each caller, so the container could not tell whether a caller still holds one. Registering a struct or an
    /// enum traps. If the factory of a protocol returns a value, resolving fails with ``DependencyError/Reason/invalid``. Registering
    /// also traps if there is a disposal hook, since the container does not own the instance.
    ///
    /// If the factory takes arguments, there is one instance per argument value, as long as a caller holds that instance. The arguments
    /// must be `Hashable`; <doc:Lifetimes> has the rules. The container forgets a value after its instance is released, so callers may
    /// choose values freely.
    ///
    /// Cost: each resolve call loads the weak reference and casts it.
    public static let weak = Lifetime("weak", policy: Weak())

    /// Whether the registration refers to instances weakly.
    var isWeak: Bool { policy is Weak }
}

/// Refers to instances weakly.
private struct Weak: LifetimePolicy {
    var ownsInstances: Bool { false }

    func makeStorage<Instance>(for type: Instance.Type) -> InstanceStorage<Instance> { WeakStorage() }
}

// Unchecked as the base class.
private final class WeakStorage<Instance>: InstanceStorage<Instance>, @unchecked Sendable {
    /// In a box, so that threads can share it. Storing another instance replaces the box.
    private let reference = MemoCell<Void, Box<WeakReference<AnyObject>>>.make(())

    override func load() -> Instance? {
        reference.value?.value.object as? Instance
    }

    override func store(_ instance: Instance) { reference.assign(Box(WeakReference(instance as AnyObject))) }

    override func clear() { reference.clear() }

    override func objection(to instance: Instance) -> String? {
        // The dynamic type: the instance may be of a protocol. A value would be copied into an object that nobody holds.
        let type = Swift.type(of: instance as Any)
        if type is AnyObject.Type { return nil }
        return """
            its factory created the value '\(typeLabel(type))', and the lifetime 'weak' is for class instances. Create a class \
            instance, or use another lifetime
            """
    }
}
