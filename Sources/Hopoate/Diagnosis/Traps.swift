/// The error for suspending factories that nest too deeply; nil if they do not.
func depthError(suspending identity: ServiceIdentity) -> DependencyError? {
    let depth = (Creation.innermost?.depth ?? 0) + 1
    if depth > ResolutionStack.deepestSuspending { return DependencyError(tooDeep: Creation.currentTrail + [identity]) }
    guard depth % ResolutionStack.deepest == 0, (depth / ResolutionStack.deepest).nonzeroBitCount == 1 else {
        return nil
    }
    return DependencyError(endless: Creation.currentTrail + [identity])
}

/// Traps with an error, after the failure handler was called. The place and the container are those of the call, if they are known.
@usableFromInline
@inline(never)
func fail(_ error: DependencyError, _ callSite: CallSite? = nil, in container: DependencyContainer? = nil) -> Never {
    trap(error.thrown(at: callSite, in: container), in: container)
}

private func trap(_ error: DependencyError, in container: DependencyContainer?) -> Never {
    if let handler = TaskContext.current.failureHandler ?? container?.failureHandler {
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
    trap(DependencyError(missing: key.identity, in: container, callSite), in: container)
}

/// Traps because an instance of a noncopyable type is not registered.
@usableFromInline
@inline(never)
func failMissingNoncopyable<Service: ~Copyable>(
    _ key: ServiceKey<Service>, in container: DependencyContainer, _ callSite: CallSite?
) -> Never {
    let error = DependencyError(missing: key.identity, in: container, callSite, action: .borrowNoncopyable)
    trap(error, in: container)
}

/// Traps because a container is sealed, or was shut down.
@usableFromInline
@inline(never)
func failSealed(_ registration: AnyServiceRegistration, _ container: DependencyContainer) -> Never {
    trap(DependencyError(refused: registration, by: container), in: container)
}

/// Traps because a registration cannot work. The objection begins with a verb.
@usableFromInline
@inline(never)
func failInvalid<Service: ~Copyable>(_ key: ServiceKey<Service>, _ callSite: CallSite?, _ objection: String) -> Never {
    fail(DependencyError(invalid: key.identity, callSite, objection))
}
