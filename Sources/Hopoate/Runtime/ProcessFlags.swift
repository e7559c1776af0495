// Two words of the process, which say whether rarely used features are in use. Common paths read only these.

public import CRegistry

/// Whether `shared` may be overridden in some task: it is, or the default container is not published yet. One relaxed load.
@inlinable
@inline(__always)
var mayBeOverridden: Bool { hop_shared_may_be_overridden() }

/// Whether this code may see another container than the default one as `shared`.
@inlinable
@inline(__always)
var mayBeOverriddenHere: Bool { hasFrame || mayBeOverridden }

/// Counts an override of `shared`, before the code under it begins. Relaxed; see CSupport.h.
func beginOverride() { hop_shared_override_begin() }

/// Ends an override of `shared`, after the code under it has ended.
func endOverride() { hop_shared_override_end() }

/// The published object, if there is no override of `shared`, and this thread has no frame; nil otherwise. It is of the class.
///
/// Two loads. That of the object is an acquire load, which pairs with the release in `publishForEver(_:)`.
@inlinable
@inline(__always)
func publishedUnlessOverridden<Object: AnyObject>(as type: Object.Type) -> Object? {
    guard !hasFrame, let object = hop_shared() else { return nil }
    return Unmanaged<Object>.fromOpaque(object).takeUnretainedValue()
}

/// Publishes an object, which lives for ever, to `publishedUnlessOverridden`, unless there is an override. Release.
func publishForEver(_ object: AnyObject) { hop_shared_publish(Unmanaged.passUnretained(object).toOpaque()) }

/// Whether this process has an active install, an instrument, a recording, a warm-up, or a creation in a task. One relaxed load.
@inlinable
@inline(__always)
var isWatched: Bool { hop_is_watched() }

/// Increments the count of active installs, instruments and creations in tasks.
///
/// Relaxed: it happens before the code that needs it, on the same thread or before the task starts.
func beginWatching() { hop_watch_begin() }

/// Decrements the count of active installs, instruments and creations in tasks. Relaxed.
func endWatching() { hop_watch_end() }

/// Makes `isWatched` true from its initializer to its deinitializer.
final class Watching: Sendable {
    init() { beginWatching() }

    deinit { endWatching() }
}
