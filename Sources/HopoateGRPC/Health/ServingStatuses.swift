#if GRPC
    import Hopoate
    import HopoateServer

    /// Turns the health of a container into the statuses of the protocol.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    struct ServingStatuses: Sendable {
        typealias Status = Grpc_Health_V1_HealthCheckResponse.ServingStatus

        private let container: DependencyContainer
        private let limit: Duration
        private let types: [String: Set<ObjectIdentifier>]

        init(container: DependencyContainer, limit: Duration, services: [String: [any Any.Type]]) {
            self.container = container
            self.limit = limit
            self.types = services.mapValues { Set($0.map { ObjectIdentifier($0) }) }
        }

        /// Returns the status of a service of the protocol; nil if the name is unknown.
        func status(of name: String) async -> Status? {
            if name.isEmpty { return await container.health(within: limit).isReady ? .serving : .notServing }
            guard let types = types[name] else { return nil }
            let health = await container.health(within: limit)
            if health.isShutDown { return .notServing }
            let results = health.results.filter { types.contains(ObjectIdentifier($0.service)) }
            guard results.allSatisfy(\.status.isGood) else { return .notServing }
            let checked = Set(results.map { ObjectIdentifier($0.service) })
            return checked.count == types.count ? .serving : .unknown
        }
    }
#endif
