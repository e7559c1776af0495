/// A value that a container stores for another part of the library, at most one of each type. The container makes the value on first use and
/// releases it at its own end. It does not know the type.
///
/// ``ContainerState`` calls closures on an attachment under its lock. These closures must not run code of users, such as deinitializers. So
/// a closure returns the references that it removes, and the caller releases them after the lock.
package protocol ContainerAttachment: Sendable {
    init()
}

/// Children that have to end before their container does. The container holds it weakly.
package protocol ChildContainers: AnyObject, Sendable {
    /// Refuses new children from now on. Called outside locks, when the shutdown of the container has begun.
    ///
    /// - Returns: The children, in the order of their creation. The caller shuts them down.
    func close() -> [DependencyContainer]
}

/// The disposals of a container, whether it was shut down, and what other parts of the library have attached. Made on first use: most
/// containers have none.
final class ContainerState: Sendable {
    private struct Contents {
        var serial = 0
        var disposals: [ObjectIdentifier: (serial: Int, disposal: Disposal)] = [:]
        var leaving = LeavingInstances()
        var hasLostRegistrations = false
        var sealPlace: CallSite?
        /// The children that the shutdown will end first, and the states of the children that it has ended.
        var children: [WeakChildren] = []
        var endedChildren: [ContainerState] = []
        // Not a dictionary, because there are few.
        var attachments: [AnyObject] = []

        func slot<Attachment>(of type: Attachment.Type) -> Slot<Attachment>? {
            for case let slot as Slot<Attachment> in attachments { return slot }
            return nil
        }
    }

    private struct WeakChildren {
        weak var children: (any ChildContainers)?
    }

    /// The place of one attachment. Used under the lock.
    private final class Slot<Attachment> {
        var attachment: Attachment

        init(_ attachment: Attachment) {
            self.attachment = attachment
        }
    }

    private let contents: Locked<Contents>
    /// 1 once shutdown has begun. Incremented under the lock (acquire and release). Also read without it (acquire): each creation
    /// of a scoped service checks the container and all its ancestors.
    private let ends = SharedCounter()

    init(ofDefaultContainer isDefault: Bool) { contents = Locked(Contents(), under: isDefault ? .defaultState : nil) }

    /// Runs a closure on the attachment of a type, under the lock. Makes the attachment if there is none.
    func withAttachment<Attachment: ContainerAttachment, Output>(
        _ type: Attachment.Type, _ body: (inout Attachment) -> Output
    ) -> Output {
        contents.withLock { contents in
            if let slot = contents.slot(of: type) { return body(&slot.attachment) }
            let slot = Slot(Attachment())
            contents.attachments.append(slot)
            return body(&slot.attachment)
        }
    }

    /// Runs a closure on the attachment of a type, under the lock; nil if there is none.
    func withAttachmentIfAny<Attachment: ContainerAttachment, Output>(
        _ type: Attachment.Type, _ body: (inout Attachment) -> Output
    ) -> Output? {
        contents.withLock { contents in contents.slot(of: type).map { body(&$0.attachment) } }
    }

    /// Whether the shutdown of the container has begun.
    var hasEnded: Bool { ends.value != 0 }

    /// The disposals that are left, oldest first.
    var disposals: [Disposal] {
        contents.withLock { $0.disposals.values.sorted { $0.serial < $1.serial }.map(\.disposal) }
    }

    /// Whether there are disposals to run, or asynchronous hooks to await.
    var hasDisposals: Bool { contents.withLock { !$0.disposals.isEmpty || !$0.leaving.isEmpty } }

    /// Adds a disposal, unless shutdown has begun.
    ///
    /// - Returns: Whether it was added. If not, the caller has to run it.
    func add(_ disposal: Disposal) -> Bool {
        contents.withLock { contents in
            guard !hasEnded else { return false }
            contents.serial += 1
            contents.disposals[ObjectIdentifier(disposal)] = (contents.serial, disposal)
            return true
        }
    }

    /// Removes a disposal.
    ///
    /// - Returns: Whether it was there. If so, running it is up to the caller alone.
    func forget(_ disposal: Disposal) -> Bool {
        let entry = contents.withLock { contents in
            let entry = contents.disposals.removeValue(forKey: ObjectIdentifier(disposal))
            // In the same step, so that a shutdown finds it in one of the two.
            if entry != nil { contents.leaving.add(disposal) }
            return entry
        }
        return entry != nil
    }

    /// Removes disposals, which the caller then runs.
    ///
    /// - Returns: Those that were there, newest first.
    func forget(_ disposals: [Disposal]) -> [Disposal] {
        let found = contents.withLock { contents in
            disposals.compactMap { disposal in
                let entry = contents.disposals.removeValue(forKey: ObjectIdentifier(disposal))
                if entry != nil { contents.leaving.add(disposal) }
                return entry
            }
        }
        return found.sorted { $0.serial > $1.serial }.map(\.disposal)
    }

    /// Notes that the asynchronous hook of an instance is about to run.
    func noteStart(of disposal: Disposal) { contents.withLock { $0.leaving.add(disposal) } }

    /// Notes that the asynchronous hook of an instance has ended.
    func noteEnd(of disposal: Disposal) {
        let (waiter, entry) = contents.withLock { $0.leaving.remove(disposal) }
        withExtendedLifetime(entry) { waiter?.wake() }
    }

    /// The instances whose asynchronous hooks a shutdown has to await, because they began before it.
    ///
    /// None if such a hook calls the shutdown. Otherwise these hooks could wait for each other, or for themselves.
    ///
    /// Those of children that ended with the container are among them.
    var leaving: [Disposal] {
        if Disposal.isInStartedHook { return [] }
        let (own, children) = contents.withLock { ($0.leaving.all, $0.endedChildren) }
        return own + children.flatMap(\.leaving)
    }

    /// Waits until the hooks of `leaving` have ended, or the task is cancelled. Only the first call of a shutdown may call it.
    func awaitLeaving() async {
        if leaving.isEmpty { return }
        for child in contents.withLock(\.endedChildren) { await child.awaitLeaving() }
        while !Task.isCancelled {
            let waiter = WaitingTask()
            guard contents.withLock({ $0.leaving.beginWait(waiter) }) else { return }
            await waiter.suspend()
        }
    }

    /// Records that registrations were removed or replaced.
    func noteRemoval() {
        contents.withLock { contents in
            if contents.serial > 0 { contents.hasLostRegistrations = true }
        }
    }

    /// Whether registrations were removed or replaced after the first disposal was added: an instance may use services that are no longer
    /// registered.
    var hasLostRegistrations: Bool { contents.withLock { $0.hasLostRegistrations } }

    /// Records the place of the first `seal`.
    func noteSeal(at place: CallSite) { contents.withLock { $0.sealPlace = $0.sealPlace ?? place } }

    /// The place of the first `seal`; nil if there was none.
    var sealPlace: CallSite? { contents.withLock(\.sealPlace) }

    /// Removes all disposals and returns them, newest first.
    ///
    /// - Parameter areAwaited: Whether a later shutdown waits for their asynchronous hooks.
    func takeDisposals(areAwaited: Bool = false) -> [Disposal] {
        let taken = contents.withLock { contents in
            defer { contents.disposals = [:] }
            if areAwaited { for entry in contents.disposals.values { contents.leaving.add(entry.disposal) } }
            return contents.disposals
        }
        return taken.values.sorted { $0.serial > $1.serial }.map(\.disposal)
    }

    /// Marks the container as shut down.
    ///
    /// - Returns: The children that end before it; nil if this call was not the first one.
    func beginToEnd() -> [any ChildContainers]? {
        contents.withLock { contents in
            guard !hasEnded else { return nil }
            ends.increment()
            return contents.children.compactMap(\.children)
        }
    }

    /// Adds children that have to end before the container.
    ///
    /// - Returns: Whether they were added. If not, the shutdown has begun.
    func add(_ children: any ChildContainers) -> Bool {
        contents.withLock { contents in
            guard !hasEnded else { return false }
            // Nothing is released here: the references are weak.
            contents.children.removeAll { $0.children == nil }
            contents.children.append(WeakChildren(children: children))
            return true
        }
    }

    /// Notes the states of the children that the shutdown ends. The shutdown also awaits the leaving instances of these children.
    func noteEnd(of children: [ContainerState]) { contents.withLock { $0.endedChildren = children } }
}

extension DependencyContainer {
    /// Runs a closure on the attachment of a type, under the lock of the container's state. Makes the attachment if there is none.
    package func withAttachment<Attachment: ContainerAttachment, Output>(
        _ type: Attachment.Type, _ body: (inout Attachment) -> Output
    ) -> Output { state.withAttachment(type, body) }

    /// Runs a closure on the nearest attachment of a type: that of the container, or of a parent; nil if there is none.
    package func withNearestAttachment<Attachment: ContainerAttachment, Output>(
        _ type: Attachment.Type, _ body: (Attachment) -> Output
    ) -> Output? {
        for container in sequence(first: self, next: \.parent) {
            if let output = container.stateIfAny?.withAttachmentIfAny(type, { body($0) }) { return output }
        }
        return nil
    }
}

extension Registry {
    /// The state of the container, which stays until the container ends; nil if none was needed yet.
    var state: ContainerState? { attachment(as: ContainerState.self) }

    /// Whether the shutdown of the container has begun.
    var hasEnded: Bool { withAttachment(as: ContainerState.self) { $0.hasEnded } ?? false }

    /// Returns the state, and makes it if there is none. `detach` releases it.
    func attachState() -> ContainerState {
        guard isProcess else { return attached { ContainerState(ofDefaultContainer: false) } }
        return attached(under: .defaultState) { ContainerState(ofDefaultContainer: true) }
    }
}
