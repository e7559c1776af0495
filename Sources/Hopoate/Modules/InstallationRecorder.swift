/// Notes what is registered in a container in the course of an install.
final class InstallationRecorder: Sendable {
    @TaskLocal
    static var innermost: InstallationRecorder?

    /// The container. Its identity is enough: whoever installs holds it, and a closed recorder notes nothing.
    private let container: ObjectIdentifier
    /// That of the install in whose course this one runs.
    private let outer: InstallationRecorder?
    /// What tells the task that it was made in apart from others; nil outside of tasks.
    private let task: Int?
    /// Nil when it is closed.
    private let registrations = Locked<[AnyServiceRegistration]?>([])

    init(_ container: DependencyContainer) {
        self.container = ObjectIdentifier(container)
        outer = InstallationRecorder.innermost
        task = InstallationRecorder.currentTask
    }

    /// Runs a closure that is a part of no install: a factory in the world of its owner.
    static func unbound<Output>(_ body: () -> Output) -> Output {
        innermost == nil ? body() : $innermost.withValue(nil, operation: body)
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    /// Calls a closure for each install into a container that this code is a part of.
    static func forEach(of container: DependencyContainer, _ body: (InstallationRecorder) -> Void) {
        guard let innermost else { return }
        let task = currentTask
        var recorder: InstallationRecorder? = innermost
        while let current = recorder {
            if current.container == ObjectIdentifier(container), current.task == task { body(current) }
            recorder = current.outer
        }
    }

    func note(_ registration: AnyServiceRegistration, replacing: Bool) {
        let replaced = registrations.withLock { registrations -> [AnyServiceRegistration] in
            var replaced: [AnyServiceRegistration] = []
            if replacing, let noted = registrations {
                replaced = noted.filter { $0.key == registration.key }
                registrations = noted.filter { $0.key != registration.key }
            }
            registrations?.append(registration)
            return replaced
        }
        // Outside the lock: these may be the last references.
        withExtendedLifetime(replaced) {}
    }

    func forget(_ registration: AnyServiceRegistration) {
        registrations.withLock { $0?.removeAll { $0 === registration } }
    }

    /// Ends the recording.
    ///
    /// - Returns: What was noted, oldest first.
    func close() -> [AnyServiceRegistration] {
        registrations.withLock { registrations in
            defer { registrations = nil }
            return registrations ?? []
        }
    }
}
