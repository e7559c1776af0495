/// One instance per object graph. See ``Lifetime/graph``.
enum SharedByGraph: SharingKind {
    static var ownership: Creation.Ownership { .caller }
    static var look: DependencyGraph.Look { .init(name: "request", shape: "component", fill: "#e9d8f0") }

    static func instances<Service, Arguments>(
        _ setup: InstancesSetup<Arguments>, of service: Service.Type
    ) -> Instances<Service, Arguments>? {
        setup.hashable == nil ? GraphInstances(setup) : KeyedGraphInstances(setup)
    }
}

// Unchecked for the same reason as the base class.
private final class GraphInstances<Service, Arguments>: Instances<Service, Arguments>, @unchecked Sendable {
    override func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> InstancePlace<Service> {
        let graph = ObjectGraph.currentOrNew
        let shared = graph.object(under: self) { Box(SharedInstance(setup.makeStorage(for: Service.self))) }.value
        return InstancePlace(
            shared: shared, container: resolution.container, disposals: nil, ownership: .caller, graph: graph)
    }
}

/// One instance per object graph and value of the arguments.
// Unchecked for the same reason as the base class.
private final class KeyedGraphInstances<Service, Arguments>: Instances<Service, Arguments>, @unchecked Sendable {
    override func place(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution
    ) throws(DependencyError) -> InstancePlace<Service> {
        let graph = ObjectGraph.currentOrNew
        // All instances go with the graph.
        let entries = graph.object(under: self) { setup.makeEntries(isPermanent: true) }
        return try place(
            key, arguments, in: entries, for: resolution.container, disposals: nil, ownership: .caller, graph: graph)
    }
}

/// The instances of one object graph: those that are shared during one outermost `resolve` call.
///
/// The outermost frame holds it, or the creation of a task, and releases it at the end.
@usableFromInline
final class ObjectGraph: Sendable {
    /// The instances of a registration, and the object whose address is their key. The entry retains this object, so no other one
    /// can have its address (invariant J1 in Design.md).
    // Unchecked, because of the static types of both. Sound, because their actual types are Sendable.
    private struct Entry: @unchecked Sendable {
        let key: AnyObject
        /// A `Box` of a `SharedInstance` or, for a service with arguments, `KeyedEntries`.
        let object: AnyObject
    }

    private let entries = Locked<[ObjectIdentifier: Entry]>([:])

    /// The object graph around this code, if it has been needed before.
    static var existing: ObjectGraph? {
        let outermost = ResolutionStack.outermost
        return outermost?.pointee.graph ?? CreationContext.creation?.graph ?? outermost?.pointee.creation?.graph
    }

    /// The object graph around this code, or a new one.
    static var currentOrNew: ObjectGraph { current ?? ObjectGraph() }

    /// The object graph around this code; nil if no factory is running.
    static var current: ObjectGraph? {
        guard let outermost = ResolutionStack.outermost else { return CreationContext.creation?.graph }
        if let graph = outermost.pointee.graph { return graph }
        let graph = CreationContext.creation?.graph ?? outermost.pointee.creation?.graph ?? ObjectGraph()
        outermost.pointee.graph = graph
        return graph
    }

    /// Returns the object with the instances of a registration in this graph. If two tasks add one at the same time, both get the
    /// first. All calls with one key are for one type of object.
    fileprivate func object<Object: AnyObject>(under key: AnyObject, make: () -> Object) -> Object {
        let found = entries.withLock { $0[ObjectIdentifier(key)] }
        let new = found ?? Entry(key: key, object: make())
        let entry = entries.withLock { entries in
            if let entry = entries[ObjectIdentifier(key)] { return entry }
            entries[ObjectIdentifier(key)] = new
            return new
        }
        // Instances of one type are the key, and the entry retains them. So no instances of another type can have their address.
        return unsafeDowncast(entry.object, to: Object.self)
    }
}
