// Which form of a factory a caller runs that may suspend.

extension ServiceFactory {
    /// Chooses the closure that a caller that may suspend should run. First creates missing scoped services that this one needs.
    ///
    /// A registration with an initializer has two forms. The one that does not suspend runs in two cases:
    ///
    /// - It creates no shared instance besides its own. So it waits for nobody, and costs no task. This is the usual case in a request
    ///   (ServiceFactory+Dependencies.swift).
    /// - The service or one of its dependencies has a completion, and none of them has to suspend. A completion can close a cycle only
    ///   inside a creation that does not suspend (invariant 4 of `CompletionGroup`).
    ///
    /// The race: meanwhile another thread registers an asynchronous dependency, or removes a registration in front of one. Then the
    /// form that does not suspend throws, as `require` does.
    ///
    /// - Parameter graph: The object graph of the resolve call; nil if it is not known, and afterwards if none was needed.
    /// - Returns: The closure that suspends; nil if the one that does not suspend should run.
    func suspendingClosure(
        _ key: AnyServiceKey, in container: DependencyContainer, _ graph: inout ObjectGraph?
    ) throws(DependencyError) -> (@Sendable (DependencyContainer, Arguments) async throws -> Service)? {
        guard hasBothForms else { return closures.asynchronous }
        if try isReady(key, in: container, &graph) { return nil }
        return suspendingClosure(ifNotReadyIn: container)
    }

    /// Chooses the closure if the form that does not suspend would have to create a shared instance. Nil as in the other function.
    func suspendingClosure(
        ifNotReadyIn container: DependencyContainer
    ) -> (@Sendable (DependencyContainer, Arguments) async throws -> Service)? {
        Completions.exist && isForOneThread(in: container) ? nil : closures.asynchronous
    }

    /// Whether the form that does not suspend creates no shared instance besides that of a request.
    private func isReady(
        _ key: AnyServiceKey, in container: DependencyContainer, _ graph: inout ObjectGraph?
    ) throws(DependencyError) -> Bool {
        // An instance that its registration owns is created in the context of that container.
        guard lifetime.policy.sharing.kind.ownership != .registration else { return false }
        var lookups = Self.mostLookups
        do throws(DependencyError) {
            return try createDependencies(key, in: container, &lookups, &graph)
        } catch {
            noteFailure(error, in: container)
            throw error
        }
    }
}

extension AnyServiceFactory {
    /// Whether this service or one of its dependencies has a completion, and none is known to suspend.
    ///
    /// The search goes as far as the parameters of initializers are known. It visits each dependency once.
    fileprivate func isForOneThread(in container: DependencyContainer) -> Bool {
        struct Visit: Hashable {
            let key: AnyServiceKey
            let container: ObjectIdentifier
        }
        var hasFoundCompletion = false
        var visited: Set<Visit> = []
        var next: [(factory: AnyServiceFactory, container: DependencyContainer)] = [(self, container)]
        while let (factory, container) = next.popLast() {
            if factory.isAsynchronous { return false }
            if factory.hasCompletion { hasFoundCompletion = true }
            guard let requirements = factory.requirements else {
                // Its dependencies are not known, so the decorator or alias may have to suspend.
                if factory.hasBothForms { return false }
                continue
            }
            for requirement in requirements {
                let (requirement, found) = requirement.lookUp(container.newest)
                guard let (registration, owner) = found else { continue }
                // A handle creates nothing. An array may be long, and suspending is always right.
                if requirement.kind == .later { continue }
                if requirement.kind == .all { return false }
                guard let factory = registration.factory,
                    visited.insert(Visit(key: registration.key, container: ObjectIdentifier(container))).inserted
                else { continue }
                let home = registration.ownership.isRegistration ? owner : container
                let resolution = Resolution(container: container, owner: owner)
                if !factory.hasInstance(for: resolution) { next.append((factory, home)) }
            }
        }
        return hasFoundCompletion
    }
}
