// Generations: what the children of a container see when a commit replaces registrations.
//
//   child -> layer -> container that allows commits -> its parents
//
// A child of such a container has a layer as its parent. A layer is a container that views another one: it has a registry of its own, but
// the state of the viewed container, and so its disposals, its observers and its end. There is one layer for all children that begin between
// two commits, the current one. As long as it is current, it is empty. A commit gives each layer that is alive the registrations that it is
// about to replace, unless the layer has older ones of the same key. So the children of a layer find the registrations with which
// they began, whatever is replaced later. What the children share and no commit has replaced stays in the container, for all generations.
//
// A commit publishes in this order:
//
//   1. The old registrations go into the layers. A mark there says that the layer decides about the key, also if there is no registration.
//   2. All lookups that are under way end: the change of a layer waits for them.
//   3. The container gets the new registrations and a new current layer, in one step.
//   4. The old registrations leave the container. Those that no layer shows are disposed of.
//
// Invariants:
//
// 1. A lookup through a layer gives the same result before, during and after a publication. Between steps 1 and 3 it finds the same
//    registration in the layer or in the container. It looks for the mark first: without it, it goes on to the container. A lookup that has
//    done so before step 1 ends before step 3, because it is one read section.
// 2. The current layer is a payload of the container's registry, so a child begins before step 3, with old registrations, or after it,
//    with new ones.
// 3. A registration that was replaced is disposed of when the last layer that shows it ends, once: a layer holds its disposals.
// 4. A layer is alive while it is current, or while it has children. Children pin it, and the first pin holds the layer and its container.
//    The last one releases both. So the container has no reference cycle, although it and its current layer refer to each other: only children
//    keep both alive. A layer that is not current any more is given to factories (the owner of a replaced service), which may keep
//    it. So from step 1 on it holds the container itself.
//
// The races:
//
// - A child that begins against a commit: it reads the current layer and pins it in one read section. The publication waits for such
//   sections before it releases the old layer.
// - A pin against the last unpin of another thread: each thread that has counted from zero retains, and each that has counted down to zero
//   releases. The thread that retains has a reference to the container of its own, so the container is alive even if the other thread releases
//   first. Each retain has one release, so the counts are right in any order.
// - Another change of the container against step 1: after the commit has copied the registrations of a key into a layer, it compares the layer
//   with the container, and copies again if they differ. A removal takes the registration out of the container, and then out of all
//   layers. So either the commit sees that the registration is gone, or the removal finds it in the layer.
// - A removal or a shutdown against step 3: a commit that finds the container ended after step 3 empties it, as the shutdown did.
// - The factory of a container's own service against a commit: see `inOneGeneration`.

extension DependencyContainer {
    /// Whether this is a layer, or the container of a commit: it views its parent, and has the state of its parent.
    var isView: Bool { role == .layer || role == .staging }

    /// The container that this one views; nil if it views none.
    var viewedContainer: DependencyContainer? { isView ? parent : nil }

    /// Makes a container that views this one.
    private func makeView(_ role: Role) -> DependencyContainer {
        let held = role == .layer ? UncountedContainer(self) : .holding(self)
        let view = DependencyContainer(registry: .makeChild(of: registry), held: held, role)
        view.registry.attach(state)
        return view
    }

    /// Makes the container in which a commit registers.
    package func makeStaging() -> DependencyContainer { makeView(.staging) }

    /// Whether this code is part of a creation that suspends, of an instance for this container or a view of it.
    package var isCreatingHere: Bool {
        var next = Creation.innermost
        while let creation = next {
            if let container = creation.container, container === self || container.viewedContainer === self {
                return true
            }
            next = creation.outer
        }
        return false
    }

    /// Whether the container of a commit has a service of its own, without a name.
    package func replaces<Service: Sendable>(_ service: Service.Type) -> Bool {
        registry.contains(ServiceKey<Service>())
    }

    /// Whether commits may change the container.
    package var allowsCommits: Bool { role == .versioned }

    /// Makes the first layer of a new container that allows commits.
    func beginGenerations(_ report: @escaping @Sendable (DependencyShutdownError) -> Void) {
        let generations = Generations(report)
        state.withAttachment(AttachedGenerations.self) { $0.generations = generations }
        renewLayer()
    }

    /// Makes a new layer the current one, because the container has none.
    func renewLayer() {
        var layer: DependencyContainer
        // A commit at the same time may have found the layer and have let it hold this container. Then it must not stay the current one.
        repeat {
            layer = newLayer()
            registry.replace([(.layer, CurrentLayer(layer))], nil, releaseRegistration)
        } while layer.registry.isOld
    }

    private func newLayer() -> DependencyContainer {
        let layer = makeView(.layer)
        generations?.add(layer)
        return layer
    }

    /// The layers of a container that allows commits; nil for any other one.
    var generations: Generations? {
        role == .versioned ? stateIfAny?.withAttachmentIfAny(AttachedGenerations.self) { $0.generations } ?? nil : nil
    }

    /// Makes a child that begins in the current generation, or in that of a view.
    @inline(never)
    func makeChildOfGeneration() -> DependencyContainer {
        let viewed = viewedContainer ?? self
        let held: UncountedContainer? =
            switch role {
            case .versioned: registry.read(.layer, as: CurrentLayer.self) { .pinning($0.layer) }
            case .layer: .pinning(self)
            case .staging, .ordinary: nil
            }
        // Without a current layer, the container was shut down.
        return DependencyContainer(
            registry: .makeChild(of: viewed.registry), held: held ?? .holding(self), .ordinary)
    }

    /// Returns a number that is greater than those of all earlier registrations, and smaller than those of all later ones.
    func nextNumber() -> Int { (viewedContainer ?? self).registry.nextNumber() }

    /// Ends a view, instead of the container that it views.
    func endView() {
        let viewed = heldParent
        // A layer that is still current shows nothing, and its container may be ending at this moment.
        let holdsViewed = role == .staging || registry.isOld
        if holdsViewed {
            // Also the scoped instances in the table of the container of a commit.
            let shown = registry.keys().flatMap { registry.stack($0) }
            viewed?.with { $0.dispose(of: shown, leftContainer: role == .staging) }
        }
        registry.detach()
        registry.destroy(releaseOnly)
        if holdsViewed { viewed?.releaseWithParents() }
    }

    /// Disposes of the instances of registrations that no container or layer has any more, in the reverse order of creation.
    fileprivate func dispose(of registrations: [AnyServiceRegistration], leftContainer: Bool) {
        let taken = Disposals.take(registrations.compactMap(\.disposals), leftContainer: leftContainer)
        if taken.isEmpty { return }
        let state = state
        var disposals = state.forget(taken.filter { $0.state === state }.map(\.disposal))
        // A decorator in a container may hold a service of a parent.
        for (disposal, other) in taken where other !== state && other.forget(disposal) { disposal.run(in: other) }
        disposals = UseSearch.order(of: disposals, in: self)
        state.dispose(of: disposals) { [report = generations?.report] in report?(DependencyShutdownError($0)) }
    }
}

extension ContainerState {
    /// Disposes of instances one after the other: in a task if a hook is asynchronous. A later shutdown waits for it.
    fileprivate func dispose(
        of disposals: [Disposal], reportingTo report: @escaping @Sendable ([DependencyShutdownError.Failure]) -> Void
    ) {
        guard disposals.contains(where: \.isAsynchronous) else {
            var failures: [DependencyShutdownError.Failure] = []
            for disposal in disposals {
                if let error = disposal.run(in: self) { failures.append(.init(disposal.service, error)) }
            }
            if !failures.isEmpty { report(failures) }
            return
        }
        Task.detached { [self] in
            await Disposal.$isInStartedHook.withValue(true) {
                let failures = await disposals.finish(isolation: nil, before: nil)
                if !failures.isEmpty { report(failures) }
            }
            // At last, so that a shutdown also waits for the report.
            for disposal in disposals { noteEnd(of: disposal) }
        }
    }
}

// MARK: - Layers as parents

extension Uncounted where Object == DependencyContainer {
    var isLayer: Bool { with { $0.role == .layer } }

    /// Pins a layer until `releaseWithParents`. Something else has to keep it alive during the call.
    static func pinning(_ layer: DependencyContainer) -> Self {
        let layer = Self(layer)
        if layer.registry.pin() {
            _ = layer.retained()
            _ = layer.parent?.retained()
        }
        return layer
    }

    /// Gives up a pin.
    func unpin() {
        guard registry.unpin() else { return }
        let viewed = parent
        release()
        viewed?.releaseWithParents()
    }

    /// Whether this layer shows its own registrations of a key, or the lack of any. If not, it has none. The section is open.
    func shadows(_ key: AnyServiceKey, _ section: Found) -> Bool {
        registry.isOld && section.next(key.shadowMark, in: registry) != nil
    }

    /// The same outside of sections.
    func shadows(_ key: AnyServiceKey) -> Bool { registry.isOld && registry.contains(key.shadowMark) }

    /// Whether a list of a key leaves out the container behind this one: a layer that shadows the key, or the container of a commit that
    /// replaces it.
    func hidesViewed(_ key: AnyServiceKey) -> Bool {
        switch with({ $0.role }) {
        case .layer: shadows(key)
        case .staging: registry.contains(key)
        case .versioned, .ordinary: false
        }
    }
}

// MARK: - All layers of a container

/// The layers of a container that are alive.
final class Generations: Sendable {
    private let weakLayers = Locked([WeakReference<DependencyContainer>]())
    /// Gets the errors of the hooks of replaced instances.
    fileprivate let report: @Sendable (DependencyShutdownError) -> Void

    init(_ report: @escaping @Sendable (DependencyShutdownError) -> Void) {
        self.report = report
    }

    /// The layers that are alive. The last reference to one must not be released under a lock.
    var layers: [DependencyContainer] { weakLayers.withLock { $0.compactMap(\.object) } }

    fileprivate func add(_ layer: DependencyContainer) {
        // Retained until after the lock.
        let alive = layers
        weakLayers.withLock { layers in
            layers.removeAll { $0.object == nil }
            layers.append(WeakReference(layer))
        }
        withExtendedLifetime(alive) {}
    }

    /// Removes a registration from all layers.
    func remove(_ registration: AnyServiceRegistration) {
        for layer in layers {
            layer.registry.remove(registration, unnumberedUnder: registration.key, releaseAndLetGo)
        }
    }

    /// Removes the registration of a key that had a number in the container from all layers.
    func remove(_ key: AnyServiceKey, number: Int) {
        for registration in layers.flatMap({ $0.registry.stack(key) }) where registration.number == number {
            remove(registration)
        }
    }

    /// Removes all registrations from all layers.
    func removeAll() { for layer in layers { layer.registry.removeAll(releaseAndLetGo) } }
}

struct AttachedGenerations: ContainerAttachment {
    var generations: Generations?
}

/// The current layer, as a payload of the container's registry.
final class CurrentLayer: AnyServiceRegistration, @unchecked Sendable {
    let layer: DependencyContainer

    init(_ layer: DependencyContainer) {
        self.layer = layer
        super.init(.layer, name: nil, callSite: nil, disposals: nil)
    }
}

// MARK: - Publication

extension DependencyContainer {
    /// Publishes the registrations of the container of a commit in one step: those of a key replace all of this container. Commits call it one
    /// after the other.
    ///
    /// - Returns: Whether they were published. If not, this container was shut down.
    package func publish(_ staging: DependencyContainer) -> Bool {
        guard let generations else { preconditionFailure("the container allows commits") }
        let registrations = Array(staging.registry.registrations().reversed())
        let keys = Set(registrations.map(\.key))
        for layer in generations.layers { layer.show(keys, of: self) }
        registry.replace(
            registrations.map { ($0.key, $0) } + [(.layer, CurrentLayer(newLayer()))], noteNumber, releaseRegistration)
        for registration in registrations {
            staging.registry.remove(registration, unnumberedUnder: registration.key, releaseOnly)
        }
        state.noteRemoval()
        if !hasEnded { return true }
        registry.removeAll()
        return false
    }

    /// Shows in this layer the registrations of some keys, which are about to be replaced, instead of later ones.
    private func show(_ keys: Set<AnyServiceKey>, of container: DependencyContainer) {
        if !registry.isOld {
            // Before a factory can get the layer.
            registry.markAsOld()
            _ = UncountedContainer(container).retained()
        }
        var open = keys.filter { !UncountedContainer(self).shadows($0) }
        while !open.isEmpty {
            let stacks = open.map { (key: $0, stack: container.registry.stack($0)) }
            for registration in stacks.flatMap(\.stack) { registration.disposals?.hold() }
            registry.replace(
                stacks.flatMap { key, stack -> [(key: RegistryKey, object: AnyObject)] in
                    // The mark stays when the registrations are removed.
                    stack.reversed().map { (key, $0) } + [(key.shadowMark, ShadowMark.shared)]
                }, nil, releaseAndLetGo)
            // A key without a registration has no entry that would replace an earlier one.
            for (key, stack) in stacks where stack.isEmpty { remove(key) }
            // See the race with other changes.
            open = Set(
                stacks.filter { !container.registry.stack($0.key).elementsEqual($0.stack, by: ===) }.map(\.key))
        }
    }

    /// Removes what this layer shows of a key.
    private func remove(_ key: AnyServiceKey) {
        for registration in registry.stack(key) {
            registry.remove(registration, unnumberedUnder: key, releaseAndLetGo)
        }
    }
}

/// Marks a key in a layer as one of which the layer shows the registrations, or the lack of any. Nothing but its presence counts.
private final class ShadowMark: AnyServiceRegistration, @unchecked Sendable {
    static let shared = ShadowMark()

    private init() { super.init(.layer, name: nil, callSite: nil, disposals: nil) }
}
