#if Hummingbird
    import Hopoate
    import Hummingbird

    /// A responder that knows the service of its route.
    protocol MountingResponder<Context>: HTTPResponder where Context: DependencyRequestContext {
        var mounted: MountedService { get }

        /// Returns a responder that also does the work of a request scope.
        ///
        /// Each middleware costs several asynchronous frames for each HTTP request. If there is none between the scope and the
        /// route, this responder saves them.
        func inside(_ scope: RequestScope<Context>) -> any HTTPResponder<Context>
    }

    /// Resolves a service from the container in the context, and passes it to a handler.
    private struct ServiceResponder<Context: DependencyRequestContext, Service, Output: ResponseGenerator>:
        MountingResponder
    {
        let name: DependencyName?
        let fileID: StaticString
        let line: UInt
        let handler: @Sendable (Service, Request, Context) async throws -> Output

        var mounted: MountedService {
            MountedService { [name, fileID, line] route in
                DependencyRoot(Service.self, named: name, neededBy: route, fileID: fileID, line: line)
            }
        }

        @Sendable func respond(to request: Request, context: Context) async throws -> Response {
            let service = try await context.dependencies.asyncResolve(
                Service.self, named: name, fileID: fileID, line: line)
            return try await handler(service, request, context).response(from: request, context: context)
        }

        func inside(_ scope: RequestScope<Context>) -> any HTTPResponder<Context> {
            ScopedServiceResponder(scope: scope, route: self)
        }
    }

    /// Does the same as `RequestScope` followed by a `ServiceResponder`.
    private struct ScopedServiceResponder<Context: DependencyRequestContext, Service, Output: ResponseGenerator>:
        HTTPResponder
    {
        let scope: RequestScope<Context>
        let route: ServiceResponder<Context, Service, Output>

        @inline(__always)  // Into the witness, which would be an asynchronous function of its own.
        @Sendable func respond(to request: Request, context: Context) async throws -> Response {
            var child =
                if let tenant = scope.tenant {
                    try await scope.makeChild(of: tenant, request, context)
                } else {
                    scope.parent.makeChild()
                }
            do {
                switch scope.preparation {
                case .synchronous(let prepare): try prepare(child, request, context)
                case .asynchronous(let prepare): try await prepare(child, request, context)
                }
                var inner = context
                inner.requestContainer = child
                // As `asyncResolve`, but without the call of an asynchronous function unless the service has to be created by one.
                let service: Service
                do throws(UnfinishedResolution) {
                    service = try child.resolveWithoutSuspending(Service.self, named: route.name)
                } catch {
                    service = try await child.resolve(
                        Service.self, named: route.name, after: error, fileID: route.fileID, line: route.line)
                }
                let output = try await route.handler(service, request, inner)
                var response = try output.response(from: request, context: inner)
                inner.requestContainer = nil
                scope.end(&child, after: &response, context)
                return response
            } catch {
                await scope.end(child, because: error, context)
                throw error
            }
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
            let responder = ServiceResponder(name: name, fileID: fileID, line: line, handler: handler)
            return MountedService.$current.withValue(responder.mounted) {
                on(path, method: method, responder: responder)
            }
        }
    }
#endif
