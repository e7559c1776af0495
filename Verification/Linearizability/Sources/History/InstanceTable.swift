extension InstanceHistory {
    /// The broken rules and then the history in the order of time, as text.
    public func table(_ flaws: [InstanceFlaw]) -> String {
        let first = calls.lazy.map(\.invoked).filter { $0 > 0 }.min() ?? 0
        var rows: [(begun: UInt64, ended: UInt64, thread: UInt8, text: String)] = []
        for (index, call) in calls.enumerated() {
            let broken = flaws.filter { $0.call == index }.map(\.rule.rawValue)
            let mark = broken.isEmpty ? "" : "   <- \(broken.joined(separator: ", "))"
            rows.append((call.invoked, call.returned, call.thread, "\(call)\(mark)"))
        }
        for creation in creations {
            let result = creation.instance == .none ? "throws" : "returns instance \(creation.instance)"
            let lifetime = registrations[creation.registration]?.lifetime
            let place =
                switch lifetime {
                case .scoped: " for container \(creation.place)"
                case .keyed: " for argument \(creation.place)"
                default: ""
                }
            rows.append(
                (
                    creation.begun, creation.ended, creation.thread,
                    "  factory of registration \(creation.registration)\(place) \(result)"
                ))
        }
        for disposal in disposals {
            rows.append((disposal.begun, disposal.ended, disposal.thread, "  hook of instance \(disposal.instance)"))
        }
        rows.sort { $0.begun < $1.begun }
        var lines = flaws.map { "\($0.rule.rawValue)\($0.instance == .none ? "" : " of instance \($0.instance)")" }
        for (identifier, registration) in registrations.sorted(by: { $0.key < $1.key }) {
            let hook = registration.hasHook ? "" : ", without a hook"
            lines.append("registration \(identifier): key \(registration.key), \(registration.lifetime)\(hook)")
        }
        lines.append("thread         begun         ended")
        for row in rows {
            let thread = row.thread == .max ? "round" : String(row.thread + 1)
            let cells = [
                padded(thread, 6), padded(String(row.begun &- first), 14), padded(String(row.ended &- first), 14),
            ]
            lines.append("\(cells.joined())  \(row.text)")
        }
        return lines.joined(separator: "\n")
    }
}

private func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

extension InstanceCall: CustomStringConvertible {
    /// The call and its result, in a few words.
    public var description: String {
        switch kind {
        case .register, .overwrite, .remove: "\(kind) \(registration)"
        case .removeAll: "removeAll"
        case .shutDown: "shutdown of container \(container)"
        case .resolve:
            "resolve key \(key) in container \(container), argument \(argument): "
                + (answer == .found ? "instance \(instance)" : "\(answer)")
        }
    }
}
