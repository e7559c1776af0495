public import Hopoate

/// The health of the services of a container at one moment. ``Hopoate/DependencyContainer/health(within:)`` returns it.
///
/// ```swift
/// let health = await container.health(within: .seconds(1))
/// print(health.isReady ? "ready" : health.description)
/// ```
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyHealth: Sendable {
    /// The question that a check answers. The terms are those of Kubernetes.
    public enum Probe: Sendable, Hashable, CaseIterable {
        /// Whether the server can answer requests now. A load balancer sends none to a server that is not ready.
        case readiness
        /// Whether the process works at all. The platform restarts a process that is not alive, so a check must not depend on other servers.
        case liveness
    }

    /// The outcome of a check.
    public enum Status: Sendable {
        /// The check returned.
        case healthy
        /// The check threw this error, or there is no instance that it could check. Then it is a `DependencyError`.
        case unhealthy(any Error)
        /// The check did not end in time. It was cancelled.
        case timedOut
        /// The service has not been created yet. Checks never create one.
        case notCreated
        /// There is no instance, because the last creation has failed with this error. It stays so until a later creation succeeds.
        case failed(DependencyError)
    }

    /// One check and its outcome.
    public struct Result: Sendable {
        /// The type of the service.
        public let service: any Any.Type
        /// The name of the service; nil for a service without a name.
        public let name: DependencyName?
        /// The question that the check answers.
        public let probe: Probe
        /// The place where the check was added, as `Module/File.swift:12`; nil if it is not known.
        public let place: String?
        /// The outcome.
        public let status: Status
    }

    /// The outcomes of all checks: those of the parents first, and in each container the oldest first.
    public let results: [Result]
    /// Whether the shutdown of the container, or of a parent, had begun when the checks ended.
    public let isShutDown: Bool
    /// Whether the container was draining when the checks ended, because of ``Hopoate/DependencyContainer/beginDraining()``.
    public let isDraining: Bool

    /// Whether the server can answer requests: no check has failed or timed out, no creation of a checked service has failed, and the
    /// container is neither draining nor shutting down.
    ///
    /// A service that nobody has used yet does not count as a failure. Call `warmUp()` before the server
    /// listens if it has to exist.
    public var isReady: Bool { !isShutDown && !isDraining && results.allSatisfy(\.status.isGood) }

    /// Whether the process works: no check of ``Probe/liveness`` has failed or timed out, no creation of a service with such a check has
    /// failed, or the container is shutting down.
    ///
    /// A container that is shutting down is alive, so that the platform lets the process end by itself. A check of a service that the
    /// shutdown has just closed may fail.
    public var isAlive: Bool { isShutDown || results.allSatisfy { $0.probe != .liveness || $0.status.isGood } }
}

extension DependencyHealth.Status {
    /// Whether the service works, as far as it exists.
    package var isGood: Bool {
        switch self {
        case .healthy, .notCreated: true
        case .unhealthy, .timedOut, .failed: false
        }
    }
}

extension DependencyHealth.Status: CustomStringConvertible {
    /// The outcome in words, with the error if there is one.
    public var description: String {
        switch self {
        case .healthy: "healthy"
        case .unhealthy(let error): "unhealthy: \(error)"
        case .timedOut: "timed out"
        case .notCreated: "not created"
        case .failed(let error): "creation failed: \(error)"
        }
    }
}

extension DependencyHealth.Result: CustomStringConvertible {
    /// One line with the type in full, the probe, the place and the outcome.
    public var description: String {
        let service = "'\(typeLabel(service))'" + (name.map { " named \"\($0)\"" } ?? "")
        let probe = probe == .readiness ? "readiness" : "liveness"
        return "\(service) (\(probe)\(place.map { ", \($0)" } ?? "")): \(status)"
    }
}

extension DependencyHealth: CustomStringConvertible {
    /// One line per check.
    ///
    /// - Complexity: O(n) in the number of checks.
    public var description: String {
        let end = isShutDown ? ["The container was shut down."] : isDraining ? ["The container is draining."] : []
        return (end + results.map(\.description)).joined(separator: "\n")
    }
}
