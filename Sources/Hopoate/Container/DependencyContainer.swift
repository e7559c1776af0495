/// A container of services, which are registered and resolved by their type.
///
/// ```swift
/// protocol Greeter { func greeting(for name: String) -> String }
/// struct Polite: Greeter { func greeting(for name: String) -> String { "Good day, \(name)." } }
///
/// DependencyContainer.shared.register(Polite(), for: (any Greeter).self)
/// let greeter = resolve((any Greeter).self)
/// print(greeter.greeting(for: "Grace"))
/// ```
///
/// Each type has a stack of registrations. The newest registration wins; if it is removed, the one below is found again. Types
/// are compared by identity: two types of the same name in different modules have separate registrations.
///
/// Lookups take no lock. A container may be used, changed and released by any thread at any time, also while other threads
/// resolve. Your code (factories, deinitializers, closures) never runs under a lock or in the middle of a lookup. So it may
/// call anything in this library.
///
/// - Note: Concurrency. Thread-safe. A registration is published atomically: a caller that finds it sees everything that happened
///   before it was registered. Services need not be `Sendable`, but a service that several threads use must be thread-safe.
public final class DependencyContainer: Sendable {
    /// The registrations, and the container's own instances of scoped services.
    @usableFromInline
    let registry: Registry

    /// The parent, held until this container ends.
    // Not a strong property: to end a chain of containers one by one, the compiler would retain the parent once more, even if others
    // hold it.
    @usableFromInline
    let heldParent: UncountedContainer?

    /// The container that resolves services without a registration here.
    @usableFromInline
    var parent: DependencyContainer? { heldParent?.container }

    /// What the container is to its parent.
    let role: Role

    /// What a container is to its parent, apart from finding its services.
    enum Role {
        case ordinary
        /// A container that allows commits. Its children begin in its current layer.
        case versioned
        /// A layer between a container that allows commits and its children. See Generations.swift.
        case layer
        /// The container in which a commit registers.
        case staging
    }

    /// Makes an empty container.
    ///
    /// ```swift
    /// let container = DependencyContainer()
    /// container.register(Polite(), for: (any Greeter).self)
    /// ```
    ///
    /// - Complexity: One small allocation in addition to the object itself.
    public init() {
        registry = .make()
        heldParent = nil
        role = .ordinary
    }

    /// Makes an empty container of which a commit replaces several registrations in one step, while requests use it.
    ///
    /// ```swift
    /// let app = DependencyContainer.allowingCommits { error in print(error) }
    /// ```
    ///
    /// Each child keeps the services that it began with. So the children cost more: a request with four services executes a tenth more
    /// instructions. The `commit` of HopoateServer changes such a container.
    ///
    /// - Parameter onDisposalFailure: Gets the errors of disposal hooks of replaced instances.
    /// - Complexity: Some small allocations in addition to those of `init()`.
    public static func allowingCommits(
        onDisposalFailure: @escaping @Sendable (DependencyShutdownError) -> Void
    ) -> DependencyContainer {
        let container = DependencyContainer(registry: .make(), held: nil, .versioned)
        container.beginGenerations(onDisposalFailure)
        return container
    }

    /// - Parameter held: The parent. A layer does not hold it; any other container does.
    // The parent itself would be retained for the call, even if it is the default container.
    init(registry: Registry, held: UncountedContainer?, _ role: Role) {
        self.registry = registry
        heldParent = held
        self.role = role
    }

    /// All properties are constants, so the compiler lays the object out statically. Such an object has no reference count that a
    /// retain would write to, and so threads do not contend on it.
    private init(process: Void) {
        registry = .process
        heldParent = nil
        role = .ordinary
    }

    deinit {
        if _slowPath(role != .ordinary), isView { return endView() }
        if let state = stateIfAny {
            end(state)
        } else {
            registry.destroy()
        }
        heldParent?.releaseWithParents()
    }

    /// Runs the hooks that no shutdown has run, and ends the registry and its state.
    // Out of line, because most containers have no state.
    @inline(never)
    private func end(_ state: ContainerState) {
        // There is no other reference to the container. Hooks get the instances, not the container, so they cannot make one.
        let disposals = UseSearch.order(of: state.takeDisposals(), in: self)
        if !disposals.isEmpty { state.shutdownWatch?.noteEnd(with: disposals) }
        for disposal in disposals { disposal.run(in: nil) }
        withExtendedLifetime(state) {
            registry.detach()
            registry.destroy()
        }
    }

    /// The state besides the registrations; nil if none was needed yet.
    var stateIfAny: ContainerState? { registry.state }

    /// The state besides the registrations, made on first use.
    var state: ContainerState { registry.state ?? registry.attachState() }

    /// The default container: `shared`, unless it is overridden.
    @usableFromInline
    static let process = DependencyContainer(process: ())

    /// Makes a child container, which finds the services of this one and may shadow them.
    ///
    /// ```swift
    /// let request = DependencyContainer.shared.makeChild()
    /// request.register(Polite(), for: (any Greeter).self)  // visible in the child only
    /// ```
    ///
    /// A lookup searches the child first, then its parent, and so on. Registrations that the parent gains or loses later are
    /// visible in the child at once. The child keeps its parent alive, but the parent has no reference to the child: drop the child
    /// and it is gone.
    ///
    /// - Returns: An empty container with this one as its parent.
    /// - Complexity: That of `init()`, and 16 bytes for each scoped registration of the parents (at most 1,024 of them).
    public func makeChild() -> DependencyContainer {
        if _slowPath(isWatched) { return makeNotedChild() }
        return makeUnnotedChild()
    }

    @inline(__always)
    private func makeUnnotedChild() -> DependencyContainer {
        if _slowPath(role != .ordinary) { return makeChildOfGeneration() }
        return DependencyContainer(registry: .makeChild(of: registry), held: .holding(self), .ordinary)
    }

    /// The slow path of `makeChild`: there may be a recorder or a watch, which note the child.
    @inline(never)
    private func makeNotedChild() -> DependencyContainer {
        let child = makeUnnotedChild()
        child.noteChild()
        if let watch = stateIfAny?.shutdownWatch { watch.add(child.state) }
        return child
    }

    /// Begins to watch this container, and its later children, for instances with disposal hooks that no shutdown runs.
    package func watchShutdown() -> ShutdownWatch {
        let watch = ShutdownWatch()
        watch.add(state)
        return watch
    }
}

extension DependencyContainer {
    /// Whether the shutdown of this container or of a parent has begun.
    var hasEnded: Bool {
        // Each creation of a scoped service asks, so this counts no references. A container holds its parent.
        if registry.hasEnded { return true }
        var next = heldParent
        while let parent = next {
            if parent.registry.hasEnded { return true }
            next = parent.parent
        }
        return false
    }
}
