extension DependencyContainer {
    /// Creates every singleton that does not exist yet, one after the other: before a service takes its first request, say.
    ///
    /// ```swift
    /// try await container.warmUp()
    /// ```
    ///
    /// Those that are created asynchronously come first: so what is made of a database, say, finds it with `resolve`. One of them
    /// that needs another one asks with `asyncResolve`, or with `require`, whose error is no failure here: it is tried again when
    /// the other one exists. With `resolve` the process would end. Singletons of the parents are left alone; so are all that the
    /// creators of these do not ask for and that are no singletons themselves.
    ///
    /// - Parameter isolation: The actor of the caller; filled in by the compiler.
    /// - Throws: The error of the first one that cannot be created. Those before it stay, and a second call goes on.
    /// - Complexity: Linear in the number of registrations, plus the creators; once more for those that were too early.
    /// - Note: Concurrency. From any task. Whoever asks meanwhile shares the creations.
    public func warmUp(isolation: isolated (any Actor)? = #isolation) async throws(DependencyError) {
        let singletons = registry.registrations().filter { $0.factory?.lifetime.isSingleton == true }
        var turn = singletons.filter { $0.factory?.isAsynchronous == true }
        var others = singletons.filter { $0.factory?.isAsynchronous == false }
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

    /// Creates what can be created now.
    ///
    /// - Returns: What needs something that is going to be created asynchronously; and the first error that says so.
    private func createAll(
        _ registrations: [AnyServiceRegistration], isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> (early: [AnyServiceRegistration], failure: DependencyError?) {
        var early: [AnyServiceRegistration] = []
        var failure: DependencyError?
        for registration in registrations {
            do throws(DependencyError) {
                try await registration.factory?.create(registration, Resolution(container: self, owner: self))
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
    /// Whether something is missing that is going to be created asynchronously, be it for a creator that passed the error on.
    fileprivate var isOnlyAsynchronous: Bool {
        if reason == .creationFailed, let cause = underlying as? DependencyError { return cause.isOnlyAsynchronous }
        return reason == .onlyAsynchronous
    }
}
