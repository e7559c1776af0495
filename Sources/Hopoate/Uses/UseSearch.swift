// Which instances of a container may use which others, as far as the container knows.
//
// An instance uses the parameters of its initializer, if it was registered with `using:`. The search follows services without a hook:
// transient services, aliases, and services of object graphs. It takes all registrations of a key for possible, also shadowed ones: an
// instance may be older than the newest registration. A lazy dependency or a provider is a use, too.
//
// Where the search meets something that it cannot look into, the instance counts as one that may use others. A shutdown with limits decides
// so (PossibleUses.swift in HopoateServer):
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
package struct UseSearch {
    /// A use of a service, by its index.
    package struct Edge {
        package let service: Int
        package let isLater: Bool
    }

    /// All registrations of a key.
    package struct Service {
        /// The instances with a hook.
        package let instances: [Int]
        let isFound: Bool
        /// Whether the service is a container.
        package let isContainer: Bool
        package fileprivate(set) var edges: [Edge] = []
        /// Whether the search has met something that it cannot look into.
        package fileprivate(set) var isOpaque = false
        /// The greatest number of a registration that holds its instance; 0 if there is none.
        package fileprivate(set) var lastInstance = 0
    }

    private let wiring: Wiring
    /// Oldest first.
    package let disposals: [Disposal]
    private var instances: [AnyServiceKey: [Int]] = [:]
    package private(set) var services: [Service] = []
    private var indices: [AnyServiceKey: Int] = [:]
    private var pending: [(service: Int, nodes: [Wiring.Node])] = []

    /// Returns disposals in the reverse order of creation, except that an instance which was used through a handle counts as created
    /// before its user.
    ///
    /// - Parameters:
    ///   - disposals: The disposals of a container, newest first.
    ///   - container: The container, which still has its registrations.
    package static func order(of disposals: [Disposal], in container: DependencyContainer) -> [Disposal] {
        guard disposals.count > 1 else { return disposals }
        let uses = container.stateIfAny?.withAttachmentIfAny(HandleUses.self, \.all) ?? []
        guard !uses.isEmpty || disposals.contains(where: \.isFromHandle) else { return disposals }
        var search = UseSearch(disposals.reversed(), container)
        let order = DisposalOrder.usedFirst(disposals.count, search.certainUses(uses))
        return order.reversed().map { search.disposals[$0] }
    }

    /// - Parameter disposals: Oldest first.
    package init(_ disposals: [Disposal], _ container: DependencyContainer) {
        self.disposals = disposals
        wiring = Wiring(live: container)
        for (index, disposal) in disposals.enumerated() {
            if let origin = disposal.origin { instances[origin.identity.key, default: []].append(index) }
        }
    }

    /// Finds all services that the instances may use.
    ///
    /// - Returns: The edges of each instance; nil for one that may use anything.
    package mutating func run() -> [[Edge]?] {
        let known = knownEdges()
        followServices()
        return known
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
        while let (service, nodes) = pending.popLast() {
            for node in nodes { follow(node.registration, from: service) }
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
            uses.append(service.instances + service.edges.filter { !$0.isLater }.map { number(of: $0.service) })
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
            if next == nil, !isFound, requirement.mustBeRegistered { services[service].isOpaque = true }
        }
        return edges
    }

    /// Returns the index of a service, which is followed later if it is new.
    private mutating func index(of key: AnyServiceKey) -> Int {
        if let index = indices[key] { return index }
        let index = services.count
        indices[key] = index
        let own = instances[key] ?? []
        let nodes = wiring.all(key)
        let isFound = !own.isEmpty || !nodes.isEmpty
        services.append(Service(instances: own, isFound: isFound, isContainer: isFound && key.isContainer))
        pending.append((index, nodes.filter { $0.home == 0 }))
        return index
    }

    private mutating func follow(_ registration: AnyServiceRegistration, from service: Int) {
        if registration.isInstance {
            services[service].lastInstance = max(services[service].lastInstance, registration.number)
            return
        }
        // Its instances are among those of the container, or there is none.
        if let factory = registration.factory, factory.hasHooks, factory.lifetime.isPermanent { return }
        guard let requirements = registration.requirements, !registration.isOpaque else {
            services[service].isOpaque = true
            return
        }
        for requirement in requirements {
            let edges = edges(for: requirement)
            services[service].edges += edges
        }
    }
}

extension DependencyContainer {
    /// Whether an instance may use services that are no longer registered, here or in a parent.
    package var mayMissRegistrations: Bool {
        if parent?.hasEnded ?? false { return true }
        return sequence(first: self, next: \.parent).contains { $0.stateIfAny?.hasLostRegistrations ?? false }
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
