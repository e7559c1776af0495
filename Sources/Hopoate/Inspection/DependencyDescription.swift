/// One registration, as it is listed.
///
/// ```swift
/// for registration in container.registrations where !registration.isHidden { print(registration) }
/// ```
///
/// - Note: Concurrency. Immutable; what it says was so when it was made.
public struct DependencyDescription: Sendable {
    /// What a creator asks for.
    public struct Dependency: Sendable {
        /// The type.
        public let service: any Any.Type
        /// The name; nil for one without.
        public let name: DependencyName?
        /// What it means when it is missing, and when it is asked for.
        public let need: DependencyNeed
        let identity: ServiceIdentity
    }

    let identity: ServiceIdentity

    /// How long the service lives, and who shares it.
    public let lifetime: Lifetime
    /// Where it was registered, as `Module/File.swift:12`; nil where that was a place that cannot be named.
    public let place: String?
    /// Whether there is an instance already that a request would get. Of a keyed service: at least one.
    public let exists: Bool
    /// How many containers up it is registered: 0 in the container that was asked, 1 in its parent.
    public let level: Int
    /// Whether another registration is found in its place: a newer one, or one in a child.
    public let isHidden: Bool
    /// What its creator asks for; nil where that is not known, because it is a closure.
    public let dependencies: [Dependency]?

    init(_ entry: ContainerSnapshot.Entry, in snapshot: ContainerSnapshot) {
        let registration = entry.registration
        let node = snapshot.node(entry, askedAt: 0)
        identity = registration.identity
        lifetime = registration.lifetimeOfService
        place = registration.place
        exists = registration.hasInstance(in: snapshot.containers[0])
        level = entry.level
        isHidden = entry.isHidden
        dependencies = snapshot.arrows(of: node)?.map { Dependency($0.requirement) }
    }

    /// The type that it is registered under.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var service: any Any.Type { identity.type }

    /// The name that it is registered with; nil for one without.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var name: DependencyName? { identity.name }

    /// The types of the arguments that its creator takes, in brackets; nil where it takes none.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var arguments: String? { identity.arguments }
}

extension DependencyDescription.Dependency {
    init(_ requirement: Requirement) {
        identity = requirement.identity
        service = identity.type
        name = identity.name
        need = DependencyNeed(requirement.kind)
    }
}

extension DependencyDescription: CustomStringConvertible {
    /// In one line: the type in full, the lifetime, the place, and whether it exists.
    ///
    /// - Complexity: Linear in its length.
    /// - Note: Concurrency. From any thread.
    public var description: String { "'\(identity)': \(details)" }

    /// All but what it is.
    var details: String {
        var parts = [lifetime.description]
        if let place { parts.append("registered at \(place)") }
        if level > 0 { parts.append(level == 1 ? "in the parent" : "\(level) containers up") }
        if isHidden { parts.append("hidden") }
        if exists { parts.append("exists") }
        return parts.joined(separator: ", ")
    }
}

/// How a creator asks for something: what it means when that is missing, and whether it is needed first.
///
/// - Note: Concurrency. Immutable; from any thread.
public struct DependencyNeed: Sendable, Hashable, CustomStringConvertible {
    let kind: Requirement.Kind

    init(_ kind: Requirement.Kind) {
        self.kind = kind
    }

    /// It has to be there, first.
    public static let required = DependencyNeed(.required)
    /// It may be missing.
    public static let optional = DependencyNeed(.optional)
    /// It has to be there, but is asked for only later.
    public static let later = DependencyNeed(.later)
    /// As many as there are.
    public static let all = DependencyNeed(.all)

    /// The word for it.
    ///
    /// - Complexity: Constant.
    /// - Note: Concurrency. From any thread.
    public var description: String {
        switch kind {
        case .required: "required"
        case .optional: "optional"
        case .later: "later"
        case .all: "all"
        }
    }
}
