import Hopoate

/// Refuses to create live services, except those that a test allows.
final class LiveServices: DependencyInstrument {
    private let allowed: Set<ObjectIdentifier>
    private let findings: Findings
    /// Whether registrations are live: true while the closure for live services runs.
    private let isOpen = Locked(true)

    init(except allowed: Set<ObjectIdentifier>, _ findings: Findings) {
        self.allowed = allowed
        self.findings = findings
    }

    /// Ends the registration of live services: later registrations are those of the test.
    func close() { isOpen.withLock { $0 = false } }

    func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? {
        guard isOpen.withLock({ $0 }), !allowed.contains(ObjectIdentifier(dependency.service)) else { return nil }
        return LiveService(dependency: dependency, findings: findings)
    }
}

/// A live service that a test must not use.
private struct LiveService: DependencyObserver {
    let dependency: ObservedDependency
    let findings: Findings

    /// Whether the instance is created when it is registered. Then only its use is a mistake.
    private var isEager: Bool { dependency.lifetime.isEager }

    func didResolve() {
        if isEager { findings.add(finding()) }
    }

    func create<Output>(_ factory: () throws -> Output) throws -> Output {
        if isEager { return try factory() }
        throw refusal()
    }

    func create<Output>(
        isolation: isolated (any Actor)?, _ factory: () async throws -> Output
    ) async throws -> Output {
        throw refusal()
    }

    /// Returns the error of the creation. It is also a finding, because the code under test may handle the error.
    private func refusal() -> Finding {
        let finding = finding()
        findings.add(finding)
        return finding
    }

    private func finding() -> Finding {
        Finding(liveServiceMessage(dependency), chain: servicesInCreation())
    }
}
