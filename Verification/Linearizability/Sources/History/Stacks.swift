/// The specification: what a container is to whoever uses it alone. A plain stack for each key.
struct Stacks: Hashable {
    private let firstKey: Int
    private(set) var stacks: [[Identifier]]

    init(_ history: History) {
        firstKey = history.keys.lowerBound
        stacks = history.initial
    }

    /// Does one operation.
    ///
    /// - Returns: Whether it answers here what it answered in the history; if not, these stacks are as they were.
    mutating func apply(_ operation: Operation) -> Bool {
        let key = Int(operation.key) - firstKey
        switch operation.kind {
        case .register:
            stacks[key].append(operation.identifier)
        case .overwrite:
            stacks[key] = [operation.identifier]
        case .remove:
            if let index = stacks[key].lastIndex(of: operation.identifier) { stacks[key].remove(at: index) }
        case .removeAll:
            for key in stacks.indices { stacks[key] = [] }
        case .resolve, .optionalResolve, .borrow:
            return (stacks[key].last ?? .none) == operation.identifier
        case .canResolve:
            return stacks[key].isEmpty == (operation.identifier == .none)
        case .resolveAll:
            return stacks[key].reversed().elementsEqual(operation.stack)
        case .look:
            return operation.stack == [operation.identifier]
        }
        return true
    }
}
