// What this thread is in the middle of creating: a list of frames on its stack, one for each creator that runs, the innermost
// first. It is how a missing service is reported with the chain of those who asked, how a creation that asks for itself is
// found, and where the instances of one graph are.
//
// Factories that suspend have no stack of their own; their place is taken by `CreationContext.current`, a task-local, in which
// the list of a thread ends.
//
// Two kinds of frames are no creations by a lifetime: those of eager factories, which run inside `register`, and those of
// `$shared.withValue`, which note only the container that `shared` is inside.

/// A factory that is running on this thread, or a closure with another container as `shared`.
@frozen
@usableFromInline
struct Frame {
    @usableFromInline
    let outer: UnsafeMutablePointer<Frame>?
    /// The key of the service that is being created, as in `ServiceKey`. Types have even addresses: the lowest bit says that the
    /// factory is an eager one. Zero for a closure of `$shared.withValue`.
    // Not a field of its own: one more, and the compiler copies frames out of line, which costs as much as all the rest.
    @usableFromInline
    let type: UInt
    @usableFromInline
    let discriminator: UInt
    /// How many frames there are outside.
    @usableFromInline
    let depth: Int
    /// The creation that others may have to wait for; nil for transient services.
    // The code that runs the factory holds it.
    @usableFromInline
    unowned(unsafe) let creation: Creation?
    /// The container that `shared` is inside of this frame; nil if it is the same as outside.
    // The code that runs the closure holds it.
    @usableFromInline
    unowned(unsafe) let container: DependencyContainer?
    /// In the outermost frame: the instances that are shared inside.
    @usableFromInline
    var graph: Graph?

    /// What a frame stands for.
    @usableFromInline
    enum Role {
        /// A factory that a `resolve` call runs.
        case creation
        /// A factory that `register` runs. The registration keeps the instance.
        case eager
        /// A closure of `$shared.withValue`. No key.
        case override
    }

    var role: Role { type == 0 ? .override : type & 1 == 0 ? .creation : .eager }

    @inlinable
    @inline(__always)
    init<Service>(
        _ key: ServiceKey<Service>, inside outer: UnsafeMutablePointer<Frame>?, creation: Creation?,
        container: DependencyContainer? = nil, graph: Graph? = nil, isEager: Bool = false
    ) {
        self.outer = outer
        type = isEager ? key.type | 1 : key.type
        discriminator = key.discriminator
        depth = outer.map { $0.pointee.depth &+ 1 } ?? 0
        self.creation = creation
        self.container = container
        self.graph = graph
    }

    /// The frame of a service that has been created before, around what it resolves later.
    init(
        _ subject: Subject, inside outer: UnsafeMutablePointer<Frame>?, creation: Creation,
        container: DependencyContainer
    ) {
        self.outer = outer
        type = subject.keyType
        discriminator = subject.discriminator
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

    /// Up to this depth nothing is checked. Every stack has room for as many frames.
    @inlinable
    static var unchecked: Int { 16 }

    /// How deep services without arguments may nest where one of them comes twice. Deeper than that, they would not end.
    static var deepest: Int { 200 }

    /// How deep factories that suspend may nest. They take no stack, so that nothing else would end endless recursion.
    static var deepestSuspending: Int { 1_000 }
}

/// Runs a factory that does not throw in a frame of its own.
@inlinable
@inline(__always)
func withFrame<Service, Output>(_ key: ServiceKey<Service>, _ body: () -> Output) -> Output {
    var frame = Frame(key, inside: innermostFrame, creation: nil)
    if frame.depth > Frame.unchecked, let error = depthError(key.type, key.discriminator, frame.depth) { fail(error) }
    return run(in: &frame, body)
}

/// Runs a factory in a frame of its own. If factories call each other without an end, an error says so.
@inlinable
@inline(__always)
func withThrowingFrame<Service, Output>(
    _ key: ServiceKey<Service>, creation: Creation? = nil, container: DependencyContainer? = nil, graph: Graph? = nil,
    isEager: Bool = false, _ body: () throws -> Output
) throws -> Output {
    var frame = Frame(
        key, inside: innermostFrame, creation: creation, container: container, graph: graph, isEager: isEager)
    if frame.depth > Frame.unchecked, let error = depthError(key.type, key.discriminator, frame.depth) { throw error }
    return try run(in: &frame, body)
}

/// Runs a factory that `register` was given, so that the instance is kept by the registration.
@inlinable
@inline(__always)
func makeEagerly<Service>(_ key: ServiceKey<Service>, _ body: () -> Service) -> Service {
    var frame = Frame(key, inside: innermostFrame, creation: nil, isEager: true)
    return run(in: &frame, body)
}

/// Runs a closure in a frame.
@inlinable
@inline(__always)
func run<Output, Failure: Error>(in frame: inout Frame, _ body: () throws(Failure) -> Output) throws(Failure) -> Output
{
    let outer = frame.outer
    return try withUnsafeMutablePointer(to: &frame) { pointer throws(Failure) -> Output in
        setInnermostFrame(pointer)
        defer { setInnermostFrame(outer) }
        return try body()
    }
}

extension Frame {
    /// The innermost creation of this thread that others may wait for, and the transient services that are being created
    /// inside it, outermost first.
    static var surroundings: (creation: Creation?, between: [Subject]) {
        var between: [Subject] = []
        for frame in onThread where frame.pointee.role != .override {
            if let creation = frame.pointee.creation { return (creation, between.reversed()) }
            between.append(frame.pointee.subject)
        }
        return (nil, between.reversed())
    }

    var subject: Subject { Subject(type: type & ~1, discriminator: discriminator) }

    /// The innermost creation that others may wait for.
    static var creation: Creation? {
        for frame in onThread {
            if let creation = frame.pointee.creation { return creation }
        }
        return nil
    }

    /// All creations on this thread that others may wait for, innermost first.
    static func creations() -> [Creation] { onThread.compactMap(\.pointee.creation) }

    /// The nearest service on this thread that somebody other than its caller keeps. See `Keeper`.
    static var keeper: UnsafeMutablePointer<Frame>? {
        // A loop: the optimizer of Swift 6.3 fails on `first(where:)` here.
        for frame in onThread where frame.pointee.keeping != .caller { return frame }
        return nil
    }

    /// Who keeps the instance that is created in this frame.
    var keeping: Creation.Keeping {
        switch role {
        case .override: .caller
        case .eager: .container
        case .creation: creation?.keeping ?? .caller
        }
    }

    /// The container that `shared` is for the code on this thread, if a frame says so that is inside of another one.
    static func shared(unlessBoundIn boundary: UInt?) -> DependencyContainer? {
        for frame in onThread {
            if UInt(bitPattern: frame) == boundary { return nil }
            if let container = frame.pointee.container { return container }
        }
        return nil
    }

    /// The innermost container that a closure of `$shared.withValue` on this thread was given.
    static var override: DependencyContainer? {
        for frame in onThread where frame.pointee.role == .override { return frame.pointee.container }
        return nil
    }

    /// The outermost frame of a factory.
    static var outermost: UnsafeMutablePointer<Frame>? {
        var outermost: UnsafeMutablePointer<Frame>?
        for frame in onThread where frame.pointee.role != .override { outermost = frame }
        return outermost
    }

    private static var onThread: Walk { Walk(frame: innermostFrame) }

    private struct Walk: Sequence, IteratorProtocol {
        var frame: UnsafeMutablePointer<Frame>?

        mutating func next() -> UnsafeMutablePointer<Frame>? {
            defer { frame = frame?.pointee.outer }
            return frame
        }
    }
}

/// Why nothing can be created so deep; nil if it can.
@usableFromInline
@inline(never)
func depthError(_ type: UInt, _ discriminator: UInt, _ depth: Int) -> DependencyError? {
    let subject = Subject(type: type, discriminator: discriminator)
    if isStackLow() { return DependencyError(tooDeep: Creation.currentTrail + [subject]) }
    // Not each time, since the whole chain is looked at: at 200, 400, 800, ...
    guard depth % Frame.deepest == 0, (depth / Frame.deepest).nonzeroBitCount == 1 else { return nil }
    return DependencyError(endless: Creation.currentTrail + [subject])
}
