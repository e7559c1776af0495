/// The service that a handle resolves later: its key and arguments, and a weak reference to the container.
///
/// The argument types appear only inside the closures. So a handle has one type parameter, however many arguments there are.
@usableFromInline
struct DeferredResolution<Service> {
    private let container: WeakContainer
    /// The service whose creation made the handle, if a container or a registration owns that service. See `OwningService`.
    private let owningService: OwningService?
    /// Counts the notes of uses, if the handle caches nothing.
    private let noted: SharedCounter?
    private let key: ServiceKey<Service>
    // The key holds the address of the name, so the name must stay alive.
    private let name: DependencyName?
    private let callSite: CallSite?
    /// Whether the handle keeps its instance.
    private let keepsInstance: Bool
    private let find: (DependencyContainer) throws(DependencyError) -> Service?
    private let findSuspending: (DependencyContainer) async throws(DependencyError) -> Unchecked<Service>

    /// Without arguments.
    @usableFromInline
    init(_ container: DependencyContainer, _ name: DependencyName?, _ callSite: CallSite?, keepsInstance: Bool) {
        let key = ServiceKey<Service>(named: name)
        self.container = .ofHandle(to: container)
        owningService = .current
        self.key = key
        self.name = name
        self.callSite = callSite
        self.keepsInstance = keepsInstance
        noted = keepsInstance || owningService == nil ? nil : SharedCounter()
        find = { container throws(DependencyError) in try container.find(key) }
        findSuspending = { container async throws(DependencyError) in
            let place = callSite ?? .unknown
            return Unchecked(
                try await container.asyncResolve(Service.self, named: name, fileID: place.fileID, line: place.line))
        }
    }

    /// With arguments.
    init<First, each Rest>(
        _ container: DependencyContainer, _ name: DependencyName?, _ callSite: CallSite?, keepsInstance: Bool,
        arguments first: First, _ rest: repeat each Rest
    ) {
        let key = ServiceKey<Service>(arguments: (First, (repeat each Rest)).self, named: name)
        let arguments = (first, (repeat each rest))
        self.container = .ofHandle(to: container)
        owningService = .current
        self.key = key
        self.name = name
        self.callSite = callSite
        self.keepsInstance = keepsInstance
        noted = keepsInstance || owningService == nil ? nil : SharedCounter()
        find = { container throws(DependencyError) in try container.find(key, arguments) }
        findSuspending = { container async throws(DependencyError) in
            let place = callSite ?? .unknown
            return Unchecked(
                try await container.asyncResolve(
                    Service.self, named: name, arguments: arguments.0, repeat each arguments.1, fileID: place.fileID,
                    line: place.line))
        }
    }

    /// The service, or an error that explains the failure.
    func require(_ callSite: CallSite?) throws(DependencyError) -> Service {
        let callSite = callSite ?? self.callSite
        guard let container = container.container else { throw containerGone(callSite) }
        return try run(in: container) { () throws(DependencyError) in
            do throws(DependencyError) {
                if let service = try find(container) {
                    noteUse(in: container)
                    return service
                }
            } catch {
                throw error.thrown(at: callSite, in: container)
            }
            throw container.missing(key, callSite)
        }
    }

    private func run<Output>(
        in container: DependencyContainer, _ body: () throws(DependencyError) -> Output
    ) throws(DependencyError) -> Output {
        guard let owningService else { return try body() }
        return try owningService.run(in: container, keepsInstances: keepsInstance, body)
    }

    /// The service; traps on an error.
    @usableFromInline
    func resolve(_ callSite: CallSite?) -> Service {
        do throws(DependencyError) { return try require(callSite) } catch { fail(error) }
    }

    /// The service; nil if it is not registered, or if the container was released.
    @usableFromInline
    func optionalResolve() -> Service? {
        guard let container = container.container else { return nil }
        do throws(DependencyError) {
            let service = try run(in: container) { () throws(DependencyError) in try find(container) }
            if service != nil { noteUse(in: container) }
            return service
        } catch {
            fail(error, callSite, in: container)
        }
    }

    private func noteUse(in container: DependencyContainer) {
        owningService?.noteUse(of: key.identity, in: container, once: noted)
    }

    /// The service, created asynchronously if necessary.
    func asyncRequire(isolation: isolated (any Actor)? = #isolation) async throws(DependencyError) -> Unchecked<Service>
    {
        guard let container = container.container else { throw containerGone(callSite) }
        guard let owningService else { return try await findSuspending(container) }
        let service = try await owningService.run(suspendingIn: container, keepsInstances: keepsInstance) {
            () async throws(DependencyError) in try await findSuspending(container)
        }
        noteUse(in: container)
        return service
    }

    private func containerGone(_ callSite: CallSite?) -> DependencyError {
        DependencyError(.containerGone, key.identity).thrown(at: callSite, in: nil)
    }
}
