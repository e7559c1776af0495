import Foundation

/// Parses orders from lines of JSON.
///
/// ```json
/// {"id": "A-1", "currency": "EUR", "country": "DE", "items": [{"sku": "TEA-01", "quantity": 2}]}
/// ```
///
/// Not thread-safe: each worker has its own instance.
struct OrderReader {
    private let decoder = JSONDecoder()

    /// Decodes a line and checks its form.
    func order(from line: Data) throws(Rejection) -> Order {
        // The decoder only looks at the strings that it needs, and takes zeros for a sign of UTF-16.
        guard String(validating: line, as: UTF8.self) != nil else { throw .notUTF8 }
        guard !line.contains(0) else { throw .notJSON }
        let record = try decode(line)

        guard !record.id.isEmpty else { throw .missingField("id") }
        guard let currency = Currency(rawValue: record.currency) else { throw .unknownCurrency(record.currency) }
        guard !record.items.isEmpty else { throw .emptyOrder }
        for item in record.items where item.quantity <= 0 { throw .quantityNotPositive(item.quantity) }
        let items = record.items.map { Order.Item(sku: $0.sku, quantity: $0.quantity) }
        return Order(id: record.id, currency: currency, country: record.country, items: items)
    }

    private func decode(_ line: Data) throws(Rejection) -> OrderRecord {
        do {
            return try decoder.decode(OrderRecord.self, from: line)
        } catch let rejection as Rejection {
            throw rejection
        } catch let error as DecodingError {
            throw Rejection(error)
        } catch {
            throw .notJSON
        }
    }
}

/// The format of orders in the input.
private struct OrderRecord: Decodable {
    struct Item: Decodable {
        var sku: String
        var quantity: Int64

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            sku = try fields.decode(String.self, forKey: .sku)
            do {
                quantity = try fields.decode(Int64.self, forKey: .quantity)
            } catch let error as DecodingError where !error.isCorruption {
                throw error
            } catch {
                // It is a number, but not an integer of 64 bits. For larger numbers, the decoder only reports corrupted data.
                throw Rejection.unusableNumber(fieldName(fields.codingPath + [CodingKeys.quantity]))
            }
        }

        private enum CodingKeys: CodingKey { case sku, quantity }
    }

    var id: String
    var currency: String
    var country: String
    var items: [Item]
}

extension Rejection {
    /// Translates a decoding error into the terms of the report.
    fileprivate init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self = .missingField(fieldName(context.codingPath + [key]))
        case .valueNotFound(_, let context) where !context.codingPath.isEmpty:
            self = .missingField(fieldName(context.codingPath))
        case .typeMismatch(_, let context) where !context.codingPath.isEmpty:
            self = .wrongType(fieldName(context.codingPath))
        default:
            self = .notJSON
        }
    }
}

extension DecodingError {
    fileprivate var isCorruption: Bool {
        if case .dataCorrupted = self { true } else { false }
    }
}

/// A path such as `items[2].sku`.
private func fieldName(_ path: [any CodingKey]) -> String {
    path.reduce("") { name, key in
        if let index = key.intValue { return "\(name)[\(index)]" }
        return name.isEmpty ? key.stringValue : "\(name).\(key.stringValue)"
    }
}
