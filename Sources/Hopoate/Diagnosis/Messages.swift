// The messages of `resolve`. Cold: none of this is inlined into its callers.
//
// Every message names the call that failed, the type in full, the place and the remedy. Errors.md lists them all, and a test
// compares that page with the literals in the sources.

// MARK: - Resolving

extension DependencyError {
    /// For an error that a factory threw. An error of this library stays as it is, because its message is more precise.
    @usableFromInline
    @inline(never)
    init<Service: ~Copyable>(_ error: any Error, _ key: ServiceKey<Service>) {
        self.init(error, creating: key.identity, trail: nil)
    }

    /// The same as the other form, with the creations around the factory.
    init<Service: ~Copyable>(
        _ error: any Error, _ key: ServiceKey<Service>, trail: [ServiceIdentity]?, action: Action = .resolve,
        at callSite: CallSite? = nil
    ) {
        self.init(error, creating: key.identity, trail: trail, action: action, at: callSite)
    }

    /// Describes the error of a factory, for callers that know the identity of the service but not its type.
    init(
        _ error: any Error, creating identity: ServiceIdentity, trail: [ServiceIdentity]?, action: Action = .resolve,
        at callSite: CallSite? = nil
    ) {
        if let error = error as? DependencyError {
            self = error
            return
        }
        let chain = trail ?? Creation.currentTrail + [identity]
        let text = "its factory threw an error: \(error). Fix the cause, or catch the error in the factory."
        self.init(
            .creationFailed, identity, chain: chain, underlying: error, text: text, action: action, at: callSite)
    }

    init(circular chain: some Sequence<ServiceIdentity>) {
        let chain = Array(chain)
        // Both callers end the chain with the service that was asked for.
        let identity = chain[chain.count - 1]
        let text = """
            circular dependency \(arrows(chain)). Break the cycle: let one service take a \
            `LazyDependency` of the other, or set a property in its `afterCreation` closure.
            """
        self.init(.circular, identity, chain: chain, text: text)
    }

    /// For factories that call each other endlessly; nil if the chain is only long.
    init?(endless trail: [ServiceIdentity]) {
        // The innermost cycle: from the last time that the service was asked for.
        let identity = trail[trail.count - 1]
        guard let start = trail.dropLast().lastIndex(of: identity) else { return nil }
        let cycle = trail[start...]
        // A service that takes arguments may depend on itself with other arguments, and come to an end.
        if cycle.contains(where: { $0.arguments != nil }) { return nil }
        self.init(circular: cycle)
    }

    /// For creations that are nested deeper than the stack reaches, or deeper than any chain that ends.
    init(tooDeep trail: [ServiceIdentity]) {
        let identity = trail[trail.count - 1]
        if let start = trail.dropLast().lastIndex(of: identity) {
            self.init(circular: trail[start...])
            return
        }
        let text = """
            its creation would be nested too deeply (level \(trail.count)). Check for endless recursion. \
            Otherwise resolve one service of the chain later (`LazyDependency`), or use a thread with a larger stack.
            """
        self.init(.tooDeep, identity, chain: trail, text: text)
    }

    /// For a scoped service that a service for all callers would keep.
    init(captive identity: ServiceIdentity, owner: ServiceIdentity) {
        let text = """
            captive dependency. '\(owner)' is shared by all callers and would keep '\(identity)', which is scoped. Make \
            '\(owner)' scoped (`lifetime: .scoped`), or give '\(identity)' a lifetime at least as long.
            """
        self.init(.captive, identity, chain: Creation.currentTrail + [identity], text: text)
    }

    /// For an instance that may end before the service that would keep it.
    init(captive identity: ServiceIdentity, ofLifetime lifetime: Lifetime, owner: ServiceIdentity) {
        let text = """
            captive dependency. '\(owner)' lives longer than '\(identity)', which has the lifetime '\(lifetime)'. Use a \
            `DependencyProvider` in '\(owner)' and resolve '\(identity)' at each use, or give '\(identity)' a lifetime at least as long.
            """
        self.init(.captive, identity, chain: Creation.currentTrail + [identity], text: text)
    }

    /// The text for a service that only the container of the caller has, and that a service for all callers needs.
    static func captiveText(_ identity: ServiceIdentity, inScopeOf owner: ServiceIdentity) -> String {
        """
        captive dependency. '\(owner)' is shared by all callers, but '\(identity)' is registered only in the child container \
        (the request scope) of this caller. Make '\(owner)' scoped (`lifetime: .scoped`), or register '\(identity)' in \
        the container of '\(owner)'.
        """
    }

    /// For arguments that do not equal themselves: the instance for them could never be found again.
    init(incomparableArgumentsOf identity: ServiceIdentity) {
        let text = """
            it has an instance per argument value, and one of the arguments is not equal to itself (for example a NaN). Check \
            the arguments before the call.
            """
        self.init(.invalid, identity, chain: Creation.currentTrail + [identity], text: text)
    }

    /// For the reasons that need no more than the service.
    init(_ reason: Reason, _ identity: ServiceIdentity, trail: [ServiceIdentity]? = nil) {
        let text =
            switch reason.kind {
            case .onlyAsynchronous:
                """
                its factory is asynchronous, and the instance does not exist yet. Use `asyncResolve`, or create it beforehand \
                with `warmUp()`.
                """
            case .cancelled:
                """
                the task was cancelled while it waited for the instance, whose creation continues. Resolve it again in another \
                task.
                """
            case .shutDown:
                """
                the container is shutting down or was shut down. Call `shutdown()` after the last use, or use `require` and handle \
                this error.
                """
            case .containerGone:
                "the container of this handle no longer exists. Keep the container as long as its handles."
            default: preconditionFailure("the other reasons have messages of their own")
            }
        self.init(reason, identity, chain: trail ?? Creation.currentTrail + [identity], text: text)
    }

    /// For a service without a registration; or for a list of services, as the parameter of an initializer, without any.
    @inline(never)
    init(
        missing identity: ServiceIdentity, of element: ServiceIdentity? = nil, in container: DependencyContainer,
        _ callSite: CallSite?, action: Action = .resolve
    ) {
        if container.hasEnded {
            self = DependencyError(.shutDown, identity).thrown(at: callSite, in: container)
            return
        }
        let missing = MissingService(identity, of: element, in: container)
        self.init(missing, action: action, at: callSite, RegisteredPlaces(missing.chain, in: container))
        // A handle asks its own container. Its caller may have bound that of the request.
        if let bound = Override.bound { self = thrown(at: callSite, in: bound) }
    }

    /// For an instance that its lifetime cannot keep.
    init(uncreatable identity: ServiceIdentity, trail: [ServiceIdentity], because objection: String) {
        self.init(.invalid, identity, chain: trail, text: "\(objection).")
    }

    /// For a service that was resolved as a transient one, but whose instance may be shared.
    init(maybeShared identity: ServiceIdentity, _ callSite: CallSite) {
        let text = """
            its instance may be shared, so it is not transient. Register it with `register(transient:)`, or use `resolve(_:)`.
            """
        self.init(.invalid, identity, chain: [identity], text: text, at: callSite)
    }
}

package func chainLine(_ chain: [ServiceIdentity]) -> [String] {
    chain.count < 2 ? [] : ["  Dependency chain: \(arrows(chain))."]
}

package func arrows(_ chain: [ServiceIdentity]) -> String { chain.map(\.description).joined(separator: " → ") }

// MARK: - Registering

extension DependencyError {
    /// For a registration that the container refuses, because it is sealed or was shut down.
    init(refused registration: AnyServiceRegistration, by container: DependencyContainer) {
        let identity = registration.identity
        let hasEnded = container.hasEnded
        let text =
            hasEnded
            ? "the container is shutting down or was shut down. Register it before the shutdown."
            : "the container is sealed (at \(container.sealPlace)). Register it before `seal()`, or in a child container (`makeChild()`)."
        self.init(
            hasEnded ? .shutDown : .sealed, identity, chain: [identity], text: text, action: .register,
            at: registration.callSite)
    }

    /// For a registration that cannot work. The objection begins with a verb.
    init(invalid identity: ServiceIdentity, _ callSite: CallSite?, _ objection: String) {
        self.init(
            .invalid, identity, chain: [identity], text: "it \(objection).", action: .register, at: callSite)
    }

    /// For a module that is installed in a container that is sealed, or was shut down.
    init(refusedModule type: any Any.Type, by container: DependencyContainer) {
        let identity = ServiceIdentity(type)
        let hasEnded = container.hasEnded
        let text =
            hasEnded
            ? "the container is shutting down or was shut down. Install it before the shutdown."
            : "the container is sealed (at \(container.sealPlace)). Install it before `seal()`, or in a child container (`makeChild()`)."
        self.init(hasEnded ? .shutDown : .sealed, identity, chain: [identity], text: text, action: .install)
    }

    /// For modules that contain each other endlessly.
    init(endlessModules path: [any Any.Type]) {
        let chain = path.map { ServiceIdentity($0) }
        let identity = chain[chain.count - 1]  // The path is as long as modules may be nested.
        let text = "the module contains itself: … → \(arrows(chain.suffix(3))) → …. Remove it from its own modules."
        self.init(.invalid, identity, chain: [identity], text: text, action: .install)
    }
}

extension DependencyContainer {
    /// The place of the first `seal`, for messages.
    fileprivate var sealPlace: String { stateIfAny?.sealPlace?.ifKnown?.place ?? "unknown" }
}
