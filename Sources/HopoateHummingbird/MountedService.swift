#if Hummingbird
    import Hopoate

    /// What is known of the service of a route while the route is added.
    ///
    /// A route travels from a group through its parents to the router. Each of them wraps the responder in middlewares and passes it on,
    /// without returning in between. So a task-local that is bound around the call of `on` reaches every ``DependencyRoutes`` on the
    /// way, through groups of Hummingbird and of the user. A `RouteCollection` keeps the responder and adds it later: there, the
    /// responder itself carries the service.
    struct MountedService: Sendable {
        @TaskLocal static var current: MountedService?

        /// A route that needs no service of its own, or that an inner ``DependencyRoutes`` has already recorded.
        static let settled = MountedService(makeRoot: nil)

        /// Returns the root for the text of a route; nil if there is nothing to record.
        let makeRoot: (@Sendable (String) -> DependencyRoot)?
    }
#endif
