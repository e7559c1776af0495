// Which singletons of a container must exist before others, as far as the container knows.
//
// The parameters of initializers that are registered with `using:` are known. The search follows them through services that are created
// anew: a singleton of a parameter's parameter must exist, too. A lazy dependency or a provider is resolved later, and does not count.
//
// Where the search meets a factory closure, a decorator or a completion, anything may be resolved. `resolve` would trap if that is an
// asynchronous service that does not exist. So a synchronous factory for which this holds runs after all asynchronous ones.

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
        let snapshot = ContainerSnapshot(container)
        let entries = snapshot.entriesByAge.filter { $0.level == 0 && $0.registration.isSingleton }
        var indices: [ObjectIdentifier: Int] = [:]
        for (index, entry) in entries.enumerated() { indices[ObjectIdentifier(entry.registration)] = index }
        return entries.map { entry in
            var search = StartSearch(snapshot: snapshot, indices: indices)
            search.run(from: snapshot.node(entry, askedAt: 0))
            return StartNode(
                registration: entry.registration, isAsynchronous: entry.registration.isAsynchronous,
                isOpaque: search.isOpaque, dependencies: search.found.sorted())
        }
    }
}

/// The search for the singletons behind one service.
private struct StartSearch {
    let snapshot: ContainerSnapshot
    let indices: [ObjectIdentifier: Int]
    var found: Set<Int> = []
    var isOpaque = false

    mutating func run(from start: ContainerSnapshot.Node) {
        var visited: Set<ContainerSnapshot.Node.ID> = [start.id]
        var pending = [start]
        while let node = pending.popLast() {
            guard let arrows = snapshot.arrows(of: node), !node.entry.registration.mayUseMore else {
                isOpaque = true
                continue
            }
            for arrow in arrows where arrow.need != .later {
                for target in arrow.targets where visited.insert(target.id).inserted {
                    if let index = indices[ObjectIdentifier(target.entry.registration)] {
                        found.insert(index)
                    } else if !target.entry.registration.isSingleton {
                        pending.append(target)
                    }
                }
            }
        }
    }
}
