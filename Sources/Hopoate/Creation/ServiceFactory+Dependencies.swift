// Creation of the scoped services that another service needs, before that service, for callers that may suspend.
//
// The first call of a request needs scoped services that do not exist yet. Another caller may be creating one of them, and an initializer
// that does not suspend would block its thread until then. The form that suspends costs several times as much. Therefore missing scoped
// services are created first. If nothing is missing any more, the form that does not suspend runs.
//
// Invariants:
//
// 1. This never waits. It begins a creation only if no other one is in flight. Otherwise the answer is no, and the form that suspends
//    waits for that creation.
// 2. It all belongs to one resolve call. The frames are those that the initializers would have: errors name the same services, and
//    captive dependencies are found. The object graph goes on to the creation of the service itself, whichever form runs.
// 3. Only services without a completion are created first. A completion runs at the end of the outermost creation, which would end too
//    early here.
// 4. The time that an observer or a record measures for a service contains that of the services created for it. So nothing is created
//    before a service with one.

extension ServiceFactory {
    /// Creates the scoped services that this one needs and that do not exist, as long as this waits for nobody.
    ///
    /// - Parameters:
    ///   - lookups: How many dependencies may still be looked up. If there are more, the answer is no.
    ///   - graph: The object graph of the resolve call.
    /// - Returns: Whether each dependency exists for ever, or is transient and has such dependencies itself.
    func createDependencies(
        _ key: AnyServiceKey, in container: DependencyContainer, _ lookups: inout Int, _ graph: inout ObjectGraph?
    ) throws(DependencyError) -> Bool {
        var frame = ResolutionStack.Frame(key, inside: innermostFrame, creation: nil, graph: graph)
        defer { graph = frame.graph }
        return try run(in: &frame) { () throws(DependencyError) in
            try hasDependencies(in: container, &lookups, createsScoped: true)
        }
    }

    /// Creates the instance of a scoped service in its slot or table, after the services that it needs.
    func createScoped(
        _ key: ServiceKey<Service>, _ arguments: Arguments, _ resolution: Resolution, _ lookups: inout Int
    ) throws(DependencyError) -> Bool {
        guard completion == nil, !isAsynchronous, lifetime.policy.sharing.kind.ownership == .container else {
            return false
        }
        if hasBothForms {
            // The frames around this one have the graph.
            var graph: ObjectGraph?
            guard try createDependencies(key.erased, in: resolution.container, &lookups, &graph) else { return false }
        }
        if hasScopedClosure, resolution.isFromParent, resolution.registry.hasScopeSlot(scopePlace) {
            try OwningService.checkForCaptivity(key, resolution)
            return try createInSlot(key, arguments, resolution)
        }
        // Without arguments, there is no entry to leave.
        guard let place = try instances?.place(key, arguments, resolution) else { return false }
        // Whoever joins a creation need not wait for it.
        guard case .run(let creation) = Step.next(place.look(key.identity), .neverWaits, Step.Caller()) else {
            return false
        }
        _ = try place.run(creation) { creation throws(DependencyError) in
            try createAndKeep(key, arguments, in: place, creation)
        }
        return true
    }
}

extension AnyServiceFactory {
    /// The number of dependencies that one resolve call looks up at most. A form that suspends is right for any number.
    static var mostLookups: Int { 32 }

    /// The same as `createDependencies`, in the frame of this service.
    ///
    /// - Parameter first: The first dependency to look at. The earlier ones exist.
    func hasDependencies(
        in container: DependencyContainer, from first: Int = 0, _ lookups: inout Int, createsScoped: Bool
    ) throws(DependencyError) -> Bool {
        guard let requirements else { return false }
        for index in first..<requirements.count {
            if try prepareDependency(index, of: requirements, in: container, &lookups, createsScoped: createsScoped)
                == .suspends
            {
                return false
            }
        }
        return true
    }

    /// Looks at one dependency, and creates it if it is a scoped service that does not exist.
    @inline(__always)
    func prepareDependency(
        _ index: Int, of requirements: [Requirement], in container: DependencyContainer, _ lookups: inout Int,
        createsScoped: Bool
    ) throws(DependencyError) -> Readiness {
        // Invariant 4.
        let mayCreate = createsScoped && !isMeasured
        lookups -= 1
        // By the index, because to copy a requirement counts references.
        var found = container.dependency(requirements[index].key)
        if case .instance = found { return .exists }
        var kind = requirements[index].kind
        if case .missing = found, let alternative = requirements[index].alternative {
            (kind, found) = alternative.value.dependency(in: container)
            // The newest service of a list exists. An older one may be asynchronous.
            if case .instance = found { return kind == .all ? .suspends : .exists }
        }
        // A handle creates nothing.
        if kind == .later { return .createdByInitializer }
        guard lookups >= 0, kind != .all, case .registration(let registration, let owner) = found else {
            return .suspends
        }
        guard let factory = registration.factory else { return .createdByInitializer }
        if factory.lifetime.policy.sharing == .nobody {
            if factory.isAsynchronous { return .suspends }
            guard factory.hasBothForms else { return .createdByInitializer }
            var frame = ResolutionStack.Frame(registration.key, inside: innermostFrame, creation: nil)
            let isReady = try run(in: &frame) { () throws(DependencyError) in
                try factory.hasDependencies(in: container, &lookups, createsScoped: mayCreate)
            }
            return isReady ? .createdByInitializer : .suspends
        }
        // Other instances may end at any time.
        guard factory.lifetime.isPermanent else { return .suspends }
        let resolution = Resolution(container: container, holder: owner)
        if factory.hasInstance(for: resolution) { return .exists }
        guard mayCreate, try factory.createScoped(registration.key, resolution, &lookups) else { return .suspends }
        return .exists
    }
}

/// How an initializer that does not suspend would get a dependency.
enum Readiness {
    /// There is an instance, and it stays.
    case exists
    /// The initializer creates a service of its own for it, such as a transient one or a handle, and waits for nobody.
    case createdByInitializer
    /// Only the form that suspends can get it.
    case suspends
}
