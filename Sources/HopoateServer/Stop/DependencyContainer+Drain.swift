public import Hopoate

/// Whether a container is draining.
private struct Draining: ContainerAttachment {
    var hasBegun = false
}

extension DependencyContainer {
    /// Lets the health checks report that the server is about to stop, while it still answers requests.
    ///
    /// ```swift
    /// container.beginDraining()
    /// try await Task.sleep(nanoseconds: 5_000_000_000)  // load balancers notice it, and send no new requests
    /// try await container.shutdown()
    /// ```
    ///
    /// From then on, ``DependencyHealth/isReady`` is false, for this container and its children. Nothing else changes. `DependencyServiceGroup` of
    /// HopoateServiceLifecycle makes this call when it is told to stop.
    ///
    /// A second call does nothing. A container that drains cannot be made ready again.
    ///
    /// - Complexity: Constant.
    public func beginDraining() { withAttachment(Draining.self) { $0.hasBegun = true } }

    /// Whether ``beginDraining()`` was called, here or in a parent.
    public var isDraining: Bool { withNearestAttachment(Draining.self) { $0.hasBegun } ?? false }
}
