/// The specification: the behaviour of a container in a single thread. A plain stack for each key.
struct Stacks: Hashable {
    private let firstKey: Int
    private(set) var stacks: [[Identifier]]

    init(_ history: History) {
        firstKey = history.keys.lowerBound
        stacks = history.initial
    }

    /// Applies one operation.
    ///
    /// - Returns: Whether its result here is its result in the history. If not, the stacks do not change.
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
        case .commit:
            stacks[key] = [operation.identifier]
            stacks[key + 1] = operation.stack
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
