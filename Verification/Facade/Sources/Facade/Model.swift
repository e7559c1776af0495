// What the reference knows: which registrations there are, which instances were made, and when everything happened. All of it
// is used by one thread at a time.

import Hopoate

enum Life: Int, CaseIterable {
    case singleton, transient, scoped, graph, weak, cached, keyed, eager

    func real(_ scope: DependencyScope) -> Lifetime {
        switch self {
        case .singleton: .singleton
        case .transient: .transient
        case .scoped: .scoped
        case .graph: .graph
        case .weak: .weak
        case .cached: .cached(in: scope)
        case .keyed: .keyed
        case .eager: .eager
        }
    }

    /// Whether it outlives the request that made it, with the container that holds the registration.
    var isKept: Bool { self == .singleton || self == .cached || self == .weak || self == .keyed }

    /// Whether several resolve calls share an instance, whatever they are a part of.
    var isShared: Bool { isKept || self == .scoped }

    /// Whether the container disposes of the instances.
    var isOwned: Bool { self != .transient && self != .graph && self != .weak }
}

/// Under what something is registered.
struct Key: Hashable {
    let kind: Int
    let nameIndex: Int
    let takesArgument: Bool

    static let names: [DependencyName?] = [nil, "north"]

    var name: DependencyName? { Key.names[nameIndex] }

    var text: String {
        kinds[kind].name + (nameIndex == 0 ? "" : ".north") + (takesArgument ? "(Double)" : "")
    }
}

final class ContainerModel {
    let id: Int
    let parent: ContainerModel?
    /// The reference of the program, while it has one.
    var real: DependencyContainer?
    private weak var weakReal: DependencyContainer?
    let identity: ObjectIdentifier
    let isProcess: Bool
    /// Of each key, the newest last.
    var stacks: [Key: [Registration]] = [:]
    var isSealed = false
    var endedAt: Int?
    /// When the call that ended it returned.
    var endDoneAt: Int?
    var clearedAt = -1
    /// How many calls are in the middle of registering something made at once.
    var eagerCalls = 0
    /// When what was disposed of last in the course of a shutdown was created.
    var lastDisposed: Int?
    var endsAsynchronously = false

    init(_ id: Int, _ real: DependencyContainer, parent: ContainerModel?) {
        self.id = id
        self.parent = parent
        self.real = real
        isProcess = real === DependencyContainer.shared && parent == nil && id == 0
        if !isProcess { weakReal = real }
        identity = ObjectIdentifier(real)
    }

    /// The container while it exists.
    var existing: DependencyContainer? { real ?? weakReal }

    var chain: [ContainerModel] { [self] + (parent?.chain ?? []) }

    func lookUp(_ key: Key) -> Registration? {
        for container in chain { if let registration = container.stacks[key]?.last { return registration } }
        return nil
    }
}

final class Registration {
    let serial: Int
    let key: Key
    let life: Life
    let owner: ContainerModel
    let scopeIndex: Int
    let isAsync: Bool
    let hasHook: Bool
    let hasAsyncHook: Bool
    let hasCompletion: Bool
    let failsAt: Int
    let hookThrows: Bool
    let makesWrappers: Bool
    let script: [Step]
    let second: [Step]
    /// What it was put around.
    var decorates: Registration?
    /// Another name of this.
    var forwards: Key?
    var removedAt: Int?
    var isAdded = false
    /// The token, while the program holds it.
    var token: AnyObject?
    weak var weakToken: AnyObject?
    /// How often the factory ran.
    var turns = 0

    init(
        _ serial: Int, _ key: Key, _ life: Life, in owner: ContainerModel, scopeIndex: Int = 0, isAsync: Bool = false,
        hasHook: Bool = false, hasAsyncHook: Bool = false, hasCompletion: Bool = false, failsAt: Int = 0,
        hookThrows: Bool = false, makesWrappers: Bool = false, script: [Step] = [], second: [Step] = []
    ) {
        self.serial = serial
        self.key = key
        self.life = life
        self.owner = owner
        self.scopeIndex = scopeIndex
        self.isAsync = isAsync
        self.hasHook = hasHook
        self.hasAsyncHook = hasAsyncHook
        self.hasCompletion = hasCompletion
        self.failsAt = failsAt
        self.hookThrows = hookThrows
        self.makesWrappers = makesWrappers
        self.script = script
        self.second = second
    }

    var name: DependencyName? { key.name }
    var takesArgument: Bool { key.takesArgument }
    var lifetime: Life { life }
    var scope: DependencyScope { world.scopes[scopeIndex] }
    var isOwned: Bool { life.isOwned && (hasHook || hasAsyncHook) }
    /// Whether the factory does nothing but make an instance.
    var isPlain: Bool {
        !isAsync && script.isEmpty && failsAt == 0 && !hasCompletion && decorates == nil && forwards == nil
    }

    var text: String { "#\(serial) \(key.text) \(life) in container \(owner.id)" }
}

/// Those who share an instance.
struct Domain: Hashable {
    let registration: Int
    /// The container that was asked, where each has an instance.
    let container: Int
    let argument: UInt64
}

final class DomainState {
    /// The instance that everybody gets who asks now.
    var current: Run?
    /// The creation that goes on.
    var creating: Run?
    /// In whose course the creation was begun, where that begins later.
    var starter: Run?
    /// When that was.
    var begunAt: Int?
}

/// One run of a factory, and the instance that it made.
// Unchecked, because of the variables. Sound, because one thread runs at any time.
final class Run: @unchecked Sendable {
    let number: Int
    let registration: Registration
    let asked: ContainerModel
    let domain: Domain?
    let parent: Run?
    let startedAt: Int
    /// When the creation began: before its factory, where that waits for its turn.
    var begunAt: Int
    /// Where a reset has to come later to concern it: before the factory, and for a decorator before the instance inside.
    var preparedAt: Int
    /// Where the outermost resolve call began.
    let rootAt: Int
    let shared: ContainerModel?
    var returnedAt: Int?
    var failedAt: Int?
    var isAbandoned = false
    /// Whether no factory made it.
    var isMadeOutside = false
    /// Whether a hook runs around it.
    var isInHook = false
    var isHandedOut = false
    var hooks = 0
    var asyncHooks = 0
    var asyncHookDone = false
    var disposedAt: Int?
    weak var core: Core?
    /// The instance, where that is an object.
    weak var object: AnyObject?
    /// What is going to be injected; while the factory runs.
    var injected: [Any] = []
    /// The instances that its own wrappers have got.
    var memo: [Int: Int] = [:]
    /// What the instances of graphs were that this factory got, by registration.
    var graph: [Int: Int] = [:]

    init(
        _ number: Int, _ registration: Registration, _ asked: ContainerModel, _ domain: Domain?, parent: Run?,
        startedAt: Int, rootAt: Int, shared: ContainerModel?
    ) {
        self.number = number
        self.registration = registration
        self.asked = asked
        self.domain = domain
        self.parent = parent
        self.startedAt = startedAt
        begunAt = startedAt
        preparedAt = startedAt
        self.rootAt = rootAt
        self.shared = shared
    }

    var isFinished: Bool { returnedAt != nil || failedAt != nil || isAbandoned }
    /// The container that keeps the instance.
    var place: ContainerModel { registration.life == .scoped ? asked : registration.owner }
    var text: String { "instance \(number) of \(registration.text)" }

    /// The runs in whose course this one is, itself first.
    var lineage: [Run] {
        var runs = [self]
        while let next = runs[runs.count - 1].parent { runs.append(next) }
        return runs
    }

    /// The innermost factory that the library itself runs. An instance passed to `register` is made before that call, so the library
    /// gives it no object graph.
    var innermostFactory: Run? { lineage.first { !$0.isMadeOutside } }

    /// The kept service that would keep what is made in the course of this run: directly, or through what each caller gets for himself.
    var keeper: Run? {
        var run: Run? = self
        while let current = run {
            if current.isFinished { return nil }
            if current.registration.life.isKept { return current }
            if current.registration.life != .transient, current.registration.life != .graph { return nil }
            run = current.parent
        }
        return nil
    }
}

/// Where a step runs.
// Unchecked. Sound, because one thread runs at any time.
final class Env: @unchecked Sendable {
    /// The container that a factory was given.
    let container: ContainerModel?
    let real: DependencyContainer?
    /// The run of a factory that this is a part of, or was.
    let run: Run?
    let depth: Int
    /// The task, where it can be cancelled.
    let task: TaskModel?
    /// What to inject what is resolved into; nil where nothing is.
    let injects: Run?
    /// Whether it is a hook. It runs wherever the container lets go of an instance, also in the middle of a creation.
    let isHook: Bool
    /// Whether this step belongs to a hook, or to a factory that a hook has started.
    var isInHook: Bool { isHook || run?.isInHook ?? false }

    init(
        container: ContainerModel? = nil, real: DependencyContainer? = nil, run: Run? = nil, depth: Int = 0,
        task: TaskModel? = nil, injects: Run? = nil, isHook: Bool = false
    ) {
        self.container = container
        self.real = real
        self.run = run
        self.depth = depth
        self.task = task
        self.injects = injects
        self.isHook = isHook
    }
}

// Unchecked, because of the variables. Sound, because one thread runs at any time.
final class TaskModel: @unchecked Sendable {
    let id: Int
    var real: Task<Void, Never>?
    var isCancelled = false
    var isFinished = false

    init(_ id: Int) {
        self.id = id
    }
}

/// A call of the library, as far as those who run in its course have to know it.
class Call {
    let env: Env
    let asked: ContainerModel?
    let startedAt: Int
    var shared: ContainerModel?
    /// Whether a handle asks, which may do so in the world of the service that it was made in.
    var isByHandle = false
    let ambient: Int?

    init(_ env: Env, asked: ContainerModel?) {
        self.env = env
        self.asked = asked
        startedAt = world.tick()
        shared = world.model(of: DependencyContainer.shared)
        ambient = Ambient.value
    }

    var rootAt: Int {
        if let run = env.run, !run.isFinished { return run.rootAt }
        return startedAt
    }
}

/// A resolve call.
final class Ask: Call {
    let key: Key
    let argument: Double?
    let isAsync: Bool
    /// The registration that it has to find.
    let found: Registration?
    /// That, or the one that it stands for.
    let target: Registration?
    let domain: Domain?
    let current: Run?
    let creating: Run?
    let keeper: Run?
    var error: DependencyError?

    init(_ key: Key, _ argument: Double?, _ env: Env, asked: ContainerModel, isAsync: Bool) {
        self.key = key
        self.argument = argument
        self.isAsync = isAsync
        found = asked.lookUp(key)
        target = found?.forwards.map { asked.lookUp($0) } ?? found
        domain = target.flatMap { world.domain(of: $0, asked: asked, argument) }
        let state = domain.map { world.state(of: $0) }
        current = state?.current.flatMap { world.isThere($0) ? $0 : nil }
        creating = state?.creating
        keeper = env.run?.keeper
        super.init(env, asked: asked)
        if isAsync, let state, state.creating == nil, current == nil, state.begunAt == nil {
            state.starter = env.run
            state.begunAt = startedAt
        }
    }

    /// Whether this call may have to fail with a captive dependency.
    var mayBeCaptive: Bool { keeper != nil || mayHaveKeeper }

    /// Whether it may run in the course of a creation that the reference does not know of: in a hook, which runs wherever a container
    /// lets go of something, and in an asynchronous creation of a graph.
    var mayHaveKeeper: Bool {
        let isOfGraph = env.run?.lineage.last.map { $0.registration.isAsync && $0.registration.life == .graph }
        return env.isInHook || isOfGraph ?? false
    }

    var text: String { "\(isAsync ? "asyncResolve" : "require") of \(key.text) in container \(asked?.id ?? -1)" }
}

/// A task-local of the program.
enum Ambient {
    @TaskLocal static var value: Int?
}
