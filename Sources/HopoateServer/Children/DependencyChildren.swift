public import Hopoate

/// Child containers by key, such as one for each tenant. Each is made on first use, and shut down when it is idle.
///
/// ```swift
/// let tenants = DependencyChildren<String>(of: container, limit: 100, idle: .seconds(600)) { id, tenant in
///     tenant.register(Database.self, factory: { _ in try await Database.connect() }, onAsyncDispose: { await $0.close() })
/// } onDisposalFailure: { id, error in
///     print("tenant \(id): \(error)")
/// }
/// let rows = try await tenants.withChild(for: "acme") { tenant in
///     try await tenant.asyncResolve(Database.self).rows()
/// }
/// print(rows)
/// ```
///
/// All children find the services of the parent. The services that `prepare` registers, and their instances, belong to one key.
///
/// - **Once.** Concurrent calls for a new key share one call of `prepare`, which runs in a task of its own: no caller that is cancelled
///   cancels it for the others, and it sees no task-local of any of them. If it throws, all of them get the error, nothing is kept, and the
///   next call begins anew.
/// - **In use.** A child is in use as long as anything refers to it: a call of ``withChild(for:isolation:operation:)``, the container of a
///   request or of a job that was made from it, or your own variable. A child in use is never shut down.
/// - **Idle.** A child that has been out of use for the time `idle` is shut down, and its asynchronous hooks are awaited. If only references
///   outside of `withChild` used it, their end is noticed late, and it lives up to twice as long.
/// - **Bounded.** There are never more children than `limit`. If there is no room for a new key, the child that was used least recently is
///   shut down first. If all are in use, the call throws.
/// - **One at a time.** If the child of a key is being shut down, a call for this key waits until its hooks have ended. Then it gets a new child.
/// - **With the parent.** If the parent is shut down, all children are shut down before it, also those in use. The limits of
///   `shutdown(limit:hookLimit:)` hold for their hooks too, and its report has them. Children of different keys end in parallel.
///
/// If this object is released, its children are shut down in the background.
///
/// - Note: Concurrency. Thread-safe.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
public final class DependencyChildren<Key: Hashable & Sendable>: Sendable {
    private let table: ChildTable<Key>

    /// Creates an empty table of child containers.
    ///
    /// The table does not keep the parent. Register it there, if others should find it.
    ///
    /// - Parameters:
    ///   - parent: The parent of all children.
    ///   - limit: The most children that exist at a time, including those that are being made and shut down. At least 1.
    ///   - idle: The time out of use after which a child is shut down. More than zero.
    ///   - clock: Measures that time.
    ///   - prepare: Registers the services that only the child of this key has. It must not use this table.
    ///   - onDisposalFailure: Gets the errors of disposal hooks, except for those of a shutdown of the parent, which throws them.
    /// - Complexity: Constant.
    public init(
        of parent: DependencyContainer = .shared, limit: Int, idle: Duration,
        clock: any Clock<Duration> = ContinuousClock(), fileID: StaticString = #fileID, line: UInt = #line,
        prepare: @escaping @Sendable (Key, DependencyContainer) async throws -> Void,
        onDisposalFailure: @escaping @Sendable (Key, DependencyShutdownError) -> Void
    ) {
        // Not by `precondition`, which prints no message in release.
        if limit < 1 { fatalError("The limit of child containers is \(limit). Pass at least 1.") }
        if idle <= .zero { fatalError("The idle time of child containers is \(idle). Pass more than zero.") }
        table = ChildTable(
            of: parent, limit: limit, idle: idle.saturated, Self.time(of: clock), place: "\(fileID):\(line)",
            prepare: prepare, report: onDisposalFailure)
    }

    private static func time(of clock: some Clock<Duration>) -> any ElapsedTime { ClockTime(clock) }

    /// Runs an operation with the child of a key, which is made if there is none, and is not shut down before the operation has ended.
    ///
    /// ```swift
    /// func ping(_ id: String, _ tenants: DependencyChildren<String>) async throws {
    ///     try await tenants.withChild(for: id) { tenant in try await tenant.asyncResolve(Database.self).ping() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - operation: Runs with the child.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation; before it has begun, the error of `prepare`, ``DependencyChildrenError``, or
    ///   `CancellationError` if the task is cancelled while it waits.
    /// - Complexity: Constant for a child that exists. O(limit) if another one has to be shut down.
    public func withChild<Output>(
        for key: Key, isolation: isolated (any Actor)? = #isolation,
        operation: (DependencyContainer) async throws -> Output
    ) async throws -> Output {
        let child = try await table.child(for: key)
        defer { table.noteUse(of: key, child) }
        return try await operation(child)
    }

    /// Returns the child of a key, for an integration: it is in use as long as the container of a request refers to it.
    package func child(for key: Key) async throws -> DependencyContainer { try await table.child(for: key) }

    /// The keys that have a child at this moment, also one that is being made or shut down, in no order.
    ///
    /// - Complexity: O(n).
    public var keys: [Key] { table.keys }
}

/// The reason why there is no child container for a key.
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyChildrenError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure.
    ///
    /// - Note: Concurrency. Immutable and thread-safe.
    public struct Reason: Sendable, Hashable {
        private enum Kind { case full, shutDown, nested }

        private let kind: Kind

        /// All children that the limit allows are in use, or are being made. A server answers with 503.
        public static let full = Reason(kind: .full)
        /// The parent was shut down, or no longer exists.
        public static let shutDown = Reason(kind: .shutDown)
        /// The call came from the preparation or from the end of a child of the same table.
        public static let nested = Reason(kind: .nested)
    }

    /// The kind of the failure.
    public let reason: Reason
    private let key: String
    private let limit: Int
    private let place: String

    init<Key>(_ reason: Reason, _ key: Key, _ limit: Int, _ place: String) {
        self.reason = reason
        self.key = "\(Key.self) \(key)"
        self.limit = limit
        self.place = place
    }

    /// The key, the place of the table, and the remedy.
    ///
    /// - Complexity: Constant.
    public var description: String {
        let start = "There is no child container for '\(key)' in the table of \(place): "
        return switch reason {
        case .full:
            start + "all \(limit) are in use. Answer with status 503, or raise the limit."
        case .nested:
            start
                + "the call comes from the closure or from a hook of another one. Use the services of the child that the closure gets."
        default:
            start + "its parent was shut down, or no longer exists. Keep the parent until all work has ended."
        }
    }
}
