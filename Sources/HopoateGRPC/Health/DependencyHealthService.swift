#if GRPC
    public import GRPCCore
    public import Hopoate
    import HopoateServer

    /// The standard health service of gRPC (`grpc.health.v1`), which answers with the health checks of a container.
    ///
    /// ```swift
    /// import GRPCCore
    /// import HopoateGRPC
    ///
    /// let health = DependencyHealthService(
    ///     of: container, within: .seconds(1), services: ["shop.Orders": [Database.self], "shop.Carts": []])
    /// ```
    ///
    /// Add it to the services of a `GRPCServer`. Load balancers, Kubernetes and `grpc_health_probe` know its protocol:
    ///
    /// | Service name | `SERVING` if |
    /// |---|---|
    /// | the empty name, for the server as a whole | `DependencyHealth.isReady` |
    /// | a name in `services` | the same holds for the checks of its types |
    /// | another name | never: `Check` fails with `NOT_FOUND`, and `Watch` sends `SERVICE_UNKNOWN` |
    ///
    /// `Watch` sends the current status, and then each change. For this it repeats the checks in an interval. It ends with the status
    /// `UNAVAILABLE` when the RPC is cancelled, also by a graceful shutdown of the server.
    ///
    /// No service is created. A service that has a check and does not exist yet is healthy, unless its last creation has failed. A type
    /// without a check has the status `UNKNOWN`, because nothing is known of it.
    ///
    /// - Note: Concurrency. Immutable and thread-safe. Each RPC runs the checks by itself.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public struct DependencyHealthService: RegistrableRPCService {
        private let statuses: ServingStatuses
        private let interval: Duration

        /// Creates a health service.
        ///
        /// - Parameters:
        ///   - container: The container of the application.
        ///   - limit: The time for all checks of one report together.
        ///   - services: The types of services that each service name of the protocol depends on. The checks of these types count,
        ///     with and without names. Without types, the name is `SERVING` until the container shuts down.
        ///   - interval: The time between two reports of a `Watch`.
        /// - Complexity: O(n) in the number of types.
        public init(
            of container: DependencyContainer = .shared, within limit: Duration,
            services: [String: [any Any.Type]] = [:], interval: Duration = .seconds(5)
        ) {
            self.statuses = ServingStatuses(container: container, limit: limit, services: services)
            self.interval = interval
        }

        /// Registers `Check` and `Watch`. The server calls it.
        ///
        /// - Parameter router: The router of the server.
        /// - Complexity: Constant.
        public func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
            HealthHandler(statuses: statuses, interval: interval).registerMethods(with: &router)
        }
    }
#endif
