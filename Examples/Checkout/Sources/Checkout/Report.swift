/// What a run came to.
package struct Report: Equatable, Sendable {
    /// What a payment service did in all passes.
    struct Payment: Equatable, Sendable {
        let name: String
        let charged: Int

        init(_ service: any PaymentService) {
            name = service.name
            charged = service.charged
        }
    }

    /// What was different because nobody was to be charged.
    struct DryRun: Equatable, Sendable {
        let withheld: Int
        /// What was found when it had ended.
        let restored: Payment
    }

    /// How much work it was, in all passes.
    struct Load: Equatable, Sendable {
        let workers: Int
        let passes: Int
        /// Whether all passes came to the same, which they must.
        let passesAgree: Bool
        let resolves: Int
        let elapsed: Duration
    }

    /// What was read.
    let input: String
    /// The orders of one pass.
    let summary: Summary
    /// What the log of one pass has.
    let audit: AuditDigest
    /// What was left of the articles that ran short.
    let stock: [String: Int64]
    let payment: Payment
    var dryRun: DryRun?
    let load: Load
}
