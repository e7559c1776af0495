// What is done when the container lets go of a service.
//
// A disposal is noted in two places: in the container that keeps the instance, for the order of creation; and with the
// registration (or the part of it) that keeps it, so that removing that runs its disposals and no others. Whoever takes it out
// of the container's list runs it: so the registrations that leave with the whole container leave the order to that.

/// The hooks of a registration.
struct DisposalHooks<Service>: Sendable {
    // A service need not be Sendable, and its hooks run where it is let go of, which may be any thread; that is what whoever
    // registers it agrees to, as for its creator.
    nonisolated(unsafe) let sync: ((Service) throws -> Void)?
    let async: (@Sendable (Service) async throws -> Void)?

    /// Nil where there are none.
    init?(sync: ((Service) throws -> Void)?, async: (@Sendable (Service) async throws -> Void)?) {
        if sync == nil, async == nil { return nil }
        self.sync = sync
        self.async = async
    }
}

/// What is to be done with one instance, once.
@usableFromInline
final class Disposal: Sendable {
    /// What to do; to be taken out by whoever does it.
    struct Work {
        let sync: (() throws -> Void)?
        let async: (@Sendable () async throws -> Void)?
    }

    let service: any Any.Type
    /// Which of the instances that a storage held one after the other it is for.
    let mark: UInt32
    private let work: Locked<Work?>

    init<Service>(_ hooks: DisposalHooks<Service>, for instance: Service, mark: UInt32) {
        service = Service.self
        self.mark = mark
        // As in DisposalHooks.
        nonisolated(unsafe) let instance = instance
        let async = hooks.async
        work = Locked(
            Work(
                sync: hooks.sync.map { hook in { try hook(instance) } },
                async: async.map { hook in { @Sendable in try await hook(instance) } }))
    }

    /// Gives the work to the first who asks.
    func take() -> Work? { work.withLock { $0.take() } }

    /// Does the work where nobody has; what is asynchronous goes on in a task of its own.
    ///
    /// - Returns: What the hook threw.
    @discardableResult
    func run() -> (any Error)? {
        guard let work = take() else { return nil }
        var failure: (any Error)?
        do { try work.sync?() } catch { failure = error }
        if let async = work.async { Task.detached { try await async() } }
        return failure
    }

    /// Does the work where nobody has, and waits for it.
    ///
    /// - Returns: What the hooks threw.
    func finish(isolation: isolated (any Actor)?) async -> [any Error] {
        guard let work = take() else { return [] }
        var failures: [any Error] = []
        do { try work.sync?() } catch { failures.append(error) }
        do { try await work.async?() } catch { failures.append(error) }
        return failures
    }
}
