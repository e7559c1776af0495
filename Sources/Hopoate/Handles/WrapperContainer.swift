/// A container as a property wrapper holds it.
enum WrapperContainer {
    /// The wrapper was made outside of all creation, or in that of a service that nobody but its caller keeps.
    case kept(DependencyContainer)
    /// The wrapper belongs to a service that a container keeps.
    case weak(WeakContainer, OwningService)

    init(_ container: DependencyContainer) {
        if let owningService = OwningService.current {
            self = .weak(WeakContainer(container), owningService)
        } else {
            self = .kept(container)
        }
    }

    /// Runs a closure with the container: as a part of the service that the wrapper belongs to, if it belongs to one.
    ///
    /// - Throws: That the container does not exist any more.
    func access<Output>(
        _ identity: @autoclosure () -> ServiceIdentity, _ body: (DependencyContainer) -> Output
    ) throws(DependencyError) -> Output {
        switch self {
        case .kept(let container): return body(container)
        case .weak(let reference, let owningService):
            guard let container = reference.container else { throw DependencyError(.containerGone, identity()) }
            return owningService.run(in: container) { body(container) }
        }
    }
}
