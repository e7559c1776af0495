import ByContainer
import ByHand
import Components
import Logging
import ServiceLifecycle

/// The two services, which must behave the same.
enum Variant: CaseIterable {
    case byHand, byContainer

    func makeService(
        settings: Settings, events: Events, logger: Logger, onRunning: @escaping @Sendable (Int) async -> Void
    ) -> any Service {
        switch self {
        case .byHand: ShopByHand(settings: settings, events: events, logger: logger, onRunning: onRunning)
        case .byContainer:
            makeShopByContainer(settings: settings, events: events, logger: logger, onRunning: onRunning)
        }
    }
}
