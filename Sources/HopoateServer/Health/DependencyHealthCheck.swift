public import Hopoate

/// A check of the health of a service, as ``Hopoate/DependencyContainer/addHealthCheck(of:named:for:fileID:line:check:)`` registers it.
///
/// ```swift
/// let check = container.addHealthCheck(of: Database.self) { try await $0.ping() }
/// container.remove(check)
/// ```
///
/// Checks are registered like services. `resolveAll` returns them, children see those of their parents, and
/// the token removes one.
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyHealthCheck: Sendable, LibraryService {
    /// What a check can do now.
    enum Plan {
        /// Its outcome is known.
        case ended(DependencyHealth.Status)
        /// It has to run. The closure retains the instance, and not the container.
        case run(@Sendable () async throws -> Void)
    }

    let service: any Any.Type
    let name: DependencyName?
    let probe: DependencyHealth.Probe
    let place: String?
    /// Looks for the instance in a container.
    let plan: @Sendable (DependencyContainer) -> Plan

    /// Whether this is a check of the same service, for the same question.
    func replaces(_ other: DependencyHealthCheck) -> Bool {
        service == other.service && name == other.name && probe == other.probe
    }

    func result(_ status: DependencyHealth.Status) -> DependencyHealth.Result {
        DependencyHealth.Result(service: service, name: name, probe: probe, place: place, status: status)
    }
}

extension DependencyContainer {
    /// Adds a health check of a service.
    ///
    /// ```swift
    /// container.register(Database.self) { _ in try await Database.connect() }
    /// container.addHealthCheck(of: Database.self) { database in
    ///     try await database.ping()
    /// }
    /// ```
    ///
    /// ``health(within:)`` passes the instance to the closure. The check is of the service that a resolve call would find: its newest
    /// registration, here or in a parent. If there is no instance yet, the closure does not run.
    ///
    /// The lifetime has to keep an instance. The container keeps none of a transient service, and none of an alias (`forward`). A check of
    /// one is reported as unhealthy, with the remedy: check the service behind it. So is a check of a service without a registration.
    ///
    /// Traps if the container is sealed or shut down.
    ///
    /// - Parameters:
    ///   - serviceType: The type that the service is registered under.
    ///   - name: The name of the service; nil for a service without a name.
    ///   - probe: The question that the check answers.
    ///   - check: Returns if the service works, and throws if it does not. It is cancelled when its time is up.
    /// - Returns: A token for `remove`. You need not keep it.
    /// - Complexity: Amortised constant.
    @discardableResult
    public func addHealthCheck<Service: Sendable>(
        of serviceType: Service.Type, named name: DependencyName? = nil, for probe: DependencyHealth.Probe = .readiness,
        fileID: StaticString = #fileID, line: UInt = #line,
        check: @escaping @Sendable (Service) async throws -> Void
    ) -> ServiceRegistration<DependencyHealthCheck> {
        let healthCheck = DependencyHealthCheck(
            service: serviceType, name: name, probe: probe,
            place: fileID.utf8CodeUnitCount == 0 ? nil : "\(fileID):\(line)"
        ) { container in
            do throws(DependencyError) {
                switch try container.existence(of: serviceType, named: name, fileID: fileID, line: line) {
                case .exists(let instance): return .run { try await check(instance) }
                case .failed(let error): return .ended(.failed(error))
                case .missing: return .ended(.notCreated)
                }
            } catch {
                return .ended(.unhealthy(error))
            }
        }
        return register(healthCheck, for: DependencyHealthCheck.self, fileID: fileID, line: line)
    }
}
