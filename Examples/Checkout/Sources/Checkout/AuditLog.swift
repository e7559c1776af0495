import Synchronization

/// Keeps what was decided about every order.
protocol AuditLog: AnyObject, Sendable {
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
final class DigestingAuditLog: AuditLog {
    private let state = Mutex(AuditDigest())

    var digest: AuditDigest { state.withLock { $0 } }

    func record(_ entries: [String]) {
        let sum = entries.reduce(0) { $0 &+ fowlerNollVo($1) }
        state.withLock {
            $0.entries += entries.count
            $0.sum &+= sum
        }
    }
}

/// The 64-bit FNV-1a hash of a text.
private func fowlerNollVo(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}
