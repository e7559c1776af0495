// What an install has registered, so that it can be taken out again.
//
// While a module registers, a recorder is bound to its task (or to its thread, where there is no task). `add` looks for
// recorders only while somebody in the process installs; at all other times that is one load. Invariants:
//
// 1. The count of those who watch is raised before a recorder is bound and lowered after it is closed. Whoever is to be
//    recorded runs between the two, on the thread that did both, so no order stronger than relaxed is needed.
// 2. A recorder notes only what the task does that it was made in. A task that was started by the module inherits the binding,
//    but it is another task.
// 3. A closed recorder notes nothing. So a task that outlives the install may keep the binding.

/// What an install has put into a container: the token for ``DependencyContainer/uninstall(_:)``.
///
/// ```swift
/// struct AppModule: DependencyModule {}
/// let installation = try container.install(AppModule())
/// container.uninstall(installation)
/// ```
///
/// It keeps nothing alive, neither the container nor what was installed, so a part of what was installed may hold it. You need
/// not keep one: the container holds on to its registrations by itself.
///
/// - Note: Concurrency. May be kept, passed on and uninstalled from any thread.
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

    /// What still exists of it, oldest first.
    fileprivate var registrations: [AnyServiceRegistration] {
        // Not under the lock: these may be the last references.
        entries.withLock { $0 }.compactMap(\.registration)
    }

    /// Forgets all of it.
    fileprivate func clear() {
        let cleared = entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
        withExtendedLifetime(cleared) {}
    }
}

extension DependencyContainer {
    /// Takes out what an install has put in, newest first, and nothing else.
    ///
    /// ```swift
    /// struct AppModule: DependencyModule {}
    /// let installation = try container.install(AppModule())
    /// container.uninstall(installation)
    /// ```
    ///
    /// Registrations that it shadowed are found again. What was removed or replaced meanwhile is left alone; so doing it twice,
    /// or with another container, or after its `shutdown()`, does nothing.
    ///
    /// - Parameter installation: The token.
    /// - Complexity: As that many calls of ``remove(_:)``.
    /// - Note: Concurrency. From any thread. The registrations go one after the other; each of them as by ``remove(_:)``.
    public func uninstall(_ installation: Installation) {
        guard installation.container.container === self else { return }
        var registrations = installation.registrations
        installation.clear()
        // One by one, so that what a service resolves at its end still finds the older ones.
        while let registration = registrations.popLast() { remove(anyOf: registration) }
    }

    /// Runs a closure and notes what it registers here; where it throws, that is taken out again.
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
                // Not by way of `remove`: it is undone also where the module has sealed the container.
                registry.remove(registration)
                noteRemoval(of: registration)
            }
            throw error
        }
    }

    /// Tells the installs that this code is a part of what it has registered.
    @usableFromInline
    func noteAddition(of registration: AnyServiceRegistration, replacing: Bool) {
        InstallationRecorder.forEach(of: self) { $0.note(registration, replacing: replacing) }
    }

    /// Tells the installs that this code is a part of what it has taken out.
    func noteRemoval(of registration: AnyServiceRegistration) {
        InstallationRecorder.forEach(of: self) { $0.forget(registration) }
    }
}
