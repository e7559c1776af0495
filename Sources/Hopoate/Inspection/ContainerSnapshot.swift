// A snapshot of a container and its parents. Taking it creates nothing and locks nothing. Validating, explaining and drawing are
// three walks over it.
//
// An edge leads from a registration to a service that its factory resolves. The owner of the instance decides in which container
// the factory looks that service up:
//
//     owned by the registration (singleton, weak, keyed, cached)   in the container that holds the registration
//     owned by nobody, a graph, or the container that is asked     in the container that is asked
//
// So the edges of a registration can depend on the container through which it is resolved.

/// The registrations of a container and its parents at one time.
package struct ContainerSnapshot {
    /// A registration and its level: 0 in the container itself, 1 in its parent.
    package struct Entry {
        package let registration: AnyServiceRegistration
        package let level: Int
        /// Whether the registration is shadowed.
        let isHidden: Bool
    }

    /// A registration as resolved through one of the containers.
    package struct Node {
        package let entry: Entry
        /// The level of the container in which the factory resolves its dependencies.
        let home: Int

        package struct ID: Hashable {
            let registration: ObjectIdentifier
            let home: Int
        }

        package var id: ID { ID(registration: ObjectIdentifier(entry.registration), home: home) }

        /// The owner of the instance.
        var ownership: Ownership { entry.registration.ownership }
    }

    /// A dependency of a factory, and the registrations that it resolves to.
    package struct Arrow {
        /// The type of the parameter.
        let parameter: ServiceIdentity
        let requirement: Requirement
        package let targets: [Node]

        /// The service that the factory resolves.
        package var service: ServiceIdentity { requirement.identity }
        package var need: DependencyNeed { DependencyNeed(requirement.kind) }

        package var isMissing: Bool { targets.isEmpty && requirement.kind != .optional }
        /// What is missing: the service, or the list for which no service is registered.
        package var missing: ServiceIdentity { requirement.kind == .all ? parameter : requirement.identity }
    }

    /// The container of the snapshot, its parent, and so on.
    package let containers: [DependencyContainer]
    /// All registrations: by level, then by type and name, then newest first.
    package let entries: [Entry]
    /// All registrations: by level, then in the order of their addition.
    package let entriesByAge: [Entry]
    private let stacks: [[AnyServiceKey: [Entry]]]

    package init(_ container: DependencyContainer) {
        var containers: [DependencyContainer] = []
        var entries: [Entry] = []
        var entriesByAge: [Entry] = []
        var stacks: [[AnyServiceKey: [Entry]]] = []
        var next: DependencyContainer? = container
        while let container = next {
            var stack: [AnyServiceKey: [Entry]] = [:]
            var order: [(type: String, text: String, key: AnyServiceKey)] = []
            var newestFirst: [Entry] = []
            for registration in container.registry.registrations() {
                let key = registration.key
                let isHidden = stack[key] != nil || stacks.contains { $0[key] != nil }
                let identity = registration.identity
                if stack[key] == nil { order.append((identity.shortType, identity.description, key)) }
                let entry = Entry(registration: registration, level: containers.count, isHidden: isHidden)
                stack[key, default: []].append(entry)
                newestFirst.append(entry)
            }
            entriesByAge += newestFirst.reversed()
            order.sort { ($0.type, $0.text) < ($1.type, $1.text) }
            for (_, _, key) in order { entries += stack[key] ?? [] }
            containers.append(container)
            stacks.append(stack)
            next = container.parent
        }
        self.containers = containers
        self.entries = entries
        self.entriesByAge = entriesByAge
        self.stacks = stacks
    }

    /// All registrations of a key as seen from a container, in the order in which it would find them.
    func all(_ key: AnyServiceKey, from level: Int) -> [Entry] { stacks[level...].flatMap { $0[key] ?? [] } }

    /// Whether a container below a level, that is, one of its children, has a registration of a key.
    func isRegistered(_ key: AnyServiceKey, below level: Int) -> Bool { stacks[..<level].contains { $0[key] != nil } }

    /// The node of a registration that is resolved through the container at a level.
    package func node(_ entry: Entry, askedAt level: Int) -> Node {
        Node(entry: entry, home: entry.registration.ownership.isRegistration ? entry.level : level)
    }

    /// The dependencies of a factory; nil if they are not known.
    package func arrows(of node: Node) -> [Arrow]? {
        let registration = node.entry.registration
        guard let factory = registration.factory else { return registration.isInstance ? [] : nil }
        return factory.requirements?.map { arrow($0, from: node.home) }
    }

    private func arrow(_ requirement: Requirement, from level: Int) -> Arrow {
        let parameter = requirement.identity
        let (requirement, found) = requirement.lookUp { key in
            let all = all(key, from: level)
            return all.isEmpty ? nil : all
        }
        let targets = (found ?? []).prefix(requirement.kind == .all ? .max : 1)
        return Arrow(parameter: parameter, requirement: requirement, targets: targets.map { node($0, askedAt: level) })
    }
}

extension AnyServiceRegistration {
    /// Whether the registration holds its instance.
    var isInstance: Bool { factory == nil && lifetimeOfService.policy.sharing.kind.isEager }

    /// The owner of the instance.
    var ownership: Ownership { lifetimeOfService.ownership }

    /// The place of the registration, for messages.
    package var place: String? { callSite?.place }

    /// Whether a resolve call would find an instance.
    func hasInstance(for resolution: Resolution) -> Bool { factory?.hasInstance(for: resolution) ?? isInstance }

    /// The same as the other form, for a resolve call of the container that holds the registration.
    package func hasInstance(in container: DependencyContainer) -> Bool {
        hasInstance(for: Resolution(container: container, owner: container))
    }

    /// The identity of the factory, as observers of creations get it; nil if there is no factory.
    package var factoryID: ObjectIdentifier? { factory.map { ObjectIdentifier($0) } }

    /// Whether the factory suspends.
    package var isAsynchronous: Bool { factory?.isAsynchronous ?? false }

    /// Whether creating the instance runs code of the user besides the initializer: a decorator, or a completion.
    package var mayUseMore: Bool { factory.map { $0.isDecorator || $0.hasCompletion } ?? false }

    /// The record of the creations; nil if they are not recorded.
    package var record: (any AnyObject & Sendable)? { factory?.record ?? disposals?.companion }
}

extension DependencyContainer {
    /// The number of deferred releases in the whole process. A release is deferred while a thread borrows the object.
    package var deferredReleases: Int { registry.deferredReleases }
}
