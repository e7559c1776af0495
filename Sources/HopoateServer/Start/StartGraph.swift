// Which singletons of a container must exist before others, as far as the container knows.
//
// The parameters of initializers that are registered with `using:` are known. The search follows them through services that are created
// anew: a singleton of a parameter's parameter must exist, too. A lazy dependency or a provider is resolved later, and does not count.
//
// Where the search meets a factory closure, a decorator, a completion or a container, anything may be resolved. `resolve` would trap if
// that is an asynchronous service that does not exist. So a synchronous factory for which this holds runs after all asynchronous ones.

import Hopoate

/// A singleton that a warm-up creates.
struct StartNode {
    let registration: AnyServiceRegistration
    let isAsynchronous: Bool
    /// Whether it is not known which services its factory resolves.
    let isOpaque: Bool
    /// The indices of the singletons that must exist before.
    let dependencies: [Int]

    var identity: ServiceIdentity { registration.identity }

    /// Returns the singletons of a container, oldest registration first.
    ///
    /// - Complexity: O(n · m) in the number of singletons and of the services behind each of them.
    static func all(in container: DependencyContainer) -> [StartNode] {
        let wiring = Wiring(container, readsSource: false)
        let singletons = wiring.nodes.filter { $0.level == 0 && $0.registration.isSingleton }
        let indices = singletons.positions
        return singletons.map { singleton in
            /// Whether a node is created with the singleton, and not before.
            func isPart(_ node: Wiring.Node) -> Bool { node == singleton || !node.registration.isSingleton }
            let nodes = wiring.nodes(from: [singleton]) { node, edge in
                isPart(node) && !node.registration.isOpaque && !edge.isLater
            }
            return StartNode(
                registration: singleton.registration, isAsynchronous: singleton.registration.isAsynchronous,
                isOpaque: nodes.contains { isPart($0) && $0.registration.isOpaque },
                dependencies: nodes.dropFirst().compactMap { indices[$0.id] }.sorted())
        }
    }
}
