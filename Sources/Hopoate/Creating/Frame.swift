// What this thread is in the middle of creating: a list of frames on its stack, one for each creator that runs, the innermost
// first. It is how a missing service is reported with the chain of those who asked, how a creation that asks for itself is
// found, and where the instances of one graph are.
//
// Creators that suspend have no stack of their own; their place is taken by `Creation.ofTask`, a task-local, in which the
// list of a thread ends.

/// A creator that is running on this thread.
@frozen
@usableFromInline
struct Frame {
    @usableFromInline
    let outer: UnsafeMutablePointer<Frame>?
    /// What is being created, as in `ServiceKey`.
    @usableFromInline
    let type: UInt
    @usableFromInline
    let discriminator: UInt
    /// How many frames there are outside.
    @usableFromInline
    let depth: Int
    /// What others may wait for, where they may.
    // Whoever runs the creator holds it.
    @usableFromInline
    unowned(unsafe) let creation: Creation?
    /// In the outermost frame: the instances that are shared inside.
    @usableFromInline
    var graph: Graph?

    @inlinable
    @inline(__always)
    init<Service>(
        _ key: ServiceKey<Service>, inside outer: UnsafeMutablePointer<Frame>?, creation: Creation?, graph: Graph?
    ) {
        self.outer = outer
        type = key.type
        discriminator = key.discriminator
        depth = outer.map { $0.pointee.depth &+ 1 } ?? 0
        self.creation = creation
        self.graph = graph
    }

    /// How deep creators may nest where one of them comes twice. Recursion that ends is rare and shallow; one that does not
    /// ends here, with its chain, and not at the end of the stack.
    @inlinable
    static var deepest: Int { 200 }
}

/// Runs a creator that does not throw in a frame of its own.
@inlinable
@inline(__always)
func withFrame<Service, Output>(_ key: ServiceKey<Service>, _ body: () -> Output) -> Output {
    var frame = Frame(key, inside: innermostFrame, creation: nil, graph: nil)
    if frame.depth > Frame.deepest, let error = endlessCreation(key.type, key.discriminator) { fail(error) }
    return run(in: &frame, body)
}

/// Runs a creator in a frame of its own. Where creators call each other without an end, an error says so.
@inlinable
@inline(__always)
func withThrowingFrame<Service, Output>(
    _ key: ServiceKey<Service>, creation: Creation? = nil, graph: Graph? = nil, _ body: () throws -> Output
) throws -> Output {
    var frame = Frame(key, inside: innermostFrame, creation: creation, graph: graph)
    if frame.depth > Frame.deepest, let error = endlessCreation(key.type, key.discriminator) { throw error }
    return try run(in: &frame, body)
}

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
    /// What this thread is creating, outermost first, without what a task has begun outside.
    static func subjects() -> [Subject] {
        var subjects: [Subject] = []
        for frame in onThread {
            subjects.append(Subject(type: frame.pointee.type, discriminator: frame.pointee.discriminator))
        }
        subjects.reverse()
        return subjects
    }

    /// The innermost creation of this thread that others may wait for.
    static var creation: Creation? {
        for frame in onThread {
            if let creation = frame.pointee.creation { return creation }
        }
        return nil
    }

    /// The creations of this thread that others may wait for, innermost first.
    static func creations() -> [Creation] { onThread.compactMap(\.pointee.creation) }

    /// The outermost frame of this thread.
    static var outermost: UnsafeMutablePointer<Frame>? {
        var outermost: UnsafeMutablePointer<Frame>?
        for frame in onThread { outermost = frame }
        return outermost
    }

    /// The frames of this thread, innermost first.
    private static var onThread: Walk { Walk(frame: innermostFrame) }

    private struct Walk: Sequence, IteratorProtocol {
        var frame: UnsafeMutablePointer<Frame>?

        mutating func next() -> UnsafeMutablePointer<Frame>? {
            defer { frame = frame?.pointee.outer }
            return frame
        }
    }
}
