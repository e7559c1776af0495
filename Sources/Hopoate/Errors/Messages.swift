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
        let round = trail[start...]
        // A service that takes arguments may ask for itself with other ones, and come to an end.
        if round.contains(where: { $0.arguments != nil }) { return nil }
        self.init(circular: round)
    }

    /// For creations that are nested deeper than the stack reaches, or than anything that ends.
    init(tooDeep trail: [Subject]) {
        let subject = trail[trail.count - 1]
        if let start = trail.dropLast().lastIndex(of: subject) {
            self.init(circular: trail[start...])
            return
        }
        let text = """
            cannot create '\(subject)': it would be the creation number \(trail.count) inside of each other, and the stack of this \
            thread has no room for more. Ask for one of them later (LazyDependency), or create it on a thread with a larger stack.
            """
        self.init(.tooDeep, subject, chain: trail, text: text)
    }

    /// For a scoped service that a service for all callers would keep.
    init(captive subject: Subject, keeper: Subject) {
        let chain = Creation.currentTrail + [subject]
        let lines = [
            """
            captive dependency: '\(keeper)' is shared by all callers and would keep '\(subject)', which is scoped: \
            each request scope has its own.
              Register '\(keeper)' as .scoped too, or '\(subject)' with a lifetime as long as that of '\(keeper)'.
            """
        ]
        self.init(.captive, subject, chain: chain, text: (lines + chainLine(chain)).joined(separator: "\n"))
    }

    /// For a service that only the container of the caller has, and that a service for all callers asks for.
    init(captive subject: Subject, inScopeOf keeper: Subject, _ callSite: CallSite?) {
        let chain = Creation.currentTrail + [subject]
        let place = callSite.map { " at \($0.place)" } ?? ""
        let lines = [
            """
            captive dependency: '\(keeper)' is shared by all callers and asks\(place) for '\(subject)', which is registered only \
            in the child container (the request scope) that is bound here.
              Register '\(keeper)' as .scoped, or '\(subject)' in the container that holds '\(keeper)'.
            """
        ]
        self.init(.captive, subject, chain: chain, text: (lines + chainLine(chain)).joined(separator: "\n"))
    }

    /// For arguments of a keyed service by which nobody could find its instance again.
    init(incomparableArgumentsOf subject: Subject) {
        let text = """
            cannot create '\(subject)': it is keyed by its arguments, and one of them is not equal to itself (a NaN, for \
            instance). Check the arguments before you ask.
            """
        self.init(.invalid, subject, chain: Creation.currentTrail + [subject], text: text)
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
        if let captor = Keeper.captor(ofScopedIn: container), let bound = Override.bound,
            bound !== container, bound.reaches(container), bound.contains(subject)
        {
            self.init(captive: subject, inScopeOf: captor, callSite)
            return
        }
        self.init(MissingService(subject, in: container, callSite))
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

func chainLine(_ chain: [Subject]) -> [String] {
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

/// Why nothing can be created so deep by factories that suspend; nil if it can.
func depthError(suspending subject: Subject) -> DependencyError? {
    let depth = (Creation.innermost?.depth ?? 0) + 1
    if depth > Frame.deepestSuspending { return DependencyError(tooDeep: Creation.currentTrail + [subject]) }
    guard depth % Frame.deepest == 0, (depth / Frame.deepest).nonzeroBitCount == 1 else { return nil }
    return DependencyError(endless: Creation.currentTrail + [subject])
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
        '\(subject)'\(place) came to a container that is sealed: register before seal(), or in a child of it (makeChild()).
        """
    fail(DependencyError(refused: subject, ended ? .shutDown : .sealed, because: text))
}

/// Ends the process because a registration cannot work.
@usableFromInline
@inline(never)
func failInvalid<Service: ~Copyable>(_ key: ServiceKey<Service>, _ callSite: CallSite?, _ objection: String) -> Never {
    let place = callSite.map { " at \($0.fileID):\($0.line)" } ?? ""
    fail(
        DependencyError(refused: key.subject, .invalid, because: "'\(key.subject)', registered\(place), \(objection)."))
}
