import GRDB
package import HTTPTypes
import Hummingbird

/// An error as customers see it.
public struct ShopError: Error, Sendable {
    package let status: HTTPResponse.Status
    /// The error code for programs.
    package let code: String
    /// The message for people.
    package let message: String
    /// The affected order.
    package var order: String?
    /// The seconds after which another attempt may succeed.
    package var retryAfter: Int?
}

extension ShopError {
    package static let noSession = ShopError(
        status: .unauthorized, code: "no_session",
        message: "Begin a session with POST /sessions, and send its identifier in the header 'Session'.")

    package static let emptyBasket = ShopError(
        status: .conflict, code: "empty_basket", message: "There is nothing in the basket of this session.")

    package static let overloaded = ShopError(
        status: .serviceUnavailable, code: "overloaded", message: "Too many requests at once; nothing was done.",
        retryAfter: 1)

    package static let bodyTooLarge = ShopError(
        status: .contentTooLarge, code: "bad_request", message: "The body is larger than 16 KiB.")

    /// Rarely received by a client: the connection is closed, or the input was not HTTP.
    package static let incompleteBody = badRequest("The body is not complete.")

    /// The last response on its connection.
    package static let requestTooSlow = ShopError(
        status: .requestTimeout, code: "request_timeout",
        message: "The body did not arrive in time; nothing was done.")

    package static func badRequest(_ message: String) -> ShopError {
        ShopError(status: .badRequest, code: "bad_request", message: message)
    }

    package static func unknownProduct(_ id: String) -> ShopError {
        ShopError(status: .notFound, code: "unknown_product", message: "There is no product '\(id.prefix(64))'.")
    }

    package static func unknownOrder(_ id: String) -> ShopError {
        ShopError(status: .notFound, code: "unknown_order", message: "This session has no order '\(id.prefix(64))'.")
    }

    package static func paymentDeclined(_ reason: String) -> ShopError {
        ShopError(
            status: HTTPResponse.Status(code: 402, reasonPhrase: "Payment Required"), code: "payment_declined",
            message: "Not paid: \(reason). The basket is as before.")
    }

    package static func paymentPending(order: String) -> ShopError {
        ShopError(
            status: .serviceUnavailable, code: "payment_pending",
            message:
                "The order is stored, and whether it is paid is not known yet. Check out again: it is charged once.",
            order: order, retryAfter: 1)
    }
}

extension ShopError {
    /// The part of any error that is safe to show to customers.
    init(_ error: any Error) {
        switch error {
        case let error as ShopError: self = error
        case let error as HTTPError: self.init(error)
        case let error as DatabaseError: self.init(error)
        default: self.init(status: .internalServerError, code: "internal", message: "The shop has made a mistake.")
        }
    }

    private init(_ error: HTTPError) {
        let reason = error.body ?? error.status.reasonPhrase
        self.init(
            status: error.status, code: error.status == .notFound ? "not_found" : "bad_request", message: reason)
    }

    /// A database that is busy, full, closed or broken may recover. Any other error is a bug of the shop.
    private init(_ error: DatabaseError) {
        switch error.resultCode {
        case .SQLITE_CONSTRAINT, .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_RANGE:
            self.init(
                status: .internalServerError, code: "storage_failed",
                message: "A statement has failed. What is complete stays; check out again where that was on the way.")
        default:
            self.init(
                status: .serviceUnavailable, code: "storage_unavailable",
                message: "The database cannot be used now. What is complete stays; try again.", retryAfter: 1)
        }
    }
}
