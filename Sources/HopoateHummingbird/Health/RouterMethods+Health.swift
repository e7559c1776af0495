#if Hummingbird
    public import Hopoate
    import HopoateServer
    public import Hummingbird

    @available(macOS 14, *)
    extension RouterMethods {
        /// Adds routes that report the health of a container: whether the server is ready, and whether its process works.
        ///
        /// ```swift
        /// import HopoateHummingbird
        /// import Hummingbird
        ///
        /// func addHealth(of app: DependencyContainer, to router: Router<some RequestContext>) {
        ///     app.addHealthCheck(of: Database.self) { try await $0.ping() }
        ///     router.addHealthRoutes(of: app)
        /// }
        /// ```
        ///
        /// The routes answer `GET` and `HEAD` with status 200 or 503, with `Cache-Control: no-store` and with JSON:
        ///
        /// ```text
        /// {"checks":[{"kind":"readiness","service":"App.Database","status":"timedOut"}],"status":"unhealthy"}
        /// ```
        ///
        /// | Path | Checks | 200 if |
        /// |---|---|---|
        /// | `ready` | all | `isReady`: none has failed, and the container is not shutting down |
        /// | `live` | those for liveness | `isAlive`: none has failed, or the container is shutting down |
        ///
        /// The status of the whole is `healthy`, `unhealthy` or `shuttingDown`; that of a check is `healthy`, `unhealthy`, `timedOut`,
        /// `notCreated`, or `failed` after a failed creation. A service with a name has `name`. No service is created. A child container or
        /// a ``RequestScope`` is not needed: add the routes to the router itself, before middlewares that authenticate or limit HTTP
        /// requests.
        ///
        /// **Errors.** An error may contain host names and secrets, so the response leaves it out, unless `showsErrors` is true. It is
        /// logged at the level `error` when the outcome of a check gets bad or changes from one bad outcome to another, and the recovery
        /// at the level `notice`. So a log shows when an outage began and ended, however often the load balancer asks. Repetitions are
        /// logged at the level `debug`.
        ///
        /// **Disconnects.** If a client of HTTP/1 disconnects, the checks are cancelled, and nothing is logged. To notice it, the routes
        /// read the connection after 50 milliseconds. Hummingbird cannot use it after that, so the response then has
        /// `Connection: close`. Faster responses leave the connection open. The checks run to their end or limit if a middleware has
        /// replaced the body of the HTTP request, or if nothing shows that it is HTTP/1: neither a capital letter in the name of a header
        /// field nor the field `Connection`.
        ///
        /// - Parameters:
        ///   - container: The container of the application.
        ///   - ready: The path for readiness.
        ///   - live: The path for liveness.
        ///   - limit: The time for all checks together. Choose less than the time that the load balancer waits for the response.
        ///   - showsErrors: Whether a response contains the texts of errors, as `error`.
        /// - Returns: The router, for further routes.
        /// - Complexity: Constant. An HTTP request costs that of `DependencyContainer.health(for:within:clock:)`.
        @discardableResult
        public func addHealthRoutes(
            of container: DependencyContainer, ready: RouterPath = "health/ready", live: RouterPath = "health/live",
            within limit: Duration = .seconds(1), showsErrors: Bool = false
        ) -> Self {
            let log = HealthLog()
            for (path, probe) in [(ready, DependencyHealth.Probe.readiness), (live, .liveness)] {
                let responder = HealthResponder<Context>(
                    container: container, probe: probe, limit: limit, showsErrors: showsErrors, log: log)
                MountedService.$current.withValue(.settled) {
                    _ = on(path, method: .get, responder: responder)
                    _ = on(path, method: .head, responder: responder)
                }
            }
            return self
        }
    }
#endif
