/// The error for suspending factories that nest too deeply; nil if they do not.
func depthError(suspending identity: ServiceIdentity) -> DependencyError? {
    let depth = (Creation.innermost?.depth ?? 0) + 1
    if depth > ResolutionStack.deepestSuspending { return DependencyError(tooDeep: Creation.currentTrail + [identity]) }
    guard depth % ResolutionStack.deepest == 0, (depth / ResolutionStack.deepest).nonzeroBitCount == 1 else {
        return nil
    }
    return DependencyError(endless: Creation.currentTrail + [identity])
}

/// The error for a service of a container that is shutting down, or was shut down.
@usableFromInline
func shutDownError(_ key: AnyServiceKey) -> DependencyError {
    DependencyError(.shutDown, ServiceIdentity(key))
}

/// Traps with an error, after its handler was told.
@usableFromInline
@inline(never)
func fail(_ error: DependencyError) -> Never {
    if let handler = FailureHandler.current {
        // The handler may never return. Then nobody must wait for the creations of this code.
        Creation.abandonAll(error)
        handler(error)
    }
    fatalError(error.description)
}

/// Traps because a service is not registered.
@usableFromInline
@inline(never)
func failMissing<Service: ~Copyable>(
    _ key: ServiceKey<Service>, in container: DependencyContainer, _ callSite: CallSite?
) -> Never {
    fail(DependencyError(missing: key.identity, in: container, callSite))
}

/// Traps because a container is sealed or shut down.
@usableFromInline
@inline(never)
func failSealed(_ registration: AnyServiceRegistration, _ container: DependencyContainer) -> Never {
    let identity = registration.identity
    let place = registration.callSite.map { ", registered at \($0.fileID):\($0.line)," } ?? ""
    let ended = container.hasEnded
    let text =
        ended
        ? "'\(identity)'\(place) came to a container that is shutting down or has: register before that."
        : """
        '\(identity)'\(place) came to a container that is sealed: register before seal(), or in a child of it (makeChild()).
        """
    fail(DependencyError(refused: identity, ended ? .shutDown : .sealed, because: text))
}

/// Traps because a registration cannot work.
@usableFromInline
@inline(never)
func failInvalid<Service: ~Copyable>(_ key: ServiceKey<Service>, _ callSite: CallSite?, _ objection: String) -> Never {
    let place = callSite.map { " at \($0.fileID):\($0.line)" } ?? ""
    fail(
        DependencyError(
            refused: key.identity, .invalid, because: "'\(key.identity)', registered\(place), \(objection)."))
}
