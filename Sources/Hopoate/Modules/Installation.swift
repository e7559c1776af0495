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
/// - Note: Concurrency. Immutable and thread-safe.
public final class Installation: Sendable {
    fileprivate let container: WeakContainer
    fileprivate let entries: [Entry]

    /// A registration, by its place in the container.
    // Not by a weak reference: from the first one on, each retain and release of the registration would take a slow path of the runtime.
    // No other registration of the container ever gets this number, not even if the key is that of another name by now.
    fileprivate struct Entry {
        let key: AnyServiceKey
        let number: Int

        init(_ registration: AnyServiceRegistration) {
            key = registration.key
            number = registration.number
        }
    }

    init(_ container: DependencyContainer, _ registrations: [AnyServiceRegistration]) {
        self.container = .only(container)
        entries = registrations.map(Entry.init)
    }

    /// The services of this install that have registrations of others beside its own, under the same type and name.
    package var sharedServices: [ServiceIdentity] {
        guard let container = container.container else { return [] }
        let own = Set(entries.map(\.number))
        return Set(entries.map(\.key)).filter { key in
            let isOwn = Set(container.registry.stack(key).map { own.contains($0.number) })
            return isOwn.count == 2
        }.map { ServiceIdentity($0) }
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
        // One by one, so that a service that resolves in its deinitializer or hook still finds the older ones.
        for entry in installation.entries.reversed() {
            registry.remove(entry.key, number: entry.number)
            generations?.remove(entry.key, number: entry.number)
            if isWatched { noteRemoval(of: entry.key, number: entry.number) }
        }
    }

    /// Runs a closure and records its registrations in this container. If the closure throws, removes them again.
    ///
    /// - Parameter module: The type of the first module, for messages.
    func recordingInstallation(of module: any Any.Type, _ body: () throws -> Void) throws -> Installation {
        if registry.isSealed { throw DependencyError(refusedModule: module, by: self) }
        let recorder = InstallationRecorder(self)
        beginWatching()
        defer { endWatching() }
        do {
            try recorder.bind(body)
            return Installation(self, recorder.close())
        } catch {
            var registrations = recorder.close()
            while let registration = registrations.popLast() {
                // Not through `remove`: an install is undone even if a module has sealed the container.
                registry.remove(registration)
                noteRemoval(of: registration.key, number: registration.number)
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
    func noteRemoval(of key: AnyServiceKey, number: Int) {
        InstallationRecorder.forEach(of: self) { $0.forget(key, number: number) }
    }
}
