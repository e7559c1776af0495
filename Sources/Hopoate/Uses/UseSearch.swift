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
//
// Certain uses
//
// Some uses are certain. If a handle is among them, an instance may use a newer one, and the order of creation is changed before anything
// else is decided (DisposalOrder.swift):
//
//   a handle of a service has resolved a service                 HandleUses.swift
//   an instance was created inside a call of a handle            the disposal says so, also if no key leads from one service to the other
//   an instance was created inside the creation of another one   the disposal says so; it has to move together with that one
//   the parameters of an initializer, except for lazy ones       known as above; with a handle in the other direction, they are a cycle

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
        let disposals = order(of: disposals, in: container)
        if container.mayMissRegistrations { return disposals.map { [$0] } }
        var search = UseSearch(disposals.reversed(), container)
        let (instances, groups) = search.run()
        return DisposalOrder.levels(instances, groups: groups).map { level in level.map { search.disposals[$0] } }
    }

    /// Returns disposals in the reverse order of creation, except that an instance which was used through a handle counts as created
    /// before its user.
    ///
    /// - Parameters:
    ///   - disposals: The disposals of a container, newest first.
    ///   - container: The container, which still has its registrations.
    static func order(of disposals: [Disposal], in container: DependencyContainer) -> [Disposal] {
        guard disposals.count > 1 else { return disposals }
        let uses = container.stateIfAny?.withAttachmentIfAny(HandleUses.self, \.all) ?? []
        guard !uses.isEmpty || disposals.contains(where: \.isFromHandle) else { return disposals }
        var search = UseSearch(disposals.reversed(), container)
        let order = DisposalOrder.usedFirst(disposals.count, search.certainUses(uses))
        return order.reversed().map { search.disposals[$0] }
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
        let known = knownEdges()
        followServices()
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

    /// Returns the edges of each instance; nil for one that may use anything.
    private mutating func knownEdges() -> [[Edge]?] {
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
        return known
    }

    /// Finds the edges of all services that were found so far, and of those behind them.
    private mutating func followServices() {
        while let (service, registrations) = pending.popLast() {
            for registration in registrations { follow(registration, from: service) }
        }
    }

    /// Returns the certain uses of each instance, and of each group after them: the services, and then one for each service with handles
    /// through which instances were created.
    private mutating func certainUses(_ handleUses: [HandleUses.Use]) -> [[Int]] {
        let known = knownEdges()
        for use in handleUses {
            _ = index(of: use.user)
            _ = index(of: use.used)
        }
        followServices()
        var uses = known.map { edges in (edges ?? []).filter { !$0.isLater }.map { number(of: $0.service) } }
        for service in services {
            uses.append(service.uses.others + service.edges.filter { !$0.isLater }.map { number(of: $0.service) })
        }
        // The uses of a key are those of its instances, and of a service without a hook that is followed.
        func add(_ target: Int, to user: AnyServiceKey) {
            for instance in instances[user] ?? [] { uses[instance].append(target) }
            if let service = indices[user] { uses[number(of: service)].append(target) }
        }
        for use in handleUses {
            if let used = indices[use.used] { add(number(of: used), to: use.user) }
        }

        // The instances that were created inside a creation, until its own instance comes.
        var inside: [UInt: [Int]] = [:]
        var throughHandles: [AnyServiceKey: [Int]] = [:]
        for (instance, disposal) in disposals.enumerated() {
            guard let place = disposal.place else { continue }
            uses[instance] += inside.removeValue(forKey: place.address) ?? []
            for surrounding in place.surroundings {
                switch surrounding {
                case .creation(let address): inside[address, default: []].append(instance)
                case .handle(let owner): throughHandles[owner.key, default: []].append(instance)
                }
            }
        }
        for (owner, created) in throughHandles {
            add(uses.count, to: owner)
            uses.append(created)
        }
        return uses
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

extension Disposal {
    /// Whether the instance was created inside a call of a handle.
    fileprivate var isFromHandle: Bool {
        place?.surroundings.contains { surrounding in
            if case .handle = surrounding { true } else { false }
        } ?? false
    }
}
