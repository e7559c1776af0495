/// Holds services by type and hands them out, from any thread.
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
/// Each type has a stack of registrations: the newest one wins, and when it is removed the one below is found again. A type
/// is known by its identity, so two types of the same name in different modules do not meet.
///
/// Looking up takes no lock. A container may be used, changed and dropped from any thread at any time, also while others
/// resolve; no lock is held and no read is under way while your code runs: creators, deinitializers and closures may call
/// anything here.
///
/// - Note: Concurrency. Every registration appears at once and whole: whoever finds it sees all that happened before it was
///   registered. Services need not be `Sendable`; a service that several threads resolve is used by several threads, and
///   whether it bears that is a matter between it and them.
public final class DependencyContainer: Sendable {
    /// Where the registrations are.
    @usableFromInline
    let registry: Registry

    /// Who is asked for what is not here.
    @usableFromInline
    let parent: DependencyContainer?

    /// Makes an empty container.
    ///
    /// ```swift
    /// let container = DependencyContainer()
    /// container.register(Polite(), for: (any Greeter).self)
    /// ```
    ///
    /// - Complexity: One small allocation beside the object itself.
    /// - Note: Concurrency. The container may be used from any thread at once.
    public init() {
        registry = .make()
        parent = nil
    }

    private init(parent: DependencyContainer) {
        registry = .make()
        self.parent = parent
    }

    /// All constants, so that the compiler lays the object out at compile time: it has no reference count that a retain would
    /// write to, and so no line that all threads fight over.
    private init(process: Void) {
        registry = .process
        parent = nil
    }

    deinit {
        guard let state = stateIfAny else { return registry.destroy() }
        // Nobody else knows the container any more, and what its hooks get is the instances.
        for disposal in state.takeDisposals() { disposal.run() }
        withExtendedLifetime(state) {
            registry.detachState()
            registry.destroy()
        }
    }

    /// What else it keeps, where there is anything.
    var stateIfAny: ContainerState? { registry.state }

    /// What else it keeps.
    var state: ContainerState { registry.state ?? registry.attachState() }

    /// The container of the process, which `shared` is where nothing else is bound.
    @usableFromInline
    static let process = DependencyContainer(process: ())

    /// Makes a container that finds what this one holds, and hides it with registrations of its own.
    ///
    /// ```swift
    /// let request = DependencyContainer.shared.makeChild()
    /// request.register(Polite(), for: (any Greeter).self)  // seen here only
    /// ```
    ///
    /// The child keeps its parent alive; the parent knows nothing of the child, which is gone without a trace when you drop
    /// it. What a child holds is looked for there first, and then in its parent, and so on.
    ///
    /// - Returns: An empty container with this one as its parent.
    /// - Complexity: As `init()`, whatever the parent holds.
    /// - Note: Concurrency. From any thread. What the parent gains or loses later shows in the child at once.
    public func makeChild() -> DependencyContainer {
        DependencyContainer(parent: self)
    }
}
