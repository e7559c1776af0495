// The service that the container wires, as a program. check-wiring looks for missing services in programs only.
import ByContainer
import Components
import HopoateServiceLifecycle
import Logging

let shop = makeShopByContainer(settings: Settings(), events: Events(), logger: Logger(label: "shop")) { port in
    print("The shop listens on port \(port).")
}
try await shop.run()
