// Who is going to keep what is resolved here.
//
// A service that outlives the `resolve` call must not hold two things strongly or for good: the container that keeps it (a cycle,
// which nothing ever ends), and services of one request scope (a captive dependency: one request's data in another). Both
// are decided by the nearest creation around the code whose instance somebody keeps: transient services in between belong to
// that instance. A property wrapper, a lazy or a provider of a service is used after the creation of that service; so it notes
// the keeper when it is made, and what it resolves later is resolved in a frame of that keeper.

/// The nearest service around some code that is kept by somebody other than the caller of `resolve`.
@usableFromInline
final class Keeper: Sendable {
    let subject: Subject
    let keeping: Creation.Keeping
    /// The container that the service is created for.
    private let container: ContainerReference?

    private init(_ subject: Subject, _ keeping: Creation.Keeping, _ container: DependencyContainer?) {
        self.subject = subject
        self.keeping = keeping
        self.container = container.map(ContainerReference.init)
    }

    private convenience init(_ frame: Frame) { self.init(frame.subject, frame.keeping, frame.container) }

    /// The keeper around this code; nil outside of all creation, and inside transient services that nobody but their caller
    /// keeps.
    static var current: Keeper? {
        if let frame = Frame.keeper { return Keeper(frame.pointee) }
        guard let creation = creationOfTask else { return nil }
        return Keeper(creation.subject, creation.keeping, creation.container)
    }

    /// The service around this code of which a scoped instance of a container would be a captive dependency: the registration
    /// keeps the service for all callers, and the instance belongs to the very container that it is created for.
    static func captor(ofScopedIn container: DependencyContainer) -> Subject? {
        if let frame = Frame.keeper {
            let isCaptor = frame.pointee.keeping == .registration && frame.pointee.container === container
            return isCaptor ? frame.pointee.subject : nil
        }
        guard let creation = creationOfTask, creation.keeping == .registration, creation.container === container else {
            return nil
        }
        return creation.subject
    }

    private static var creationOfTask: Creation? {
        var next = CreationContext.creation
        while let creation = next {
            if creation.keeping != .caller { return creation }
            next = creation.outer
        }
        return nil
    }

    /// Runs a closure as a part of this service: with a container as `shared`, and with this keeper around it.
    func run<Output, Failure: Error>(
        in container: DependencyContainer, _ body: () throws(Failure) -> Output
    ) throws(Failure) -> Output {
        let creation = Creation(subject, keeping: keeping, graph: nil)
        return try withExtendedLifetime(creation) { () throws(Failure) -> Output in
            var frame = Frame(subject, inside: innermostFrame, creation: creation, container: container)
            return try Hopoate.run(in: &frame, body)
        }
    }

    /// As `run(in:_:)`, for a closure that suspends.
    func run<Output, Failure: Error>(
        suspendingIn container: DependencyContainer, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(Failure) -> Unchecked<Output>
    ) async throws(Failure) -> Unchecked<Output> {
        let context = CreationContext(Creation(subject, keeping: keeping, suspendingFor: container, graph: nil))
        defer { context.end() }
        let result = await Override.bind(container) { () async -> Result<Unchecked<Output>, Failure> in
            await CreationContext.$current.withValue(context) { () async -> Result<Unchecked<Output>, Failure> in
                do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
            }
        }
        return try result.get()
    }
}
