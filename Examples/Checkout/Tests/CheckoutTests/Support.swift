import Foundation
import Hopoate

@testable import Checkout

/// Returns a line that is accepted with the default arguments.
func line(
    id: String = "A-1", currency: String = "EUR", country: String = "DE", sku: String = "TEA-01", quantity: Int64 = 1
) -> String {
    #"{"id":"\#(id)","currency":"\#(currency)","country":"\#(country)","#
        + #""items":[{"sku":"\#(sku)","quantity":\#(quantity)}]}"#
}

extension Pipeline {
    /// Returns the outcome of a text with the services of the current container.
    static func run(_ text: String, workers: Int = 2) async -> Summary {
        await Pipeline(workers: workers).run(InputLines(Data(text.utf8))).summary
    }
}

extension Summary {
    var rejections: [Rejection] { rejected.map(\.rejection) }
}

/// The files next to the sources.
enum Sample {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sample")
        .standardized
    static let orders = folder.appending(path: "orders.jsonl")
    static let expected = folder.appending(path: "expected.json")

    static func lines() throws -> InputLines { InputLines(try Data(contentsOf: orders)) }
}
