/// The address of the payment provider, and the seconds that it has for an answer.
struct PaymentEndpoint: Sendable {
    let address: Settings.Address
    let timeout: Double

    var chargesURL: String { "http://\(address.host):\(address.port)/charges" }
}
