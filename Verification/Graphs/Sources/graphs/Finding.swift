/// A promise of the library that a program has broken.
struct Finding {
    enum Kind: String, CaseIterable {
        /// Validation passes, and a root cannot be resolved.
        case passed
        /// Validation has a finding for a root, and the root can be resolved.
        case harmless
        /// A root fails for another reason than those that validation has found.
        case reason
        /// The answer depends on who came first.
        case order
        /// Validation gives another answer after the services were used.
        case again
        /// A request gets an instance that was made from services of another request.
        case foreign
        /// The same, from a task-local of another request.
        case foreignLocal = "foreign-local"
        /// An instance that was made from services of a request outlives it.
        case kept
        /// The same, from a task-local of a request.
        case keptLocal = "kept-local"
        /// A caller gets an instance that was disposed of before.
        case disposed
        /// An instance outlives all containers.
        case leak
        /// A task or a creation does not end.
        case hang
    }

    let kind: Kind
    let text: String
    /// The order of the callers in which it happened.
    var order: Order?

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

extension Finding: CustomStringConvertible {
    var description: String { "\(kind.rawValue): \(text)" + (order.map { " (\($0))" } ?? "") }
}
