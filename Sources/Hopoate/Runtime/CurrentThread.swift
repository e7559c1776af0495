// The state of the current thread: its innermost frame, and its stack.

public import CRegistry

/// The innermost frame of this thread. One load.
@inlinable
@inline(__always)
var innermostFrame: UnsafeMutablePointer<ResolutionStack.Frame>? {
    // Only frames are ever stored there.
    hop_thread_word_load()?.assumingMemoryBound(to: ResolutionStack.Frame.self)
}

/// Sets the innermost frame of this thread, which has to live until another one is set.
@inlinable
@inline(__always)
func setInnermostFrame(_ frame: UnsafeMutablePointer<ResolutionStack.Frame>?) { hop_thread_word_store(frame) }

/// Returns whether this thread has used up nearly all of its stack.
func isStackLow() -> Bool { hop_stack_is_low() }
