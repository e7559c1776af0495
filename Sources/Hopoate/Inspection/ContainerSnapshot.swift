// What a container and its parents hold, looked at from outside: nothing is created, and nothing is locked. Validating,
// explaining and drawing are three ways to walk over it.
//
// An arrow leads from a registration to what its creator asks for. Where that is looked up depends on who keeps the instance:
//
//     kept by the registration (singleton, weak, keyed, cached)    in the container that holds the registration
//     kept by nobody, a graph, or the container that is asked      in the container that is asked
//
// So the same registration may have different arrows, depending on through which container it is asked for.

/// What a container and its parents held when it was looked at.
struct ContainerSnapshot {
    /// A registration, and how far up it is: 0 in the container itself, 1 in its parent.
    struct Entry {
        let registration: AnyServiceRegistration
        let level: Int
        /// Whether another one is found in its place.
        let isHidden: Bool
    }

    /// A registration as it is asked for through one of the containers.
    struct Node {
        let entry: Entry
        /// Where its creator looks for what it needs.
        let home: Int

        struct ID: Hashable {
            let registration: ObjectIdentifier
            let home: Int
        }

        var id: ID { ID(registration: ObjectIdentifier(entry.registration), home: home) }

        /// Who owns the instance.
        var ownership: Creation.Ownership { entry.registration.ownership }
    }

    /// What a creator asks for once, and what it gets.
    struct Arrow {
        let requirement: Requirement
        let targets: [Node]

        var isMissing: Bool { targets.isEmpty && (requirement.kind == .required || requirement.kind == .later) }
    }

    /// The container that is looked at, its parent, and so on.
    let containers: [DependencyContainer]
    /// All that is registered: by level, then by type and name, then newest first.
    let entries: [Entry]
    private let stacks: [[AnyServiceKey: [Entry]]]

    init(_ container: DependencyContainer) {
        var containers: [DependencyContainer] = []
        var entries: [Entry] = []
        var stacks: [[AnyServiceKey: [Entry]]] = []
        var next: DependencyContainer? = container
        while let container = next {
            var stack: [AnyServiceKey: [Entry]] = [:]
            var order: [(type: String, text: String, key: AnyServiceKey)] = []
            for registration in container.registry.registrations() {
                let key = registration.key
                let isHidden = stack[key] != nil || stacks.contains { $0[key] != nil }
                let identity = registration.identity
                if stack[key] == nil { order.append((String(describing: identity.type), identity.description, key)) }
                stack[key, default: []].append(
                    Entry(registration: registration, level: containers.count, isHidden: isHidden))
            }
            order.sort { ($0.type, $0.text) < ($1.type, $1.text) }
            for (_, _, key) in order { entries += stack[key] ?? [] }
            containers.append(container)
            stacks.append(stack)
            next = container.parent
        }
        self.containers = containers
        self.entries = entries
        self.stacks = stacks
    }

    /// All that is registered for a key, as a container sees it: what it would find first.
    func all(_ key: AnyServiceKey, from level: Int) -> [Entry] { stacks[level...].flatMap { $0[key] ?? [] } }

    /// What is asked for through the container at a level.
    func node(_ entry: Entry, askedAt level: Int) -> Node {
        Node(entry: entry, home: entry.registration.ownership == .registration ? entry.level : level)
    }

    /// What a creator asks for; nil where that is not known.
    func arrows(of node: Node) -> [Arrow]? {
        let registration = node.entry.registration
        guard let factory = registration.factory else { return registration.isInstance ? [] : nil }
        return factory.requirements?.map { arrow($0, from: node.home) }
    }

    /// Looks as a constructor does: for the very type first, and then for what that is a way of asking for.
    private func arrow(_ requirement: Requirement, from level: Int) -> Arrow {
        var requirement = requirement
        while true {
            let found = all(requirement.identity.key, from: level)
            if !found.isEmpty {
                let targets = requirement.kind == .all ? found[...] : found[..<1]
                return Arrow(requirement: requirement, targets: targets.map { node($0, askedAt: level) })
            }
            guard let alternative = requirement.alternative else { return Arrow(requirement: requirement, targets: []) }
            requirement = alternative.value
        }
    }
}

extension AnyServiceRegistration {
    /// Whether it was registered with its instance.
    var isInstance: Bool { factory == nil && lifetimeOfService.policy.sharing.kind.isEager }

    /// Who owns the instance.
    var ownership: Creation.Ownership { lifetimeOfService.policy.sharing.kind.ownership }

    /// Where it was made, for messages.
    var place: String? { callSite?.place }

    /// Whether there is an instance that a request through a container would get.
    func hasInstance(in container: DependencyContainer) -> Bool { factory?.hasInstance(in: container) ?? isInstance }
}
