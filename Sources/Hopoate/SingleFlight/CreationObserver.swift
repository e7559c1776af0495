// Observing the creations of a container while it is warmed up.
//
// The library calls an observer when the creation of a shared instance begins and ends, and when a creation begins and ends to wait for
// another one. Observers are attached to the container that the instances are created for. When a creation begins, it copies the list of
// observers of its container. It calls these observers until its end, even if they were removed from the container meanwhile.
//
// Invariant: after each call of `begin`, the same observer gets a call of `end`, and after each `beginWait` an `endWait`. An observer may
// therefore retain a creation between these two calls. The reference cycle with the creation, which retains its observers, ends with the
// second call. The only exception is a thread that a failure handler stops for ever inside a factory: it keeps the creation alive anyway.
//
// Resolve calls that find an existing instance do nothing for observers. A creation reads one word of the process: `isWatched`.

/// Observes the creations of a container. Called with no lock held.
protocol CreationObserver: AnyObject, Sendable {
    /// - Parameter factory: Identifies the factory.
    func begin(_ creation: Creation, by factory: ObjectIdentifier)
    /// Tells which task runs a creation. Called after `begin`, and maybe after `end`.
    func adopt(_ task: Task<Void, Never>, of creation: Creation)
    func end(_ creation: Creation, isCreated: Bool)
    func beginWait(_ edge: WaitEdge)
    func endWait(_ edge: WaitEdge)
}

/// The observers of the creations of a container.
private struct CreationObservers: ContainerAttachment {
    var all: [(observer: any CreationObserver, watching: Watching)] = []
}

extension DependencyContainer {
    /// Tells an observer of all creations for this container that begin before its removal.
    func add(_ observer: any CreationObserver) {
        let watched = (observer, Watching())
        state.withAttachment(CreationObservers.self) { $0.all.append(watched) }
    }

    func remove(_ observer: any CreationObserver) {
        let removed = state.withAttachment(CreationObservers.self) { observers in
            observers.all.firstIndex { $0.observer === observer }.map { observers.all.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }

    fileprivate var creationObservers: [any CreationObserver] {
        stateIfAny?.withAttachmentIfAny(CreationObservers.self) { $0.all.map(\.observer) } ?? []
    }
}

extension Creation {
    /// Tells the observers of the container that this creation begins.
    @inline(__always)
    func noteBegin(by factory: AnyObject, in container: DependencyContainer) {
        if _slowPath(isWatched) { noteBeginWatched(by: factory, in: container) }
    }

    @inline(never)
    private func noteBeginWatched(by factory: AnyObject, in container: DependencyContainer) {
        let observers = container.creationObservers
        if observers.isEmpty { return }
        self.observers = observers
        for observer in observers { observer.begin(self, by: ObjectIdentifier(factory)) }
    }

    func noteAdoption(by task: Task<Void, Never>) {
        for observer in observers ?? [] { observer.adopt(task, of: self) }
    }

    @inline(__always)
    func noteEnd(isCreated: Bool) {
        if _slowPath(observers != nil) { noteEndObserved(isCreated: isCreated) }
    }

    @inline(never)
    private func noteEndObserved(isCreated: Bool) {
        for observer in observers ?? [] { observer.end(self, isCreated: isCreated) }
    }
}

extension WaitEdge {
    /// The observers of the waiting creation and of those around it, each once.
    private var observers: [any CreationObserver] {
        var observers: [any CreationObserver] = []
        var next: Creation? = waiter
        while let creation = next {
            for observer in creation.observers ?? [] where !observers.contains(where: { $0 === observer }) {
                observers.append(observer)
            }
            next = creation.outer
        }
        return observers
    }

    func noteBegin() {
        for observer in observers { observer.beginWait(self) }
    }

    func noteEnd() {
        for observer in observers { observer.endWait(self) }
    }
}
