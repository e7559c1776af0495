#if Hummingbird
    import Hopoate
    import Hummingbird

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

    /// A responder that knows the service of its route.
    protocol MountingResponder {
        var mounted: MountedService { get }
    }

    private struct ServiceResponder<Context: DependencyRequestContext>: HTTPResponder, MountingResponder {
        let mounted: MountedService
        let answer: @Sendable (Request, Context) async throws -> Response

        @Sendable func respond(to request: Request, context: Context) async throws -> Response {
            try await answer(request, context)
        }
    }

    @available(macOS 14, *)
    extension RouterMethods where Context: DependencyRequestContext {
        /// Adds a route that resolves a service, and tells every ``DependencyRoutes`` on the way about it.
        func mount<Service, Output: ResponseGenerator>(
            _ path: RouterPath, method: HTTPRequest.Method, named name: DependencyName?,
            fileID: StaticString, line: UInt,
            handler: @escaping @Sendable (Service, Request, Context) async throws -> Output
        ) -> Self {
            let mounted = MountedService { route in
                DependencyRoot(Service.self, named: name, neededBy: route, fileID: fileID, line: line)
            }
            let responder = ServiceResponder<Context>(mounted: mounted) { request, context in
                let service = try await context.dependencies.asyncResolve(
                    Service.self, named: name, fileID: fileID, line: line)
                return try await handler(service, request, context).response(from: request, context: context)
            }
            return MountedService.$current.withValue(mounted) { on(path, method: method, responder: responder) }
        }
    }
#endif
