public import Hopoate

extension DependencyContainer {
    /// Replaces registrations in one step, while requests use the container.
    ///
    /// ```swift
    /// let app = DependencyContainer.allowingCommits { error in print(error) }
    /// app.register(Database.self, factory: { _ in try await Database.connect() }, onAsyncDispose: { await $0.close() })
    /// app.seal()
    ///
    /// let commit = try await app.commit { next in
    ///     next.register(Database.self, factory: { _ in try await Database.connect() }, onAsyncDispose: { await $0.close() })
    /// }
    /// print(commit)
    /// ```
    ///
    /// The closure registers in a container of its own, in which everything works: modules, decorators, and resolving, to try the new
    /// services out. Services that the closure does not register are resolved from this container. When the closure returns, each of its
    /// registrations replaces all registrations of the same type and name in this container, also if this container is sealed. Health checks
    /// are an exception: each replaces only the one of the same service.
    ///
    /// - **One step.** A lookup sees all changes or none. If a factory of this container runs while a commit publishes, its instance is disposed of
    ///   before anybody gets it, and the factory runs again.
    /// - **Generations.** A child, such as the container of a request, keeps the services that it began with. Children that are made after
    ///   the commit have the new ones. Services that no commit replaces are shared by all.
    /// - **Created first.** If the replaced service has an instance, the new one is created before the change. If that fails, or if the
    ///   closure throws, nothing changes, and the new instances are disposed of.
    /// - **Checked, if you ask.** `try next.validate()` in the closure throws what would be wrong after the commit, also with services of this
    ///   container that find new ones, and nothing changes.
    /// - **Disposed of last.** Replaced instances are disposed of, once and in the reverse order of creation, when the last child that began
    ///   before the commit has ended, and the last closure that borrows them. A shutdown of this container waits for their hooks.
    /// - **In turn.** Commits of one container run one after the other. A commit inside the closure of another one throws, and so does one
    ///   inside an asynchronous factory of this container.
    ///
    /// A singleton of this container that the commit does not replace may hold a replaced instance, which will be disposed of. With
    /// `rebuildingDependents`, those that are known to do so are registered anew, too. The result names the others.
    ///
    /// - Parameters:
    ///   - rebuildingDependents: Whether services with an instance that uses a replaced one, as a parameter of its initializer or through
    ///     other services, are registered anew and created once more.
    ///   - change: Registers the new services in the container that it gets. Do not keep that container.
    /// - Returns: The services that the commit has replaced, and those that still use replaced ones.
    /// - Throws: The error of the closure; the `DependencyError` of a service that cannot be created; ``DependencyCommitError``; or
    ///   `CancellationError` if the task is cancelled while it waits for its turn.
    /// - Complexity: O(n) in the number of registrations and living generations, plus the closure and the factories. It waits for lookups
    ///   in progress, a few nanoseconds each.
    @discardableResult
    public func commit(
        rebuildingDependents: Bool = false, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line, _ change: (DependencyContainer) async throws -> Void
    ) async throws -> DependencyCommit {
        func error(_ reason: DependencyCommitError.Reason) -> DependencyCommitError {
            .init(reason, "\(fileID):\(line)")
        }
        guard allowsCommits else { throw error(.notAllowed) }
        // A factory would run again because of its own commit, and that would have to wait for a commit that waits for the instance.
        if Inside.objects.contains(ObjectIdentifier(self)) || isCreatingHere { throw error(.nested) }
        let turn = try await takeTurn()
        defer { turn.decide(nil) }
        if isShutDown { throw error(.shutDown) }
        let staging = makeStaging()
        let commit = try await Inside.$objects.withValue(Inside.objects + [ObjectIdentifier(self)]) {
            try await change(staging)
            keepHealthChecks(in: staging)
            var commit = DependencyCommit()
            if rebuildingDependents {
                let holders = ReplacedServices(in: self, by: staging).holders
                commit.rebuilt = holders.filter(staging.registerAnew).map(\.registration.identity.description)
            }
            try await staging.createReplacements()
            return commit
        }
        return try publish(staging, commit) ?? { throw error(.shutDown) }()
    }

    /// Adds the health checks of this container to those of a commit, unless that has one of the same service.
    ///
    /// All health checks have one key, so a commit would remove those of the services that it does not replace.
    private func keepHealthChecks(in staging: DependencyContainer) {
        guard staging.replaces(DependencyHealthCheck.self) else { return }
        let added = staging.resolveAll(DependencyHealthCheck.self)
        let kept = resolveAll(DependencyHealthCheck.self).filter { known in !added.contains { $0.replaces(known) } }
        for (index, check) in (added + kept).reversed().enumerated() {
            staging.register(check, for: DependencyHealthCheck.self, replacing: index == 0)
        }
    }

    /// Publishes the registrations of a commit.
    ///
    /// - Returns: The commit with its result; nil if the container was shut down.
    private func publish(_ staging: DependencyContainer, _ commit: DependencyCommit) -> DependencyCommit? {
        var commit = commit
        let services = ReplacedServices(in: self, by: staging)
        let rebuilt = Set(commit.rebuilt)
        let healthChecks = ServiceIdentity(DependencyHealthCheck.self)
        commit.replaced = services.replaced.filter { $0 != healthChecks }.map(\.description)
            .filter { !rebuilt.contains($0) }.sorted()
        commit.outdated = services.holders.map(\.registration.identity.description)
        commit.maybeOutdated = services.possibleHolders.map(\.registration.identity.description)
        return publish(staging) ? commit : nil
    }

    /// Waits until no other commit of this container runs.
    ///
    /// - Returns: The outcome for which the next commit waits.
    private func takeTurn(isolation: isolated (any Actor)? = #isolation) async throws -> SharedOutcome {
        let turn = SharedOutcome()
        guard let previous = withAttachment(CommitTurn.self, { exchange(&$0.last, with: turn) }) else { return turn }
        do { try await previous.value() } catch {
            // The task was cancelled, and the next commit still has to wait for the previous one.
            Task.detached {
                try? await previous.value()
                turn.decide(nil)
            }
            throw error
        }
        return turn
    }
}

/// The end of the newest commit of a container.
private struct CommitTurn: ContainerAttachment {
    var last: SharedOutcome?
}
