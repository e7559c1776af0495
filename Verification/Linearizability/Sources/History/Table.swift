extension History {
    /// The history as text, in the order of invocation, with a mark at the operation that no order explains.
    ///
    /// - Parameter unexplained: That operation, from this history or from a part of it.
    /// - Returns: Lines of text.
    public func table(unexplained: Operation) -> String {
        let mentioned = Set(operations.map { Int($0.key) })
        var lines = keys.filter { mentioned.contains($0) || !initial[$0 - keys.lowerBound].isEmpty }.map { key in
            let stack = initial[key - keys.lowerBound].reversed().map(name).joined(separator: ", ")
            return "key \(key) holds [\(stack)], newest first"
        }
        let rows = operations.sorted { $0.invoked < $1.invoked }
        let begin = rows.first?.invoked ?? 0
        lines.append("thread       invoked      returned  operation")
        for operation in rows {
            let returned = operation.isPending ? "open" : String(operation.returned - begin)
            let isMarked = operation.thread == unexplained.thread && operation.invoked == unexplained.invoked
            let mark = isMarked ? "   <- no order explains this" : ""
            let thread = operation.thread == .max ? "audit" : String(operation.thread + 1)
            let cells = [padded(thread, 6), padded(String(operation.invoked - begin), 14), padded(returned, 14)]
            lines.append("\(cells.joined())  \(operation)\(mark)")
        }
        return lines.joined(separator: "\n")
    }
}

private func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

/// Registrations of thread 1 are named 1.0, 1.1 and so on; initial registrations are named 0.1, 0.2.
private func name(_ identifier: Identifier) -> String {
    switch identifier {
    case .none: "nothing"
    case .dead: "a service that is gone"
    default: "\(identifier / Identifier.perThread).\(identifier % Identifier.perThread)"
    }
}

extension Identifier {
    /// The number of registrations that each thread may make.
    public static let perThread: Identifier = 64
}

extension Operation: CustomStringConvertible {
    /// The call and its result, in a few words.
    public var description: String {
        switch kind {
        case .register, .overwrite, .remove: "\(kind) \(name(identifier)), key \(key)"
        case .commit:
            "commit \(name(identifier)), key \(key), and \(stack.map(name).joined()), key \(key + 1)"
        case .removeAll: "removeAll"
        case .resolve, .optionalResolve, .borrow: "\(kind) key \(key): \(name(identifier))"
        case .canResolve: "canResolve key \(key): \(identifier == .none ? "no" : "yes")"
        case .resolveAll: "resolveAll key \(key): [\(stack.map(name).joined(separator: ", "))]"
        case .look: "look at the borrowed \(stack.map(name).joined()), key \(key): \(name(identifier))"
        }
    }
}
