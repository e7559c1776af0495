/// Finds the instances whose disposal hooks no shutdown and no removal has run, in a container and in its children. For tests.
///
/// A container that ends runs the hooks that are left. Nobody awaits the asynchronous ones, and nobody gets their errors.
///
/// Invariant: a watched child has its state, and the state has the watch, before the child can be used. So each instance with hooks is in a
/// state that the watch knows, or its container has ended and has told the watch.
package final class ShutdownWatch: Sendable {
    /// An instance whose disposal hooks were left out.
    package struct LeftOut: Sendable {
        package let identity: ServiceIdentity
        /// The place of the registration; nil if it is not known.
        package let place: String?
    }

    private struct WeakState {
        weak var state: ContainerState?
    }

    private struct Contents {
        var leftOut: [LeftOut] = []
        var states: [WeakState] = []
        /// The number of states at which those of ended containers are removed.
        var limit = 8
    }

    private let contents = Locked(Contents())

    init() {}

    /// The instances whose hooks no shutdown has run by now, in containers that have ended or that still exist.
    package var leftOut: [LeftOut] {
        let (ended, states) = contents.withLock { ($0.leftOut, $0.states.compactMap(\.state)) }
        return ended + states.flatMap { $0.disposals.map(LeftOut.init) }
    }

    /// The number of containers that were shut down and are still referenced.
    ///
    /// - Parameter container: A container that does not count.
    package func endedContainers(besides container: DependencyContainer) -> Int {
        let states = contents.withLock { $0.states.compactMap(\.state) }
        return states.count { $0.hasEnded && $0 !== container.stateIfAny }
    }

    /// Watches a container, which was just created.
    func add(_ state: ContainerState) {
        state.withAttachment(AttachedWatch.self) { $0 = AttachedWatch(watch: self, watching: Watching()) }
        let others = contents.withLock { contents in
            // Retained, because the last release of a state must not happen under the lock.
            var others: [ContainerState] = []
            if contents.states.count >= contents.limit {
                others = contents.states.compactMap(\.state)
                contents.states = others.map { WeakState(state: $0) }
                contents.limit = max(8, 2 * contents.states.count)
            }
            contents.states.append(WeakState(state: state))
            return others
        }
        withExtendedLifetime(others) {}
    }

    /// Notes the instances of a container that has ended.
    func noteEnd(with disposals: [Disposal]) {
        let leftOut = disposals.map(LeftOut.init)
        contents.withLock { $0.leftOut += leftOut }
    }
}

extension ShutdownWatch.LeftOut {
    fileprivate init(_ disposal: Disposal) {
        self.init(identity: disposal.identity, place: disposal.registrationPlace)
    }
}

/// The watch of a container.
private struct AttachedWatch: ContainerAttachment {
    var watch: ShutdownWatch?
    var watching: Watching?
}

extension ContainerState {
    /// The watch of the container; nil if there is none.
    var shutdownWatch: ShutdownWatch? { withAttachmentIfAny(AttachedWatch.self) { $0.watch } ?? nil }
}
