// Every message of this module. Cold: none of it is inlined into its callers.

// MARK: - Errors

extension DependencyError {
    /// For what a creator threw: an error of our own goes on as it is, since it knows more.
    @usableFromInline
    @inline(never)
    init<Service: ~Copyable>(_ error: any Error, _ key: ServiceKey<Service>) {
        self.init(error, key, trail: nil)
    }

    /// As the other one, for who runs inside the creation that failed.
    init<Service: ~Copyable>(_ error: any Error, _ key: ServiceKey<Service>, trail: [ServiceIdentity]?) {
        if let error = error as? DependencyError {
            self = error
            return
        }
        let identity = key.identity
        let chain = trail ?? Creation.currentTrail + [identity]
        var lines = ["the creator of '\(identity)' threw: \(error)"]
        lines.append(contentsOf: chainLine(chain))
        self.init(.creationFailed, identity, chain: chain, underlying: error, text: lines.joined(separator: "\n"))
    }

    init(circular chain: some Sequence<ServiceIdentity>) {
        let chain = Array(chain)
        // Both callers end the chain with the service that was asked for.
        let identity = chain[chain.count - 1]
        let text = """
            the creation of '\(identity)' asks for itself: \(chain.map(\.description).joined(separator: " → ")).
              Break the circle: ask for one of them later (LazyDependency), or hand it over when the service is complete \
            (afterCreation).
            """
        self.init(.circular, identity, chain: chain, text: text)
    }

    /// For creators that call each other without an end; nil where the chain is just long.
    init?(endless trail: [ServiceIdentity]) {
        // The innermost round: from the last time that it was asked for.
        let identity = trail[trail.count - 1]
        guard let start = trail.dropLast().lastIndex(of: identity) else { return nil }
        let round = trail[start...]
        // A service that takes arguments may ask for itself with other ones, and come to an end.
        if round.contains(where: { $0.arguments != nil }) { return nil }
        self.init(circular: round)
    }

    /// For creations that are nested deeper than the stack reaches, or than anything that ends.
    init(tooDeep trail: [ServiceIdentity]) {
        let identity = trail[trail.count - 1]
        if let start = trail.dropLast().lastIndex(of: identity) {
            self.init(circular: trail[start...])
            return
        }
        let text = """
            cannot create '\(identity)': it would be the creation number \(trail.count) inside of each other, and the stack of this \
            thread has no room for more. Ask for one of them later (LazyDependency), or create it on a thread with a larger stack.
            """
        self.init(.tooDeep, identity, chain: trail, text: text)
    }

    /// For a scoped service that a service for all callers would keep.
    init(captive identity: ServiceIdentity, owner: ServiceIdentity) {
        let chain = Creation.currentTrail + [identity]
        let lines = [
            """
            captive dependency: '\(owner)' is shared by all callers and would keep '\(identity)', which is scoped: \
            each request scope has its own.
              Register '\(owner)' as .scoped too, or '\(identity)' with a lifetime as long as that of '\(owner)'.
            """
        ]
        self.init(.captive, identity, chain: chain, text: (lines + chainLine(chain)).joined(separator: "\n"))
    }

    /// For a service that only the container of the caller has, and that a service for all callers asks for.
    init(captive identity: ServiceIdentity, inScopeOf owner: ServiceIdentity, _ callSite: CallSite?) {
        let chain = Creation.currentTrail + [identity]
        let place = callSite.map { " at \($0.place)" } ?? ""
        let lines = [
            """
            captive dependency: '\(owner)' is shared by all callers and asks\(place) for '\(identity)', which is registered only \
            in the child container (the request scope) that is bound here.
              Register '\(owner)' as .scoped, or '\(identity)' in the container that holds '\(owner)'.
            """
        ]
        self.init(.captive, identity, chain: chain, text: (lines + chainLine(chain)).joined(separator: "\n"))
    }

    /// For arguments of a keyed service by which nobody could find its instance again.
    init(incomparableArgumentsOf identity: ServiceIdentity) {
        let text = """
            cannot create '\(identity)': it is keyed by its arguments, and one of them is not equal to itself (a NaN, for \
            instance). Check the arguments before you ask.
            """
        self.init(.invalid, identity, chain: Creation.currentTrail + [identity], text: text)
    }

    /// For the reasons that need no more to be said than what they are.
    init(_ reason: Reason, _ identity: ServiceIdentity, trail: [ServiceIdentity]? = nil) {
        let chain = trail ?? Creation.currentTrail + [identity]
        let what =
            switch reason.kind {
            case .onlyAsynchronous:
                """
                '\(identity)' is created asynchronously and does not exist yet: ask with asyncResolve, \
                or create it beforehand with warmUp().
                """
            case .cancelled:
                "the task was cancelled while '\(identity)' was being created for it; the creation goes on."
            case .shutDown: "'\(identity)' was asked for in a container that is shutting down or has: ask before that."
            case .containerGone:
                """
                '\(identity)' was asked for through a handle whose container does not exist any more: \
                keep the container as long as its handles.
                """
            default: "'\(identity)' cannot be had."
            }
        self.init(reason, identity, chain: chain, text: ([what] + chainLine(chain)).joined(separator: "\n"))
    }

    /// For what nobody registered.
    @inline(never)
    init(missing identity: ServiceIdentity, in container: DependencyContainer, _ callSite: CallSite?) {
        if container.hasEnded {
            self.init(.shutDown, identity)
            return
        }
        if let captor = OwningService.captor(ofScopedIn: container), let bound = Override.bound,
            bound !== container, bound.reaches(container), bound.contains(identity)
        {
            self.init(captive: identity, inScopeOf: captor, callSite)
            return
        }
        self.init(MissingService(identity, in: container, callSite))
    }

    /// For an instance that its lifetime cannot keep.
    init(uncreatable identity: ServiceIdentity, trail: [ServiceIdentity], because objection: String) {
        let lines = ["Cannot create '\(identity)': \(objection)."]
        self.init(.invalid, identity, chain: trail, text: (lines + chainLine(trail)).joined(separator: "\n"))
    }

    /// For a registration that comes too late, or that cannot work.
    init(refused identity: ServiceIdentity, _ reason: Reason, because text: String) {
        self.init(reason, identity, chain: [identity], text: text)
    }

    /// For a service that was resolved as a transient one, but whose instance might be shared.
    init(maybeShared identity: ServiceIdentity, _ callSite: CallSite) {
        let text = """
            cannot resolve '\(identity)' as transient at \(callSite.place): its instance might be shared. Register it with \
            register(transient:), or resolve it with resolve(_:).
            """
        self.init(refused: identity, .invalid, because: text)
    }

    /// For modules that come to a container that is sealed, or has ended.
    init(modulesRefusedBy container: DependencyContainer) {
        let identity = ServiceKey<DependencyContainer>().identity
        if container.hasEnded {
            let text = "modules came to a container that is shutting down or has: install them before that."
            self.init(refused: identity, .shutDown, because: text)
        } else {
            let text = """
                modules came to a container that is sealed: install them before seal(), or into a child of it (makeChild()).
                """
            self.init(refused: identity, .sealed, because: text)
        }
    }

    /// For modules that consist of each other without an end.
    init(endlessModules path: [any Any.Type]) {
        let chain = path.map { ServiceIdentity($0) }
        let identity = chain[chain.count - 1]  // It is as deep as modules may be.
        let end = chain.suffix(3).map(\.description).joined(separator: " → ")
        let text = "the module '\(identity)' consists of itself: … → \(end) → …; leave it out of its own modules."
        self.init(refused: identity, .invalid, because: text)
    }
}

func chainLine(_ chain: [ServiceIdentity]) -> [String] {
    chain.count < 2 ? [] : ["  Asked for by: \(chain.map(\.description).joined(separator: " → "))."]
}
