// The services that this thread is creating: a list of frames on its stack, one for each factory that runs, innermost first. Errors
// take the chain of callers from it, cycles are found in it, and the instances of one object graph are in it.
//
// Factories that suspend have no stack of their own: `CreationContext.current`, a task-local, takes its place, in which the list of a
// thread ends.
//
// Two kinds of frames are not creations by a lifetime: those of eager factories, which run inside `register`, and those of
// `$shared.withValue`, which note only the container that is bound.

@usableFromInline
enum ResolutionStack {
    /// A factory that is running on this thread, or a closure with another container as `shared`.
    @frozen
    @usableFromInline
    struct Frame {
        @usableFromInline
        let outer: UnsafeMutablePointer<Frame>?
        /// The key of the service that is being created, as in `AnyServiceKey`. Types have even addresses: the lowest bit says that
        /// the factory is an eager one. Zero for a closure of `$shared.withValue`.
        // Not a field of its own: one more, and the compiler copies frames out of line, which costs as much as all the rest.
        @usableFromInline
        let type: UInt
        @usableFromInline
        let discriminator: UInt
        /// How many frames are outside.
        @usableFromInline
        let depth: Int
        /// The creation that others may have to wait for; nil for transient services.
        // The code that runs the factory holds it.
        @usableFromInline
        unowned(unsafe) let creation: Creation?
        /// The container that `shared` is inside this frame; nil if it is the same as outside.
        // The code that runs the closure holds it.
        @usableFromInline
        unowned(unsafe) let container: DependencyContainer?
        /// In the outermost frame: the instances that are shared inside.
        @usableFromInline
        var graph: ObjectGraph?

        @inlinable
        @inline(__always)
        init<Service>(
            _ key: ServiceKey<Service>, inside outer: UnsafeMutablePointer<Frame>?, creation: Creation?,
            container: DependencyContainer? = nil, graph: ObjectGraph? = nil, isEager: Bool = false
        ) {
            self.outer = outer
            type = isEager ? key.erased.type | 1 : key.erased.type
            discriminator = key.erased.discriminator
            depth = outer.map { $0.pointee.depth &+ 1 } ?? 0
            self.creation = creation
            self.container = container
            self.graph = graph
        }

        /// The frame of a service that was created before, around what it resolves later.
        init(
            _ identity: ServiceIdentity, inside outer: UnsafeMutablePointer<Frame>?, creation: Creation,
            container: DependencyContainer
        ) {
            self.outer = outer
            type = identity.key.type
            discriminator = identity.key.discriminator
            depth = outer.map { $0.pointee.depth &+ 1 } ?? 0
            self.creation = creation
            self.container = container
            graph = nil
        }

        /// The frame of a closure of `$shared.withValue`.
        init(override container: DependencyContainer, inside outer: UnsafeMutablePointer<Frame>?) {
            self.outer = outer
            type = 0
            discriminator = 0
            depth = outer?.pointee.depth ?? 0
            creation = nil
            self.container = container
            graph = nil
        }
    }

    /// Up to this depth nothing is checked. Every stack has room for as many frames.
    @inlinable
    static var unchecked: Int { 16 }

    /// How deep services without arguments may nest if one of them comes twice. Deeper than that, they would not end.
    static var deepest: Int { 200 }

    /// How deep factories that suspend may nest. They take no stack, so nothing else would end endless recursion.
    static var deepestSuspending: Int { 1_000 }
}

// MARK: - Running in a frame

/// Runs a factory that does not throw in a frame of its own.
@inlinable
@inline(__always)
func withFrame<Service, Output>(_ key: ServiceKey<Service>, _ body: () -> Output) -> Output {
    var frame = ResolutionStack.Frame(key, inside: innermostFrame, creation: nil)
    if frame.depth > ResolutionStack.unchecked, let error = depthError(key.erased, frame.depth) { fail(error) }
    return run(in: &frame, body)
}

/// Runs a factory in a frame of its own. Throws an error if factories call each other endlessly.
@inlinable
@inline(__always)
func withThrowingFrame<Service, Output>(
    _ key: ServiceKey<Service>, creation: Creation? = nil, container: DependencyContainer? = nil,
    graph: ObjectGraph? = nil, isEager: Bool = false, _ body: () throws -> Output
) throws -> Output {
    var frame = ResolutionStack.Frame(
        key, inside: innermostFrame, creation: creation, container: container, graph: graph, isEager: isEager)
    if frame.depth > ResolutionStack.unchecked, let error = depthError(key.erased, frame.depth) { throw error }
    return try run(in: &frame, body)
}

/// Runs a factory that `register` was given. The registration owns the instance.
@inlinable
@inline(__always)
func makeEagerly<Service>(_ key: ServiceKey<Service>, _ body: () -> Service) -> Service {
    var frame = ResolutionStack.Frame(key, inside: innermostFrame, creation: nil, isEager: true)
    return run(in: &frame, body)
}

/// Runs a closure in a frame.
@inlinable
@inline(__always)
func run<Output, Failure: Error>(
    in frame: inout ResolutionStack.Frame, _ body: () throws(Failure) -> Output
) throws(Failure) -> Output {
    let outer = frame.outer
    return try withUnsafeMutablePointer(to: &frame) { pointer throws(Failure) -> Output in
        setInnermostFrame(pointer)
        defer { setInnermostFrame(outer) }
        return try body()
    }
}

/// The error for factories that nest too deeply; nil if they do not.
@usableFromInline
@inline(never)
func depthError(_ key: AnyServiceKey, _ depth: Int) -> DependencyError? {
    let identity = ServiceIdentity(key)
    if isStackLow() { return DependencyError(tooDeep: Creation.currentTrail + [identity]) }
    // Not each time, since the whole chain is looked at: at 200, 400, 800, ...
    let deepest = ResolutionStack.deepest
    guard depth % deepest == 0, (depth / deepest).nonzeroBitCount == 1 else { return nil }
    return DependencyError(endless: Creation.currentTrail + [identity])
}

// MARK: - Looking at the stack

extension ResolutionStack.Frame {
    /// What a frame stands for.
    enum Role {
        /// A factory that a `resolve` call runs.
        case creation
        /// A factory that `register` runs.
        case eager
        /// A closure of `$shared.withValue`. No key.
        case override
    }

    var role: Role { type == 0 ? .override : type & 1 == 0 ? .creation : .eager }

    var identity: ServiceIdentity { ServiceIdentity(AnyServiceKey(type: type & ~1, discriminator: discriminator)) }

    /// Who owns the instance that is created in this frame.
    var ownership: Creation.Ownership {
        switch role {
        case .override: .caller
        case .eager: .container
        case .creation: creation?.ownership ?? .caller
        }
    }
}

extension ResolutionStack {
    /// The innermost creation of this thread that others may wait for, and the transient services that are being created
    /// inside it, outermost first.
    static var surroundings: (creation: Creation?, between: [ServiceIdentity]) {
        var between: [ServiceIdentity] = []
        for frame in frames where frame.pointee.role != .override {
            if let creation = frame.pointee.creation { return (creation, between.reversed()) }
            between.append(frame.pointee.identity)
        }
        return (nil, between.reversed())
    }

    /// The innermost creation that others may wait for.
    static var creation: Creation? {
        for frame in frames {
            if let creation = frame.pointee.creation { return creation }
        }
        return nil
    }

    /// All creations on this thread that others may wait for, innermost first.
    static var creations: [Creation] { frames.compactMap(\.pointee.creation) }

    /// The nearest service on this thread that somebody other than its caller owns. See `OwningService`.
    static var owned: UnsafeMutablePointer<Frame>? {
        // A loop: the optimizer of Swift 6.3 fails on `first(where:)` here.
        for frame in frames where frame.pointee.ownership != .caller { return frame }
        return nil
    }

    /// The container that `shared` is for the code on this thread, if a frame says so that is inside another one.
    static func shared(unlessBoundIn boundary: UInt?) -> DependencyContainer? {
        for frame in frames {
            if UInt(bitPattern: frame) == boundary { return nil }
            if let container = frame.pointee.container { return container }
        }
        return nil
    }

    /// The innermost container that a closure of `$shared.withValue` on this thread was given.
    static var override: DependencyContainer? {
        for frame in frames where frame.pointee.role == .override { return frame.pointee.container }
        return nil
    }

    /// The outermost frame of a factory.
    static var outermost: UnsafeMutablePointer<Frame>? {
        var outermost: UnsafeMutablePointer<Frame>?
        for frame in frames where frame.pointee.role != .override { outermost = frame }
        return outermost
    }

    private static var frames: Frames { Frames(frame: innermostFrame) }

    /// The frames of this thread, innermost first.
    private struct Frames: Sequence, IteratorProtocol {
        var frame: UnsafeMutablePointer<Frame>?

        mutating func next() -> UnsafeMutablePointer<Frame>? {
            defer { frame = frame?.pointee.outer }
            return frame
        }
    }
}
