import Hopoate

/// What a caller got.
enum Outcome: Hashable {
    /// An instance, as the hash of the registrations that it was made from.
    case instance(Int)
    case failure(Failure)

    /// An error of the library, as far as it must not depend on who came first.
    struct Failure: Hashable, CustomStringConvertible {
        let reason: DependencyError.Reason
        /// The dependency chain. That of a cycle begins with its first service by name.
        let chain: [String]

        init(_ error: DependencyError) {
            reason = error.reason
            chain = error.reason == .circular ? rotated(error.chain) : error.chain
        }

        /// The service that failed.
        var service: String { chain.last ?? "" }

        var description: String { "\(reason.word) \(chain.map(shortened).joined(separator: " → "))" }
    }

    /// Whether the caller did not suspend, and only a suspending one could create the service. So it depends on who came first.
    var mustSuspend: Bool {
        if case .failure(let failure) = self { failure.reason == .onlyAsynchronous } else { false }
    }
}

extension Outcome: CustomStringConvertible {
    var description: String {
        switch self {
        case .instance: "an instance"
        case .failure(let failure): failure.description
        }
    }
}

extension DependencyError.Reason {
    var word: String {
        switch self {
        case .notRegistered: "notRegistered"
        case .circular: "circular"
        case .captive: "captive"
        case .tooDeep: "tooDeep"
        case .creationFailed: "creationFailed"
        case .onlyAsynchronous: "onlyAsynchronous"
        case .cancelled: "cancelled"
        case .shutDown: "shutDown"
        case .sealed: "sealed"
        case .containerGone: "containerGone"
        default: "invalid"
        }
    }
}

/// The cycle, beginning with its first service by name.
func rotated(_ cycle: [String]) -> [String] {
    let services = cycle.dropLast()
    guard let first = services.min(), let start = services.firstIndex(of: first) else { return cycle }
    return Array(services[start...]) + Array(services[..<start]) + [first]
}

/// `graphs.Node<graphs.T3>` as in the printed program.
func shortened(_ text: String) -> String {
    text.replacing("graphs.Node<graphs.T", with: "N").replacing(">", with: "")
        .replacing("Swift.Optional<", with: "Optional of ").replacing("Swift.Array<", with: "Array of ")
}

/// Where an instance belongs to.
struct Place: Hashable {
    /// The container in which its handles resolve.
    var home: Level
    /// The registration of the nearest service that holds it and that a container or a registration owns; nil if the caller owns it.
    var owner: Int?
    /// Whether that service keeps it. A provider keeps nothing.
    var isKept = true
}

/// A use of a handle: the registration of its holder, its position there, and the place of the holder.
struct HandleID: Hashable {
    let origin: Int
    let position: Int
    let place: Place
}

/// The results of a caller for one root.
struct RootResult {
    let root: Key
    var first: Outcome?
    var later: [(handle: HandleID, outcome: Outcome)] = []
    /// The number of the handles at the beginning of `later` whose services validation knows. The others belong to instances that were
    /// made inside `register`.
    var known = 0
}

/// One caller's resolve calls: each root, and then each handle of all instances that it has got.
///
/// A machine, so that synchronous and asynchronous callers share it: take the next step, perform it, and record the result.
final class Visit {
    enum Step {
        case root(Key)
        case handle(HandleUse)
    }

    private struct Found {
        let instance: Instance
        /// The place of its holder.
        let place: Place
    }

    private struct Seen: Hashable {
        let instance: ObjectIdentifier
        let place: Place
    }

    private let program: Program
    let caller: Caller
    private var roots: ArraySlice<Key>
    private(set) var results: [RootResult] = []
    /// The instances that the caller holds until its end.
    private var held: [Instance] = []
    /// What it found wrong with instances.
    private(set) var findings: [Finding] = []

    // For the current root. First what validation knows, then the rest.
    private var pending: (known: [Found], others: [Found]) = ([], [])
    private var handles: [(id: HandleID, use: HandleUse, holder: Instance)] = []
    private var seen: Set<Seen> = []
    private var used: Set<HandleID> = []
    private var isKnown = true
    /// The handle of the current step; nil for a root.
    private var step: (id: HandleID, use: HandleUse, holder: Instance)?

    init(_ program: Program, _ caller: Caller, _ roots: [Key]) {
        self.program = program
        self.caller = caller
        self.roots = roots[...]
    }

    /// The next step; nil at the end.
    func next() -> Step? {
        Living.restartCount()
        if !results.isEmpty {
            look()
            if let next = handles.popLast() {
                step = next
                return .handle(next.use)
            }
        }
        guard let root = roots.popFirst() else { return nil }
        results.append(RootResult(root: root))
        seen = []
        used = []
        isKnown = true
        step = nil
        return .root(root)
    }

    /// Records the result of a step.
    func record(_ result: Result<Contents, any Error>) {
        switch result {
        case .success(let contents):
            record(.instance(contents.shape))
            held += contents.parts
            var place = step?.id.place ?? Place(home: caller == .app ? .app : .request)
            if let step, step.use.kept == nil { place.isKept = false }
            for instance in contents.parts { add(instance, place) }
            // The handle keeps the instance. If that one holds the holder, the program has made a cycle of strong references.
            if let step, contents.parts.contains(where: { $0.reaches(step.holder) }) { step.use.clear() }
        case .failure(let error as DependencyError): record(.failure(.init(error)))
        case .failure(let error): preconditionFailure("\(error)")
        }
    }

    private func record(_ outcome: Outcome) {
        let last = results.count - 1
        if let step {
            results[last].later.append((step.id, outcome))
            if isKnown { results[last].known += 1 }
        } else {
            results[last].first = outcome
        }
    }

    private func add(_ instance: Instance, _ place: Place) {
        let found = Found(instance: instance, place: place)
        if isKnown { pending.known.append(found) } else { pending.others.append(found) }
    }

    /// Looks at instances until one has a handle that was not used yet.
    private func look() {
        while handles.isEmpty {
            if let found = pending.known.popLast() {
                look(at: found)
            } else if let found = pending.others.popLast() {
                isKnown = false
                look(at: found)
            } else {
                return
            }
        }
    }

    private func look(at found: Found) {
        let instance = found.instance
        let registration = program.registrations[instance.origin]
        var place = found.place
        if registration.life.isShared { place.home = registration.level }
        if registration.life.isShared || registration.life == .scoped {
            place.owner = instance.origin
            place.isKept = true
        }
        if isKnown, registration.isCreatedByRegister {
            // Validation does not know what it was made from.
            pending.others.append(found)
            return
        }
        guard seen.insert(Seen(instance: ObjectIdentifier(instance), place: place)).inserted else { return }
        check(instance)
        for part in instance.parts.reversed() + instance.late { add(part, place) }
        for (position, use) in instance.handles.enumerated().reversed() {
            let id = HandleID(origin: instance.origin, position: position, place: place)
            if used.insert(id).inserted {
                handles.append((id, use, instance))
            } else if let kept = use.kept {
                add(kept, place)
            }
        }
    }

    private func check(_ instance: Instance) {
        var service: String { "\(program.registrations[instance.origin])" }
        if instance.isDisposed, isKnown || !Exemption.eager.applies {
            findings.append(Finding(.disposed, "\(caller) gets an instance that was disposed of: \(service)"))
        }
        if instance.marks.values & ~caller.bit != 0 {
            findings.append(
                Finding(.foreign, "\(caller) gets an instance that was made from another request: \(service)"))
        } else if instance.marks.locals & ~caller.bit != 0 {
            findings.append(
                Finding(
                    .foreignLocal, "\(caller) gets an instance that has seen another request's task-local: \(service)"))
        }
    }

    /// Releases all that the caller holds.
    func end() {
        held = []
        handles = []
        pending = ([], [])
        step = nil
    }
}
