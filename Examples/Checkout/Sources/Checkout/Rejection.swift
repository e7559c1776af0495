/// The reason why a line of the input is not an order.
enum Rejection: Error, Hashable, Sendable {
    case notUTF8
    case notJSON
    case missingField(String)
    case wrongType(String)
    case unusableNumber(String)
    case emptyOrder
    case unknownCurrency(String)
    case unknownCountry(String)
    case unknownSKU(String)
    case quantityNotPositive(Int64)
    case amountTooLarge
    case paymentDeclined
    case duplicateOrder(firstLine: Int)

    /// The reason without details, by which the report counts.
    var reason: String {
        switch self {
        case .notUTF8: "not UTF-8"
        case .notJSON: "not a JSON object"
        case .missingField: "missing field"
        case .wrongType: "wrong type"
        case .unusableNumber: "unusable number"
        case .emptyOrder: "empty order"
        case .unknownCurrency: "unknown currency"
        case .unknownCountry: "unknown country"
        case .unknownSKU: "unknown SKU"
        case .quantityNotPositive: "quantity not positive"
        case .amountTooLarge: "amount too large"
        case .paymentDeclined: "payment declined"
        case .duplicateOrder: "duplicate order"
        }
    }

    /// The invalid part of the line, or an empty text for the whole line.
    var detail: String {
        switch self {
        case .notUTF8, .notJSON, .emptyOrder, .amountTooLarge, .paymentDeclined: ""
        case .missingField(let field), .wrongType(let field), .unusableNumber(let field): quoted(field)
        case .unknownCurrency(let text), .unknownCountry(let text), .unknownSKU(let text): quoted(text)
        case .quantityNotPositive(let quantity): String(quantity)
        case .duplicateOrder(let firstLine): "first on line \(firstLine)"
        }
    }
}

/// Makes input text safe for a report: short, in ASCII, on one line.
private func quoted(_ text: String) -> String {
    let limit = 24
    let scalars = text.unicodeScalars
    let shown = scalars.prefix(limit).map { $0.escaped(asASCII: true) }.joined()
    return "'\(shown)\(scalars.dropFirst(limit).isEmpty ? "" : "...")'"
}
