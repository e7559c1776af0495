/// Where resolve calls find the instances of a registration by the values of their arguments.
///
/// The registration has its address, and the factory keeps it alive. So a read section in which the registration was found can read it
/// without counting a reference.
@usableFromInline
// Unchecked, because the conformance of an argument to Hashable could be isolated. By the contract of such a registration, its arguments
// may be hashed and compared on any thread. The rest is immutable or thread-safe.
struct KeyedIndex: @unchecked Sendable {
    /// How arguments are hashed and compared.
    let arguments: any KeyedArguments.Type
    /// Whether an instance may end while callers hold it, so that a service that lives longer must not get it.
    let mayEndEarly: Bool
    /// The entries, by the hash values of their arguments.
    let heads: HashIndex<KeyedEntry>

    init(_ arguments: any KeyedArguments.Type, recordsUses: Bool, mayEndEarly: Bool) {
        self.arguments = arguments
        self.mayEndEarly = mayEndEarly
        heads = HashIndex(recordsUses: recordsUses)
    }

    /// Adds an entry, in place of another one with the same hash value.
    func add(_ entry: KeyedEntry) { heads.add(entry.head, hash: entry.hash) }

    /// Removes an entry, if it is there.
    func remove(_ entry: KeyedEntry) { heads.remove(entry.head, hash: entry.hash) }
}
