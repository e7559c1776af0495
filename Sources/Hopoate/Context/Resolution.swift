/// One resolve call, as a factory sees it: the container of the call, and the container that holds the registration.
///
/// It counts no references: until it returns, the caller holds the container of the call, which holds its parents.
@usableFromInline
struct Resolution {
    private let caller: UncountedContainer
    /// The parent that holds the registration; nil if the container of the call holds it.
    private let holder: UncountedContainer?
    /// Memory on the stack of the caller for the frame of a factory; nil if the caller has none. See `makeInstance`.
    let frame: FramePointer?

    /// The container of the resolve call.
    var container: DependencyContainer { caller.container }

    /// Calls a closure with the container of the resolve call, without retaining it.
    @inline(__always)
    func withContainer<Output>(
        _ body: (DependencyContainer) throws(DependencyError) -> Output
    ) throws(DependencyError) -> Output {
        try caller.with(body)
    }

    /// The registry of the container of the resolve call.
    var registry: Registry { caller.registry }

    /// The container that holds the registration: the container of the call, or one of its parents.
    var owner: DependencyContainer { holder?.container ?? container }

    /// Whether a parent of the container of the call holds the registration.
    var isFromParent: Bool { holder != nil && holder != caller }

    @usableFromInline
    init(container: DependencyContainer, owner: DependencyContainer) {
        self.init(container: container, holder: UncountedContainer(owner))
    }

    @inline(__always)
    init(
        container: DependencyContainer, holder: UncountedContainer?,
        frame: FramePointer? = nil
    ) {
        caller = UncountedContainer(container)
        self.holder = holder
        self.frame = frame
    }
}
