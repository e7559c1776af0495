import AsyncHTTPClient
import Hopoate
import NIOCore

extension HTTPClient {
    /// Opens the HTTP client for the payment provider. It lives as long as the service, and so do its connections.
    @Sendable static func openForPayments(endpoint: PaymentEndpoint) -> HTTPClient {
        @Dependency(\.settings) var settings
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = TimeAmount(.seconds(endpoint.timeout))
        // An unreachable provider is an error at once. The customer or the next start tries again.
        configuration.connectionPool.retryConnectionEstablishment = false
        // One connection per HTTP request and one for the orders of an earlier run, so that no payment waits for another.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.requestLimit + 1
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}
