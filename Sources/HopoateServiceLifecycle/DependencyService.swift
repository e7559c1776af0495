#if ServiceLifecycle
    public import Hopoate
    public import ServiceLifecycle

    /// A service that a ``DependencyServiceGroup`` is to run: under which type it is registered, and what its end means for the
    /// others.
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
    /// - Note: Concurrency. Immutable; from any thread.
    public struct DependencyService: Sendable {
        /// What the end of a service means for the others of its group.
        public typealias TerminationBehavior = ServiceGroupConfiguration.ServiceConfiguration.TerminationBehavior

        /// Resolves the service.
        let configuration:
            @Sendable (DependencyContainer) async throws -> ServiceGroupConfiguration.ServiceConfiguration

        /// A service that is registered under its own type.
        ///
        /// - Parameters:
        ///   - type: The type that it is registered under.
        ///   - name: The name that it is registered with; nil for one without.
        ///   - successTerminationBehavior: What happens when it returns.
        ///   - failureTerminationBehavior: What happens when it throws.
        ///   - fileID: Where it is listed, for the error that says that it is missing; filled in by the compiler.
        ///   - line: Where it is listed; filled in by the compiler.
        /// - Complexity: Constant; nothing is resolved yet.
        /// - Note: Concurrency. From any thread.
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

        /// A service that is registered under another type: a protocol, say, or something that has a service.
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
        ///   - type: The type that it is registered under.
        ///   - name: The name that it is registered with; nil for one without.
        ///   - successTerminationBehavior: What happens when it returns.
        ///   - failureTerminationBehavior: What happens when it throws.
        ///   - fileID: Where it is listed, for the error that says that it is missing; filled in by the compiler.
        ///   - line: Where it is listed; filled in by the compiler.
        ///   - service: What to run of it.
        /// - Complexity: Constant; nothing is resolved yet.
        /// - Note: Concurrency. From any thread.
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
