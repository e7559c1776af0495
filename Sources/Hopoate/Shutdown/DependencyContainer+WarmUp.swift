extension DependencyContainer {
    /// Creates every singleton that does not exist yet, one after the other.
    ///
    /// Call it before a server accepts its first HTTP request.
    ///
    /// ```swift
    /// try await container.warmUp()
    /// ```
    ///
    /// Singletons with asynchronous factories come first. Synchronous factories that depend on them, on a database for example,
    /// then find them with `resolve`.
    ///
    /// An asynchronous factory that depends on another asynchronous one uses `asyncResolve` or `require`. If `require` throws
    /// because the other service does not exist yet, this singleton is tried again after the others. `resolve` would trap.
    ///
    /// Singletons of the parents are not created. Services with other lifetimes are created only if these factories resolve them.
    /// Concurrent resolve calls share the instances.
    ///
    /// - Throws: The error of the first singleton that cannot be created. Those created before stay; a second call continues.
    /// - Complexity: O(n log n) in the number of registrations, plus the factories. A singleton that is tried again runs its factory again.
    public func warmUp(isolation: isolated (any Actor)? = #isolation) async throws(DependencyError) {
        try await createInTurn(registry.registrations().reversed().filter(\.isSingleton))
    }

    /// Creates instances that do not exist yet: first those with asynchronous factories. A factory that needs one of the others is tried
    /// again after it.
    func createInTurn(
        _ registrations: [AnyServiceRegistration], isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) {
        var turn = registrations.filter(\.isAsynchronous)
        var others = registrations.filter { !$0.isAsynchronous }
        while true {
            let (early, failure) = try await createAll(turn)
            if early.count < turn.count {
                turn = early
            } else if !others.isEmpty {
                turn += exchange(&others, with: [])
            } else if let failure {
                throw failure
            } else {
                return
            }
        }
    }

    /// Creates the instances of some registrations.
    ///
    /// - Returns: The registrations whose factory needs an asynchronous service that does not exist yet; and the first such error.
    private func createAll(
        _ registrations: [AnyServiceRegistration], isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> (early: [AnyServiceRegistration], failure: DependencyError?) {
        var early: [AnyServiceRegistration] = []
        var failure: DependencyError?
        for registration in registrations {
            do throws(DependencyError) {
                try await registration.createInstance(in: self)
            } catch {
                guard error.isOnlyAsynchronous else { throw error }
                early.append(registration)
                failure = failure ?? error
            }
        }
        return (early, failure)
    }
}

extension DependencyError {
    /// Whether an asynchronous service does not exist yet. A factory may have passed such an error on.
    package var isOnlyAsynchronous: Bool {
        if reason == .creationFailed, let cause = underlying as? DependencyError { return cause.isOnlyAsynchronous }
        return reason == .onlyAsynchronous
    }
}

extension AnyServiceRegistration {
    /// Creates the instance, unless it exists or the factory takes arguments. The container holds the registration.
    package func createInstance(
        in container: DependencyContainer, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) {
        do throws(DependencyError) {
            try await factory?.createIfMissing(self, Resolution(container: container, owner: container))
        } catch {
            throw error.thrown(at: nil, in: container)
        }
    }
}
