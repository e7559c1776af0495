/// Records the registrations of one install in one container. Its invariants are in Installation.swift.
final class InstallationRecorder: Sendable {
    @TaskLocal
    static var innermost: InstallationRecorder?

    /// The identity of the container is enough: the installing code holds the container, and a closed recorder records nothing.
    private let container: ObjectIdentifier
    /// The recorder of the install around this one.
    private let outer: InstallationRecorder?
    /// The identity of the task in which the recorder was made; nil outside of tasks.
    private let task: Int?
    /// Nil when the recorder is closed.
    private let registrations = Locked<[AnyServiceRegistration]?>([])

    init(_ container: DependencyContainer) {
        self.container = ObjectIdentifier(container)
        outer = InstallationRecorder.innermost
        task = InstallationRecorder.currentTask
    }

    /// Runs a closure outside of any install: a factory that runs for the container that owns it.
    static func unbound<Output>(_ body: () -> Output) -> Output {
        innermost == nil ? body() : $innermost.withValue(nil, operation: body)
    }

    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

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

    func forget(_ registration: AnyServiceRegistration) {
        registrations.withLock { $0?.removeAll { $0 === registration } }
    }

    /// Ends the recording.
    ///
    /// - Returns: The recorded registrations, oldest first.
    func close() -> [AnyServiceRegistration] {
        registrations.withLock { registrations in
            defer { registrations = nil }
            return registrations ?? []
        }
    }
}

extension [AnyServiceRegistration] {
    /// Adds a registration in the order of their numbers, and removes the earlier ones that it replaces.
    ///
    /// - Returns: The removed registrations.
    fileprivate mutating func add(_ registration: AnyServiceRegistration, replacing: Bool) -> [AnyServiceRegistration] {
        var replaced: [AnyServiceRegistration] = []
        if replacing {
            func isReplaced(_ other: AnyServiceRegistration) -> Bool {
                other.key == registration.key && other.number < registration.number
            }
            replaced = filter(isReplaced)
            removeAll(where: isReplaced)
        }
        // The end of a replaced instance may have registered services. They are later, but were added before.
        var index = endIndex
        while index > startIndex, self[index - 1].number > registration.number { index -= 1 }
        insert(registration, at: index)
        return replaced
    }
}
