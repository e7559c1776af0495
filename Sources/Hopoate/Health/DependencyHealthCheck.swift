/// A check of the health of a service, as ``DependencyContainer/addHealthCheck(of:named:for:fileID:line:check:)`` registers it.
///
/// ```swift
/// let check = container.addHealthCheck(of: Database.self) { try await $0.ping() }
/// container.remove(check)
/// ```
///
/// Checks are registered like services. ``DependencyContainer/resolveAll(_:named:)`` returns them, children see those of their parents, and
/// the token removes one.
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyHealthCheck: Sendable {
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
    /// - Returns: A token for ``remove(_:)``. You need not keep it.
    /// - Complexity: Amortised constant.
    @discardableResult
    public func addHealthCheck<Service: Sendable>(
        of serviceType: Service.Type, named name: DependencyName? = nil, for probe: DependencyHealth.Probe = .readiness,
        fileID: StaticString = #fileID, line: UInt = #line,
        check: @escaping @Sendable (Service) async throws -> Void
    ) -> ServiceRegistration<DependencyHealthCheck> {
        let callSite = CallSite(fileID, line)
        let healthCheck = DependencyHealthCheck(
            service: serviceType, name: name, probe: probe, place: callSite.ifKnown?.place
        ) { container in
            do throws(DependencyError) {
                switch try container.existence(of: ServiceKey<Service>(named: name), callSite) {
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

    /// Returns the instance that a resolve call would find, or why there is none. Runs no factory.
    private func existence<Service>(
        of key: ServiceKey<Service>, _ callSite: CallSite
    ) throws(DependencyError) -> Existence<Service> {
        // The type of a key proves the type of its registrations.
        guard let (found, owner) = newest(key.erased), let registration = found as? ServiceRegistration<Service> else {
            throw missing(key, callSite)
        }
        guard registration.keepsInstances else {
            throw DependencyError(
                .invalid, key.identity, chain: [key.identity],
                text: """
                    it has the lifetime '\(registration.lifetimeOfService)', so no instance of it is kept. Check the service behind it, or \
                    register it as a singleton.
                    """, action: .checkHealth, at: callSite)
        }
        return registration.existence(for: Resolution(container: self, owner: owner))
    }
}

/// Whether an instance exists.
private enum Existence<Service> {
    case exists(Service)
    /// The last creation has failed.
    case failed(DependencyError)
    /// No creation has ended yet, or the instance has left.
    case missing
}

extension ServiceRegistration {
    /// Whether instances stay after a resolve call.
    fileprivate var keepsInstances: Bool {
        switch source {
        case .instance: true
        case .closure: false
        case .transient, .singleton, .factory:
            lifetimeOfService.policy.sharing.kind.ownership != .caller || lifetimeOfService.policy.sharing.kind.isEager
        }
    }

    /// The instance that a resolve call would find, or why there is none.
    fileprivate func existence(for resolution: Resolution) -> Existence<Service> {
        if let instance = holder?.instance { return .exists(instance) }
        guard let factory = factory(taking: Void.self) else { return .missing }
        // Read first: an instance that is created in between exists.
        let failure = factory.failure(for: resolution)
        if let instance = factory.existingInstance(for: resolution) { return .exists(instance) }
        return failure.map { .failed($0.thrown(at: nil, in: resolution.container)) } ?? .missing
    }
}
