// Rule S17: nobody gets an instance that was made for another request.
//
// The rule is the promise to the users, and not the way in which the library keeps it. A request is a container with a value of the
// task-local. A transient or graph instance knows the request whose container, `shared` and task-local its factory has found. So does
// an instance that keeps it. An instance that its registration owns is for the requests of all callers, so it must not know any, except
// for the container of the registration.
//
// A factory may choose another container by itself, or bind another value. The rule does not count what it gets in this way.

/// An instance that another one keeps.
struct Part {
    let run: Run
    /// Whether the code that keeps the instance has chosen the container of the call by itself.
    private let hasOwnContainer: Bool
    /// Whether that code has bound `shared` and the task-local of the call by itself.
    private let hasOwnContext: Bool

    /// Makes a part that a decorator gets from the library.
    init(_ run: Run) {
        self.run = run
        hasOwnContainer = false
        hasOwnContext = false
    }

    /// Makes a part from the result of a call.
    ///
    /// - Parameter isOfWrapper: Whether a wrapper of the keeper has made the call, with the container of the wrapper.
    init(_ run: Run, of call: Call, keptBy keeper: Run?, isOfWrapper: Bool = false) {
        self.run = run
        let env = call.env
        let isOwnCode = keeper != nil && env.creation === keeper
        let hasChosen = !(env.container?.chain.contains { $0 === call.asked } ?? false)
        hasOwnContainer = isOwnCode && !isOfWrapper && hasChosen
        hasOwnContext = isOwnCode && (call.ambient != env.ambient || call.callerShared !== env.shared)
    }

    /// What the keeper knows through this instance, without having chosen it.
    var sources: Sources {
        var sources = run.sources
        // The container of a handle is also `shared`.
        if hasOwnContainer { (sources.asked, sources.shared) = ([:], [:]) }
        if hasOwnContext { (sources.shared, sources.ambients) = ([:], []) }
        return sources
    }
}

/// What an instance knows of a request.
struct Sources {
    /// The containers that factories got.
    var asked: [Int: ContainerModel] = [:]
    /// The containers that were `shared` in factories.
    var shared: [Int: ContainerModel] = [:]
    /// The values of the task-local in factories.
    var ambients: Set<Int> = []

    mutating func formUnion(_ other: Sources) {
        asked.merge(other.asked) { first, _ in first }
        shared.merge(other.shared) { first, _ in first }
        ambients.formUnion(other.ambients)
    }

    /// Returns the request that somebody must not know who may know some containers, and some values of the task-local; nil if there
    /// is none.
    func foreign(_ permitted: [ContainerModel], _ values: Set<Int>) -> String? {
        let ids = Set(permitted.map(\.id))
        let others = asked.merging(shared) { first, _ in first }.keys.filter { !ids.contains($0) }
        if let other = others.min() { return "container \(other)" }
        guard hidesTaskLocals, let value = ambients.subtracting(values).min() else { return nil }
        return "a caller with the task-local \(value)"
    }
}

extension Run {
    /// What the instance knows of a request.
    var sources: Sources {
        var sources = Sources()
        if registration.life.isKept || registration.life == .eager { return sources }
        sources.asked[asked.id] = asked
        // Its container owns it, and has chosen the caller who creates it.
        if registration.life == .scoped { return sources }
        // Unless it was bound, `shared` is no request.
        if let shared, !shared.isProcess { sources.shared[shared.id] = shared }
        if let ambient { sources.ambients = [ambient] }
        for part in parts { sources.formUnion(part.sources) }
        return sources
    }
}

extension Run {
    /// If the region of the instance is unknown, it may be that of the caller: the factory of a parameter of the initializer may have created
    /// the instance. The containers and values that this factory has bound by itself are no request.
    fileprivate var boundByItself: (ambients: Set<Int>, shared: [ContainerModel]) {
        region.isKnown ? ([], []) : region.bound
    }
}

extension World {
    /// Checks that a resolve call returns no instance that was made for another request.
    func verifyRequest(_ ask: Ask, _ run: Run) {
        // In a hook, the reference does not know which values the code around it has bound.
        guard ask.region.isKnown, let asked = ask.asked else { return }
        var shared = ask.region.shared + [ask.shared].compactMap(\.self)
        var values = ask.region.ambients
        if let ambient = ask.ambient, ask.mayUseAmbient { values.insert(ambient) }
        shared += run.boundByItself.shared
        values.formUnion(run.boundByItself.ambients)
        if let foreign = run.sources.foreign((shared + [asked]).flatMap(\.chain), values) {
            violation("S17", "\(ask.text) returned \(run.text), which was made for \(foreign)")
        }
    }

    /// Checks that no instance keeps one that was made for another request.
    func verifyKeepers() {
        for keeper in runs where !keeper.parts.isEmpty && keeper.core != nil && keeper.returnedAt != nil {
            let life = keeper.registration.life
            guard life.isOwned || life == .weak, !keeper.isInHook else { continue }
            for part in keeper.parts where !part.run.isInHook {
                var sources = part.sources
                if life == .scoped { sources.ambients = [] }
                // Its own code may have bound others. The caller of `register` has chosen to create an eager instance in its context.
                var values = keeper.region.ambients
                var containers = [keeper.place] + keeper.region.shared
                containers += part.run.boundByItself.shared
                values.formUnion(part.run.boundByItself.ambients)
                if life == .eager {
                    if let ambient = keeper.ambient { values.insert(ambient) }
                    if let shared = keeper.shared { containers.append(shared) }
                }
                if let foreign = sources.foreign(containers.flatMap(\.chain), values) {
                    violation("S17", "\(keeper.text) keeps \(part.run.text), which was made for \(foreign)")
                }
            }
        }
    }
}
