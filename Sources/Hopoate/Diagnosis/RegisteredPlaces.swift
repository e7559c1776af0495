/// The places where the services of a dependency chain are registered, for messages.
///
/// Bounded, as everything that an error keeps: see `MissingService`.
struct RegisteredPlaces: Sendable {
    /// The number of services, at most: the innermost ones.
    private static let limit = 8

    private let places: [(identity: ServiceIdentity, callSites: [CallSite])]

    /// Looks the services up in the container that was asked and in its parents.
    init(_ chain: [ServiceIdentity], in container: DependencyContainer) {
        var places: [(identity: ServiceIdentity, callSites: [CallSite])] = []
        for identity in chain.suffix(Self.limit) where !places.contains(where: { $0.identity == identity }) {
            let callSites = container.callSites(of: identity)
            if !callSites.isEmpty { places.append((identity, callSites)) }
        }
        self.places = places
    }

    var lines: [String] {
        places.map { identity, callSites in
            "  '\(identity)' is registered at \(callSites.map(\.place).joined(separator: " and "))."
        }
    }
}

extension DependencyContainer {
    /// The places of the registrations of a key, newest first. Empty if there are many: nobody knows which one runs.
    fileprivate func callSites(of identity: ServiceIdentity) -> [CallSite] {
        var next: DependencyContainer? = self
        while let container = next {
            if container.registry.newest(identity.key) != nil {
                return container.registry.stack(identity.key, upTo: 3).compactMap { $0.callSite?.ifKnown }
            }
            next = container.parent
        }
        return []
    }
}

/// The place of a registration, to follow the name of its service; empty if the place is not known.
package func registered(at place: String?) -> String { place.map { ", registered at \($0)" } ?? "" }
