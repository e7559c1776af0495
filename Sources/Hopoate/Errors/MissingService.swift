// What is said of a service that nobody registered, and of what is registered under a similar name.
//
// A client of a server may be able to cause such an error with each message, for instance with the name of a tenant. So what
// the error notes is bounded, whatever is registered: the first keys that are found. The text is written when it is read.

/// A service that was asked for and not found, and what else there was.
struct MissingService: Sendable {
    let identity: ServiceIdentity
    let chain: [ServiceIdentity]
    private let callSite: CallSite?
    private let isDefault: Bool
    private let here: Sample
    fileprivate let other: Other?

    /// The default container, where it was not asked.
    fileprivate struct Other: Sendable {
        let hasService: Bool
        /// Whether the container that was asked is bound in its place.
        let isReplaced: Bool
        fileprivate let sample: Sample
    }

    @inline(never)
    init(_ identity: ServiceIdentity, in container: DependencyContainer, _ callSite: CallSite?) {
        self.identity = identity
        self.callSite = callSite
        chain = Creation.currentTrail + [identity]
        let process = DependencyContainer.process
        isDefault = container === process
        here = Sample(of: container, near: identity)
        other =
            isDefault || container.reaches(process)
            ? nil
            : Other(
                hasService: process.contains(identity), isReplaced: container === Override.bound,
                sample: Sample(of: process, near: identity))
    }

    var message: String {
        var lines = ["no service is registered for '\(identity)'"]
        if let callSite { lines[0] += ", asked for at \(callSite.fileID):\(callSite.line)" }
        lines[0] += isDefault ? ", in the default container." : "."
        lines.append(contentsOf: chainLine(chain))
        for near in here.near(identity) { lines.append("  Registered there: '\(near)'.") }
        for similar in here.similarTypes(to: identity) { lines.append("  Registered there: '\(similar)'.") }
        if here.isEmpty { lines.append("  Nothing is registered there at all.") }
        if let other { lines.append(contentsOf: other.lines(for: identity)) }
        if !here.isComplete { lines.append("  More is registered there than was compared.") }
        lines.append(
            """
              Register one before it is asked for, with register(…, for: \(metatypeExpression(identity.type))); \
            or ask with optionalResolve.
            """)
        return lines.joined(separator: "\n")
    }
}

extension MissingService.Other {
    fileprivate func lines(for identity: ServiceIdentity) -> [String] {
        switch (hasService, isReplaced) {
        case (true, true):
            return [
                """
                  It is registered in the default container, in whose place another one is bound here; \
                bind a child of it (makeChild()) to see what it holds.
                """
            ]
        case (true, false):
            return [
                """
                  It is registered in the default container (DependencyContainer.shared), which this container does not look \
                into; ask that one, or make this one its child (makeChild()).
                """
            ]
        case (false, _):
            return sample.similarTypes(to: identity).map {
                "  Registered in the default container, which is not asked here: '\($0)'."
            }
        }
    }
}

// MARK: - A part of what is registered

/// A bounded number of the keys of a container and its parents.
fileprivate struct Sample: Sendable {
    /// How many keys are looked at, at most.
    private static let limit = 256
    /// How many services of the same type are named in the message, at most.
    private static let listed = 8

    private var identities: [ServiceIdentity] = []
    private(set) var isComplete = true

    init(of container: DependencyContainer, near identity: ServiceIdentity) {
        var next: DependencyContainer? = container
        while let current = next {
            let (keys, isComplete) = current.registry.someKeys(atMost: Self.limit - identities.count)
            // The registration keeps its name alive; it may have left meanwhile.
            for key in keys {
                if let registration = current.registry.newest(key) { identities.append(registration.identity) }
            }
            if !isComplete {
                self.isComplete = false
                // The one without a name needs no search.
                let unnamed = AnyServiceKey(type: identity.key.type, discriminator: 0)
                if let registration = current.registry.newest(unnamed) { identities.append(registration.identity) }
            }
            next = current.parent
        }
    }

    var isEmpty: Bool { identities.isEmpty }

    /// The services of the type that differ from the missing one in their name or their arguments.
    func near(_ identity: ServiceIdentity) -> [ServiceIdentity] {
        let near = identities.filter { $0.type == identity.type }.reduce(into: [ServiceIdentity]()) { unique, near in
            if !unique.contains(near) { unique.append(near) }
        }
        return Array(near.prefix(Self.listed))
    }

    /// The types with a similar name, at most three, most similar first.
    func similarTypes(to identity: ServiceIdentity) -> [String] {
        let name = String(reflecting: identity.type)
        let wanted = baseName(name)
        let types = Dictionary(identities.map { ($0.key.type, $0) }, uniquingKeysWith: { first, _ in first })
        let names = Set(types.values.map { String(reflecting: $0.type) }).subtracting([name])
        let scored = names.compactMap { candidate -> (distance: Int, name: String)? in
            let other = baseName(candidate)
            let distance = editDistance(wanted, other)
            let isSimilar = distance <= max(2, wanted.count / 4) || other.contains(wanted) || wanted.contains(other)
            return isSimilar ? (distance, candidate) : nil
        }
        return scored.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
    }
}

extension DependencyContainer {
    /// Whether a service is registered here or in the parents.
    func contains(_ identity: ServiceIdentity) -> Bool {
        let key = identity.key
        return registry.newest(key) != nil || parent?.contains(identity) ?? false
    }

    /// Whether it was asked to shut down, or a container above it was.
    @usableFromInline
    var hasEnded: Bool { stateIfAny?.hasEnded ?? false || parent?.hasEnded ?? false }

    /// Whether a container is this one, or one that it looks into.
    func reaches(_ container: DependencyContainer) -> Bool {
        self === container || parent?.reaches(container) ?? false
    }
}

/// How a type is written in code as a value.
private func metatypeExpression(_ service: Any.Type) -> String {
    let name = String(reflecting: service)
    if name.hasPrefix("any ") { return "(\(name)).self" }
    let isProtocol = String(reflecting: type(of: service)).hasSuffix(".Protocol")
    return isProtocol && service != Any.self ? "(any \(name)).self" : "\(name).self"
}

/// The name without module, outer types and arguments, in lower case.
private func baseName(_ name: String) -> String {
    let generic = name.firstIndex(of: "<") ?? name.endIndex
    let path = name[..<generic].split(separator: " ").last ?? ""
    return (path.split(separator: ".").last ?? "").lowercased()
}

/// How many letters have to be changed, added or removed (Levenshtein), with names cut off at 64 letters.
private func editDistance(_ first: String, _ second: String) -> Int {
    let second = Array(second.prefix(64))
    var row = Array(0...second.count)
    for (index, letter) in first.prefix(64).enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in second.indices {
            let substituted = diagonal + (letter == second[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
        }
    }
    return row[second.count]
}
