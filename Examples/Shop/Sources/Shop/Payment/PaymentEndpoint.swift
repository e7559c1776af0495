/// Where the provider listens.
package struct PaymentEndpoint: Sendable {
    package let address: Settings.Address

    package init(_ address: Settings.Address) {
        self.address = address
    }

    /// That of the provider that is built in.
    package init(of provider: FakeProvider) {
        self.init(Settings.Address(host: "127.0.0.1", port: provider.port))
    }
}
