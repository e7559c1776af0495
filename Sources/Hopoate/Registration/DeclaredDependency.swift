/// One thing that a constructor asks for.
@usableFromInline
struct Requirement: Sendable {
    /// How it is asked for: what it means when it is missing, and whether it is needed before the service exists.
    enum Kind: Sendable {
        /// Has to be there, first.
        case required
        /// May be missing.
        case optional
        /// Has to be there, but is asked for only later.
        case later
        /// As many as there are.
        case all
    }

    let type: UInt
    var name: DependencyName?
    let kind: Kind
    /// What is asked for instead, where nothing is registered under the type of the parameter itself.
    var alternative: Box?

    init<Service>(_ key: ServiceKey<Service>, _ kind: Kind) {
        type = key.type
        self.kind = kind
    }

    /// A requirement inside of another one.
    final class Box: Sendable {
        let requirement: Requirement

        init(_ requirement: Requirement) {
            self.requirement = requirement
        }
    }

    var subject: Subject { Subject(type: type, discriminator: name?.identity ?? 0) }
}
