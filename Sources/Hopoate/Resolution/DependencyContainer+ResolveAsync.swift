extension DependencyContainer {
    /// The newest service of a type, created asynchronously where it has to be; nobody's thread is blocked meanwhile.
    ///
    /// ```swift
    /// container.register(Database.self) { _ in try await Database.connect() }
    /// let database = try await container.asyncResolve(Database.self)
    /// ```
    ///
    /// All who ask while the service is being created share that creation, and its failure too; a failure is not kept for those
    /// who come later. Services that are created synchronously, or exist already, are found as well.
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    ///   - isolation: The actor of the caller, on which creators that do not suspend run; filled in by the compiler.
    /// - Returns: The service, kept.
    /// - Throws: As ``require(_:named:fileID:line:)``; ``DependencyError/Reason/cancelled`` where the task is cancelled while it
    ///   waits, which neither ends the creation nor disturbs the others.
    /// - Complexity: As ``resolve(_:fileID:line:)`` where the service exists.
    /// - Note: Concurrency. From any task.
    public func asyncResolve<Service>(
        _ serviceType: Service.Type = Service.self, named name: DependencyName? = nil, fileID: StaticString = #fileID,
        line: UInt = #line, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        let key = ServiceKey<Service>(named: name)
        var owner: DependencyContainer? = self
        while let container = owner {
            if let registration = container.registry.newest(key) {
                let request = Request(asked: self, owner: container)
                guard let recipe = registration.source.recipe(taking: Void.self) else {
                    return try registration.make(key, request)
                }
                return try await recipe.requestedInstance(suspending: key, (), request)
            }
            owner = container.parent
        }
        throw missing(key, CallSite(fileID, line))
    }

    /// The service for arguments, created asynchronously where it has to be.
    ///
    /// ```swift
    /// let profile = try await container.asyncResolve(Profile.self, arguments: 7)
    /// ```
    ///
    /// - Parameters:
    ///   - serviceType: The type it was registered under.
    ///   - name: The name it was registered with; nil for one without.
    ///   - first: The first argument.
    ///   - rest: The others.
    ///   - fileID: Where it is asked for; filled in by the compiler.
    ///   - line: Where it is asked for; filled in by the compiler.
    ///   - isolation: The actor of the caller, on which creators that do not suspend run; filled in by the compiler.
    /// - Returns: The service, kept.
    /// - Throws: As ``asyncResolve(_:named:fileID:line:isolation:)``.
    /// - Complexity: As ``resolve(_:fileID:line:)`` where the service exists.
    /// - Note: Concurrency. From any task.
    public func asyncResolve<Service, First, each Rest>(
        _ serviceType: Service.Type, named name: DependencyName? = nil, arguments first: First,
        _ rest: repeat each Rest,
        fileID: StaticString = #fileID, line: UInt = #line, isolation: isolated (any Actor)? = #isolation
    ) async throws(DependencyError) -> Service {
        typealias Arguments = (First, (repeat each Rest))
        let key = ServiceKey<Service>(arguments: Arguments.self, named: name)
        var owner: DependencyContainer? = self
        while let container = owner {
            if let recipe = container.registry.newest(key)?.source.recipe(taking: Arguments.self) {
                return try await recipe.requestedInstance(
                    suspending: key, (first, (repeat each rest)), Request(asked: self, owner: container))
            }
            owner = container.parent
        }
        throw missing(key, CallSite(fileID, line))
    }

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
        let singletons = registry.registrations().filter { $0.recipe?.lifetime.policy is Singleton }
        var turn = singletons.filter { $0.recipe?.isAsynchronous == true }
        var others = singletons.filter { $0.recipe?.isAsynchronous == false }
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
                try await registration.recipe?.create(registration, Request(asked: self, owner: self))
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
