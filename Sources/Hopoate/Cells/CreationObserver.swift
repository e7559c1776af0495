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
package protocol CreationObserver: AnyObject, Sendable {
    /// - Parameter factory: Identifies the factory.
    func begin(_ creation: ObservedCreation, by factory: ObjectIdentifier)
    /// Tells which task runs a creation. Called after `begin`, and maybe after `end`.
    func adopt(_ task: Task<Void, Never>, of creation: ObservedCreation)
    func end(_ creation: ObservedCreation, isCreated: Bool)
    func beginWait(_ wait: ObservedWait)
    func endWait(_ wait: ObservedWait)
}

/// A creation as an observer sees it. It retains the creation.
package struct ObservedCreation: Sendable {
    fileprivate let creation: Creation

    package var id: ObjectIdentifier { ObjectIdentifier(creation) }

    /// The creation around this one; nil for an outermost one.
    package var outer: ObservedCreation? { creation.outer.map(ObservedCreation.init) }

    /// Whether the creation suspends, and so runs in a task of its own.
    package var isSuspending: Bool { creation.isSuspending }

    /// Returns the services that the creation is creating or waiting for, beginning with its own.
    ///
    /// - Parameter others: Other creations in flight.
    package func chain(among others: [ObservedCreation]) -> [ServiceIdentity] {
        let (chain, last) = WaitForGraph.chain(from: creation)
        // Without an edge, a thread creates a service inside it.
        let inside = others.map(\.creation).filter { $0 !== last && $0.isInside(last) }.max { $0.depth < $1.depth }
        return inside.map { chain + last.path(to: $0).dropFirst() } ?? chain
    }
}

/// The wait of a creation for another one, as an observer sees it. It retains both.
package struct ObservedWait: Sendable {
    fileprivate let edge: WaitEdge

    package var id: ObjectIdentifier { ObjectIdentifier(edge) }

    /// The innermost creation around the waiter.
    package var waiter: ObservedCreation { ObservedCreation(creation: edge.waiter) }

    /// The creation that it waits for.
    package var target: ObservedCreation { ObservedCreation(creation: edge.target) }

    /// The service that it waits for.
    package var service: ServiceIdentity { edge.target.identity }
}

/// The observers of the creations of a container.
private struct CreationObservers: ContainerAttachment {
    var all: [(observer: any CreationObserver, watching: Watching)] = []
}

extension DependencyContainer {
    /// Tells an observer of all creations for this container that begin before its removal.
    package func add(_ observer: any CreationObserver) {
        let watched = (observer, Watching())
        state.withAttachment(CreationObservers.self) { $0.all.append(watched) }
    }

    /// Removes an observer. It still hears of the creations that have begun.
    package func remove(_ observer: any CreationObserver) {
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
        let observed = ObservedCreation(creation: self)
        for observer in observers { observer.begin(observed, by: ObjectIdentifier(factory)) }
    }

    func noteAdoption(by task: Task<Void, Never>) {
        for observer in observers ?? [] { observer.adopt(task, of: ObservedCreation(creation: self)) }
    }

    @inline(__always)
    func noteEnd(isCreated: Bool) {
        if _slowPath(observers != nil) { noteEndObserved(isCreated: isCreated) }
    }

    @inline(never)
    private func noteEndObserved(isCreated: Bool) {
        for observer in observers ?? [] { observer.end(ObservedCreation(creation: self), isCreated: isCreated) }
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
        for observer in observers { observer.beginWait(ObservedWait(edge: self)) }
    }

    func noteEnd() {
        for observer in observers { observer.endWait(ObservedWait(edge: self)) }
    }
}
