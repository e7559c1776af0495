/// Records the decision about every order.
protocol AuditLog: Actor {
    /// Adds the entries of a batch. Batches arrive in any order.
    func record(_ entries: [String])

    /// The number of entries and a digest of all of them.
    var digest: AuditDigest { get }
}

/// A summary of the entries of a log.
struct AuditDigest: Hashable, Sendable {
    var entries = 0
    /// The sum of the entries' FNV-1a hashes, which does not depend on their order.
    var sum: UInt64 = 0
}

/// An audit log that keeps only the digest, which is enough to compare the decisions of two runs.
actor DigestingAuditLog: AuditLog {
    private(set) var digest = AuditDigest()

    func record(_ entries: [String]) {
        digest.entries += entries.count
        for entry in entries { digest.sum &+= fowlerNollVo(entry) }
    }
}

/// The 64-bit FNV-1a hash of a text.
private func fowlerNollVo(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}
