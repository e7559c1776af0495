/// A graph of services, and the callers that resolve it: two HTTP requests, each with a child of the app's container, and
/// sometimes the app itself.
struct Program {
    var registrations: [Registration] = []
    /// The services that each caller resolves.
    var roots: [Key] = []
    /// Whether each request resolves by `asyncResolve`. Otherwise it uses `require`.
    var suspends = [false, false]
    /// Whether the app's container is the child of another one.
    var hasBase = false
    /// The code around the requests.
    var surroundings = Surroundings.none
    /// Whether a request binds a task-local, which factories read.
    var bindsLocal = false
    /// Whether both requests are open at once. Otherwise the first one ends before the second one begins.
    var overlaps = false
    /// Whether a request ends by `shutdown`. Otherwise its container is dropped.
    var shutsDown = false
    /// Whether the scope of cached services is reset, and keyed services leave for others, between two callers.
    var changesBetween = false
    /// Whether the app itself resolves the roots as well.
    var hasAppCaller = false
    /// What the order of ready tasks follows from.
    var schedule: UInt64 = 1
}

/// The type and the name under which a service is registered.
struct Key: Hashable {
    var type: Int
    /// The registered type is the node, an optional node or a list of nodes. The last two are exactly the types of parameters that the
    /// library makes from nodes otherwise.
    var form = Form.node
    var name: Int?
}

/// The form in which a parameter takes a service.
enum Form: CaseIterable {
    case node, optional, list, lazy, provider

    var isLater: Bool { self == .lazy || self == .provider }
}

/// A dependency of a factory.
struct Need: Hashable {
    var form: Form
    var type: Int
    /// The name, for factories that are closures. Parameters of initializers have none.
    var name: Int?
    /// The argument, for factories that are closures.
    var argument: Int?
}

/// A container that has registrations.
enum Level: Int, Comparable, CaseIterable {
    case base, app, request

    static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
}

/// A caller that resolves the roots.
enum Caller: Int, CaseIterable {
    case alice, bob, app

    var bit: UInt8 { self == .app ? 0 : 1 << UInt8(rawValue) }
}

/// How long an instance lives.
enum Life: CaseIterable {
    case transient, graph, scoped, singleton, eager, weak, cached, keyed, keyedLimit

    /// Whether the registration owns the instance, on behalf of all callers.
    var isShared: Bool { self != .transient && self != .graph && self != .scoped }
    var isKeyed: Bool { self == .keyed || self == .keyedLimit }
    var mayHaveHook: Bool {
        self == .scoped || self == .singleton || self == .eager || self == .cached || self == .keyed
            || self == .keyedLimit
    }
}

struct Registration {
    enum Source: Equatable {
        /// An instance.
        case value
        /// An initializer, whose parameters are its dependencies.
        case initializer
        /// A closure that resolves its dependencies. Validation does not see them.
        case closure
        /// An alias for another service.
        case alias(Key)
    }

    var key: Key
    var level: Level
    /// The only request that has the registration; nil if both have it, or if it belongs to another container.
    var only: Caller?
    var life: Life
    var source: Source
    var isAsynchronous = false
    var needs: [Need] = []
    /// The services that the completion resolves.
    var completion: [Need] = []
    var takesArgument = false
    var hasHook = false
    /// Whether the factory uses its handles at once.
    var usesHandles = false

    /// Whether `register` resolves its dependencies.
    var isCreatedByRegister: Bool { life == .eager && source != .value }

    /// Whether it depends on services that validation does not know.
    var isHidden: Bool { source == .closure || !completion.isEmpty || usesHandles }
}

/// The code around the requests.
enum Surroundings: Equatable {
    case none
    /// Each request binds its container as `shared`.
    case bound
    /// The factory of a service that does not suspend.
    case factory(Life)
    /// The factory of a service that suspends.
    case suspendingFactory(Life)
    /// A task that a factory has started. The factory has returned, and one around it has not.
    case task

    var isSuspending: Bool { if case .suspendingFactory = self { true } else { false } }

    var life: Life? {
        switch self {
        case .factory(let life), .suspendingFactory(let life): life
        case .none, .bound, .task: nil
        }
    }
}

extension Program {
    /// Whether validation cannot know all dependencies.
    var isHidden: Bool { registrations.contains(where: \.isHidden) }
    var isAsynchronous: Bool { registrations.contains(where: \.isAsynchronous) }
    var hasHandles: Bool {
        registrations.contains { ($0.needs + $0.completion).contains(where: \.form.isLater) }
    }
    var hasProviders: Bool { registrations.contains { $0.needs.contains { $0.form == .provider } } }
    /// Whether an instance may end before its registration.
    var mayEndEarly: Bool { registrations.contains { $0.life == .cached || $0.life == .keyedLimit } }
    var hasCompletions: Bool { registrations.contains { !$0.completion.isEmpty } }

    var hasRequestServiceCreatedByRegister: Bool {
        registrations.contains { $0.isCreatedByRegister && $0.level == .request && !$0.needs.isEmpty }
    }

    /// Whether a caller finds a registration.
    func registers(_ index: Int, for caller: Caller) -> Bool {
        let registration = registrations[index]
        guard registration.level == .request else { return true }
        return caller != .app && (registration.only ?? caller) == caller
    }

    /// Removes what the library refuses, and what cannot be run.
    mutating func normalize() {
        for index in registrations.indices { registrations[index].normalize(hasBase: hasBase) }
        for index in registrations.indices where registrations[index].isCreatedByRegister {
            // The result of its factory would depend on the order of events:
            // - Other services may exist already, or their completions may not have run.
            // - A dependency that ends between two callers is created again, when more services are registered.
            // - A dependency may need the same service. It then gets an older registration of it.
            let isReplacing = registrations.count { $0.key == registrations[index].key } > 1
            if isReplacing || hasCompletions || changesBetween && mayEndEarly
                || isAsynchronous && registrations[index].level == .request
            {
                registrations[index].needs = []
            }
        }
        // Last, so that it creates nothing before all other services are registered.
        registrations = registrations.filter { !$0.isCreatedByRegister } + registrations.filter(\.isCreatedByRegister)
        if case .factory = surroundings, suspends.contains(true) { surroundings = .none }
        let isOwner =
            surroundings.life?.isShared == true
            ? hasHandles || mayEndEarly : surroundings.life == .scoped && hasProviders
        if Exemption.surroundings.applies, isOwner {
            surroundings = surroundings.isSuspending ? .suspendingFactory(.transient) : .factory(.transient)
        }
        // What a provider returns inside a factory belongs to the graph of that factory, whatever is bound around the call, and whatever ends
        // while the factory runs.
        if hasProviders, surroundings.life != nil { (bindsLocal, changesBetween) = (false, false) }
        // The scoped services of an eager service belong to the application's container, and its callers are those of their handles.
        if hasHandles, registrations.contains(where: \.isCreatedByRegister),
            registrations.contains(where: { $0.life == .scoped })
        {
            bindsLocal = false
        }
        // A shared service around the app's calls would be the owner of what they create.
        if surroundings.life?.isShared == true { hasAppCaller = false }
    }
}

extension Registration {
    mutating func normalize(hasBase: Bool) {
        if level != .request { only = nil }
        if level == .base, !hasBase { level = .app }
        switch source {
        case .value:
            life = .eager
            isAsynchronous = false
            needs = []
            completion = []
        case .alias:
            life = .transient
            isAsynchronous = false
            needs = []
            completion = []
            takesArgument = false
        case .initializer: takesArgument = false
        case .closure: break
        }
        if source == .value { takesArgument = false }
        if life.isKeyed, !takesArgument { life = .singleton }
        if takesArgument, life == .singleton || life == .eager { life = .keyed }
        if life == .weak, key.form != .node { life = takesArgument ? .keyed : .singleton }
        if life == .eager {
            isAsynchronous = false
            completion = []
        }
        if !life.mayHaveHook { hasHook = false }
        if key.form != .node { completion = [] }
        if !needs.contains(where: \.form.isLater) { usesHandles = false }
        if source == .initializer {
            for index in needs.indices {
                needs[index].name = nil
                needs[index].argument = nil
            }
        } else {
            // `resolveAll` traps on an error.
            for index in needs.indices where needs[index].form == .list { needs[index].form = .node }
        }
        for index in completion.indices where completion[index].form == .list { completion[index].form = .node }
        // The argument of a handle would be another form of its registration.
        for index in needs.indices where needs[index].form != .node { needs[index].argument = nil }
        for index in completion.indices where completion[index].form != .node { completion[index].argument = nil }
    }
}
