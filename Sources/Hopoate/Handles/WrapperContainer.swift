/// The container of a property wrapper, held strongly or weakly.
enum WrapperContainer {
    /// The wrapper belongs to no service, or to a transient service that only its caller owns.
    case kept(DependencyContainer)
    /// The wrapper belongs to a service that a container or a registration owns.
    case weak(WeakContainer, OwningService)

    init(_ container: DependencyContainer) {
        if let owningService = OwningService.current {
            self = .weak(.ofHandle(to: container), owningService)
        } else {
            self = .kept(container)
        }
    }

    /// The container; nil if it was released.
    var ifAlive: DependencyContainer? {
        switch self {
        case .kept(let container): container
        case .weak(let reference, _): reference.container
        }
    }

    /// Notes that the owning service, if there is one, has resolved another one.
    func noteUse(of identity: ServiceIdentity, once noted: SharedCounter?) {
        guard case .weak(let reference, let owningService) = self, let container = reference.container else { return }
        owningService.noteUse(of: identity, in: container, once: noted)
    }

    /// Whether the wrapper belongs to a service that a container or a registration owns.
    var isOwned: Bool {
        if case .weak = self { true } else { false }
    }

    /// Runs a closure with the container, as a part of the owning service if there is one.
    ///
    /// - Parameter keepsInstances: Whether the wrapper keeps what the closure resolves.
    /// - Throws: ``DependencyError/Reason/containerGone`` if the container was released.
    func access<Output>(
        _ identity: @autoclosure () -> ServiceIdentity, keepsInstances: Bool, _ body: (DependencyContainer) -> Output
    ) throws(DependencyError) -> Output {
        switch self {
        case .kept(let container): return body(container)
        case .weak(let reference, let owningService):
            guard let container = reference.container else { throw DependencyError(.containerGone, identity()) }
            return owningService.run(in: container, keepsInstances: keepsInstances) { body(container) }
        }
    }
}
