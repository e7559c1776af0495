/// Keeps what was decided about every order.
protocol AuditLog: Actor {
    /// Takes the entries of a batch. Batches come in any order.
    func record(_ entries: [String])

    /// How many entries there are, and a digest of all of them.
    var digest: AuditDigest { get }
}

/// What is left of the entries of a log.
struct AuditDigest: Hashable, Sendable {
    var entries = 0
    /// The sum of the entries' FNV-1a hashes, which does not depend on their order.
    var sum: UInt64 = 0
}

/// An audit log that keeps the digest only: enough to tell whether two runs decided alike.
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
