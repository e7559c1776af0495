// The reference: the registrations, the instances that were created, and the time of every event. Only one thread at a time uses
// it.

import Hopoate

enum Life: Int, CaseIterable {
    case singleton, transient, scoped, graph, weak, cached, keyed, eager

    /// The lifetime of a registration with a serial number. Every other keyed one has a limit, which is the number of values.
    func real(_ scope: DependencyScope, _ serial: Int) -> Lifetime {
        switch self {
        case .singleton: .singleton
        case .transient: .transient
        case .scoped: .scoped
        case .graph: .graph
        case .weak: .weak
        case .cached: .cached(in: scope)
        case .keyed: serial.isMultiple(of: 2) ? .keyed : .keyed(limit: 3)
        case .eager: .eager
        }
    }

    /// Whether the instance outlives the resolve call that created it, and stays with the container of the registration.
    var isKept: Bool { self == .singleton || self == .cached || self == .weak || self == .keyed }

    /// Whether independent resolve calls share an instance.
    var isShared: Bool { isKept || self == .scoped }

    /// Whether the container disposes of the instances.
    var isOwned: Bool { self != .transient && self != .graph && self != .weak }
}

/// The key of a registration.
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
    /// The container, while the program holds a reference to it.
    var real: DependencyContainer?
    private weak var weakReal: DependencyContainer?
    let identity: ObjectIdentifier
    let isProcess: Bool
    /// The registrations of each key, the newest last.
    var stacks: [Key: [Registration]] = [:]
    var isSealed = false
    var endedAt: Int?
    /// The time when the call that ended the container returned.
    var endDoneAt: Int?
    var clearedAt = -1
    /// The number of calls that are registering an eager service at the moment.
    var eagerCalls = 0
    /// The time of creation of the instance that a shutdown disposed of last.
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
    /// The registration that this one decorates.
    var decorates: Registration?
    /// The key that this registration is an alias for.
    var forwards: Key?
    var removedAt: Int?
    var isAdded = false
    /// The token, while the program holds it.
    var token: AnyObject?
    weak var weakToken: AnyObject?
    /// The number of calls of the factory.
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
    /// Whether the factory only creates an instance.
    var isPlain: Bool {
        !isAsync && script.isEmpty && failsAt == 0 && !hasCompletion && decorates == nil && forwards == nil
    }

    var text: String { "#\(serial) \(key.text) \(life) in container \(owner.id)" }
}

/// The unit within which resolve calls share an instance.
struct Domain: Hashable {
    let registration: Int
    /// The container that resolves, if each container has its own instance; else -1.
    let container: Int
    let argument: UInt64
}

final class DomainState {
    /// The instance that every resolve call gets at the moment.
    var current: Run?
    /// The creation in progress.
    var creating: Run?
    /// The run that started the creation, if the factory has not begun yet.
    var starter: Run?
    /// The time when it was started.
    var begunAt: Int?
}

/// One call of a factory, and its instance.
// Unchecked, because of the variables. Sound, because one thread runs at any time.
final class Run: @unchecked Sendable {
    let number: Int
    let registration: Registration
    let asked: ContainerModel
    let domain: Domain?
    let parent: Run?
    let startedAt: Int
    /// The time when the creation began. This is before its factory if the factory had to wait.
    var begunAt: Int
    /// Later resets apply to the instance. The time is before the factory, and for a decorator before the decorated instance.
    var preparedAt: Int
    /// The time when the outermost resolve call began.
    let rootAt: Int
    let shared: ContainerModel?
    var returnedAt: Int?
    var failedAt: Int?
    var isAbandoned = false
    /// Whether its completion has returned.
    var isCompleted = false
    /// Whether the instance was created without a factory.
    var isMadeOutside = false
    /// Whether the factory runs inside a hook.
    var isInHook = false
    var isHandedOut = false
    var hooks = 0
    var asyncHooks = 0
    var asyncHookDone = false
    var disposedAt: Int?
    weak var core: Core?
    /// The instance, if it is an object.
    weak var object: AnyObject?
    /// The services to inject, while the factory runs.
    var injected: [Any] = []
    /// The instances that its own wrappers have cached.
    var memo: [Int: Int] = [:]
    /// The instances of the object graph that this factory got, by registration.
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
    /// The container that owns the instance.
    var place: ContainerModel { registration.life == .scoped ? asked : registration.owner }
    var text: String { "instance \(number) of \(registration.text)" }

    /// This run and the runs that enclose it, from the inside out.
    var lineage: [Run] {
        var runs = [self]
        while let next = runs[runs.count - 1].parent { runs.append(next) }
        return runs
    }

    /// The innermost factory that the library runs. An instance for `register` is created before that call, so the library gives it
    /// no object graph.
    var innermostFactory: Run? { lineage.first { !$0.isMadeOutside } }

    /// The cached service that would keep instances of this run alive: directly, or through transient and graph instances.
    var keeper: Run? {
        var run: Run? = self
        while let current = run {
            if current.isFinished { return nil }
            if current.registration.life.isKept { return current }
            // The caller of `register` makes the instance, so it belongs to the factory that makes the call.
            let isPart = current.registration.life == .transient || current.registration.life == .graph
            if !isPart, !current.isMadeOutside { return nil }
            run = current.parent
        }
        return nil
    }
}

/// The outermost creation of a shared instance by code that does not suspend, and the instances that wait for its end.
final class OutermostCreation {
    let run: Run
    /// Whether the factory has returned or thrown.
    var isOver = false
    /// The instances that exist, in the order in which their factories returned. They begin with the first one that has a completion.
    var pending: [Run] = []

    init(_ run: Run) {
        self.run = run
    }

    /// The next instance to complete.
    var next: Run? { pending.first { $0.registration.hasCompletion && !$0.isCompleted } }
}

/// The environment of a step.
// Unchecked. Sound, because one thread runs at any time.
final class Env: @unchecked Sendable {
    /// The container that the factory got.
    let container: ContainerModel?
    let real: DependencyContainer?
    /// The factory run that this step is, or was, a part of.
    let run: Run?
    let depth: Int
    /// The task, if it can be cancelled.
    let task: TaskModel?
    /// The run into which resolved services are injected; nil if they are not injected.
    let injects: Run?
    /// Whether it is a hook. A hook runs whenever the container drops an instance, even in the middle of a creation.
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

/// A call of the library, with the facts that steps inside it need.
class Call {
    let env: Env
    let asked: ContainerModel?
    let startedAt: Int
    var shared: ContainerModel?
    /// Whether a handle resolves. It may do so with the containers of the service in which it was made.
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
    /// The registration that the call must find.
    let found: Registration?
    /// That registration, or the one that it is an alias for.
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

    /// Whether the call may run in a creation that the reference does not know: in a hook, which runs whenever a container drops an
    /// instance; in an async creation of an object graph; in a task of a finished factory inside an async creation in progress; or in a
    /// completion, if the factory that resolved the service has returned, and a cached service around it is still being created.
    var mayHaveKeeper: Bool {
        guard let run = env.run else { return env.isInHook }
        let isOfGraph = run.lineage.last.map { $0.registration.isAsync && $0.registration.life == .graph } ?? false
        let isInsideAsync = run.isFinished && run.lineage.contains { $0.registration.isAsync && !$0.isFinished }
        let isInCompletion =
            run.lineage.contains { run in world.outermost?.pending.contains { $0 === run } ?? false }
            && run.lineage.dropFirst().contains(where: \.isFinished)
            && run.lineage.contains { $0.registration.life.isKept && !$0.isFinished }
        return env.isInHook || isOfGraph || isInsideAsync || isInCompletion
    }

    var text: String { "\(isAsync ? "asyncResolve" : "require") of \(key.text) in container \(asked?.id ?? -1)" }
}

/// A task-local of the program.
enum Ambient {
    @TaskLocal static var value: Int?
}

/// Whether factories that do not suspend run without the task-locals of their callers.
#if compiler(>=6.2)
    let hidesTaskLocals = true
#else
    let hidesTaskLocals = false
#endif
