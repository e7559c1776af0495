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
    /// It names the type and the name of the registration, and the effect on the group when the service ends.
    ///
    /// - Note: Concurrency. Immutable and thread-safe.
    public struct DependencyService: Sendable {
        /// The effect on the group when a service ends.
        public typealias TerminationBehavior = ServiceGroupConfiguration.ServiceConfiguration.TerminationBehavior

        /// Resolves the service and returns its configuration.
        let configuration:
            @Sendable (DependencyContainer) async throws -> ServiceGroupConfiguration.ServiceConfiguration

        /// Creates a group member from a service that is registered under its own type.
        ///
        /// - Parameters:
        ///   - type: The type of the registration.
        ///   - name: The name of the service; nil for a service without a name.
        ///   - successTerminationBehavior: The effect on the group when the service returns.
        ///   - failureTerminationBehavior: The effect on the group when the service throws.
        /// - Complexity: Constant. The service is resolved when the group runs.
        public init<Wanted: Service>(
            _ type: Wanted.Type, named name: DependencyName? = nil,
            successTerminationBehavior: TerminationBehavior = .cancelGroup,
            failureTerminationBehavior: TerminationBehavior = .cancelGroup,
            fileID: StaticString = #fileID, line: UInt = #line
        ) {
            self.init(
                type, named: name, successTerminationBehavior: successTerminationBehavior,
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
        ///   - successTerminationBehavior: The effect on the group when the service returns.
        ///   - failureTerminationBehavior: The effect on the group when the service throws.
        ///   - service: Returns the service to run.
        /// - Complexity: Constant. The service is resolved when the group runs.
        public init<Wanted>(
            _ type: Wanted.Type, named name: DependencyName? = nil,
            successTerminationBehavior: TerminationBehavior = .cancelGroup,
            failureTerminationBehavior: TerminationBehavior = .cancelGroup,
            fileID: StaticString = #fileID, line: UInt = #line,
            service: @escaping @Sendable (Wanted) throws -> any Service
        ) {
            configuration = { container in
                let resolved = try await container.asyncResolve(type, named: name, fileID: fileID, line: line)
                return ServiceGroupConfiguration.ServiceConfiguration(
                    service: try service(resolved), successTerminationBehavior: successTerminationBehavior,
                    failureTerminationBehavior: failureTerminationBehavior,
                    serviceName: String(reflecting: type) + (name.map { " named \"\($0)\"" } ?? ""))
            }
        }
    }
#endif
