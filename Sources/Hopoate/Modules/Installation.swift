// An install records its registrations, so that they can be removed again.
//
// While a module registers, a recorder is bound to its task, or to its thread if there is no task. `add` looks for recorders only
// while the process has watchers: installs, instruments, or creations in tasks. Without any, that is one load. Invariants:
//
// 1. The count of watchers is raised before a recorder is bound, and lowered after it is closed. The recorded code runs between
//    the two, on the thread that did both, so no order stronger than relaxed is needed.
// 2. A recorder records only the task in which it was made. A task that the module starts inherits the binding, but is another
//    task.
// 3. A closed recorder records nothing. So a task that outlives the install may keep the binding.

/// The registrations of one install: a token for ``DependencyContainer/uninstall(_:)``.
///
/// ```swift
/// struct AppModule: DependencyModule {}
/// let installation = try container.install(AppModule())
/// container.uninstall(installation)
/// ```
///
/// The token keeps neither the container nor the services alive, so an installed service may hold it. You need not keep the
/// token: the container retains its registrations.
///
/// - Note: Concurrency. Thread-safe.
public final class Installation: Sendable {
    fileprivate let container: WeakContainer
    private let entries: Locked<[Entry]>

    private struct Entry {
        weak var registration: AnyServiceRegistration?
    }

    init(_ container: DependencyContainer, _ registrations: [AnyServiceRegistration]) {
        self.container = WeakContainer(container)
        entries = Locked(registrations.map { Entry(registration: $0) })
    }

    /// The registrations that still exist, oldest first.
    fileprivate var registrations: [AnyServiceRegistration] {
        // Outside the lock, since these may be the last references.
        entries.withLock { $0 }.compactMap(\.registration)
    }

    /// Forgets all registrations.
    fileprivate func clear() {
        let cleared = entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
        withExtendedLifetime(cleared) {}
    }
}

extension DependencyContainer {
    /// Removes the registrations of an install, newest first.
    ///
    /// ```swift
    /// struct AppModule: DependencyModule {}
    /// let installation = try container.install(AppModule())
    /// container.uninstall(installation)
    /// ```
    ///
    /// Shadowed registrations are found again. Registrations that were removed or replaced meanwhile are ignored. So a second
    /// call does nothing, nor does a call on another container or after `shutdown()`.
    ///
    /// - Parameter installation: The token.
    /// - Complexity: One ``remove(_:)`` per registration.
    /// - Note: Concurrency. The registrations are removed one by one, each with ``remove(_:)``.
    public func uninstall(_ installation: Installation) {
        guard installation.container.container === self else { return }
        var registrations = installation.registrations
        installation.clear()
        // One by one, so that a service that resolves in its deinitializer or hook still finds the older ones.
        while let registration = registrations.popLast() { remove(anyOf: registration) }
    }

    /// Runs a closure and records its registrations in this container. If the closure throws, removes them again.
    func recordingInstallation(_ body: () throws -> Void) throws -> Installation {
        if registry.isSealed { throw DependencyError(modulesRefusedBy: self) }
        let recorder = InstallationRecorder(self)
        beginWatching()
        defer { endWatching() }
        do {
            try InstallationRecorder.$innermost.withValue(recorder, operation: body)
            return Installation(self, recorder.close())
        } catch {
            var registrations = recorder.close()
            while let registration = registrations.popLast() {
                // Not through `remove`: an install is undone even if a module has sealed the container.
                registry.remove(registration)
                noteRemoval(of: registration)
            }
            throw error
        }
    }

    /// Records a registration in the installs around this code.
    @usableFromInline
    func noteAddition(of registration: AnyServiceRegistration, replacing: Bool) {
        InstallationRecorder.forEach(of: self) { $0.note(registration, replacing: replacing) }
    }

    /// Forgets a registration in the installs around this code.
    func noteRemoval(of registration: AnyServiceRegistration) {
        InstallationRecorder.forEach(of: self) { $0.forget(registration) }
    }
}
