// Who owns the instance that this code is a part of.
//
// A service that outlives the `resolve` call must not hold two things strongly or for good: the container that owns it (a reference
// cycle, which nothing ends), and services of one request scope (a captive dependency: one request's data in another). The nearest
// creation around the code whose instance is owned decides both: transient services in between belong to that instance. A property
// wrapper, a lazy dependency or a provider of a service is used after the creation of that service; so it notes the owning service
// when it is made, and resolves later in a frame of that service.

/// The nearest service around some code that a container or a registration owns.
@usableFromInline
final class OwningService: Sendable {
    let identity: ServiceIdentity
    let ownership: Creation.Ownership
    /// The container that the service is created for.
    private let container: WeakContainer?

    private init(_ identity: ServiceIdentity, _ ownership: Creation.Ownership, _ container: DependencyContainer?) {
        self.identity = identity
        self.ownership = ownership
        self.container = container.map(WeakContainer.init)
    }

    private convenience init(_ frame: ResolutionStack.Frame) {
        self.init(frame.identity, frame.ownership, frame.container)
    }

    /// The owning service around this code; nil outside of all creation, and inside transient services that only their callers own.
    static var current: OwningService? {
        if let frame = ResolutionStack.owned { return OwningService(frame.pointee) }
        guard let creation = creationOfTask else { return nil }
        return OwningService(creation.identity, creation.ownership, creation.container)
    }

    /// Throws an error if a scoped instance would become a captive dependency: if a service that all callers share would keep it.
    @usableFromInline
    static func checkForCaptivity<Service>(
        _ key: ServiceKey<Service>, _ resolution: Resolution
    ) throws(DependencyError) {
        if let captor = captor(ofScopedIn: resolution.container) {
            throw DependencyError(captive: key.identity, owner: captor)
        }
    }

    /// The service around this code that would capture a scoped instance of a container: its registration owns it for all callers,
    /// and the instance belongs to the very container that it is created for.
    static func captor(ofScopedIn container: DependencyContainer) -> ServiceIdentity? {
        if let frame = ResolutionStack.owned {
            let isCaptor = frame.pointee.ownership == .registration && frame.pointee.container === container
            return isCaptor ? frame.pointee.identity : nil
        }
        guard let creation = creationOfTask, creation.ownership == .registration, creation.container === container
        else {
            return nil
        }
        return creation.identity
    }

    private static var creationOfTask: Creation? {
        var next = CreationContext.creation
        while let creation = next {
            if creation.ownership != .caller { return creation }
            next = creation.outer
        }
        return nil
    }

    /// Runs a closure as a part of this service: with a container as `shared`, and with a frame of this service.
    func run<Output, Failure: Error>(
        in container: DependencyContainer, _ body: () throws(Failure) -> Output
    ) throws(Failure) -> Output {
        let creation = Creation(identity, ownership: ownership, graph: nil)
        return try withExtendedLifetime(creation) { () throws(Failure) -> Output in
            var frame = ResolutionStack.Frame(
                identity, inside: innermostFrame, creation: creation, container: container)
            return try Hopoate.run(in: &frame, body)
        }
    }

    /// As `run(in:_:)`, for a closure that suspends.
    func run<Output, Failure: Error>(
        suspendingIn container: DependencyContainer, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(Failure) -> Unchecked<Output>
    ) async throws(Failure) -> Unchecked<Output> {
        let context = CreationContext(Creation(identity, ownership: ownership, suspendingFor: container, graph: nil))
        defer { context.end() }
        let result = await Override.bind(container) { () async -> Result<Unchecked<Output>, Failure> in
            await CreationContext.$current.withValue(context) { () async -> Result<Unchecked<Output>, Failure> in
                do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
            }
        }
        return try result.get()
    }
}
