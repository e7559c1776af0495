// How creations are recorded.
//
// As with instruments, registration decides once, and no resolve path checks for a recorder. While a container has a recorder, a
// registration that is made in it or in a child gets a record, and its factory is wrapped in a closure that tells the record of the
// creation. Nothing else of the registration changes: unlike an observer, a record hears nothing of resolve calls, so the registration
// keeps the form with the fastest lookup. A resolve call that finds an instance never reaches the wrapped factory.
//
// Invariants:
//
// 1. A record belongs to its registration: the factory retains it, or, if an eager instance has none, the disposals of the registration.
//    So it ends with the registration.
// 2. A child that was made while its parent had a recorder holds its token until it ends.

/// Records the creations of a container and of its children.
package protocol CreationRecorder: AnyObject, Sendable {
    /// Makes the record of a service that is about to be registered.
    func makeRecord() -> any ServiceRecord

    /// Makes the object that a new child holds while it lives.
    func makeChildToken() -> any AnyObject & Sendable
}

/// The record of the creations of one registration.
///
/// It has the form of an observer, so that the same code wraps the factory. But it is not the observer of the registration, which would
/// lose its fast path.
package protocol ServiceRecord: AnyObject, DependencyObserver {}

/// The recorder of a container, and its place in that of its parent.
private struct Recorders: ContainerAttachment {
    var own: (recorder: any CreationRecorder, watching: Watching)?
    /// The token of the parent's recorder, if the parent has one.
    var childToken: (any AnyObject & Sendable)?
}

extension DependencyContainer {
    /// Records the creations of later registrations, unless this container or a parent has a recorder already.
    package func record(by makeRecorder: () -> any CreationRecorder) {
        if nearestRecorder != nil { return }
        let own = (makeRecorder(), Watching())
        // Another thread may have added one.
        state.withAttachment(Recorders.self) { if $0.own == nil { $0.own = own } }
    }

    /// The recorder of this container; nil if it has none of its own.
    package var recorder: (any CreationRecorder)? {
        stateIfAny?.withAttachmentIfAny(Recorders.self) { $0.own?.recorder } ?? nil
    }

    /// The recorder of this container, or that of the nearest parent that has one; nil if there is none.
    private var nearestRecorder: (any CreationRecorder)? {
        var next: DependencyContainer? = self
        while let container = next {
            if let recorder = container.recorder { return recorder }
            next = container.parent
        }
        return nil
    }

    /// Makes a record for a service that is about to be registered; nil if there is no recorder.
    func makeRecord() -> (any ServiceRecord)? { nearestRecorder?.makeRecord() }

    /// Gives this container, a new child, the token of the recorder, if there is one.
    func noteChild() {
        guard let token = parent?.nearestRecorder?.makeChildToken() else { return }
        state.withAttachment(Recorders.self) { $0.childToken = token }
    }
}

/// The services that the current code is creating, outermost first.
package func servicesInCreation() -> [ServiceIdentity] { Creation.currentTrail }
