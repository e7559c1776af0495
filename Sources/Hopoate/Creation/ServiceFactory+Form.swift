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
        let wiring = Wiring(live: container)
        var hasFoundCompletion = false
        var visited: Set<Wiring.Node> = []
        var next: [(factory: AnyServiceFactory, home: Int)] = [(self, 0)]
        while let (factory, home) = next.popLast() {
            if factory.isAsynchronous { return false }
            if factory.hasCompletion { hasFoundCompletion = true }
            guard let requirements = factory.requirements else {
                // Its dependencies are not known, so the decorator or alias may have to suspend.
                if factory.hasBothForms { return false }
                continue
            }
            // A handle creates nothing.
            for edge in requirements.map({ wiring.edge($0, from: home) }) where !edge.isLater {
                for target in edge.targets where visited.insert(target).inserted {
                    guard let factory = target.registration.factory else { continue }
                    if !factory.hasInstance(for: wiring.resolution(of: target)) { next.append((factory, target.home)) }
                }
            }
        }
        return hasFoundCompletion
    }
}
