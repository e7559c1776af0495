// Every message of this module. Cold: none of it is inlined into its callers.

// MARK: - Errors

extension DependencyError {
    /// For what a creator threw: an error of our own goes on as it is, since it knows more.
    @usableFromInline
    @inline(never)
    init<Service: ~Copyable>(_ error: any Error, _ key: ServiceKey<Service>) {
        self.init(error, key, trail: nil)
    }

    /// As the other one, for who runs inside the creation that failed.
    init<Service: ~Copyable>(_ error: any Error, _ key: ServiceKey<Service>, trail: [Subject]?) {
        if let error = error as? DependencyError {
            self = error
            return
        }
        let subject = key.subject
        let chain = trail ?? Creation.currentTrail + [subject]
        var lines = ["the creator of '\(subject)' threw: \(error)"]
        lines.append(contentsOf: chainLine(chain))
        self.init(.creationFailed, subject, chain: chain, underlying: error, text: lines.joined(separator: "\n"))
    }

    init(circular chain: some Sequence<Subject>) {
        let chain = Array(chain)
        // Both callers end the chain with the service that was asked for.
        let subject = chain[chain.count - 1]
        let text = """
            the creation of '\(subject)' asks for itself: \(chain.map(\.description).joined(separator: " → ")).
              Break the circle: ask for one of them later (LazyDependency), or hand it over when the service is complete \
            (afterCreation).
            """
        self.init(.circular, subject, chain: chain, text: text)
    }

    /// For creators that call each other without an end; nil where the chain is just long.
    init?(endless trail: [Subject]) {
        // The innermost round: from the last time that it was asked for.
        let subject = trail[trail.count - 1]
        guard let start = trail.dropLast().lastIndex(of: subject) else { return nil }
        self.init(circular: trail[start...])
    }

    /// For the reasons that need no more to be said than what they are.
    init(_ reason: Reason, _ subject: Subject, trail: [Subject]? = nil) {
        let chain = trail ?? Creation.currentTrail + [subject]
        let what =
            switch reason.kind {
            case .onlyAsynchronous:
                """
                '\(subject)' is created asynchronously and does not exist yet: ask with asyncResolve, \
                or create it beforehand with warmUp().
                """
            case .cancelled: "the task was cancelled while '\(subject)' was being created for it; the creation goes on."
            case .shutDown: "'\(subject)' was asked for in a container that is shutting down or has: ask before that."
            case .containerGone:
                """
                '\(subject)' was asked for through a handle whose container does not exist any more: \
                keep the container as long as its handles.
                """
            default: "'\(subject)' cannot be had."
            }
        self.init(reason, subject, chain: chain, text: ([what] + chainLine(chain)).joined(separator: "\n"))
    }

    /// For what nobody registered.
    @inline(never)
    init(missing subject: Subject, in container: DependencyContainer, _ callSite: CallSite?) {
        if container.hasEnded {
            self.init(.shutDown, subject)
            return
        }
        self.init(
            .notRegistered, subject, chain: Creation.currentTrail + [subject],
            text: missingServiceMessage(subject, in: container, callSite))
    }

    /// For a registration that comes too late, or that cannot work.
    init(refused subject: Subject, _ reason: Reason, because text: String) {
        self.init(reason, subject, chain: [subject], text: text)
    }

    /// For modules that come to a container that is sealed, or has ended.
    init(modulesRefusedBy container: DependencyContainer) {
        let subject = ServiceKey<DependencyContainer>().subject
        if container.hasEnded {
            let text = "modules came to a container that is shutting down or has: install them before that."
            self.init(refused: subject, .shutDown, because: text)
        } else {
            let text = """
                modules came to a container that is sealed: install them before seal(), or into a child of it (makeChild()).
                """
            self.init(refused: subject, .sealed, because: text)
        }
    }

    /// For modules that consist of each other without an end.
    init(endlessModules path: [any Any.Type]) {
        let chain = path.map { Subject(type: UInt(bitPattern: ObjectIdentifier($0)), discriminator: 0) }
        let subject = chain[chain.count - 1]  // It is as deep as modules may be.
        let end = chain.suffix(3).map(\.description).joined(separator: " → ")
        let text = "the module '\(subject)' consists of itself: … → \(end) → …; leave it out of its own modules."
        self.init(refused: subject, .invalid, because: text)
    }
}

private func chainLine(_ chain: [Subject]) -> [String] {
    chain.count < 2 ? [] : ["  Asked for by: \(chain.map(\.description).joined(separator: " → "))."]
}

/// How arguments are written, given the name of a pair: of the first type, and of a tuple of the others, or the other one.
func argumentsDescription(of pair: String) -> String {
    // "(Swift.Int, (Swift.String, Swift.Bool))", "(Swift.Int, Swift.String)" or "(Swift.Int, ())".
    let inside = pair.dropFirst().dropLast()
    guard let comma = firstComma(in: inside) else { return pair }
    let first = inside[..<comma]
    var rest = inside[comma...].dropFirst(2)
    if rest == "()" { return "(\(first))" }
    if rest.hasPrefix("("), closesAtTheEnd(rest) {
        rest = rest.dropFirst().dropLast()
    }
    return "(\(first), \(rest))"
}

/// Where the first comma is that is not in brackets.
private func firstComma(in text: Substring) -> Substring.Index? {
    var depth = 0
    for (index, change) in bracketing(of: text) {
        depth += change
        if depth == 0, text[index] == "," { return index }
    }
    return nil
}

/// Whether the bracket at the beginning is closed by the one at the end.
private func closesAtTheEnd(_ text: Substring) -> Bool {
    var depth = 0
    for (index, change) in bracketing(of: text) {
        depth += change
        if depth == 0 { return text.index(after: index) == text.endIndex }
    }
    return false
}

/// The letters, and by how much each goes deeper into brackets. That of an arrow is none.
private func bracketing(of text: Substring) -> [(index: Substring.Index, change: Int)] {
    var before: Character = " "
    return text.indices.map { index in
        let letter = text[index]
        defer { before = letter }
        switch letter {
        case "(", "<", "[": return (index, 1)
        case ")", "]": return (index, -1)
        case ">": return (index, before == "-" ? 0 : -1)
        default: return (index, 0)
        }
    }
}

/// The error for a creation that is about to begin in too many others; nil where there is no circle in them.
@usableFromInline
@inline(never)
func endlessCreation(_ type: UInt, _ discriminator: UInt) -> DependencyError? {
    DependencyError(endless: Creation.currentTrail + [Subject(type: type, discriminator: discriminator)])
}

/// The error for what was asked for in a container that is shutting down.
@usableFromInline
func shutDownError(_ type: UInt, _ discriminator: UInt) -> DependencyError {
    DependencyError(.shutDown, Subject(type: type, discriminator: discriminator))
}

// MARK: - The end of the process

/// Ends the process with an error, which those who bound a handler are told before.
@usableFromInline
@inline(never)
func fail(_ error: DependencyError) -> Never {
    if let handler = FailureHandler.current {
        // The handler may never return. Then nobody is to wait for what this code was about to make.
        Creation.abandonAll(error)
        handler(error)
    }
    fatalError(error.description)
}

/// Ends the process because a service was asked for that nobody registered.
@usableFromInline
@inline(never)
func failMissing<Service: ~Copyable>(
    _ key: ServiceKey<Service>, in container: DependencyContainer, _ callSite: CallSite?
) -> Never {
    fail(DependencyError(missing: key.subject, in: container, callSite))
}

/// Ends the process because a container takes no registrations any more.
@usableFromInline
@inline(never)
func failSealed(_ registration: AnyServiceRegistration, _ container: DependencyContainer) -> Never {
    let subject = registration.subject
    let place = registration.callSite.map { ", registered at \($0.fileID):\($0.line)," } ?? ""
    let ended = container.hasEnded
    let text =
        ended
        ? "'\(subject)'\(place) came to a container that is shutting down or has: register before that."
        : """
        '\(subject)'\(place) came to, or was to leave, a container that is sealed: do that before seal(), \
        or in a child of it (makeChild()).
        """
    fail(DependencyError(refused: subject, ended ? .shutDown : .sealed, because: text))
}

/// Ends the process because a sealed container was to be emptied.
@inline(never)
func failSealedAsWhole(_ container: DependencyContainer) -> Never {
    let subject = ServiceKey<DependencyContainer>().subject
    let text = "removeAll() was called on a container that is sealed: shut it down instead, or leave it unsealed."
    fail(DependencyError(refused: subject, .sealed, because: text))
}

/// Ends the process because a registration cannot work.
@usableFromInline
@inline(never)
func failInvalid<Service: ~Copyable>(_ key: ServiceKey<Service>, _ callSite: CallSite?, _ objection: String) -> Never {
    let place = callSite.map { " at \($0.fileID):\($0.line)" } ?? ""
    fail(
        DependencyError(refused: key.subject, .invalid, because: "'\(key.subject)', registered\(place), \(objection)."))
}

// MARK: - Missing services

/// The text: what happened, where, what looks similar, what to do.
@inline(never)
func missingServiceMessage(
    _ subject: Subject, in container: DependencyContainer, _ callSite: CallSite?
) -> String {
    let name = String(reflecting: subject.type)
    var lines = ["no service is registered for '\(subject)'"]
    if let callSite { lines[0] += ", asked for at \(callSite.fileID):\(callSite.line)" }
    let isDefault = container === DependencyContainer.process
    lines[0] += isDefault ? ", in the default container." : "."
    lines.append(contentsOf: chainLine(Creation.currentTrail + [subject]))

    let own = container.reachableSubjects
    for near in own where near.type == subject.type { lines.append("  Registered there: '\(near)'.") }
    for similar in similarTypes(to: name, among: own) { lines.append("  Registered there: '\(similar)'.") }
    if own.isEmpty { lines.append("  Nothing is registered there at all.") }
    if !isDefault, !container.reaches(.process) {
        let elsewhere = DependencyContainer.process.reachableSubjects
        if elsewhere.contains(subject) {
            lines.append(
                """
                  It is registered in the default container, in whose place another one is bound here; \
                bind a child of it (makeChild()) to see what it holds.
                """)
        } else {
            for similar in similarTypes(to: name, among: elsewhere) {
                lines.append("  Registered in the default container, which is not asked here: '\(similar)'.")
            }
        }
    }
    lines.append(
        """
          Register one before it is asked for, with register(…, for: \(metatypeExpression(subject.type))); \
        or ask with optionalResolve.
        """)
    return lines.joined(separator: "\n")
}

/// How a metatype is written: the runtime names protocol types without the `any` that source code needs.
private func metatypeExpression(_ service: Any.Type) -> String {
    let name = String(reflecting: service)
    if name.hasPrefix("any ") { return "(\(name)).self" }
    let isProtocol = String(reflecting: type(of: service)).hasSuffix(".Protocol")
    return isProtocol && service != Any.self ? "(any \(name)).self" : "\(name).self"
}

extension DependencyContainer {
    /// What is registered here and in the parents, each once.
    fileprivate var reachableSubjects: [Subject] {
        var subjects = registry.registrations().map(\.subject)
        if let parent { subjects += parent.reachableSubjects }
        return subjects.reduce(into: []) { unique, subject in if !unique.contains(subject) { unique.append(subject) } }
    }

    /// Whether this container, or one that it asks, is shutting down or has.
    @usableFromInline
    var hasEnded: Bool { stateIfAny?.hasEnded ?? false || parent?.hasEnded ?? false }

    /// Whether a container is this one or one of its parents.
    fileprivate func reaches(_ container: DependencyContainer) -> Bool {
        self === container || parent?.reaches(container) ?? false
    }
}

/// The names of at most three types that somebody may have meant, most similar first.
private func similarTypes(to name: String, among subjects: [Subject]) -> [String] {
    let wanted = baseName(name)
    let names = Set(subjects.map { String(reflecting: $0.type) }).subtracting([name])
    let scored = names.compactMap { candidate -> (distance: Int, name: String)? in
        let other = baseName(candidate)
        let distance = editDistance(wanted, other)
        let isSimilar = distance <= max(2, wanted.count / 4) || other.contains(wanted) || wanted.contains(other)
        return isSimilar ? (distance, candidate) : nil
    }
    return scored.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
}

/// A type's own name, in lower case: without `any`, modules and enclosing types.
private func baseName(_ name: String) -> String {
    let generic = name.firstIndex(of: "<") ?? name.endIndex
    let path = name[..<generic].split(separator: " ").last ?? ""
    return (path.split(separator: ".").last ?? "").lowercased()
}

/// How many letters have to be added, dropped or changed to make one word of the other (Levenshtein).
private func editDistance(_ first: String, _ second: String) -> Int {
    let second = Array(second)
    var row = Array(0...second.count)
    for (index, letter) in first.enumerated() {
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
