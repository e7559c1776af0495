// The state of the current thread, and of the current task: the word that a thread has for the library, and its stack.

public import CRegistry

/// Whether this thread has a frame: it runs a factory, or code with an override of `shared`.
@inlinable
@inline(__always)
var hasFrame: Bool { hop_thread_word_load() != nil }

/// Returns whether this thread has used up nearly all of its stack.
func isStackLow() -> Bool { hop_stack_is_low() }

// MARK: - The stack

/// A structure on the stack of a thread, in the list of the frames of that thread.
@usableFromInline
protocol StackFrame {
    /// The frame around this one; nil if this is the outermost one.
    var outer: StackPointer<Self>? { get }
}

/// The address of a frame on the stack of this thread, or of memory for one.
///
/// Functions only pass it on to functions that they call, and return it only from the list of frames. The owner of a frame is a function
/// that has not returned. So an address is valid wherever code has one.
@frozen
@usableFromInline
struct StackPointer<Frame> {
    @usableFromInline
    let address: UnsafeMutablePointer<Frame>

    @inlinable
    @inline(__always)
    init(_ address: UnsafeMutablePointer<Frame>) {
        self.address = address
    }

    /// The address of memory on the stack that has the layout of a frame. Valid as long as the memory.
    @inline(__always)
    init(memory: UnsafeMutableRawPointer) {
        address = memory.bindMemory(to: Frame.self, capacity: 1)
    }

    /// The innermost frame of this thread; nil if it has none. One load. The frames of all threads are of one type.
    @inlinable
    @inline(__always)
    static var innermost: StackPointer? {
        // As stated.
        hop_thread_word_load().map { StackPointer($0.assumingMemoryBound(to: Frame.self)) }
    }

    /// The frame, which must be initialized.
    // These accessors return an address. A getter would copy the whole frame for each property that is read, and retain the objects in it.
    @inlinable
    @inline(__always)
    var pointee: Frame {
        unsafeAddress { UnsafePointer(address) }
        nonmutating unsafeMutableAddress { address }
    }

    /// The identity of the frame among those of its thread.
    var identity: UInt { UInt(bitPattern: address) }

    /// The address of a structure that begins with the frame, or with which the frame begins.
    @inline(__always)
    func rebound<Other>(to type: Other.Type) -> StackPointer<Other> {
        // The caller's guarantee.
        StackPointer<Other>(UnsafeMutableRawPointer(address).assumingMemoryBound(to: type))
    }
}

extension StackPointer where Frame: StackFrame {
    /// Initializes the memory with a frame, and makes that the innermost one of this thread until `pop`.
    @inline(__always)
    func push(_ frame: Frame) {
        address.initialize(to: frame)
        hop_thread_word_store(address)
    }

    /// Undoes `push`. The caller then releases what the frame holds.
    @inline(__always)
    func pop() { hop_thread_word_store(pointee.outer?.address) }
}

/// Runs a closure in a frame, which is the innermost one of this thread meanwhile.
@inlinable
@inline(__always)
func run<Frame: StackFrame, Output, Failure: Error>(
    in frame: inout Frame, _ body: () throws(Failure) -> Output
) throws(Failure) -> Output {
    // The address is valid during the call. Not by `withUnsafeMutablePointer`: code that is not specialised looks up metadata for it.
    try run(at: &frame, body)
}

/// Runs a closure in the frame at an address.
@inlinable
@inline(__always)
func run<Frame: StackFrame, Output, Failure: Error>(
    at frame: UnsafeMutablePointer<Frame>, _ body: () throws(Failure) -> Output
) throws(Failure) -> Output {
    hop_thread_word_store(frame)
    defer { hop_thread_word_store(frame.pointee.outer?.address) }
    return try body()
}

/// Calls a closure with memory on the stack for a frame. For code that is specialised.
@inlinable
@inline(__always)
func withStackMemory<Frame, Output, Failure: Error>(
    for type: Frame.Type, _ body: (StackPointer<Frame>) throws(Failure) -> Output
) throws(Failure) -> Output {
    try withUnsafeTemporaryAllocation(of: type, capacity: 1) { buffer throws(Failure) in
        // It has room for one element, so it has an address.
        try body(StackPointer(buffer.baseAddress.unsafelyUnwrapped))
    }
}

/// The frames from one frame on, innermost first.
struct StackFrames<Frame: StackFrame>: Sequence, IteratorProtocol {
    private var frame: StackPointer<Frame>?

    init(from frame: StackPointer<Frame>?) {
        self.frame = frame
    }

    mutating func next() -> StackPointer<Frame>? {
        defer { frame = frame?.pointee.outer }
        return frame
    }
}

// MARK: - The current task

/// The identity of the current task; nil outside of tasks.
var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

#if compiler(>=6.2)
    /// The executor that the current task prefers; nil if there is none.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    var preferredTaskExecutor: (any TaskExecutor)? {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
    }
#endif
