// Disposal: the hooks that run when a container releases a service.
//
// A disposal is recorded in two lists. The container that owns the instance records it for the order of creation. The
// registration (or a child container's part of it) records it so that removing the registration runs its own disposals and no
// others. The thread that takes a disposal out of the container's list runs it. So when a whole container ends, it runs all
// disposals in its own order, and the registrations that end with it find nothing left to run.

/// The disposal hooks of a registration.
// Unchecked, because a service need not be Sendable, and its hooks run on the thread that releases it, which can be any. Registering
// without a check accepts that for the hooks as for the factory.
struct DisposalHooks<Service>: @unchecked Sendable {
    let sync: ((Service) throws -> Void)?
    let async: (@Sendable (Service) async throws -> Void)?

    /// Returns nil if there is no hook.
    init?(sync: ((Service) throws -> Void)?, async: (@Sendable (Service) async throws -> Void)?) {
        if sync == nil, async == nil { return nil }
        self.init(unchecked: sync, async)
    }

    /// At least one of the two must be there.
    init(unchecked sync: ((Service) throws -> Void)?, _ async: (@Sendable (Service) async throws -> Void)?) {
        self.sync = sync
        self.async = async
    }
}

/// The disposal of one instance. It runs once.
@usableFromInline
package final class Disposal: Sendable {
    /// The hooks to run. The thread that takes them out runs them.
    package struct Work {
        package let sync: (() throws -> Void)?
        package let async: (@Sendable () async throws -> Void)?
    }

    private enum Progress {
        case waiting(Work)
        /// `run` has started the asynchronous hook.
        case started(Task<Void, any Error>)
        case taken
    }

    package let service: any Any.Type
    /// Tells apart the instances that one storage held one after the other.
    let mark: UInt32
    /// The number that a registration of this container would have got at that time. A number that is too large counts as the largest one.
    package let number: UInt32
    /// What the registration tells about the instance; nil if the instance is not recorded in a container.
    let origin: DisposalOrigin?
    /// The address of the storage that holds the instance; nil for an instance that is in no storage. The disposal ends before
    /// the storage does, so no other storage can have this address meanwhile (invariant J1 in Design.md).
    let storage: ObjectIdentifier?
    /// Where the instance was created; nil if that is not known.
    let place: CreationPlace?
    /// Whether there is an asynchronous hook.
    let isAsynchronous: Bool
    private let progress: Locked<Progress>

    /// Whether this code belongs to an asynchronous hook that `run` has started.
    @TaskLocal static var isInStartedHook = false

    init<Service>(
        _ hooks: DisposalHooks<Service>, for instance: Service, mark: UInt32, storage: ObjectIdentifier? = nil,
        _ origin: DisposalOrigin? = nil, number: Int = 0, place: CreationPlace? = nil
    ) {
        service = Service.self
        self.mark = mark
        self.number = UInt32(clamping: number)
        self.origin = origin
        self.storage = storage
        self.place = place
        let (instance, async) = (Unchecked(instance), hooks.async)
        isAsynchronous = async != nil
        progress = Locked(
            .waiting(
                Work(
                    sync: hooks.sync.map { hook in { try hook(instance.value) } },
                    async: async.map { hook in { @Sendable in try await hook(instance.value) } })))
    }

    /// The service of the registration; the type alone if the instance is not recorded in a container.
    package var identity: ServiceIdentity { origin?.identity ?? ServiceIdentity(service) }

    /// The place of the registration; nil if it is not known.
    package var registrationPlace: String? { origin?.place }

    /// Whether a completion ran for the instance, which may have resolved other services.
    package var hasCompletion: Bool { origin?.hasCompletion ?? false }

    /// Returns the hooks to the first caller, and nil to all others.
    package func take() -> Work? {
        progress.withLock { progress in
            guard case .waiting(let work) = progress else { return nil }
            progress = .taken
            return work
        }
    }

    /// Runs the hooks, unless another thread has. An asynchronous hook runs on in a task of its own.
    ///
    /// - Parameter state: The state of the instance's container. A later shutdown of the container awaits the asynchronous hook. Pass nil if
    ///   no shutdown awaits it.
    /// - Returns: The error of the synchronous hook.
    @discardableResult
    func run(in state: ContainerState?) -> (any Error)? {
        guard let work = take() else { return nil }
        var failure: (any Error)?
        do { try work.sync?() } catch { failure = error }
        guard let async = work.async else { return failure }
        state?.noteStart(of: self)
        let started = Task.detached { [self] in
            defer { state?.noteEnd(of: self) }
            try await Disposal.$isInStartedHook.withValue(true) { try await async() }
        }
        if state != nil { progress.withLock { $0 = .started(started) } }
        return failure
    }

    /// Cancels the asynchronous hook that `run` has started.
    package func cancel() {
        let task = progress.withLock { progress in
            if case .started(let task) = progress { task } else { nil as Task<Void, any Error>? }
        }
        task?.cancel()
    }

    /// Runs the hooks, unless another thread has, and waits for the asynchronous one.
    ///
    /// - Returns: The errors of the hooks.
    func finish(isolation: isolated (any Actor)?) async -> [any Error] {
        guard let work = take() else { return [] }
        var failures: [any Error] = []
        do { try work.sync?() } catch { failures.append(error) }
        do { try await work.async?() } catch { failures.append(error) }
        return failures
    }
}
