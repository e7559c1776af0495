public import Hopoate
public import HopoateHummingbird
public import Hummingbird

/// The context of an HTTP request in middleware and routes.
public struct ShopContext: DependencyRequestContext {
    /// The storage that Hummingbird needs.
    public var coreContext: CoreRequestContextStorage
    /// Set by `RequestScope`.
    public var requestContainer: DependencyContainer?
    /// Set by `RequestMiddleware`; empty before.
    public internal(set) var info: RequestInfo

    /// Encodes the bodies of responses.
    public var responseEncoder: JSONLineEncoder { JSONLineEncoder() }

    /// Creates the context of a request from the logger and the channel of the server.
    public init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        info = RequestInfo(id: "", session: nil, base: source.logger)
    }
}
