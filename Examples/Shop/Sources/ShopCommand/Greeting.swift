/// The commands to try once the shop is open.
struct Greeting {
    let host: String
    let port: Int

    var text: String {
        """
        The shop is open at \(address). In another shell, as they are:

        curl -s \(address)/health
        curl -s \(address)/products
        curl -s \(address)/products/TEA-02
        S=$(curl -s -X POST \(address)/sessions | cut -d '"' -f 4)
        curl -s -X PUT \(address)/basket/TEA-02 -H "Session: $S" -d '{"quantity": 12}'
        curl -s -X POST \(address)/orders -H "Session: $S" -d '{"card": "any"}'
        curl -s \(address)/orders -H "Session: $S"

        The card "declined" is declined. Control-C closes the shop.

        """
    }

    private var address: String { "http://\(host):\(port)" }
}
