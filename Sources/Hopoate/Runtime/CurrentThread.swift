// The state of the current thread, and of the current task: the word that a thread has for the library, and its stack.

public import CRegistry

/// The address of the innermost frame of this thread; nil if it has none. One load. Only addresses of the type are ever stored there.
@inlinable
@inline(__always)
func threadWord<Frame>(as type: Frame.Type) -> UnsafeMutablePointer<Frame>? {
    // The caller's guarantee.
    hop_thread_word_load()?.assumingMemoryBound(to: Frame.self)
}

/// Sets the address of the innermost frame of this thread. The frame has to live until another one is set.
@inlinable
@inline(__always)
func setThreadWord<Frame>(_ frame: UnsafeMutablePointer<Frame>?) { hop_thread_word_store(frame) }

/// Whether this thread has a frame: it runs a factory, or code with an override of `shared`.
@inlinable
@inline(__always)
var hasFrame: Bool { hop_thread_word_load() != nil }

/// Returns whether this thread has used up nearly all of its stack.
func isStackLow() -> Bool { hop_stack_is_low() }

/// The identity of the current task; nil outside of tasks.
var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

#if compiler(>=6.2)
    /// The executor that the current task prefers; nil if there is none.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    var preferredTaskExecutor: (any TaskExecutor)? {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
    }
#endif
