package import Hopoate
package import Hummingbird

/// What goes with a request through middleware and routes.
package struct ShopContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// Of `RequestMiddleware`; until then, what the server knows.
    package var info: RequestInfo
    private var requestContainer: DependencyContainer?

    package init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        info = RequestInfo(id: "", session: nil, base: source.logger)
    }

    /// The container of this request, a child of the application's. The context is the only one that keeps it: when
    /// the request is over, it is gone, with all that it made.
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
