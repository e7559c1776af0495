#if Hummingbird
    public import Hopoate
    import HopoateServer
    public import Hummingbird

    @available(macOS 14, *)
    extension RouterMethods {
        /// Adds a page that shows the registrations of a container, their dependencies and their creations.
        ///
        /// ```swift
        /// import HopoateHummingbird
        /// import Hummingbird
        ///
        /// struct AdminOnly<Context: RequestContext>: RouterMiddleware {
        ///     let token: String
        ///
        ///     func handle(
        ///         _ request: Request, context: Context, next: (Request, Context) async throws -> Response
        ///     ) async throws -> Response {
        ///         guard request.headers[.authorization] == "Bearer \(token)" else { throw HTTPError(.unauthorized) }
        ///         return try await next(request, context)
        ///     }
        /// }
        ///
        /// func addSnapshot(of app: DependencyContainer, to router: Router<some RequestContext>, token: String) {
        ///     router.group("internal").add(middleware: AdminOnly(token: token))
        ///         .addSnapshotPage("dependencies", of: app)
        /// }
        /// ```
        ///
        /// The page tells the types, names and source files of the server. So mount it behind authentication, as above, or on a port that
        /// only operators reach.
        ///
        /// `GET` answers HTML. With `.json` behind the path, or with the header `Accept: application/json`, it answers
        /// `DependencySnapshot.json` and a newline. The page loads nothing, and its Content-Security-Policy allows no other script or style
        /// than its own. Caches do not store it. It shows creations if `recordCreations()` was called on the container before the registrations.
        ///
        /// With `prepare`, the page shows the container as an HTTP request sees it, with the services that each request brings.
        ///
        /// - Parameters:
        ///   - path: The path of the page, without captures.
        ///   - container: The container to show, with its parents: usually that of the application.
        ///   - prepare: Registers the services that each HTTP request brings. Nothing is created, so the values need not be real. If it
        ///     throws, the response has the status 500.
        /// - Returns: The router, for further routes.
        /// - Complexity: Constant. An HTTP request costs a snapshot, and time in proportion to the length of the page.
        @discardableResult
        public func addSnapshotPage(
            _ path: RouterPath, of container: DependencyContainer,
            prepare: (@Sendable (DependencyContainer) throws -> Void)? = nil
        ) -> Self {
            let snapshot: @Sendable () throws -> DependencySnapshot = {
                guard let prepare else { return container.snapshot() }
                return try container.snapshot(preparing: prepare)
            }
            get(path) { request, _ -> Response in
                let snapshot = try snapshot()
                return wantsJSON(request) ? .json(of: snapshot) : .page(of: snapshot, hasRequest: prepare != nil)
            }
            return get(RouterPath("\(path).json")) { _, _ in Response.json(of: try snapshot()) }
        }
    }

    /// Whether the HTTP request accepts JSON and not HTML.
    private func wantsJSON(_ request: Request) -> Bool {
        let accepted = request.headers[values: .accept].joined(separator: ",").lowercased()
        return accepted.contains("application/json") && !accepted.contains("text/html")
    }

    extension Response {
        fileprivate static func json(of snapshot: DependencySnapshot) -> Response {
            Response(
                text: snapshot.json + "\n", type: "application/json",
                policy: "default-src 'none'; frame-ancestors 'none'")
        }

        @available(macOS 14, *)
        fileprivate static func page(of snapshot: DependencySnapshot, hasRequest: Bool) -> Response {
            // A new one for each response, so that no other text can be run as a script of the page.
            let nonce = SnapshotPage.nonce()
            let policy = """
                default-src 'none'; style-src 'nonce-\(nonce)'; script-src 'nonce-\(nonce)'; base-uri 'none'; form-action 'none'; \
                frame-ancestors 'none'
                """
            let page = SnapshotPage(snapshot, hasRequest: hasRequest, nonce: nonce)
            return Response(text: page.html, type: "text/html; charset=utf-8", policy: policy)
        }

        private init(text: String, type: String, policy: String) {
            var headers: HTTPFields = [.contentType: type, .cacheControl: "no-store", .vary: "Accept"]
            headers[.contentSecurityPolicy] = policy
            headers[.xContentTypeOptions] = "nosniff"
            self.init(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        }
    }
#endif
