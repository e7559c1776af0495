/// The commands to try once the shop is open.
struct Greeting {
    let host: String
    let port: Int
    let hasSnapshot: Bool

    var text: String {
        """
        The shop is open at \(address). In another shell, as they are:

        curl -s \(address)/health/ready
        curl -s \(address)/products
        curl -s \(address)/products/TEA-02
        S=$(curl -s -X POST \(address)/sessions | cut -d '"' -f 4)
        curl -s -X PUT \(address)/basket/TEA-02 -H "Session: $S" -d '{"quantity": 12}'
        curl -s -X POST \(address)/orders -H "Session: $S" -d '{"card": "any"}'
        curl -s -X PUT \(address)/basket/TEA-01 -H "Session: $S" -d '{"quantity": 1}'
        curl -s -X POST \(address)/orders -H "Session: $S" -d '{"card": "declined"}'
        curl -s \(address)/orders -H "Session: $S"
        \(snapshot)
        Control-C closes the shop, and lists the services that it disposes of.

        """
    }

    private var snapshot: String {
        guard hasSnapshot else { return "" }
        return """
            curl -s \(address)/internal/dependencies.json

            The same as a page, in a browser: \(address)/internal/dependencies

            """
    }

    private var address: String { "http://\(host):\(port)" }
}
