/// A mistake in the wiring.
struct Finding {
    /// The identifiers, which do not change. All but `module` and `invalid` are also those of `DependencyContainer.validate`.
    enum Kind: String, CaseIterable {
        case missing, name, arguments, circular, captive, duplicate, unused, optional, override, async, module, invalid

        var identifier: String { "hopoate.\(rawValue)" }
    }

    enum Severity: String { case error, warning }

    let kind: Kind
    let severity: Severity
    let place: Place
    /// The services that the finding is about. It identifies the finding in a baseline, so it has no lines.
    let subject: String
    let message: String
    /// Who needs the service, from the faulty one to the code that resolves the first.
    var chain: [String] = []

    var identity: String {
        "\(kind.identifier) \(place.module)/\(place.path.split(separator: "/").last ?? "") \(subject)"
    }
}

/// Findings that are meant, as `--allow` says: those with an identifier, of all services or of one.
struct Allowance {
    let kind: Finding.Kind
    /// The type of the service or module, with or without its module; nil for all.
    let type: Substring?
    let text: String

    /// - Parameter text: `IDENTIFIER`, or `IDENTIFIER=TYPE`.
    init(_ text: String) throws(ToolError) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard let kind = Finding.Kind.allCases.first(where: { parts.first.map(String.init) == $0.identifier }) else {
            let known = Finding.Kind.allCases.map(\.identifier).joined(separator: ", ")
            throw ToolError("unknown identifier in '--allow \(text)': use one of \(known)")
        }
        self.kind = kind
        type = parts.count > 1 ? parts[1] : nil
        self.text = text
    }

    func allows(_ finding: Finding) -> Bool {
        guard finding.kind == kind else { return false }
        guard let type else { return true }
        return finding.subject.split(separator: "'").contains { word in
            let name = word.hasPrefix("any ") ? word.dropFirst(4) : word
            return name == type || name.hasSuffix(".\(type)")
        }
    }
}

/// Something that depends on a generic parameter or a computed name, so that it cannot be checked.
struct OpenFact {
    let place: Place
    let message: String
}
