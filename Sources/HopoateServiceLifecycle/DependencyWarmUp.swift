#if ServiceLifecycle
    /// The time at which a ``DependencyServiceGroup`` creates the singletons of its container.
    ///
    /// ```swift
    /// import HopoateServiceLifecycle
    /// import ServiceLifecycle
    ///
    /// func makeGroup<Client: Service, Server: Service>(_ client: Client.Type, _ server: Server.Type) -> DependencyServiceGroup {
    ///     DependencyServiceGroup(
    ///         container: container,
    ///         services: [.init(client), .init(server, starts: .afterWarmUp)],
    ///         warmUp: .whileRunning(limit: .seconds(30)),
    ///         gracefulShutdownSignals: [.sigterm])
    /// }
    /// ```
    ///
    /// A literal is allowed, too: `true` is ``beforeRunning``, and `false` is ``none``.
    ///
    /// - Note: Concurrency. Immutable and thread-safe.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    public struct DependencyWarmUp: Sendable, ExpressibleByBooleanLiteral {
        enum Mode: Sendable {
            case none, beforeRunning
            case whileRunning(limit: Duration?, width: Int)
        }

        let mode: Mode
        /// Shows the chart of the report.
        package var show: @Sendable (String) -> Void = { Terminal.standardError.write($0) }

        private init(_ mode: Mode) {
            self.mode = mode
        }

        /// Creates ``beforeRunning`` from `true`, and ``none`` from `false`.
        ///
        /// - Complexity: Constant.
        public init(booleanLiteral value: Bool) {
            self.init(value ? .beforeRunning : .none)
        }

        /// The group creates only its services. Other singletons are created when they are resolved.
        public static let none = DependencyWarmUp(.none)

        /// The group creates every singleton before any service runs.
        ///
        /// It calls `DependencyContainer.warmUp()`, which creates one singleton after the other, without a limit.
        public static let beforeRunning = DependencyWarmUp(.beforeRunning)

        /// The group runs its services, and creates the other singletons while they run.
        ///
        /// So a factory can use a client that must run before it answers. The group calls `DependencyContainer.warmUp(limit:width:)`, which
        /// has the rules. Services with ``DependencyService/Start/afterWarmUp`` start when all singletons exist.
        ///
        /// - Parameters:
        ///   - limit: The time for each creation; nil for no limit.
        ///   - width: The greatest number of creations at the same time; at least 1.
        /// - Returns: The choice.
        /// - Complexity: Constant.
        public static func whileRunning(limit: Duration?, width: Int = 8) -> DependencyWarmUp {
            DependencyWarmUp(.whileRunning(limit: limit, width: width))
        }
    }
#endif
