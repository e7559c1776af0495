// Two words of the process that say whether rare features are in use, so that common paths need not look further.

public import CRegistry

/// Whether `shared` may be overridden in some task. One load. Once true, it stays so.
@inlinable
@inline(__always)
var mayBeOverridden: Bool { hop_shared_is_overridden() }

/// Whether `shared` may be another container than the default one in this code.
@inlinable
@inline(__always)
var mayBeOverriddenHere: Bool { innermostFrame != nil || mayBeOverridden }

/// Announces an override of `shared`, before it is bound.
func announceOverride() { hop_shared_override() }

/// The default container, if it was published, no override was ever announced, and this thread runs no factory. Two loads.
@inlinable
@inline(__always)
var defaultUnlessOverridden: DependencyContainer? {
    guard innermostFrame == nil, let container = hop_shared() else { return nil }
    return Unmanaged<DependencyContainer>.fromOpaque(container).takeUnretainedValue()
}

/// Makes the default container known to `defaultUnlessOverridden`. It lives for ever.
func publish(_ container: DependencyContainer) {
    hop_shared_publish(Unmanaged.passUnretained(container).toOpaque())
}

/// Whether somebody in this process records registrations, observes services or creates one in a task. One load.
@inlinable
@inline(__always)
var isWatched: Bool { hop_is_watched() }

/// Raises the count of those who do.
func beginWatching() { hop_watch_begin() }

/// Lowers the count of those who do.
func endWatching() { hop_watch_end() }
