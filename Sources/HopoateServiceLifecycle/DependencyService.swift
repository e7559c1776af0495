#if ServiceLifecycle
    public import Hopoate
    public import ServiceLifecycle

    /// A service that a ``DependencyServiceGroup`` resolves and runs.
    ///
    /// ```swift
    /// import HopoateServiceLifecycle
    /// import ServiceLifecycle
    ///
    /// struct Mailer: Service {
    ///     func run() async throws { try await gracefulShutdown() }
    /// }
    ///
    /// let mailer = DependencyService(Mailer.self, named: "newsletter", failureTerminationBehavior: .gracefullyShutdownGroup)
    /// ```
    ///
    /// It names the type and the name of the registration, the time at which the service starts, and the effect on the group when it ends.
    ///
    /// - Note: Concurrency. Immutable and thread-safe.
    public struct DependencyService: Sendable {
        /// The effect on the group when a service ends.
        public typealias TerminationBehavior = ServiceGroupConfiguration.ServiceConfiguration.TerminationBehavior

        /// The time at which a group starts a service.
        ///
        /// It has an effect in a group that warms its container up ``DependencyWarmUp/whileRunning(limit:width:)``.
        public struct Start: Sendable, Hashable {
            let isLate: Bool

            private init(isLate: Bool) {
                self.isLate = isLate
            }

            /// The group resolves the service first and runs it while it creates the other services, which may use it.
            public static let beforeWarmUp = Start(isLate: false)

            /// The group resolves and runs the service when all singletons exist, for example a server that must not listen before.
            public static let afterWarmUp = Start(isLate: true)
        }

        let start: Start
        /// The registration; nil for a service that exists already.
        let identity: ServiceIdentity?
        /// Resolves the service.
        let resolve: @Sendable (DependencyContainer) async throws -> any Service
        let serviceName: String
        private let successTerminationBehavior: TerminationBehavior
        private let failureTerminationBehavior: TerminationBehavior

        /// Creates a group member from a service that is registered under its own type.
        ///
        /// - Parameters:
        ///   - type: The type of the registration.
        ///   - name: The name of the service; nil for a service without a name.
        ///   - start: The time at which the group resolves and runs the service.
        ///   - successTerminationBehavior: The effect on the group when the service returns.
        ///   - failureTerminationBehavior: The effect on the group when the service throws.
        /// - Complexity: Constant. The service is resolved when the group runs.
        public init<Wanted: Service>(
            _ type: Wanted.Type, named name: DependencyName? = nil, starts start: Start = .beforeWarmUp,
            successTerminationBehavior: TerminationBehavior = .cancelGroup,
            failureTerminationBehavior: TerminationBehavior = .cancelGroup,
            fileID: StaticString = #fileID, line: UInt = #line
        ) {
            self.init(
                type, named: name, starts: start, successTerminationBehavior: successTerminationBehavior,
                failureTerminationBehavior: failureTerminationBehavior, fileID: fileID, line: line
            ) { $0 }
        }

        /// Creates a group member from a registration under another type, such as a protocol or a type that contains the service.
        ///
        /// ```swift
        /// import HopoateServiceLifecycle
        /// import ServiceLifecycle
        ///
        /// protocol Worker: Service {}
        ///
        /// let worker = DependencyService((any Worker).self) { $0 }
        /// ```
        ///
        /// - Parameters:
        ///   - type: The type of the registration.
        ///   - name: The name of the service; nil for a service without a name.
        ///   - start: The time at which the group resolves and runs the service.
        ///   - successTerminationBehavior: The effect on the group when the service returns.
        ///   - failureTerminationBehavior: The effect on the group when the service throws.
        ///   - service: Returns the service to run.
        /// - Complexity: Constant. The service is resolved when the group runs.
        public init<Wanted>(
            _ type: Wanted.Type, named name: DependencyName? = nil, starts start: Start = .beforeWarmUp,
            successTerminationBehavior: TerminationBehavior = .cancelGroup,
            failureTerminationBehavior: TerminationBehavior = .cancelGroup,
            fileID: StaticString = #fileID, line: UInt = #line,
            service: @escaping @Sendable (Wanted) throws -> any Service
        ) {
            self.start = start
            identity = ServiceIdentity(of: type, named: name)
            self.successTerminationBehavior = successTerminationBehavior
            self.failureTerminationBehavior = failureTerminationBehavior
            serviceName = typeLabel(type) + (name.map { " named \"\($0)\"" } ?? "")
            resolve = { container in
                try service(try await container.asyncResolve(type, named: name, fileID: fileID, line: line))
            }
        }

        /// Creates a group member from an existing service, such as an `Application` of Hummingbird.
        ///
        /// ```swift
        /// import HopoateServiceLifecycle
        /// import ServiceLifecycle
        ///
        /// func makeGroup(of server: some Service) -> DependencyServiceGroup {
        ///     DependencyServiceGroup(
        ///         container: container, services: [.init(running: server, starts: .afterWarmUp)], drain: .seconds(5),
        ///         gracefulShutdownSignals: [.sigterm])
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - service: The service. The group releases it after its end.
        ///   - start: The time at which the group runs the service.
        ///   - successTerminationBehavior: The effect on the group when the service returns.
        ///   - failureTerminationBehavior: The effect on the group when the service throws.
        /// - Complexity: Constant.
        public init<Existing: Service>(
            running service: Existing, starts start: Start = .beforeWarmUp,
            successTerminationBehavior: TerminationBehavior = .cancelGroup,
            failureTerminationBehavior: TerminationBehavior = .cancelGroup
        ) {
            self.start = start
            identity = nil
            self.successTerminationBehavior = successTerminationBehavior
            self.failureTerminationBehavior = failureTerminationBehavior
            serviceName = typeLabel(Existing.self)
            resolve = { _ in service }
        }

        /// Returns the configuration of a service that runs in the place of this one.
        func configuration(running service: any Service) -> ServiceGroupConfiguration.ServiceConfiguration {
            ServiceGroupConfiguration.ServiceConfiguration(
                service: service, successTerminationBehavior: successTerminationBehavior,
                failureTerminationBehavior: failureTerminationBehavior, serviceName: serviceName)
        }
    }
#endif
