/// What a commit has changed.
///
/// ```swift
/// func change(_ number: Int, _ app: DependencyContainer) async throws {
///     let commit = try await app.commit(rebuildingDependents: true) { next in
///         next.register(number, for: Int.self)
///     }
///     for service in commit.outdated + commit.maybeOutdated { print("still uses old services: \(service)") }
/// }
/// ```
///
/// A service is its type, with its name and the types of its arguments if it has some.
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyCommit: Sendable, CustomStringConvertible {
    /// The services that the closure has replaced.
    public internal(set) var replaced: [String] = []
    /// The services that were registered anew because they used replaced ones.
    public internal(set) var rebuilt: [String] = []
    /// The services with an instance that still uses a replaced one.
    public internal(set) var outdated: [String] = []
    /// The services with an instance that may use a replaced one: they come from a factory closure, an eager factory, a decorator or a
    /// completion, so that it is not known.
    public internal(set) var maybeOutdated: [String] = []

    /// All services, one line for each list that is not empty.
    ///
    /// - Complexity: O(n).
    public var description: String {
        let lists = [
            ("Replaced", replaced), ("Rebuilt", rebuilt), ("Still use old services", outdated),
            ("May use old services", maybeOutdated),
        ]
        return lists.filter { !$1.isEmpty }.map { "\($0): \($1.joined(separator: ", "))" }.joined(separator: "\n")
    }
}

/// The reason why a commit has changed nothing.
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyCommitError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure.
    ///
    /// - Note: Concurrency. Immutable and thread-safe.
    public struct Reason: Sendable, Hashable {
        private enum Kind { case notAllowed, nested, shutDown }

        private let kind: Kind

        /// The container was not made by `allowingCommits`.
        public static let notAllowed = Reason(kind: .notAllowed)
        /// The call came from the closure of another commit of the same container, or from one of its factories.
        public static let nested = Reason(kind: .nested)
        /// The container was shut down.
        public static let shutDown = Reason(kind: .shutDown)
    }

    /// The kind of the failure.
    public let reason: Reason
    private let place: String

    package init(_ reason: Reason, _ place: String) {
        self.reason = reason
        self.place = place
    }

    /// The place of the commit, and the remedy.
    ///
    /// - Complexity: Constant.
    public var description: String {
        let start = "Cannot commit at \(place): "
        return switch reason {
        case .notAllowed:
            start + "the container does not allow it. Make it by `DependencyContainer.allowingCommits { error in … }`."
        case .nested:
            start + """
                the call comes from the closure of another commit or from a factory of the container. Register in the \
                container that the closure gets, or commit after the creation.
                """
        default:
            start + "the container was shut down. End what commits before the container."
        }
    }
}
