import Synchronization

/// A client of one server, with a pool of connections that are kept alive.
public final class WireClient: Sendable {
    private struct Pool {
        var idle: [WireConnection] = []
        var isShutDown = false
    }

    private let host: String
    private let port: Int
    private let timeout: Duration
    private let mostIdle: Int
    private let pool = Mutex(Pool())

    /// Connects to nobody yet.
    public init(host: String, port: Int, timeout: Duration, mostIdle: Int = 16) {
        self.host = host
        self.port = port
        self.timeout = timeout
        self.mostIdle = mostIdle
    }

    /// Sends a request over a connection that is free, or a new one.
    ///
    /// A server may close a connection that was idle just when the request is on its way; that is a `connectionLost`
    /// like any other. So ask again only for what may be done twice.
    public func send(_ request: WireRequest) async throws(WireError) -> WireResponse {
        let connection = try await take()
        let response = try await connection.send(request, timeout: timeout)
        giveBack(connection)
        return response
    }

    /// Closes the connections that are free now, and the others as soon as they are. Nothing is sent any more.
    public func shutdown() {
        let idle = pool.withLock { pool in
            pool.isShutDown = true
            return exchange(&pool.idle, with: [])
        }
        for connection in idle { connection.close() }
    }

    private func take() async throws(WireError) -> WireConnection {
        // A typed throw does not leave the closure of a lock.
        let (isShutDown, free) = pool.withLock { pool -> (Bool, WireConnection?) in
            while let connection = pool.idle.popLast() {
                if connection.isOpen { return (pool.isShutDown, connection) }
            }
            return (pool.isShutDown, nil)
        }
        if isShutDown { throw .shutDown }
        if let free { return free }
        return try await .open(host: host, port: port, timeout: timeout)
    }

    private func giveBack(_ connection: WireConnection) {
        let isKept = pool.withLock { pool in
            guard connection.isOpen, !pool.isShutDown, pool.idle.count < mostIdle else { return false }
            pool.idle.append(connection)
            return true
        }
        if !isKept { connection.close() }
    }
}
