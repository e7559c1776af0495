/// A mistake in the wiring.
struct Finding {
    /// The identifiers, which do not change. All but `module` are also those of `DependencyContainer.validate`.
    enum Kind: String {
        case missing, name, arguments, circular, captive, duplicate, unused, optional, override, async, module

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

/// Something that depends on a generic parameter or a computed name, so that it cannot be checked.
struct OpenFact {
    let place: Place
    let message: String
}
