// Which form of a factory a caller runs that may suspend.

extension ServiceFactory {
    /// Returns the closure that suspends; nil if the one that does not suspend should run.
    ///
    /// A registration with an initializer has both forms. A completion can close a cycle only inside a creation that does not suspend
    /// (invariant 4 of `CompletionGroup`). So that form runs if the service or one of its dependencies has a completion, and none of
    /// them has to suspend.
    func suspendingClosure(
        in container: DependencyContainer
    ) -> (@Sendable (DependencyContainer, Arguments) async throws -> Service)? {
        switch closures {
        case .synchronous: nil
        case .asynchronous(let create): create
        case .both(_, let create): Completions.exist && isForOneThread(in: container) ? nil : create
        }
    }
}

/// Whether any service of this process was ever registered with a completion. If not, no dependency needs to be searched.
enum Completions {
    private static let count = SharedCounter()

    static var exist: Bool { count.value != 0 }

    static func announce() { if !exist { count.increment() } }
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
                let home = registration.ownership == .registration ? owner : container
                let resolution = Resolution(container: container, owner: owner)
                if !factory.hasInstance(for: resolution) { next.append((factory, home)) }
            }
        }
        return hasFoundCompletion
    }
}
