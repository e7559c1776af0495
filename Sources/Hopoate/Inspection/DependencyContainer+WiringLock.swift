extension DependencyContainer {
    /// The wiring as text, to be kept in a file and compared in reviews: one sorted line for each registration, with its lifetime and needs.
    ///
    /// ```swift
    /// print(container.wiringLock)
    /// // any App.Log: eager, needs nothing
    /// // App.Checkout: transient, needs App.Basket, any App.Log (optional)
    /// // App.Legacy: singleton, unknown needs
    /// ```
    ///
    /// It has no places, so it changes only with the wiring. Those of parents have their level, and shadowed ones are marked. A test
    /// compares the text with a file: `expectWiring(of:in:)` of HopoateTestingHelpers.
    ///
    /// - Complexity: That of ``registrations``, plus O(n log n) in the number of lines.
    public var wiringLock: String {
        registrations.map(\.lockLine).sorted().map { $0 + "\n" }.joined()
    }
}

extension DependencyDescription {
    fileprivate var lockLine: String {
        var parts = [lifetime.description]
        if level > 0 { parts.append("level \(level)") }
        if isHidden { parts.append("shadowed") }
        let needs = dependencies?.map { need in
            "\(need.identity)" + (need.need == .required ? "" : " (\(need.need))")
        }
        parts.append(
            needs.map { $0.isEmpty ? "needs nothing" : "needs " + $0.joined(separator: ", ") } ?? "unknown needs")
        return "\(identity): \(parts.joined(separator: ", "))"
    }
}
