// Which instances of a container may use which others, as far as the container knows.
//
// An instance uses the parameters of its initializer, if it was registered with `using:`. The search follows services without a hook:
// transient services, aliases, and services of object graphs. It takes all registrations of a key for possible, also shadowed ones: an
// instance may be older than the newest registration. A lazy dependency or a provider is a use, too.
//
// Where the search meets something that it cannot look into, the instance counts as one that may use others:
//
//   a factory closure, a decorator, an instance of which the registration is unknown   all instances that are older than the user
//   the same behind a lazy dependency, or a registered container                       all instances
//   an instance that was registered as such                                            all instances that are older than its registration
//   an instance with a completion                                                      all older instances; the newer ones end before it,
//                                                                                      since its completion may have resolved them
//
// A registration that was removed tells nothing any more. So after a removal, each instance may use all older ones.
//
// Services that a registration of a parent owns use nothing of a child, and are not followed.

/// Finds the uses of the instances of a container, when it is shut down.
struct UseSearch {
    /// How a service leads to something that the search cannot look into.
    private struct Doubt: OptionSet {
        let rawValue: UInt8
        /// It was resolved when the instance was created.
        static let now = Doubt(rawValue: 1)
        /// It may be resolved later.
        static let later = Doubt(rawValue: 2)
    }

    /// A use of a service, by its index.
    private struct Edge {
        let service: Int
        let isLater: Bool
    }

    /// All registrations of a key.
    private struct Service {
        /// The instances with a hook, and the number of oldest instances that registered ones may use.
        var uses: DisposalOrder.Uses
        let isFound: Bool
        var edges: [Edge] = []
        var doubt: Doubt = []
    }

    private let container: DependencyContainer
    /// Oldest first.
    private let disposals: [Disposal]
    private var instances: [AnyServiceKey: [Int]] = [:]
    /// The smallest number of a disposal and all newer ones.
    private let smallestNumbers: [UInt32]
    private var services: [Service] = []
    private var indices: [AnyServiceKey: Int] = [:]
    private var pending: [(service: Int, registrations: [AnyServiceRegistration])] = []

    /// Returns the levels in which instances are disposed of.
    ///
    /// - Parameters:
    ///   - disposals: The disposals of a container, newest first.
    ///   - container: The container, which still has its registrations.
    static func levels(of disposals: [Disposal], in container: DependencyContainer) -> [[Disposal]] {
        if container.mayMissRegistrations { return disposals.map { [$0] } }
        var search = UseSearch(disposals.reversed(), container)
        let (instances, groups) = search.run()
        return DisposalOrder.levels(instances, groups: groups).map { level in level.map { search.disposals[$0] } }
    }

    private init(_ disposals: [Disposal], _ container: DependencyContainer) {
        self.disposals = disposals
        self.container = container
        var smallest = UInt32.max
        smallestNumbers = disposals.reversed().map { disposal in
            smallest = min(smallest, disposal.number)
            return smallest
        }.reversed()
        for (index, disposal) in disposals.enumerated() {
            if let origin = disposal.origin { instances[origin.identity.key, default: []].append(index) }
        }
    }

    private mutating func run() -> (instances: [DisposalOrder.Uses], groups: [DisposalOrder.Uses]) {
        var known: [[Edge]?] = []
        for disposal in disposals {
            guard let requirements = disposal.origin?.requirements else {
                known.append(nil)
                continue
            }
            var edges: [Edge] = []
            for requirement in requirements { edges += self.edges(for: requirement) }
            known.append(edges)
        }
        while let (service, registrations) = pending.popLast() {
            for registration in registrations { follow(registration, from: service) }
        }
        spreadDoubts()

        var groups = services.map { service in
            var uses = service.uses
            uses.others += service.edges.map { number(of: $0.service) }
            return uses
        }
        var uses: [DisposalOrder.Uses] = []
        // A group for each instance with a completion: the instance, and the group before. Newer instances end before them.
        var lastCompleted: Int?
        for (index, disposal) in disposals.enumerated() {
            var others = known[index]?.map { number(of: $0.service) } ?? []
            if let lastCompleted { others.append(lastCompleted) }
            uses.append(DisposalOrder.Uses(others, oldest: known[index].map { oldest($0, from: index) } ?? index))
            if disposal.origin?.hasCompletion ?? false {
                groups.append(DisposalOrder.Uses([index] + (lastCompleted.map { [$0] } ?? [])))
                lastCompleted = disposals.count + groups.count - 1
            }
        }
        return (uses, groups)
    }

    /// The number of a service among the instances and groups.
    private func number(of service: Int) -> Int { disposals.count + service }

    /// The number of oldest instances that an instance may use because of doubts.
    private func oldest(_ edges: [Edge], from instance: Int) -> Int {
        let doubt = edges.reduce(into: Doubt()) { $0.formUnion(self.doubt(along: $1)) }
        if doubt.contains(.later) { return disposals.count }
        return doubt.contains(.now) ? instance : 0
    }

    // MARK: - Services

    /// Returns the edges for a parameter: for its type and the type that it wraps, of which the factory has taken the first that was
    /// registered.
    private mutating func edges(for requirement: Requirement) -> [Edge] {
        var edges: [Edge] = []
        var next: Requirement? = requirement
        var isFound = false
        while let requirement = next {
            let service = index(of: requirement.identity.key)
            edges.append(Edge(service: service, isLater: requirement.kind == .later))
            isFound = isFound || services[service].isFound
            next = requirement.alternative?.value
            // It was there when the instance was created.
            if next == nil, !isFound, requirement.kind == .required || requirement.kind == .later {
                services[service].doubt.insert(.now)
            }
        }
        return edges
    }

    /// Returns the index of a service, which is followed later if it is new.
    private mutating func index(of key: AnyServiceKey) -> Int {
        if let index = indices[key] { return index }
        let index = services.count
        indices[key] = index
        let own = instances[key] ?? []
        let registrations = container.registry.stack(key)
        let inherited = container.inherited(key)
        let isFound = !own.isEmpty || !registrations.isEmpty || !inherited.isEmpty
        let isContainer = isFound && key == ServiceKey<DependencyContainer>().erased
        services.append(
            Service(uses: DisposalOrder.Uses(own), isFound: isFound, doubt: isContainer ? [.now, .later] : []))
        pending.append((index, registrations + inherited.filter { !$0.ownership.isRegistration }))
        return index
    }

    private mutating func follow(_ registration: AnyServiceRegistration, from service: Int) {
        guard let factory = registration.factory, !factory.lifetime.policy.sharing.kind.isEager else {
            if registration.isInstance || registration.factory != nil {
                let oldest = oldest(before: registration.number)
                services[service].uses.oldest = max(services[service].uses.oldest, oldest)
            } else {
                services[service].doubt.insert(.now)
            }
            return
        }
        // Its instances are among those of the container, or there is none.
        if factory.hasHooks, factory.lifetime.isPermanent { return }
        guard let requirements = factory.requirements, !factory.isDecorator, !factory.hasCompletion else {
            services[service].doubt.insert(.now)
            return
        }
        for requirement in requirements {
            let edges = edges(for: requirement)
            services[service].edges += edges
        }
    }

    /// The number of oldest instances that existed before a registration of the container.
    private func oldest(before number: Int) -> Int {
        var range = smallestNumbers.startIndex..<smallestNumbers.endIndex
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            if smallestNumbers[middle] < number {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }

    // MARK: - Doubts

    /// The doubt that a use of a service brings.
    private func doubt(along edge: Edge) -> Doubt {
        let doubt = services[edge.service].doubt
        return edge.isLater && !doubt.isEmpty ? .later : doubt
    }

    /// Passes the doubts of services on to all services that use them.
    private mutating func spreadDoubts() {
        var users: [[(user: Int, edge: Edge)]] = services.map { _ in [] }
        for (user, service) in services.enumerated() {
            for edge in service.edges { users[edge.service].append((user, edge)) }
        }
        var changed = services.indices.filter { !services[$0].doubt.isEmpty }
        while let service = changed.popLast() {
            for (user, edge) in users[service] {
                let doubt = doubt(along: edge)
                if services[user].doubt.isSuperset(of: doubt) { continue }
                services[user].doubt.formUnion(doubt)
                changed.append(user)
            }
        }
    }
}

extension DependencyContainer {
    /// The registrations of a key in the parents.
    fileprivate func inherited(_ key: AnyServiceKey) -> [AnyServiceRegistration] {
        var registrations: [AnyServiceRegistration] = []
        var next = parent
        while let container = next {
            registrations += container.registry.stack(key)
            next = container.parent
        }
        return registrations
    }

    /// Whether an instance may use services that are no longer registered, here or in a parent.
    fileprivate var mayMissRegistrations: Bool {
        if parent?.hasEnded ?? false { return true }
        var next: DependencyContainer? = self
        while let container = next {
            if container.stateIfAny?.hasLostRegistrations ?? false { return true }
            next = container.parent
        }
        return false
    }
}
