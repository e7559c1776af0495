/// The results of a run.
package struct Report: Equatable, Sendable {
    /// The totals of a payment service over all passes.
    struct Payment: Equatable, Sendable {
        let name: String
        let charged: Int

        init(_ service: any PaymentService) {
            name = service.name
            charged = service.charged
        }
    }

    /// The additional results of a dry run.
    struct DryRun: Equatable, Sendable {
        let withheld: Int
        /// The payment service after the dry run.
        let restored: Payment
    }

    /// The amount of work over all passes.
    struct Load: Equatable, Sendable {
        let workers: Int
        let passes: Int
        /// Whether all passes had the same outcome, which must be true.
        let passesAgree: Bool
        let resolves: Int
        let elapsed: Duration
    }

    /// The name of the input.
    let input: String
    /// The orders of one pass.
    let summary: Summary
    /// The audit log of one pass.
    let audit: AuditDigest
    /// The remaining stock of the scarce articles.
    let stock: [String: Int64]
    let payment: Payment
    var dryRun: DryRun?
    let load: Load
}
