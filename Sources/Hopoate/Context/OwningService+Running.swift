// Which long-lived service the running code belongs to.
//
// A service that outlives its `resolve` call must not hold three things:
//
// - a strong reference to the container that owns the service. This reference cycle would never be broken;
// - an instance of one request scope. Such a captive dependency would carry the data of one HTTP request into others;
// - an instance that a reset or a limit may end earlier than the service. The service would use the instance after its disposal.
//
// The service that would hold them is found in the creations around the code: it is the nearest one whose instance is owned by a
// container or a registration. Transient services in between belong to that instance. Their completions run after its factory has
// returned. So the creation of a service with a completion records the owning service.
//
// Property wrappers, lazy dependencies and providers resolve after the service that holds them was created. So they record the
// owning service when they are made, and later resolve in a frame of that service.

extension OwningService {
    private convenience init(_ frame: ResolutionStack.Frame) {
        self.init(frame.identity, frame.ownership, frame.container, frame.creation, beginsRegion: frame.beginsRegion)
    }

    private convenience init(
        _ identity: ServiceIdentity, _ ownership: Ownership, _ container: DependencyContainer?, _ creation: Creation?,
        beginsRegion: Bool
    ) {
        self.init(
            identity, ownership, container, creation, beginsRegion: beginsRegion,
            in: beginsRegion ? ObjectGraph.current : nil)
    }

    /// The owning service around this code; nil if no factory is running, or only those of instances that their callers own.
    ///
    /// The result is the service that keeps the instance which is being created. If no service keeps it, the result is the service whose
    /// provider is being called.
    static var current: OwningService? { around(keepingInstances: true) ?? around(keepingInstances: false) }

    private static func around(keepingInstances: Bool) -> OwningService? {
        if let frame = ResolutionStack.owned(keepingInstances: keepingInstances) {
            return frame.pointee.creation?.owningService ?? OwningService(frame.pointee)
        }
        guard let creation = creationOfTask(keepingInstances: keepingInstances) else { return nil }
        return OwningService(
            creation.identity, creation.ownership, creation.container, creation, beginsRegion: creation.beginsRegion)
    }

    /// Throws an error if a scoped instance would become a captive dependency of a service that all callers share.
    static func checkForCaptivity<Service>(
        _ key: ServiceKey<Service>, _ resolution: Resolution
    ) throws(DependencyError) {
        if let captor = captor(ofScopedIn: resolution.container) {
            throw DependencyError(captive: key.identity, owner: captor)
        }
    }

    /// Returns the service around this code that would capture a scoped instance of a container; nil if there is none.
    ///
    /// It is a service that its registration owns, and that is created for this same container.
    static func captor(ofScopedIn container: DependencyContainer) -> ServiceIdentity? {
        captor(keepingInstances: false) { ownership, other in ownership.isRegistration && other === container }
    }

    /// Throws an error if an instance that may end early would become a captive dependency of a service that lives longer.
    static func checkForCaptivity<Service>(
        ofExpiring key: ServiceKey<Service>, _ lifetime: Lifetime
    ) throws(DependencyError) {
        if let captor = captorOfExpiring {
            throw DependencyError(captive: key.identity, ofLifetime: lifetime, owner: captor)
        }
    }

    /// The service around this code that would keep an instance which may end earlier than the service; nil if there is none.
    ///
    /// Its registration owns the service and does not end it early. Services of a container are left out, because the container may end
    /// before the instance. So are services that may end early, because it is unknown which of two such services ends first.
    @inline(__always)
    static var captorOfExpiring: ServiceIdentity? {
        // Usually no factory is running, and no task.
        innermostFrame == nil && !isWatched ? nil : captorOfExpiringInside
    }

    /// The slow path of `captorOfExpiring`.
    @inline(never)
    private static var captorOfExpiringInside: ServiceIdentity? {
        captor(keepingInstances: true) { ownership, _ in ownership == .registration }
    }

    /// Returns the owning service around this code, if a condition holds for its ownership and for the container that it is created for.
    ///
    /// - Parameter keepingInstances: Whether the owning service has to keep the instances that this code resolves.
    @inline(__always)
    private static func captor(
        keepingInstances: Bool, if condition: (Ownership, DependencyContainer?) -> Bool
    ) -> ServiceIdentity? {
        if let frame = ResolutionStack.owned(keepingInstances: keepingInstances) {
            if let service = frame.pointee.creation?.owningService {
                return condition(service.ownership, service.container?.container) ? service.identity : nil
            }
            return condition(frame.pointee.ownership, frame.pointee.container) ? frame.pointee.identity : nil
        }
        guard let creation = creationOfTask(keepingInstances: keepingInstances) else { return nil }
        return condition(creation.ownership, creation.container) ? creation.identity : nil
    }

    /// Returns the innermost creation around this task that makes a shared instance: a container or a registration owns the instance.
    ///
    /// - Parameter keepingInstances: Whether calls of providers are left out, as in `captor`.
    private static func creationOfTask(keepingInstances: Bool) -> Creation? {
        var next = CreationContext.creation
        while let creation = next {
            if creation.ownership != .caller, creation.keepsInstances || !keepingInstances { return creation }
            next = creation.outer
        }
        return nil
    }

    /// Runs a closure as a part of this service: in a frame of it, and with a container as `shared`.
    ///
    /// - Parameter keepsInstances: Whether the service keeps what the closure resolves. If it does, and a region begins with the service, the
    ///   closure runs in that region, and in the context of the owner: instances that the service keeps must not see the task-locals of this
    ///   caller. Otherwise it runs in the region and the context of the running code.
    func run<Output, Failure: Error>(
        in container: DependencyContainer, keepsInstances: Bool, _ body: () throws(Failure) -> Output
    ) throws(Failure) -> Output {
        let creation = Creation(
            identity, ownership: ownership, inside: .current, graph: nil,
            keepsInstances: keepsInstances && keepsInstance, beginsRegion: beginsRegion)
        creation.isObserved = isObserved
        return try withExtendedLifetime(creation) { () throws(Failure) -> Output in
            guard creation.beginsRegion else { return try run(creation, in: container, nil, body) }
            let context = OwnerContext(container, isObserved: isObserved)
            creation.ownerContext = context
            return try context.run { () throws(Failure) in try run(creation, in: container, graph, body) }
        }
    }

    private func run<Output, Failure: Error>(
        _ creation: Creation, in container: DependencyContainer, _ graph: ObjectGraph?,
        _ body: () throws(Failure) -> Output
    ) throws(Failure) -> Output {
        var frame = ResolutionStack.Frame(
            identity.key, inside: innermostFrame, creation: creation, container: container, graph: graph)
        return try Hopoate.run(in: &frame, body)
    }

    /// The same as the other form, for a closure that suspends.
    func run<Output, Failure: Error>(
        suspendingIn container: DependencyContainer, keepsInstances: Bool,
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping () async throws(Failure) -> Unchecked<Output>
    ) async throws(Failure) -> Unchecked<Output> {
        let keepsInstances = keepsInstances && keepsInstance
        let isInRegion = keepsInstances && beginsRegion
        let creation = Creation(
            identity, ownership: ownership, inside: .current, suspendingFor: container,
            graph: isInRegion ? graph ?? ObjectGraph() : ObjectGraph.current, keepsInstances: keepsInstances,
            beginsRegion: beginsRegion)
        creation.isObserved = isObserved
        let context = CreationContext(creation)
        defer { context.end() }
        guard isInRegion else {
            let frame = innermostFrame?.identity
            let task = TaskContext.inside(context).with { $0.override = .ofOwner(container, frame: frame) }
            return try await task.bind { () async -> Result<Unchecked<Output>, Failure> in
                await .init(awaiting: body)
            }.get()
        }
        let result = Locked<Result<Unchecked<Output>, Failure>?>(nil)
        let body = Unchecked(body)
        let task = startTask(inContextOfOwner: container, isObserved: isObserved, in: context) {
            let output = await Result(awaiting: body.value)
            result.withLock { $0 = output }
        }
        // It is a part of this caller's work, so it is cancelled with it.
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        // Set: the task has ended.
        return try result.withLock { $0! }.get()
    }
}

extension Result {
    /// Makes the result of a closure that suspends.
    fileprivate init(awaiting body: () async throws(Failure) -> Success, isolation: isolated (any Actor)? = #isolation)
        async
    {
        do throws(Failure) { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
