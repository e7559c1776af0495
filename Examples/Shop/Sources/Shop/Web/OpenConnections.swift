package import NIOCore
import Synchronization

/// The open connections of a server, so that a shutdown that takes too long can close them.
public final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Creates an empty set.
    public init() {}

    /// The number of open connections.
    package var count: Int { state.withLock(\.channels.count) }

    /// Adds a connection until it closes. After `closeAll()`, the connection is closed instead.
    package func add(_ channel: any Channel) {
        let key = ObjectIdentifier(channel)
        let isClosed = state.withLock { state in
            if !state.isClosed { state.channels[key] = channel }
            return state.isClosed
        }
        if isClosed { return channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in _ = self.state.withLock { $0.channels.removeValue(forKey: key) } }
    }

    /// Closes all connections, and every connection that is added later.
    ///
    /// - Returns: The number of open connections.
    package func closeAll() -> Int {
        let channels = state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.close(promise: nil) }
        return channels.count
    }
}
