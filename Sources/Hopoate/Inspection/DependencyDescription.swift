/// A description of one registration, for lists.
///
/// ```swift
/// for registration in container.registrations where !registration.isHidden { print(registration) }
/// ```
///
/// - Note: Concurrency. Immutable. It describes the container at the time when it was made.
public struct DependencyDescription: Sendable {
    /// A service that a factory resolves.
    public struct Dependency: Sendable {
        /// The type of the service.
        public let service: any Any.Type
        /// The name of the service; nil for a service without a name.
        public let name: DependencyName?
        /// Whether the service has to be registered, and when it is resolved.
        public let need: DependencyNeed
        let identity: ServiceIdentity
    }

    package let identity: ServiceIdentity

    /// How long an instance lives, and who shares it.
    public let lifetime: Lifetime
    /// The place of the registration, as `Module/File.swift:12`; nil if it is not known.
    public let place: String?
    /// Whether a resolve call would find an instance. For a service with arguments: whether one exists for any of their values.
    public let exists: Bool
    /// The level of the container that holds the registration: 0 in the container that was asked, 1 in its parent.
    public let level: Int
    /// Whether the registration is shadowed by a newer one, or by one in a child.
    public let isHidden: Bool
    /// The dependencies of the factory; nil if they are not known because it is a closure.
    public let dependencies: [Dependency]?

    package init(_ node: Wiring.Node, in wiring: Wiring) {
        let registration = node.registration
        identity = registration.identity
        lifetime = registration.lifetimeOfService
        place = registration.place
        exists = registration.hasInstance(for: wiring.resolution(of: node))
        level = node.level
        isHidden = wiring.isHidden(node)
        dependencies = wiring.edges(of: node)?.map(Dependency.init)
    }

    /// The type of the service.
    public var service: any Any.Type { identity.type }

    /// The name of the service; nil for a service without a name.
    public var name: DependencyName? { identity.name }

    /// The types of the arguments, in brackets; nil if the factory takes none.
    public var arguments: String? { identity.arguments }
}

extension DependencyDescription.Dependency {
    init(_ edge: Wiring.Edge) {
        identity = edge.service
        service = identity.type
        name = identity.name
        need = edge.need
    }
}

extension DependencyDescription: CustomStringConvertible {
    /// One line with the type in full, the lifetime, the place, and whether an instance exists.
    ///
    /// - Complexity: O(n) in its length.
    public var description: String { "'\(identity)': \(details)" }

    /// All of the description but the service.
    var details: String {
        var parts = [lifetime.description]
        if let place { parts.append("registered at \(place)") }
        if level > 0 { parts.append(level == 1 ? "in the parent" : "\(level) containers up") }
        if isHidden { parts.append("hidden") }
        if exists { parts.append("exists") }
        return parts.joined(separator: ", ")
    }
}

/// How a factory uses a dependency: whether it has to be registered, and when it is resolved.
///
/// - Note: Concurrency. Immutable and thread-safe.
public struct DependencyNeed: Sendable, Hashable, CustomStringConvertible {
    let kind: Requirement.Kind

    init(_ kind: Requirement.Kind) {
        self.kind = kind
    }

    /// The dependency has to be registered, and is created first.
    public static let required = DependencyNeed(.required)
    /// The dependency may be missing.
    public static let optional = DependencyNeed(.optional)
    /// The dependency has to be registered, and is resolved later.
    public static let later = DependencyNeed(.later)
    /// All registrations of the type, possibly none.
    public static let all = DependencyNeed(.all)

    /// The word for it in lists and graphs.
    public var description: String {
        switch kind {
        case .required: "required"
        case .optional: "optional"
        case .later: "later"
        case .all: "all"
        }
    }
}

extension Wiring.Edge {
    /// How the factory uses the service.
    package var need: DependencyNeed { DependencyNeed(requirement.kind) }
}
