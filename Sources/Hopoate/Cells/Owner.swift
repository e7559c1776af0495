/// The nearest service around some code that a container or a registration owns (OwningService+Running.swift).
final class OwningService: Sendable {
    let identity: ServiceIdentity
    let ownership: Ownership
    /// The container that the service is created for.
    let container: WeakContainer?
    /// Whether a region of object graphs begins with the service.
    let beginsRegion: Bool
    /// Whether an instrument observes the service: see `OwnerContext`.
    let isObserved: Bool
    /// Whether the service keeps the instance that is being created. It does not keep those that its providers return.
    let keepsInstance: Bool
    private let weakGraph: WeakReference<ObjectGraph>

    /// - Parameter creation: The creation of the service, if it has one.
    init(
        _ identity: ServiceIdentity, _ ownership: Ownership, _ container: DependencyContainer?,
        _ creation: Creation?, beginsRegion: Bool, in graph: ObjectGraph?
    ) {
        self.identity = identity
        self.ownership = ownership
        self.container = container.map(WeakContainer.init)
        self.beginsRegion = beginsRegion
        isObserved = creation?.isObserved ?? false
        keepsInstance = creation?.keepsInstances ?? true
        weakGraph = WeakReference(graph)
    }

    /// The object graph of that region, as long as the service is being created.
    var graph: ObjectGraph? { weakGraph.object }
}

/// The context of a factory that does not suspend: that of the service's owner (TaskContext.swift). It also holds for the
/// completion, and for the services that are created for this one.
struct OwnerContext {
    /// The code that runs the factory or the completion holds it.
    let owner: UncountedContainer
    /// Whether the task-locals of the direct caller stay visible.
    let isObserved: Bool
    /// Whether the task-locals of the outermost caller stay visible. One service that nobody observes hides them from all services
    /// inside it.
    let isObservedThroughout: Bool

    /// The context for a completion, which the outermost caller runs.
    var ofCompletion: OwnerContext {
        OwnerContext(owner: owner, isObserved: isObservedThroughout, isObservedThroughout: isObservedThroughout)
    }
}
