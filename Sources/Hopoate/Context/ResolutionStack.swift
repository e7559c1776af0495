// The resolution stack: the services that the current thread is creating.
//
// It is a linked list of frames, innermost first, one for each running factory. A frame lies on the stack of the thread. Errors
// take the dependency chain from this list, cycles are found in it, and the first frame of each region holds the instances of its
// object graph (ObjectGraph.swift).
//
// A factory that suspends has no stack. In its place, a task-local (`TaskContext.creation`) refers to the creation. The list
// of frames continues there: code that searches it reads the frames first, then the task-local.
//
// Two kinds of frames do not come from a resolve call:
//
// - an eager factory, which runs inside `register`;
// - a closure of `$shared.withValue`, whose frame records the container and nothing else.

@usableFromInline
enum ResolutionStack {
    /// A factory that is running on this thread, or a closure with another container as `shared`.
    @frozen
    @usableFromInline
    struct Frame: StackFrame {
        @usableFromInline
        let outer: FramePointer?
        /// The key of the service that is being created, as in `AnyServiceKey`; zero for a closure of `$shared.withValue`.
        ///
        /// Types are aligned to words, so the lowest bits are free: the first one is set for an eager factory, and the second one as long
        /// as the dependencies are unchecked.
        // Not fields of their own: with one more field, the compiler copies frames out of line, which costs as much as all the rest.
        @usableFromInline
        var type: UInt
        @usableFromInline
        let discriminator: UInt
        /// The number of frames around this one. A frame of `$shared.withValue` repeats the number of the frame around it.
        @usableFromInline
        let depth: Int
        // The code that runs the factory or the closure holds the creation and the container.
        @usableFromInline
        let uncountedCreation: Uncounted<Creation>?
        @usableFromInline
        let uncountedContainer: UncountedContainer?
        /// The object graph of this frame. Set in the first frame of a region, when a service first needs it, and in frames that are made
        /// with a graph; nil otherwise.
        @usableFromInline
        var graph: ObjectGraph?

        @inlinable
        @inline(__always)
        init(
            _ key: AnyServiceKey, inside outer: FramePointer?, creation: Creation?,
            container: DependencyContainer? = nil, graph: ObjectGraph? = nil, isEager: Bool = false
        ) {
            self.outer = outer
            type = isEager ? key.type | 1 : key.type
            discriminator = key.discriminator
            depth = outer.map { $0.pointee.depth &+ 1 } ?? 0
            uncountedCreation = creation.map { Uncounted($0) }
            uncountedContainer = container.map { Uncounted($0) }
            self.graph = graph
        }

        /// Makes a frame of a closure of `$shared.withValue`.
        init(override container: DependencyContainer, inside outer: FramePointer?) {
            self.outer = outer
            type = 0
            discriminator = 0
            depth = outer?.pointee.depth ?? 0
            uncountedCreation = nil
            uncountedContainer = UncountedContainer(container)
            graph = nil
        }

        /// The creation that other callers may have to wait for; nil for transient services.
        var creation: Creation? { uncountedCreation?.object }

        /// The container that `shared` is inside this frame; nil if this frame does not change `shared`.
        var container: DependencyContainer? { uncountedContainer?.object }
    }

    /// The depth up to which nothing is checked. Every stack has room for this many frames.
    @inlinable
    static var unchecked: Int { 16 }

    /// The depth at which a service without arguments that occurs twice counts as endless recursion.
    static var deepest: Int { 200 }

    /// The number of instances that completions of one service may create, one for the other. More count as endless recursion, if the
    /// service takes no arguments. Small, because a completion that resolves its service twice doubles the number of instances each time.
    static var deepestOwnCompletion: Int { 8 }

    /// The greatest depth of factories that suspend. They use no stack, so nothing else would stop endless recursion.
    static var deepestSuspending: Int { 1_000 }
}

/// The address of a frame, or of memory for one.
@usableFromInline
typealias FramePointer = StackPointer<ResolutionStack.Frame>

/// The innermost frame of this thread. One load.
@inlinable
@inline(__always)
var innermostFrame: FramePointer? { .innermost }

// MARK: - Running in a frame

/// Makes the memory for a frame the innermost frame of this thread, until `popFrame`. Throws an error on endless recursion.
///
/// For functions that are not specialised: in them, a closure that returns a service of an unknown type is expensive, and `run(in:_:)`
/// takes one.
@inline(__always)
func pushFrame(
    _ frame: FramePointer, _ key: AnyServiceKey, _ graph: ObjectGraph? = nil
) throws(DependencyError) {
    let outer = innermostFrame
    let depth = outer.map { $0.pointee.depth &+ 1 } ?? 0
    if depth > ResolutionStack.unchecked, let error = depthError(key, depth) { throw error }
    frame.push(ResolutionStack.Frame(key, inside: outer, creation: nil, graph: graph))
}

extension ResolutionStack {
    /// Memory for a frame, in functions that are not specialised. Trivial, because `popFrame` ends the frame.
    struct FrameMemory {
        private var words: (UInt, UInt, UInt, UInt, UInt, UInt, UInt) = (0, 0, 0, 0, 0, 0, 0)

        init() { assert(MemoryLayout<Self>.size == MemoryLayout<Frame>.size) }
    }
}

/// Undoes `pushFrame`.
@inline(__always)
func popFrame(_ frame: FramePointer) {
    frame.pop()
    // Everything else in a frame is trivial.
    if _slowPath(frame.pointee.graph != nil) { frame.pointee.graph = nil }
}

/// Runs a factory in a frame of its own. Throws an error on endless recursion.
@inline(__always)
func withThrowingFrame<Output>(
    _ key: AnyServiceKey, creation: Creation? = nil, container: DependencyContainer? = nil,
    graph: ObjectGraph? = nil, isEager: Bool = false, _ body: () throws -> Output
) throws -> Output {
    var frame = ResolutionStack.Frame(
        key, inside: innermostFrame, creation: creation, container: container, graph: graph, isEager: isEager)
    return try runUnlessTooDeep(key, in: &frame, body)
}

/// Runs a factory in a frame that the caller has made for it. Throws an error on endless recursion.
@inline(__always)
func runUnlessTooDeep<Output>(
    _ key: AnyServiceKey, in frame: inout ResolutionStack.Frame, _ body: () throws -> Output
) throws -> Output {
    if frame.depth > ResolutionStack.unchecked, let error = depthError(key, frame.depth) { throw error }
    return try run(in: &frame, body)
}

/// Runs a factory inside `register`, in a frame that marks it as eager.
@inlinable
@inline(__always)
func makeEagerly<Service>(_ key: ServiceKey<Service>, _ body: () -> Service) -> Service {
    var frame = ResolutionStack.Frame(key.erased, inside: innermostFrame, creation: nil, isEager: true)
    return run(in: &frame, body)
}

/// Returns the error for factories that nest too deeply; nil if they do not.
@usableFromInline
@inline(never)
func depthError(_ key: AnyServiceKey, _ depth: Int) -> DependencyError? {
    let identity = ServiceIdentity(key)
    if isStackLow() { return DependencyError(tooDeep: Creation.currentTrail + [identity]) }
    // Only at 200, 400, 800, ..., because the search reads the whole chain.
    let deepest = ResolutionStack.deepest
    guard depth % deepest == 0, (depth / deepest).nonzeroBitCount == 1 else { return nil }
    return DependencyError(endless: Creation.currentTrail + [identity])
}

// MARK: - Reading the stack

extension ResolutionStack.Frame {
    /// The kind of a frame.
    enum Role {
        /// A factory that a `resolve` call runs.
        case creation
        /// A factory that `register` runs.
        case eager
        /// A closure of `$shared.withValue`, without a key.
        case override
    }

    var role: Role { type == 0 ? .override : type & 1 == 0 ? .creation : .eager }

    var identity: ServiceIdentity { ServiceIdentity(AnyServiceKey(type: type & ~3, discriminator: discriminator)) }

    /// The owner of the instance that is created in this frame.
    var ownership: Ownership {
        switch role {
        case .override: .caller
        case .eager: .container
        case .creation: creation?.ownership ?? .caller
        }
    }

    /// Whether a region of object graphs begins with this frame. The frame is that of a service that its registration owns and that keeps
    /// its dependencies, or that of an eager factory.
    var beginsRegion: Bool { role == .eager || creation?.beginsRegion ?? false }
}

extension ResolutionStack {
    /// Returns the innermost creation of this thread, and the transient services inside it.
    ///
    /// - Parameter outsideInnermostFrame: Whether the innermost frame is that of the caller, which is left out then.
    static func surroundings(outsideInnermostFrame: Bool) -> Creation.Surroundings {
        var surroundings = Creation.Surroundings()
        for frame in StackFrames(from: outsideInnermostFrame ? innermostFrame?.pointee.outer : innermostFrame)
        where frame.pointee.role != .override {
            surroundings.creation = frame.pointee.creation
            if surroundings.creation != nil { return surroundings }
            surroundings.between.append(frame.pointee.identity)
        }
        return surroundings
    }

    /// The innermost creation of this thread that other callers may wait for.
    static var creation: Creation? {
        for frame in frames {
            if let creation = frame.pointee.creation { return creation }
        }
        return nil
    }

    /// The outermost creation of this thread that is in flight or has a pending instance.
    static var outermostCreation: Creation? {
        var outermost: Creation?
        for frame in frames {
            if let creation = frame.pointee.creation, creation.isShared || creation.group != nil {
                outermost = creation
            }
        }
        return outermost
    }

    /// All creations of this thread that other callers may wait for, innermost first.
    static var creations: [Creation] { frames.compactMap(\.pointee.creation) }

    /// Returns the innermost frame of this thread that belongs to an owning service: the frame of its factory, or that of a completion
    /// which runs for it. See `OwningService`.
    ///
    /// - Parameter keepingInstances: Whether frames of providers are left out: their instances are for the code that runs in them.
    @inline(__always)
    static func owned(keepingInstances: Bool) -> FramePointer? {
        // A loop: the optimizer of Swift 6.3 fails on `first(where:)` here.
        for frame in frames {
            guard let creation = frame.pointee.creation else {
                if frame.pointee.role == .eager { return frame }
                continue
            }
            let service = creation.owningService
            if keepingInstances, !creation.keepsInstances || service?.keepsInstance == false { continue }
            if creation.ownership != .caller || service != nil { return frame }
        }
        return nil
    }

    /// The context in which this thread runs a factory or a completion; nil for that of the caller.
    static var ownerContext: OwnerContext? {
        for frame in frames {
            if let context = frame.pointee.creation?.ownerContext { return context }
        }
        return nil
    }

    /// Returns the container that the frames inside a boundary frame set as `shared`; nil if none of them does.
    static func shared(unlessBoundIn boundary: UInt?) -> DependencyContainer? {
        for frame in frames {
            if frame.identity == boundary { return nil }
            if let container = frame.pointee.container { return container }
        }
        return nil
    }

    /// The container of the innermost `$shared.withValue` on this thread.
    static var override: DependencyContainer? {
        for frame in frames where frame.pointee.role == .override { return frame.pointee.container }
        return nil
    }

    /// The frame with the object graph of the running code, or with which its region begins; nil if no factory is running.
    static var firstOfRegion: FramePointer? {
        var first: FramePointer?
        for frame in frames where frame.pointee.role != .override {
            if frame.pointee.graph != nil || frame.pointee.beginsRegion { return frame }
            first = frame
        }
        return first
    }

    /// The frames of this thread, innermost first.
    private static var frames: StackFrames<Frame> { StackFrames(from: innermostFrame) }
}
