package import Hopoate
public import Hummingbird

/// The context of an HTTP request in middleware and routes.
public struct ShopContext: RequestContext {
    /// The storage that Hummingbird needs.
    public var coreContext: CoreRequestContextStorage
    /// Set by `RequestMiddleware`; empty before.
    public internal(set) var info: RequestInfo
    private var requestContainer: DependencyContainer?

    /// Creates the context of a request from the logger and the channel of the server.
    public init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        info = RequestInfo(id: "", session: nil, base: source.logger)
    }

    /// The container of this request, a child of the application's container. Only the context retains it, so it is released with
    /// all of its instances when the request is over.
    package var container: DependencyContainer {
        get {
            guard let requestContainer else {
                preconditionFailure("This route has no container: add it to a group behind ScopeMiddleware.")
            }
            return requestContainer
        }
        set { requestContainer = newValue }
    }
}
