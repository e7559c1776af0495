import Hopoate

/// Compares the services that factories resolve with those that their source lists.
final class SourceUses: DependencyInstrument {
    private struct Contents {
        /// The registrations of each service.
        var registered: [ServiceIdentity: [ObservedDependency]] = [:]
        /// Pairs of services that were compared.
        var compared: Set<[ServiceIdentity]> = []
    }

    private let source: SourceWiring
    private let findings: Findings
    private let contents = Locked(Contents())

    init(_ source: SourceWiring, _ findings: Findings) {
        self.source = source
        self.findings = findings
    }

    func observer(of dependency: ObservedDependency) -> (any DependencyObserver)? {
        contents.withLock { $0.registered[dependency.identity, default: []].append(dependency) }
        return SourceUse(service: dependency.identity, uses: self)
    }

    /// Compares a service that was resolved with the needs of the one that is being created.
    fileprivate func note(_ service: ServiceIdentity) {
        // A decorator resolves the service inside, which has the same identity.
        guard !service.isOfLibrary, let user = servicesInCreation().last, user != service else { return }
        let users = contents.withLock { contents in
            contents.compared.insert([user, service]).inserted ? contents.registered[user] ?? [] : []
        }
        // Any of the registrations may be the one that is being created.
        let answers = users.map { source.lists(service, for: $0) }
        guard let last = users.last, answers.allSatisfy({ $0 == false }) else { return }
        findings.add(Finding(unlistedUseMessage(of: service, by: last, source.file), at: last.place.flatMap(location)))
    }
}

/// Observes the resolve calls of one registration.
private struct SourceUse: DependencyObserver {
    let service: ServiceIdentity
    let uses: SourceUses

    func didResolve() { uses.note(service) }
}
