/// Whether an instance exists.
package enum Existence<Service> {
    case exists(Service)
    /// The last creation has failed.
    case failed(DependencyError)
    /// No creation has ended yet, or the instance has left.
    case missing
}

extension DependencyContainer {
    /// Returns the instance that a resolve call would find, or why there is none. Runs no factory.
    ///
    /// - Throws: An error if there is no registration, or if no instance of it is kept.
    package func existence<Service>(
        of service: Service.Type, named name: DependencyName?, fileID: StaticString, line: UInt
    ) throws(DependencyError) -> Existence<Service> {
        let key = ServiceKey<Service>(named: name)
        let callSite = CallSite(fileID, line)
        let wiring = Wiring(live: self)
        // The type of a key proves the type of its registrations.
        guard let node = wiring.newest(key.erased),
            let registration = node.registration as? ServiceRegistration<Service>
        else { throw missing(key, callSite) }
        guard registration.ownership != .caller else {
            throw DependencyError(
                .invalid, key.identity, chain: [key.identity],
                text: """
                    it has the lifetime '\(registration.lifetimeOfService)', so no instance of it is kept. Check the service behind it, or \
                    register it as a singleton.
                    """, action: .checkHealth, at: callSite)
        }
        return registration.existence(for: Resolution(container: self, owner: wiring.containers[node.level]))
    }
}

extension ServiceRegistration {
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
