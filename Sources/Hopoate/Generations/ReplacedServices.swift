// What a commit is about to replace, and which instances that it does not replace use the old ones.
//
// An instance of the container itself, such as a singleton, may hold an instance that the commit replaces. This is known from the parameters of
// initializers, and from the source if a test has attached it. A factory closure, an eager factory, a decorator or a completion may use
// anything.

/// The services that a commit replaces in a container, and those that hold them.
package struct ReplacedServices {
    private let wiring: Wiring
    private let keys: Set<AnyServiceKey>

    /// - Parameters:
    ///   - container: The container, before the publication.
    ///   - staging: The container of the commit.
    package init(in container: DependencyContainer, by staging: DependencyContainer) {
        wiring = Wiring(container)
        keys = Set(staging.registry.keys().filter(\.isOfRegistrations))
    }

    /// The services with a registration that the commit replaces.
    package var replaced: [ServiceIdentity] {
        keys.compactMap { wiring.newest($0) }.filter { $0.level == 0 }.map(\.registration.identity)
    }

    /// The other services of the container that have an instance which holds a replaced one.
    package var holders: [Wiring.Node] { kept.filter(holds) }

    /// The other services of the container with an instance that may use a replaced service. The dependencies of their factories are not known.
    package var possibleHolders: [Wiring.Node] {
        kept.filter {
            !holds($0) && nodes(heldBy: $0).contains { wiring.isOpaque($0) || $0.registration.isMadeByFactory }
        }
    }

    /// The nodes of the container with instances that the commit does not replace.
    private var kept: [Wiring.Node] {
        wiring.nodes.filter { node in
            let registration = node.registration
            return node.level == 0 && !keys.contains(registration.key) && !wiring.isHidden(node)
                && (registration.isMadeByFactory
                    || !registration.isInstance && registration.hasInstance(for: wiring.resolution(of: node)))
        }
    }

    private func holds(_ node: Wiring.Node) -> Bool {
        nodes(heldBy: node).contains { held in
            // The registration of a service that it holds may have been removed.
            keys.contains(held.registration.key)
                || wiring.edges(of: held)?.contains { edge in
                    edge.requirement.keepsInstance && keys.contains(edge.requirement.key)
                } == true
        }
    }

    private func nodes(heldBy node: Wiring.Node) -> [Wiring.Node] {
        wiring.nodes(from: [node]) { _, edge in edge.requirement.keepsInstance }
    }
}

extension DependencyContainer {
    /// Registers a service of the viewed container once more in the container of a commit, without its instances.
    ///
    /// - Returns: Whether that is possible. Not for a decorator.
    package func registerAnew(_ node: Wiring.Node) -> Bool {
        guard let viewedContainer, let renewed = node.registration.factory?.renew?(viewedContainer) else {
            return false
        }
        return registry.push(renewed)
    }

    /// Creates instances of the services in the container of a commit that replace existing ones.
    package func createReplacements(isolation: isolated (any Actor)? = #isolation) async throws(DependencyError) {
        guard let viewedContainer else { return }
        let resolution = Resolution(container: viewedContainer, owner: viewedContainer)
        let replacements = registry.registrations().reversed().filter { new in
            registry.newest(new.key) === new && new.ownership != .caller
                && viewedContainer.registry.newest(new.key)?.hasInstance(for: resolution) ?? false
        }
        try await createInTurn(replacements)
    }
}
