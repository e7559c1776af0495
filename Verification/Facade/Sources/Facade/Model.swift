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

// Unchecked, because of the variables. Sound, because one thread runs at any time.
final class ContainerModel: @unchecked Sendable {
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
    /// The last time before the container ended.
    var clearedBeforeEnd = -1
    /// The number of calls that are registering an eager service at the moment.
    var eagerCalls = 0
    /// The time of creation of the instance that a shutdown disposed of last.
    var lastDisposed: Int?
    /// Whether a service has used another one through a handle. Then instances do not end in the reverse order of creation.
    var hasHandleUses = false
    var endsAsynchronously = false
    /// Whether the task that shuts the container down may be inside a creation. The asynchronous hooks run in that task.
    var mayEndInCreation = false

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

// Unchecked, because of the variables. Sound, because one thread runs at any time.
final class Registration: @unchecked Sendable {
    let serial: Int
    let key: Key
    let life: Life
    let owner: ContainerModel
    let scopeIndex: Int
    let isAsync: Bool
    let hasHook: Bool
    let hasAsyncHook: Bool
    let hasCompletion: Bool
    /// The call in which the factory throws; 0 for none.
    let failsAt: Int
    /// The call in which the completion throws; 0 for none.
    let completionFailsAt: Int
    let hookThrows: Bool
    let makesWrappers: Bool
    let script: [Step]
    let second: [Step]
    /// The registration that this one decorates.
    var decorates: Registration?
    /// Whether it is registered with an initializer that takes an Alpha.
    var takesService = false
    /// The key that this registration is an alias for.
    var forwards: Key?
    var removedAt: Int?
    var isAdded = false
    /// The token, while the program holds it.
    var token: AnyObject?
    weak var weakToken: AnyObject?
    /// The numbers of calls of the factory, and of the completion.
    var turns = 0
    var completionTurns = 0

    init(
        _ serial: Int, _ key: Key, _ life: Life, in owner: ContainerModel, scopeIndex: Int = 0, isAsync: Bool = false,
        hasHook: Bool = false, hasAsyncHook: Bool = false, hasCompletion: Bool = false, failsAt: Int = 0,
        completionFailsAt: Int = 0, hookThrows: Bool = false, makesWrappers: Bool = false, script: [Step] = [],
        second: [Step] = []
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
        self.completionFailsAt = completionFailsAt
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
    /// Whether an instance may end while callers hold it: by a reset, or because of the limit.
    var mayEndEarly: Bool {
        life == .cached && scopeIndex != World.scopeWithCaptives || life == .keyed && !serial.isMultiple(of: 2)
    }
    /// Whether the registration owns an instance that does not end early.
    var isLasting: Bool { life.isKept && !mayEndEarly }
    /// Whether the factory may run in a task of its own.
    var maySuspend: Bool { isAsync || takesService || decorates?.maySuspend ?? false }
    /// Whether it takes an Alpha, or decorates a service that does.
    var takesServiceInside: Bool { takesService || decorates?.takesServiceInside ?? false }
    /// Whether the lifetime refuses each instance: nobody could hold a weak reference to a value.
    var isRefused: Bool { life == .weak && !kinds[key.kind].isClassBound }
    /// Whether the factory only creates an instance.
    var isPlain: Bool {
        !isAsync && script.isEmpty && failsAt == 0 && !hasCompletion && decorates == nil && forwards == nil
            && !isRefused && !takesService
    }

    /// The service that initializers take.
    static let keyOfParameters = Key(kind: 0, nameIndex: 0, takesArgument: false)

    /// Returns the registrations whose creations begin before that of another one, because their factories take it; empty if they do not
    /// take it. With the containers that they resolve it from.
    func path(to inner: Registration, in asked: ContainerModel) -> [(registration: Registration, asked: ContainerModel)]
    {
        var path: [(Registration, ContainerModel)] = []
        var next: Registration? = self
        var container = asked
        while let current = next, current !== inner {
            path.append((current, container))
            (next, container) = current.inner(in: container)
        }
        return next === inner ? path : []
    }

    /// The service that the library passes to the factory, and the container that it is resolved from. The service that initializers take
    /// has no initializer that takes one, so this comes to an end.
    func inner(in asked: ContainerModel) -> (Registration?, ContainerModel) {
        guard takesService else { return (decorates, asked) }
        let container = life.isKept ? owner : asked
        return (container.lookUp(Self.keyOfParameters), container)
    }

    var text: String { "#\(serial) \(key.text) \(life) in container \(owner.id)" }
}

/// The unit within which resolve calls share an instance.
struct Domain: Hashable {
    let registration: Int
    /// The container that resolves, if each container has its own instance; else -1.
    let container: Int
    let argument: UInt64

    init(_ registration: Registration, _ container: ContainerModel?, _ argument: Double?) {
        self.registration = registration.serial
        self.container = container?.id ?? -1
        self.argument = argument.map { ($0 == 0 ? 0 : $0).bitPattern } ?? 0
    }
}

final class DomainState {
    /// The instance that every resolve call gets at the moment.
    var current: Run?
    /// The creation in progress.
    var creating: Run?
    /// The run that started the creation, and the region in which it did, if the factory has not begun yet.
    var starter: Run?
    var startRegion: Region?
    /// The time when it was started.
    var begunAt: Int?
}

/// A part of a program in which all calls are made for one caller: a shared service, or an outermost resolve call. In it, an object
/// graph has one instance of each registration and container.
final class Region {
    /// Whether the reference knows which calls belong to it.
    let isKnown: Bool
    /// The graph instances that calls got.
    var instances: [Domain: Int] = [:]
    /// The values of the task-local that its code has found or bound.
    var ambients: Set<Int> = []
    /// The containers that its code has found or bound as `shared`.
    var shared: [ContainerModel] = []
    /// Those that its code has bound by itself.
    var bound: (ambients: Set<Int>, shared: [ContainerModel]) = ([], [])

    init(isKnown: Bool = true) {
        self.isKnown = isKnown
    }
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
    /// An earlier time at which it may have begun, because a task was asked for a service around it then.
    var mayHaveBegunAt: Int?
    /// Whether the reference does not know which of several creations it belongs to. All of them may have waited for one service, before
    /// and after their container was cleared, and then run their factories in any order.
    var isOfAnyCreation = false
    /// Later resets apply to the instance. The time is before the factory, and for a decorator before the decorated instance.
    var preparedAt: Int
    /// The region of its factory and completion.
    let region: Region
    /// The `shared` and the task-local that the factory finds.
    var shared: ContainerModel?
    var ambient: Int?
    /// The time when the factory returned. From then on, the instance has an owner.
    var madeAt: Int?
    /// The time when the instance was complete, and handed out or refused.
    var returnedAt: Int?
    /// The time when the creation failed: its factory or completion has thrown, or another one of its group.
    var failedAt: Int?
    /// The instances whose creations failed together with this one.
    var failedGroup: FailedGroup?
    var isAbandoned = false
    /// Whether its completion has returned.
    var isCompleted = false
    /// Whether the instance was created without a factory.
    var isMadeOutside = false
    /// Whether the creation has begun, but not the factory, because the library creates a service for it first.
    var isAhead = false
    /// Whether the factory runs in a task of its own.
    var isInTask = false
    /// Whether the factory runs inside a hook.
    var isInHook = false
    /// Whether the reference does not know which creation this one is a part of.
    var isOfUnknown = false
    var isHandedOut = false
    /// Whether its completion is running.
    var isCompleting = false
    var hooks = 0
    var asyncHooks = 0
    var asyncHookDone = false
    /// Whether its asynchronous hook is running.
    var isLeaving: Bool { asyncHooks > 0 && !asyncHookDone }
    var disposedAt: Int?
    weak var core: Core?
    /// The instance, if it is an object.
    weak var object: AnyObject?
    /// The services to inject, while the factory runs.
    var injected: [Any] = []
    /// The wrappers of the service, while the factory runs.
    var wrappers: Wrappers?
    /// The service that the wrappers belong to.
    var wrapperOwner: Run?
    /// The instances that its own wrappers have cached.
    var memo: [Int: Int] = [:]
    /// The instances that it keeps, and those of `memo`.
    var parts: [Part] = []

    init(
        _ number: Int, _ registration: Registration, _ asked: ContainerModel, _ domain: Domain?, parent: Run?,
        startedAt: Int, region: Region
    ) {
        self.number = number
        self.registration = registration
        self.asked = asked
        self.domain = domain
        self.parent = parent
        self.startedAt = startedAt
        begunAt = startedAt
        preparedAt = startedAt
        self.region = region
    }

    var isFinished: Bool { returnedAt != nil || failedAt != nil || isAbandoned }
    /// The container that owns the instance.
    var place: ContainerModel { registration.life == .scoped ? asked : registration.owner }
    var text: String { "instance \(number) of \(registration.text)" }

    /// Whether the creation may have begun before its container was cleared, so that nobody finds the instance.
    var mayBeDisplaced: Bool { mayHaveBegunAt.map { $0 < place.clearedAt } ?? false }

    /// Whether the factory has returned before a moment, and the instance waits for its completion then.
    func isPending(at moment: Int) -> Bool {
        guard let madeAt, madeAt < moment else { return false }
        return (returnedAt ?? failedAt).map { $0 > moment } ?? true
    }

    /// This run and the runs that enclose it, from the inside out.
    var lineage: [Run] {
        var runs = [self]
        while let next = runs[runs.count - 1].parent { runs.append(next) }
        return runs
    }

    /// The innermost factory that the library runs. An instance for `register` is created before that call, so the library gives it
    /// no object graph.
    var innermostFactory: Run? { lineage.first { !$0.isMadeOutside } }

    /// Whether the instance keeps a container alive: its wrappers belong to no service. A container that owned it would own itself.
    var keepsContainer: Bool {
        core?.wrappers != nil && wrapperOwner == nil || parts.contains { $0.run.keepsContainer }
    }

    /// The innermost service around this code that a container or a registration owns, while it is being created.
    var owning: Run? {
        var run: Run? = self
        while let current = run, !current.isFinished {
            let isPart = current.registration.life == .transient || current.registration.life == .graph
            if !isPart, !current.isMadeOutside { return current }
            run = current.parent
        }
        return nil
    }

    /// The cached service that would keep instances of this run alive: directly, or through transient and graph instances.
    var keeper: Run? {
        var run: Run? = self
        while let current = run {
            if current.isFinished { return nil }
            if current.registration.life.isKept { return current }
            // A cached service may take this instance. The reference learns of the creation of that service later.
            if current.isOfUnknown { return nil }
            // The caller of `register` makes the instance, so it belongs to the factory that makes the call.
            let isPart = current.registration.life == .transient || current.registration.life == .graph
            if !isPart, !current.isMadeOutside { return nil }
            run = current.parent
        }
        return nil
    }
}

/// Instances whose creations have failed together.
final class FailedGroup {
    /// The instance that was disposed of last.
    var last: Run?
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
    /// Whether it is a task that inherits nothing of the code that started it.
    let isDetached: Bool
    /// The `shared` and the task-local of the factory or completion.
    let shared: ContainerModel?
    let ambient: Int?

    init(
        container: ContainerModel? = nil, real: DependencyContainer? = nil, run: Run? = nil, depth: Int = 0,
        task: TaskModel? = nil, injects: Run? = nil, isHook: Bool = false, isDetached: Bool = false
    ) {
        self.container = container
        self.real = real
        self.run = run
        self.depth = depth
        self.task = task
        self.injects = injects
        self.isHook = isHook
        self.isDetached = isDetached
        shared = world.model(of: DependencyContainer.shared)
        ambient = Ambient.value
    }

    /// The same environment in a closure or a task that the step starts.
    init(
        inside outer: Env, container: ContainerModel? = nil, real: DependencyContainer? = nil, task: TaskModel? = nil,
        isDetached: Bool = false, injects: Run? = nil
    ) {
        self.container = container ?? outer.container
        self.real = real ?? outer.real
        run = outer.run
        depth = outer.depth + 1
        self.task = task ?? outer.task
        self.injects = injects
        isHook = outer.isHook
        self.isDetached = isDetached || outer.isDetached
        shared = outer.shared
        ambient = outer.ambient
    }

    /// Whether this step belongs to a hook, or to a factory that a hook has started.
    var isInHook: Bool { isHook || run?.isInHook ?? false }

    /// The creation that this step is inside of: none in a task whose factory has returned, even if one around it goes on.
    var creation: Run? { isDetached ? nil : run.flatMap { $0.isFinished ? nil : $0 } }

    /// Whether this step may be inside a creation that the reference does not know. A task of a factory that does not suspend, for an
    /// instance that is not shared, may still be inside the creation around that one.
    var mayBeInside: Bool {
        if isDetached { return false }
        var run = run
        while let current = run, current.isFinished {
            let life = current.registration.life
            guard life == .transient || life == .eager, !current.registration.isAsync else { return false }
            // The code that has begun it may have been inside one.
            if current.isOfUnknown { return true }
            run = current.parent
        }
        return run != nil && run !== self.run
    }

    /// The region that this step belongs to; nil if its calls are outermost ones.
    var region: Region? {
        if isInHook || mayBeInside { return Region(isKnown: false) }
        guard let run = creation?.innermostFactory, !run.isFinished else { return nil }
        return run.region
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
    /// The `shared` of the caller.
    let callerShared: ContainerModel?
    /// The `shared` that the factory of a transient or graph service has to find.
    var shared: ContainerModel?
    /// Whether a handle resolves. It may do so with the containers of the service in which it was made.
    var isByHandle = false
    /// The task-local of the caller.
    let ambient: Int?
    /// Whether factories may find it: not if a handle resolves for a service that all callers share.
    var mayUseAmbient = true
    /// The region that the call belongs to.
    var region: Region

    init(_ env: Env, asked: ContainerModel?) {
        self.env = env
        self.asked = asked
        startedAt = world.tick()
        callerShared = world.model(of: DependencyContainer.shared)
        shared = callerShared
        ambient = Ambient.value
        region = env.region ?? Region()
        if let ambient { region.ambients.insert(ambient) }
        if let ambient, ambient != env.ambient { region.bound.ambients.insert(ambient) }
        guard let shared else { return }
        if !region.shared.contains(where: { $0 === shared }) { region.shared.append(shared) }
        if shared !== env.shared, !region.bound.shared.contains(where: { $0 === shared }) {
            region.bound.shared.append(shared)
        }
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
    /// The creations that have begun before the services that the library passes to their factories, outermost first.
    var ahead: [Run] = []
    /// Whether they have begun. Later registrations are not for this call.
    var hasBegunAhead = false
    /// Another region that the call may belong to: that of a handle's service, if something still refers to its object graph.
    var earlierRegion: Region?

    init(_ key: Key, _ argument: Double?, _ env: Env, asked: ContainerModel, isAsync: Bool) {
        self.key = key
        self.argument = argument
        self.isAsync = isAsync
        found = asked.lookUp(key)
        target = found?.forwards.map { asked.lookUp($0) } ?? found
        domain = target.flatMap { world.domain(of: $0, asked: asked, argument) }
        let state = domain.map { world.state(of: $0) }
        current = state?.current.flatMap { world.isThere($0) && !$0.isOfAnyCreation ? $0 : nil }
        creating = state?.creating
        keeper = env.creation?.keeper
        super.init(env, asked: asked)
        if isAsync, let state, state.creating == nil, current == nil, state.begunAt == nil {
            state.starter = env.creation
            state.startRegion = region
            state.begunAt = startedAt
        }
        if isAsync, current == nil { world.noteStarts(inside: target, asked: asked, argument, at: startedAt) }
    }

    /// Whether the call may create a service before it begins the creation that the service is for.
    func mayBeginLater(than inner: Registration) -> Bool {
        guard isAsync, let target, let asked else { return false }
        return target.path(to: inner, in: asked).contains { $0.registration.takesService }
    }

    /// The instance in an object graph.
    var place: Domain? {
        guard let target, let asked, target.life == .graph else { return nil }
        return Domain(target, asked, argument)
    }

    /// Whether this call may have to fail with a captive dependency.
    var mayBeCaptive: Bool {
        switch target {
        case let target? where target.life == .scoped: keeper != nil || mayHaveKeeper
        case let target? where target.mayEndEarly: captor != nil || mayHaveKeeper
        default: false
        }
    }

    /// The service that would keep an instance which may end before it.
    var captor: Run? {
        guard target?.mayEndEarly ?? false, let owning = env.creation?.owning, owning.registration.isLasting else {
            return nil
        }
        return owning
    }

    /// Whether the call may run in a creation that the reference does not know: in a hook, which runs whenever a container drops an
    /// instance; in an async creation of an object graph that several calls may have begun; or in a completion, if the factory that
    /// resolved the service has returned, and a cached service around it is still being created or has failed.
    var mayHaveKeeper: Bool {
        guard let run = env.creation else { return env.isInHook || env.mayBeInside }
        let isInCompletion =
            run.lineage.contains { run in world.outermost?.pending.contains { $0 === run } ?? false }
            && run.lineage.dropFirst().contains(where: \.isFinished)
            && run.lineage.contains { $0.registration.life.isKept && (!$0.isFinished || $0.failedAt != nil) }
        return env.isInHook || run.lineage.contains(where: \.isOfUnknown) || isInCompletion
    }

    var text: String { "\(isAsync ? "asyncResolve" : "require") of \(key.text) in container \(asked?.id ?? -1)" }
}

/// A task-local of the program.
enum Ambient {
    @TaskLocal static var value: Int?
}

enum AsynchronousHook {
    /// Whether this code belongs to one.
    @TaskLocal static var isAround = false
}

/// Whether factories that do not suspend run without the task-locals of their callers.
#if compiler(>=6.2)
    let hidesTaskLocals = true
#else
    let hidesTaskLocals = false
#endif
