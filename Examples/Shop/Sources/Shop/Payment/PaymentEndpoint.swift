/// The address of the payment provider.
struct PaymentEndpoint: Sendable {
    let address: Settings.Address

    var chargesURL: String { "http://\(address.host):\(address.port)/charges" }
}
