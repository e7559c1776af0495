import Components
import Synchronization

/// Records the charges, or declines them.
package final class StubPayments: Payments {
    private let recorded = Mutex<[Int]>([])
    private let declines: Bool

    package init(declines: Bool = false) {
        self.declines = declines
    }

    package var charges: [Int] { recorded.withLock { $0 } }

    package func charge(_ amount: Int, to user: String) async throws {
        if declines { throw Declined() }
        recorded.withLock { $0.append(amount) }
    }
}

package struct Declined: Error {
    package init() {}
}

/// Records the mail.
package final class StubMailer: Mailer {
    private let recorded = Mutex<[String]>([])

    package init() {}

    package var mails: [String] { recorded.withLock { $0 } }

    package func send(_ text: String, to user: String) async throws { recorded.withLock { $0.append(text) } }
}

/// A cache in memory.
package final class StubCache: Cache {
    private let content: Mutex<[String: Int]?>

    package init(_ prices: [String: Int]? = nil) {
        content = Mutex(prices)
    }

    package func prices() async throws -> [String: Int]? { content.withLock { $0 } }

    package func store(_ prices: [String: Int]) async throws { content.withLock { $0 = prices } }
}
