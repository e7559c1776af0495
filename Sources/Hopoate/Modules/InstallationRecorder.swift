/// Records the registrations of one install in one container. Its invariants are in Installation.swift.
final class InstallationRecorder: Sendable {
    /// The identity of the container is enough: the installing code holds the container, and a closed recorder records nothing.
    private let container: ObjectIdentifier
    /// The recorder of the install around this one.
    private let outer: InstallationRecorder?
    /// The identity of the task in which the recorder was made; nil outside of tasks.
    private let task: Int?
    /// By their keys and numbers, so that forgetting one takes constant time. Nil when the recorder is closed.
    private let registrations = Locked<Registrations?>([:])

    fileprivate typealias Registrations = [AnyServiceKey: [Int: AnyServiceRegistration]]

    init(_ container: DependencyContainer) {
        self.container = ObjectIdentifier(container)
        outer = InstallationRecorder.innermost
        task = currentTask
    }

    /// The recorder of the innermost install around this code; nil if there is none.
    private static var innermost: InstallationRecorder? {
        TaskContext.current.installation as? InstallationRecorder
    }

    /// Runs a closure in an install that this recorder records.
    func bind<Output>(_ body: () throws -> Output) rethrows -> Output {
        try TaskContext.$current.withValue(TaskContext.current.with { $0.installation = self }, operation: body)
    }

    /// Calls a closure for each install around this code into a container.
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
        let replaced = registrations.withLock { $0?.add(registration, replacing: replacing) }
        // Outside the lock, since these may be the last references.
        withExtendedLifetime(replaced) {}
    }

    func forget(_ key: AnyServiceKey, number: Int) {
        let forgotten = registrations.withLock { $0?[key]?.removeValue(forKey: number) }
        // As above.
        withExtendedLifetime(forgotten) {}
    }

    /// Ends the recording.
    ///
    /// - Returns: The recorded registrations, oldest first.
    func close() -> [AnyServiceRegistration] {
        let recorded = registrations.withLock { registrations in
            defer { registrations = nil }
            return registrations
        }
        return (recorded ?? [:]).values.flatMap(\.values).sorted { $0.number < $1.number }
    }
}

extension InstallationRecorder.Registrations {
    /// Adds a registration, and removes the earlier ones that it replaces.
    ///
    /// - Returns: The removed registrations.
    fileprivate mutating func add(_ registration: AnyServiceRegistration, replacing: Bool) -> [AnyServiceRegistration] {
        var replaced: [AnyServiceRegistration] = []
        if replacing, let others = self[registration.key] {
            replaced = others.values.filter { $0.number < registration.number }
            self[registration.key] = others.filter { $0.key > registration.number }
        }
        self[registration.key, default: [:]][registration.number] = registration
        return replaced
    }
}
