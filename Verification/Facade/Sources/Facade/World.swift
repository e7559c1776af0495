import CExecutor
import Hopoate

/// The error that factories and hooks of a program throw.
struct Refusal: Error {}

/// The state of one program: the library's objects, the reference, and the queue of jobs.
final class World {
    let isTracing: Bool
    private var clock = 0
    private var steps = 0
    /// The jobs that may run, in the order in which they were enqueued.
    private var jobs: [Job] = []
    var isEnding = false
    /// The depth of nested calls of the library on this thread.
    var depth = 0
    var jobStartedAt = 0
    /// The innermost call of the library on this thread.
    var call: Call?

    /// The numbers of the live instances.
    var live: Set<Int> = []
    var runs: [Run] = []
    var registrations: [Registration] = []
    var containers: [ContainerModel] = []
    /// The containers that the program holds, by slot.
    var slots: [ContainerModel?]
    private var byIdentity: [ObjectIdentifier: ContainerModel] = [:]
    var states: [Domain: DomainState] = [:]
    /// Creations whose container was cleared before their factory ran: the time when they began, and the run that started them.
    private var displaced: [Domain: (begunAt: Int, starter: Run?, region: Region?)] = [:]
    /// Where several creations waited at once, before and after the container was cleared.
    private var domainsOfSeveralCreations: Set<Domain> = []
    /// The times of the calls by tasks that may have begun the creation of an instance. A call for a decorator may begin the creation of the
    /// decorated instance, and a call for a service with an initializer that of its parameter. Either may also begin after the call. The
    /// reference learns which when the instance is disposed of.
    private var innerStarts: [Domain: [Int]] = [:]
    /// The calls that may begin an async creation in an object graph.
    private var graphStarts: [Domain: [(ask: Int, starter: Run?, region: Region)]] = [:]
    /// The graph services with a creation whose call was cancelled.
    private var orphans: Set<Domain> = []
    /// The index of the scope whose instances a service may keep that lives longer.
    static let scopeWithCaptives = 1
    let scopes = [0, 1].map { DependencyScope("scope \($0)", allowsCaptives: $0 == World.scopeWithCaptives) }
    var resets = [-1, -1]
    let gates = [Gate(), Gate(), Gate()]
    var tasks: [TaskModel] = []
    var kept: [Held] = []
    var installations: [(Installation, ContainerModel, [Registration])] = []
    /// The wrappers that were made outside of creations.
    var made: [(wrappers: Wrappers, container: ContainerModel, memo: [Int: Int])] = []
    var handles: [(handle: any Handle, key: Key, argument: Double?, container: ContainerModel)] = []
    /// The registrations that closures borrow now.
    var borrows: [Registration] = []
    /// The registrations that the current installation has made.
    private var installing: [Registration] = []
    /// When the innermost installation in progress began; 0 if there is none.
    private var installedSince = 0
    /// Positive while several registrations are removed one after the other: the reference does not know which ones are left.
    var isUncertain = 0
    /// The running steps, for the report.
    var path: [String] = []
    var unfinishedAsyncRuns = 0
    private var abandoned = 0
    /// The number of threads that the failure handler ends in `register`.
    private var endedThreads = 0
    /// The containers that tasks hold that never end.
    private var lost: [ContainerModel] = []

    init(tracing: Bool) {
        isTracing = tracing
        slots = Array(repeating: nil, count: 6)
    }

    func tick() -> Int {
        clock += 1
        return clock
    }

    func trace(_ text: @autoclosure () -> String) {
        if isTracing { print(String(repeating: "  ", count: depth) + text()) }
    }

    // MARK: - A program

    func run(_ program: [Step]) {
        let process = add(.shared, parent: nil)
        slots[0] = process
        let root = add(DependencyContainer(), parent: nil)
        slots[1] = root
        if let real = root.real { slots[2] = add(real.makeChild(), parent: root) }
        let outside = Env()
        for step in program {
            perform(step, outside)
            settle()
        }
        end()
    }

    private func add(_ real: DependencyContainer, parent: ContainerModel?) -> ContainerModel {
        let container = ContainerModel(containers.count, real, parent: parent)
        containers.append(container)
        byIdentity[container.identity] = container
        return container
    }

    func model(of real: DependencyContainer) -> ContainerModel? { byIdentity[ObjectIdentifier(real)] }

    // MARK: - The jobs

    enum Job {
        case plain(UnsafeMutableRawPointer)
        /// A job that ends the thread that it runs on.
        case doomed(UnownedJob)
    }

    func enqueue(_ job: Job) { jobs.append(job) }

    private func runJob(_ choice: Int) {
        guard !jobs.isEmpty else { return }
        let job = jobs.remove(at: choice % jobs.count)
        let outer = call
        call = nil
        jobStartedAt = tick()
        trace("job")
        switch job {
        case .plain(let job): facade_executor_run(job)
        case .doomed(let job): Doomed.run(job)
        }
        call = outer
    }

    /// Runs all jobs, until none is left.
    private func drain() {
        var count = 0
        while !jobs.isEmpty {
            runJob(0)
            count += 1
            if count > 20_000 { violation("S9", "the tasks of the program never come to an end", isFatal: true) }
        }
    }

    var hasJobs: Bool { !jobs.isEmpty }

    // MARK: - The end

    private func end() {
        trace("the end")
        isEnding = true
        for gate in gates { gate.open(forGood: true) }
        drain()
        for task in tasks where !task.isFinished {
            violation("S2", "task \(task.id) waits for ever", isFatal: true)
        }
        settle()
        kept = []
        handles = []
        made = []
        installations = []
        // Before the containers, so that hooks can still resolve.
        for registration in registrations { registration.token = nil }
        for slot in 1..<slots.count { drop(slot) }
        for container in lost where !container.isProcess {
            guard let real = container.existing else { continue }
            if beginShutdown(container) { _ = try? real.shutdownWithoutAwaitingHooks() as Void }
        }
        if let process = slots[0] {
            forgetAll(of: process)
            process.real?.removeAll()
        }
        drain()
        for container in containers where !container.isProcess && container.existing != nil && !isLost(container) {
            violation("S6", "container \(container.id) is alive at the end: something refers to it")
        }
        for run in runs where isOwed(run) && (run.place.isProcess || run.place.existing == nil) {
            verifyHooks(of: run, "at the end")
        }
        if let number = live.filter({ !isLost(runs[$0].place) }).min() {
            violation("S6", "\(runs[number].text) is alive at the end, and \(live.count - 1) others")
        }
    }

    private func isLost(_ container: ContainerModel) -> Bool { lost.contains { $0 === container } }

    func drop(_ slot: Int, replacement: ContainerModel? = nil) {
        let dropped = slots[slot]
        slots[slot] = replacement
        guard let container = dropped else { return }
        trace("drop container \(container.id)")
        if slots.contains(where: { $0 === container }) { return }
        depth += 1
        container.real = nil
        depth -= 1
    }

    /// Whether the program holds a container or one of its descendants.
    func isHeld(_ container: ContainerModel) -> Bool {
        slots.contains { $0?.chain.contains { $0 === container } ?? false }
    }

    // MARK: - Lookups

    func domain(of registration: Registration, asked: ContainerModel, _ argument: Double?) -> Domain? {
        guard registration.life.isShared || registration.life == .eager else { return nil }
        return Domain(registration, registration.life == .scoped ? asked : nil, argument)
    }

    /// Whether the next factory call for a domain may belong to a creation whose container was cleared.
    func isDisplaced(_ domain: Domain) -> Bool { displaced[domain] != nil }

    func state(of domain: Domain) -> DomainState {
        if let state = states[domain] { return state }
        let state = DomainState()
        states[domain] = state
        return state
    }

    /// Whether resolve calls at the moment may return the instance.
    func isThere(_ run: Run) -> Bool {
        let registration = run.registration
        if run.place.endedAt != nil || run.place.clearedAt > run.begunAt { return false }
        if registration.life == .cached { return run.preparedAt > resets[registration.scopeIndex] }
        if registration.life == .weak { return run.object != nil }
        return true
    }

    /// Removes all registrations of a container, and its scoped instances of the parents' registrations.
    func forgetAll(of container: ContainerModel) {
        let now = tick()
        for registration in container.stacks.values.flatMap(\.self) { registration.removedAt = now }
        container.stacks = [:]
        container.clearedAt = now
        // Creations in progress can no longer store their instance. This includes creations whose factory has not begun.
        for (domain, state) in states where domain.container == container.id {
            if let begunAt = state.begunAt {
                if displaced[domain] != nil { domainsOfSeveralCreations.insert(domain) }
                displaced[domain] = (begunAt, state.starter, state.startRegion)
            }
            states[domain] = nil
        }
        for (domain, starts) in innerStarts where domain.container == container.id && starts.count > 1 {
            domainsOfSeveralCreations.insert(domain)
        }
    }

    /// Records that a task is asked for a service. The creations of the services inside may begin now.
    func noteStarts(inside target: Registration?, asked: ContainerModel, _ argument: Double?, at time: Int) {
        var (next, container, argument) = (target, asked, argument)
        while let outer = next {
            (next, container) = outer.inner(in: container)
            if outer.takesService { argument = nil }
            guard let domain = next.flatMap({ domain(of: $0, asked: container, argument) }) else { continue }
            if let earlier = innerStarts[domain]?.first, domain.container == container.id,
                earlier < container.clearedAt
            {
                domainsOfSeveralCreations.insert(domain)
            }
            innerStarts[domain, default: []].append(time)
        }
    }

    /// Whether a container is being shut down. Until the shutdown ends, the decorators in the container keep the services that they decorate.
    private func isEnding(_ container: ContainerModel) -> Bool {
        container.endedAt != nil && container.endDoneAt == nil
    }

    /// The decorators of a registration that can still be resolved, or that are being removed.
    func decorators(of registration: Registration) -> [Registration] {
        registrations.filter {
            $0.decorates === registration && $0.isAdded
                && (isEnding($0.owner) || $0.owner.endedAt == nil && $0.removedAt == nil
                    || !decorators(of: $0).isEmpty)
        }
    }

    // MARK: - Steps

    /// The container of a step.
    func pick(_ choice: Int, _ env: Env) -> (ContainerModel, DependencyContainer)? {
        if let container = env.container, let real = env.real, choice & 1 == 0 { return (container, real) }
        // Some are more likely than others, so that steps use the same ones.
        let first = [1, 2, 1, 2, 3, 0, 4, 5][choice >> 1 & 7]
        for offset in 0..<slots.count {
            if let container = slots[(first + offset) % slots.count], let real = container.real {
                return (container, real)
            }
        }
        return nil
    }

    func key(_ choice: Int, takesArgument: Bool = false) -> Key {
        // Some are more likely than others, so that steps use the same ones.
        Key(
            kind: [0, 1, 2, 3, 4, 5, 2, 0][choice & 7], nameIndex: choice >> 5 == 7 ? 1 : 0,
            takesArgument: takesArgument)
    }

    /// Whether the program may do another step.
    private func mayGoOn(_ env: Env) -> Bool {
        steps += 1
        return steps < 500 && env.depth < 7 && !isEnding
    }

    func perform(_ script: [Step], _ env: Env) throws { for step in script { try perform(throwing: step, env) } }

    func perform(_ step: Step, _ env: Env) { try? perform(throwing: step, env) }

    private func perform(throwing step: Step, _ env: Env) throws {
        guard mayGoOn(env) else { return }
        depth += 1
        defer { depth -= 1 }
        switch step.code {
        case .register: register(step, env, overwriting: false)
        case .overwrite: register(step, env, overwriting: true)
        case .ask: try ask(step, env)
        case .askInTask, .asyncShutdown, .warmUp, .pass: spawn([step], env, choice: step.c)
        case .spawn: spawn(step.script, env, choice: step.c)
        case .remove: remove(step, env)
        case .makeChild: makeChild(step, env)
        case .dropContainer: drop(1 + step.a % (slots.count - 1))
        case .shutdown: shutdown(step, env)
        case .reset: reset(step.a % scopes.count, env)
        case .removeAll: removeAll(step, env)
        case .seal: seal(step, env)
        case .cancel: cancel(step)
        case .openGate:
            trace("open gate \(step.a % gates.count)")
            gates[step.a % gates.count].open(forGood: false)
        case .run:
            // Jobs run one after the other, as on a single thread.
            if depth == 1 { for turn in 0..<(1 + step.a % 4) { runJob(step.b >> turn) } }
        case .letGo: letGo(step)
        case .override: override(step, env)
        case .decorate: decorate(step, env)
        case .forward: forward(step, env)
        case .install: install(step, env)
        case .uninstall: uninstall(step, env)
        case .validate: if let (container, real) = pick(step.a, env) { validate(container, real, env) }
        case .readWrappers: readWrappers(step, env)
        case .readOwnWrappers: readOwnWrappers(step, env)
        case .fail: try fail(step, env)
        case .registerFailing: registerFailing(step, env)
        case .makeWrappers: makeWrappers(step, env)
        case .readMadeWrappers: readMadeWrappers(step, env)
        case .borrow: borrow(step, env)
        case .handle: makeHandle(step, env)
        case .askHandle: askHandle(step, env)
        case .resolveAll: resolveAll(step, env)
        case .useAgain: useAgain(step, env)
        case .abandon: abandon(env)
        }
    }

    /// `perform` in a task.
    func performInTask(_ script: [Step], _ env: Env) async throws {
        for step in script {
            let outer = call
            defer { call = outer }
            switch step.code {
            case .askInTask where mayGoOn(env): try await askInTask(step, env)
            case .asyncShutdown where mayGoOn(env): await asyncShutdown(step, env)
            case .warmUp where mayGoOn(env): await warmUp(step, env)
            case .pass where mayGoOn(env):
                trace("wait at gate \(step.a % gates.count)")
                let gate = gates[step.a % gates.count]
                await gate.wait()
            case .override where mayGoOn(env) && step.c & 1 == 1:
                guard let (container, real) = pick(step.a, env) else { break }
                trace("with container \(container.id) as shared, in a task")
                let work = { try await self.performInTask(step.script, env) }
                try? await Ambient.$value.withValue(step.b) {
                    try await DependencyContainer.$shared.withValue(real) { try await work() }
                }
            default: try perform(throwing: step, env)
            }
        }
    }

    // MARK: - Registering

    private func registration(_ step: Step, in container: ContainerModel, overwriting: Bool) -> Registration {
        var life = Life.allCases[step.c % Life.allCases.count]
        let flavour = step.d
        let key = key(step.b, takesArgument: life == .keyed || (life == .transient && flavour & 64 != 0))
        let isValue = !kinds[key.kind].isClassBound
        if life == .weak, isValue, step.c & 8 == 0 || key.kind != kinds.count - 1 { life = .singleton }
        let isAsync = flavour & 1 != 0 && life != .eager && !(overwriting && key.takesArgument)
        let hooks = life.isOwned ? flavour >> 1 & 3 : 0
        // The reference could not tell whether the creation of a cached one began before a reset.
        let takesService =
            step.c & 8 != 0 && key.kind > 0 && life != .eager && life != .cached && !key.takesArgument
        let registration = Registration(
            registrations.count, key, life, in: container, scopeIndex: step.c >> 4 & 1, isAsync: isAsync,
            hasHook: hooks == 1 || hooks == 3, hasAsyncHook: hooks == 2,
            hasCompletion: flavour & 8 != 0,
            failsAt: life == .eager ? 0 : [0, 0, 0, 1, 0, 2, 0, 1][step.c >> 5 & 7],
            completionFailsAt: life == .eager ? 0 : [0, 1, 2, 0][step.failure], hookThrows: flavour & 16 != 0,
            makesWrappers: key.kind >= 2 && flavour & 32 != 0 && !skips("S6"), script: step.script, second: step.second)
        registration.takesService = takesService && !isAsync && !registration.isRefused
        return registration
    }

    private func register(_ step: Step, _ env: Env, overwriting: Bool) {
        guard let (container, real) = pick(step.a, env), !container.isSealed else { return }
        let registration = registration(step, in: container, overwriting: overwriting)
        registrations.append(registration)
        trace(
            "\(overwriting ? "overwrite with" : "register") \(registration.text)"
                + (registration.isAsync ? ", async" : "") + (registration.takesService ? ", initializer" : "")
                + (registration.hasHook ? ", hook" : "")
                + (registration.hasAsyncHook ? ", async hook" : "") + (registration.hasCompletion ? ", completion" : "")
                + (registration.failsAt > 0 ? ", fails at \(registration.failsAt)" : "")
                + (registration.hasCompletion && registration.completionFailsAt > 0
                    ? ", completion fails at \(registration.completionFailsAt)" : "")
                + (registration.makesWrappers ? ", wrappers" : "")
                + (registration.life == .cached ? ", scope \(registration.scopeIndex)" : "")
                + (registration.script.isEmpty ? "" : ", factory: \(registration.script.map(\.code))")
                + (registration.second.isEmpty ? "" : ", second: \(registration.second.map(\.code))"))
        let isEager = registration.life == .eager
        let call = Call(env, asked: container)
        if isEager { container.eagerCalls += 1 } else { push(registration, overwriting: overwriting) }
        if isEager, overwriting { overwritten.insert(registration.serial) }
        calling(call) {
            let kind = kinds[registration.key.kind]
            let token: AnyObject
            if isEager, !registration.hasHook, !registration.hasAsyncHook, !registration.hasCompletion {
                token = kind.registerInstance(registration, in: real, overwriting: overwriting)
            } else {
                token = kind.register(registration, in: real, overwriting: overwriting)
            }
            registration.weakToken = token
            registration.token = step.d & 128 == 0 ? token : nil
        }
        if isEager { container.eagerCalls -= 1 }
    }

    /// Registers an eager service whose completion throws, so that `register` traps. The failure handler ends the thread.
    private func registerFailing(_ step: Step, _ env: Env) {
        // In a creation, the failure would abandon it.
        guard env.run == nil, !env.isHook, let (container, real) = pick(step.a, env), !container.isProcess,
            endedThreads < 2
        else { return }
        endedThreads += 1
        let hasHook = step.c & 1 == 0
        let registration = Registration(
            registrations.count, key(step.b), .eager, in: container, hasHook: hasHook, hasAsyncHook: !hasHook,
            hasCompletion: true, completionFailsAt: 1, hookThrows: step.c & 2 == 2)
        registrations.append(registration)
        trace("\(registration.text) is going to fail in `register`")
        // The objects that the thread holds are never released.
        lost += container.chain
        if let shared = model(of: DependencyContainer.shared) { lost += shared.chain }
        let unreleased = Unreleased(real)
        Task { @Doomed in
            if container.isSealed { return }
            world.trace("register \(registration.text), which fails")
            DependencyContainer.withFailureHandler { _ in
                facade_thread_exit()
            } operation: {
                _ = kinds[registration.key.kind].register(registration, in: unreleased.container, overwriting: false)
            }
        }
    }

    /// The instances that wait in no outermost creation that the reference knows. They begin with one that has a completion.
    private var incomplete: [Run] = []

    /// The outermost creation in progress, if no task suspends in it.
    fileprivate(set) var outermost: OutermostCreation?

    /// The eager registrations that overwrite others.
    fileprivate var overwritten: Set<Int> = []

    fileprivate func push(_ registration: Registration, overwriting: Bool) {
        registration.isAdded = true
        installing.append(registration)
        var stack = registration.owner.stacks[registration.key] ?? []
        if overwriting {
            let now = tick()
            for replaced in stack { replaced.removedAt = now }
            stack = []
        }
        registration.owner.stacks[registration.key] = stack + [registration]
    }

    private func remove(_ step: Step, _ env: Env) {
        guard !registrations.isEmpty else { return }
        let registration: Registration
        if step.b & 1 == 1, let own = env.run?.registration {
            registration = own
        } else {
            registration = registrations[step.a % registrations.count]
        }
        guard let token = registration.token ?? registration.weakToken, let real = registration.owner.existing else {
            return
        }
        if registration.owner.isSealed, skips("S11") { return }
        trace("remove \(registration.text)")
        let container = registration.owner
        if registration.removedAt == nil, registration.isAdded {
            registration.removedAt = tick()
            container.stacks[registration.key]?.removeAll { $0 === registration }
        }
        calling(Call(env, asked: container)) {
            with(container.isSealed ? "S11: remove in a container that is sealed or was shut down" : nil) {
                kinds[registration.key.kind].remove(token, from: real)
            }
        }
        let onlyOthersAreBorrowed = !borrows.isEmpty && !borrows.contains { $0 === registration }
        // If a task is shutting the container down, the shutdown runs the hooks, in its own order.
        if onlyOthersAreBorrowed, !isEnding(container), registration.hasHook, decorators(of: registration).isEmpty {
            // An instance that waits for its completion is disposed of at the end of its creation.
            for run in runs
            where run.registration === registration && isOwed(run) && run.place === container && run.isFinished {
                if run.hooks != 1 {
                    violation(
                        "S13",
                        "removed while a closure borrows other services: \(run.text) was disposed of "
                            + "\(run.hooks) times, expected 1")
                }
            }
        }
    }

    /// Runs a closure, with a line in the report if one is given.
    private func with(_ line: String?, _ body: () -> Void) {
        if let line { path.append(line) }
        body()
        if line != nil { path.removeLast() }
    }

    private func removeAll(_ step: Step, _ env: Env) {
        guard let (container, real) = pick(step.a, env) else { return }
        if container.isSealed, skips("S11") { return }
        trace("remove all of container \(container.id)")
        forgetAll(of: container)
        calling(Call(env, asked: container)) {
            with(container.isSealed ? "S11: removeAll in a container that is sealed or was shut down" : nil) {
                real.removeAll()
            }
        }
    }

    private func seal(_ step: Step, _ env: Env) {
        guard let (container, real) = pick(step.a, env), !container.isProcess, container.eagerCalls == 0,
            step.b % 4 == 0
        else { return }
        trace("seal container \(container.id)")
        container.isSealed = true
        real.seal()
    }

    private func decorate(_ step: Step, _ env: Env) {
        guard let (container, real) = pick(step.a, env), !container.isSealed else { return }
        let key = key(step.b)
        guard let inner = container.lookUp(key), inner.life != .keyed, inner.forwards == nil, !inner.isRefused else {
            return
        }
        // In that case the reference cannot tell when the creation of the decorator began.
        if inner.life == .cached, inner.isAsync { return }
        // The decorator of an eager service is created at once, so its factory resolves nothing.
        let isEager = inner.life == .eager
        let registration = Registration(
            registrations.count, key, inner.life, in: container, scopeIndex: inner.scopeIndex, isAsync: inner.isAsync,
            failsAt: isEager || step.c >> 1 & 7 != 7 ? 0 : 1, script: isEager ? [] : step.script)
        registration.decorates = inner
        registrations.append(registration)
        trace("decorate \(inner.text) as \(registration.text)")
        if isEager { container.eagerCalls += 1 } else { push(registration, overwriting: false) }
        calling(Call(env, asked: container)) {
            let token = kinds[key.kind].decorate(registration, in: real)
            registration.weakToken = token
            registration.token = step.c & 1 == 0 ? token : nil
        }
        if isEager { container.eagerCalls -= 1 }
    }

    private func forward(_ step: Step, _ env: Env) {
        guard let (container, real) = pick(step.a, env), !container.isSealed else { return }
        // From the last kind to Gamma.
        let key = Key(kind: kinds.count - 1, nameIndex: 0, takesArgument: false)
        let registration = Registration(registrations.count, key, .transient, in: container)
        registration.forwards = Key(kind: 2, nameIndex: 0, takesArgument: false)
        registrations.append(registration)
        trace("forward: \(registration.text)")
        push(registration, overwriting: false)
        registration.token = kinds[key.kind].forward(registration, in: real)
        registration.weakToken = registration.token
    }

    private struct Module: DependencyModule {
        let body: () -> Void
        func register(in container: DependencyContainer) { body() }
    }

    private func install(_ step: Step, _ env: Env) {
        guard let (container, real) = pick(step.a, env), !container.isSealed, !container.isProcess else { return }
        trace("install into container \(container.id)")
        let (outer, outerStart) = (installing, installedSince)
        (installing, installedSince) = ([], tick())
        container.eagerCalls += 1
        let inside = Env(inside: env, container: container, real: real)
        let installation = calling(Call(env, asked: container)) {
            try? real.install(Module { self.performAll(step.script, inside) })
        }
        container.eagerCalls -= 1
        let added = installing.filter { $0.owner === container }
        (installing, installedSince) = (outer + installing, outerStart)
        guard let installation else { return violation("S11", "a module could not be installed") }
        installations.append((installation, container, added))
    }

    private func uninstall(_ step: Step, _ env: Env) {
        guard !installations.isEmpty else { return }
        let (installation, container, added) = installations.remove(at: step.a % installations.count)
        guard let real = container.existing else { return }
        if container.isSealed, skips("S11") { return }
        trace("uninstall from container \(container.id)")
        let now = tick()
        for registration in added where registration.removedAt == nil {
            registration.removedAt = now
            container.stacks[registration.key]?.removeAll { $0 === registration }
        }
        isUncertain += 1
        with(container.isSealed ? "S11: uninstall in a container that is sealed or was shut down" : nil) {
            calling(Call(env, asked: container)) { real.uninstall(installation) }
        }
        isUncertain -= 1
    }

    func performAll(_ script: [Step], _ env: Env) { for step in script { perform(step, env) } }

    // MARK: - Containers

    private func makeChild(_ step: Step, _ env: Env) {
        guard let (parent, real) = pick(step.a, env), parent.chain.count < 4 else { return }
        let child = add(real.makeChild(), parent: parent)
        trace("container \(child.id) is a child of \(parent.id)")
        let slot = 1 + step.b % (slots.count - 1)
        drop(slot, replacement: child)
    }

    private func shutdown(_ step: Step, _ env: Env) {
        guard let (container, real) = pick(step.a, env), !container.isProcess, container.eagerCalls == 0 else { return }
        trace("shut container \(container.id) down")
        let isFirst = beginShutdown(container)
        calling(Call(env, asked: container)) { _ = try? real.shutdownWithoutAwaitingHooks() as Void }
        if isFirst { container.endDoneAt = tick() }
    }

    private func beginShutdown(_ container: ContainerModel) -> Bool {
        guard container.endedAt == nil else { return false }
        container.clearedBeforeEnd = container.clearedAt
        forgetAll(of: container)
        container.endedAt = tick()
        container.isSealed = true
        return true
    }

    private func asyncShutdown(_ step: Step, _ env: Env) async {
        guard let (container, real) = pick(step.a, env), !container.isProcess, container.eagerCalls == 0 else { return }
        trace("shut container \(container.id) down, in a task")
        let isFirst = beginShutdown(container)
        if isFirst {
            container.endsAsynchronously = true
            container.mayEndInCreation = env.creation != nil || env.isInHook || env.mayBeInside
        }
        // A hook that began before waits for no other one.
        let isAwaiting = isFirst && !AsynchronousHook.isAround
        let leaving = isAwaiting ? runs.filter { $0.place === container && $0.isLeaving } : []
        call = Call(env, asked: container)
        do { try await real.shutdown() } catch {}
        call = nil
        for run in leaving where run.isLeaving {
            violation("S5", "container \(container.id) was shut down before the hook of \(run.text) had ended")
        }
        if isFirst { container.endDoneAt = tick() }
    }

    private func reset(_ scope: Int, _ env: Env) {
        trace("reset scope \(scope)")
        resets[scope] = tick()
        calling(Call(env, asked: nil)) { scopes[scope].reset() }
    }

    private func validate(_ container: ContainerModel, _ real: DependencyContainer, _ env: Env) {
        trace("validate container \(container.id)")
        _ = try? real.validate()
    }

    private func override(_ step: Step, _ env: Env) {
        guard let (container, real) = pick(step.a, env) else { return }
        trace("with container \(container.id) as shared")
        let inside = Env(inside: env, injects: env.injects)
        Ambient.$value.withValue(step.b) {
            DependencyContainer.$shared.withValue(real) { performAll(step.script, inside) }
        }
    }

    // MARK: - Tasks

    private func spawn(_ script: [Step], _ env: Env, choice: Int) {
        let task = TaskModel(tasks.count)
        tasks.append(task)
        trace("start task \(task.id)")
        let inside = Env(inside: env, task: task, isDetached: choice & 3 == 3)
        let work: @Sendable () async -> Void = {
            world.trace("task \(task.id)")
            try? await world.performInTask(script, inside)
            task.isFinished = true
        }
        task.real = inside.isDetached ? Task.detached(operation: work) : Task(operation: work)
    }

    /// Abandons an async creation: a task of its factory resolves a missing service, and the failure handler ends the thread.
    private func abandon(_ env: Env) {
        guard let run = env.run, run.registration.isAsync, run.registration.life.isShared, !run.isFinished,
            abandoned < 2
        else { return }
        abandoned += 1
        trace("a part of the factory of \(run.text) is going to fail for good")
        // The objects that the task of that thread holds are never released.
        if let shared = model(of: DependencyContainer.shared) { lost += shared.chain }
        let missing = Unreleased(DependencyContainer())
        Task { @Doomed in
            // If this creation has ended, the failure would abandon the enclosing one.
            if run.isFinished { return }
            world.trace("\(run.text) is abandoned")
            run.isAbandoned = true
            if let domain = run.domain, world.state(of: domain).creating === run {
                world.state(of: domain).creating = nil
            }
            DependencyContainer.withFailureHandler { _ in
                facade_thread_exit()
            } operation: {
                _ = missing.container.resolve(Missing.self)
            }
        }
    }

    private func cancel(_ step: Step) {
        guard !tasks.isEmpty else { return }
        let task = tasks[step.a % tasks.count]
        trace("cancel task \(task.id)")
        task.isCancelled = true
        task.real?.cancel()
    }

    private func warmUp(_ step: Step, _ env: Env) async {
        guard let (container, real) = pick(step.a, env) else { return }
        trace("warm container \(container.id) up")
        call = Call(env, asked: container)
        try? await real.warmUp()
        call = nil
    }

    /// Throws an error: always, or in one call of a factory.
    private func fail(_ step: Step, _ env: Env) throws {
        guard let run = env.run, !run.isFinished, step.a & 3 == 0 || step.a & 3 == run.registration.turns else {
            return
        }
        trace("throw an error")
        throw Refusal()
    }

    // MARK: - References of the program

    private func letGo(_ step: Step) {
        switch step.b % 4 {
        case 0, 1:
            guard !kept.isEmpty else { return }
            let held = kept.remove(at: step.a % kept.count)
            trace("let go of instance \(held.core.number)")
        case 2:
            guard !registrations.isEmpty else { return }
            let registration = registrations[step.a % registrations.count]
            trace("let go of the token of \(registration.text)")
            registration.token = nil
        default:
            trace("let go of all instances, handles and wrappers")
            kept = []
            made = []
            handles = []
        }
    }

    /// Passes the result of a call on: to the service whose factory or completion has made the call, or to the program.
    func keep(_ held: Held, _ call: Call, _ choice: Int) {
        let run = runs[held.core.number]
        if let injects = call.env.injects, !injects.isFinished,
            run.registration.key.kind < injects.registration.key.kind, !(injects.isMadeOutside && run.keepsContainer)
        {
            injects.parts.append(Part(run, of: call, keptBy: injects))
            if let core = injects.core {
                core.injected.append(held.service)
            } else {
                injects.injected.append(held.service)
            }
        } else if choice & 1 == 1, kept.count < 40 {
            kept.append(held)
        }
    }
}

extension World {
    /// Runs a call of the library, and makes it known to the steps inside it.
    func calling<Output>(_ call: Call, _ body: () throws -> Output) rethrows -> Output {
        let outer = self.call
        self.call = call
        depth += 1
        defer {
            failAhead(call)
            self.call = outer
            depth -= 1
        }
        return try body()
    }

    // MARK: - Factories

    private func begin(
        _ serial: Int, _ real: DependencyContainer, _ argument: Double?, isAsync: Bool, isMadeOutside: Bool = false
    ) -> (Run, Env) {
        let registration = registrations[serial]
        registration.turns += 1
        let asked = model(of: real) ?? containers[0]
        beginAround(registration)
        let run =
            takeAhead(registration, asked)
            ?? makeRun(registration, asked, argument, isAsync: isAsync, isMadeOutside: isMadeOutside)
        run.shared = model(of: DependencyContainer.shared)
        run.ambient = Ambient.value
        trace("the factory of \(run.text) begins, in container \(asked.id)")
        if isAsync { unfinishedAsyncRuns += 1 }
        if registration.makesWrappers, !isMadeOutside {
            run.wrappers = Wrappers()
            run.wrapperOwner = run.owning
        }
        verifySurroundings(of: run, call, isAsync: isAsync)
        let env = Env(
            container: asked, real: real, run: run, depth: (call?.env.depth ?? 0) + 1,
            task: isAsync && !registration.life.isShared ? call?.env.task : nil, injects: run)
        return (run, env)
    }

    /// Records that a creation begins. Its factory runs now, or after the services that it gets from the library.
    private func makeRun(
        _ registration: Registration, _ asked: ContainerModel, _ argument: Double?, isAsync: Bool = false,
        isMadeOutside: Bool = false
    ) -> Run {
        let domain = domain(of: registration, asked: asked, argument)
        let state = domain.map { self.state(of: $0) }
        // A synchronous call always begins a creation of its own. An earlier creation by a task has ended then, although its callers may not
        // have resumed, or was abandoned and ends later.
        let mayHaveBegun = (call as? Ask)?.isAsync ?? true
        let displacement = mayHaveBegun ? domain.flatMap { displaced.removeValue(forKey: $0) } : nil
        if let domain, displacement != nil, state?.begunAt != nil || innerStarts[domain] != nil {
            domainsOfSeveralCreations.insert(domain)
        }
        let graphStart = registration.life == .graph ? beginInGraph(registration, asked, argument) : nil
        let starter = (displacement == nil ? state?.starter : displacement?.starter) ?? graphStart?.starter
        let around = (call as? Ask)?.ahead.last
        var region = around?.region ?? call?.region
        region = region ?? (displacement == nil ? state?.startRegion : displacement?.region) ?? graphStart?.region
        // An initializer that suspends may resolve its parameters before it begins, or in a task of its own.
        // So does a warm-up.
        let isParameter = (call as? Ask)?.mayBeginLater(than: registration) ?? (call != nil || region == nil)
        if isParameter { region = nil }
        if registration.life.isKept || registration.life == .eager { region = Region() }
        let run = Run(
            runs.count, registration, asked, domain, parent: around ?? call?.env.creation ?? starter,
            startedAt: tick(), region: region ?? Region(isKnown: false))
        run.isInHook = call?.env.isInHook ?? false
        run.isMadeOutside = isMadeOutside
        run.isOfUnknown =
            isParameter && (registration.life == .graph || registration.life == .transient)
            || call?.env.mayBeInside ?? false || !(region?.isKnown ?? true)
        if mayHaveBegun, let begunAt = displacement?.begunAt ?? state?.begunAt { run.begunAt = begunAt }
        if mayHaveBegun { run.mayHaveBegunAt = domain.flatMap { innerStarts[$0]?.first } }
        run.isOfAnyCreation = domain.map(domainsOfSeveralCreations.contains) ?? false
        runs.append(run)
        if let state, displacement == nil, !isOvertaken(run, state) {
            // That the library creates another instance tells that the earlier one is displaced.
            for earlier in [state.creating, state.current].compactMap(\.self) where earlier.mayBeDisplaced {
                noteAge(of: earlier)
                if state.creating === earlier { state.creating = nil }
            }
            if let creating = state.creating, !creating.isFinished, creating !== run, !run.isOfAnyCreation {
                violation("I6", "two creations of one instance at once: \(creating.text) and \(run.text)")
            }
            if let current = state.current, isThere(current), registration.life != .eager, !run.isOfAnyCreation {
                violation("I6", "\(run.text) is created although \(current.text) exists")
            }
            state.creating = run
            state.starter = nil
            state.startRegion = nil
            state.begunAt = nil
        }
        let isPartOfAnother = registration.life == .transient || registration.life == .eager
        run.isInTask = isAsync || call == nil && registration.maySuspend
        let mayBeOutermost = incomplete.isEmpty || registration.maySuspend
        if !run.isInTask, !isPartOfAnother, outermost == nil, mayBeOutermost {
            let creation = OutermostCreation(run)
            // The library has created them for this one, although this one begins later for the reference.
            if registration.maySuspend { (creation.pending, incomplete) = (incomplete, []) }
            outermost = creation
        }
        return run
    }

    /// Whether the creation may have begun before its container was cleared, and another one has begun since. Then it is an abandoned one.
    private func isOvertaken(_ run: Run, _ state: DomainState) -> Bool {
        let creating = state.creating.flatMap { $0.isFinished ? nil : $0 }
        guard run.mayBeDisplaced, let other = creating ?? state.current.flatMap({ isThere($0) ? $0 : nil }) else {
            return false
        }
        if other.mayBeDisplaced {
            // Either of them.
            for one in [run, other] { one.isOfAnyCreation = true }
        } else {
            noteAge(of: run)
        }
        return true
    }

    /// Records that a creation has begun as early as it may have.
    private func noteAge(of run: Run) {
        if let begunAt = run.mayHaveBegunAt { run.begunAt = min(run.begunAt, begunAt) }
    }

    /// Begins the creations that the innermost call has begun before that of a service: decorators around it, and services whose
    /// initializer takes it.
    private func beginAround(_ registration: Registration) {
        guard let ask = call as? Ask, let target = ask.target, let asked = ask.asked, !ask.hasBegunAhead,
            !ask.mayBeginLater(than: registration)
        else { return }
        ask.hasBegunAhead = true
        for (outer, container) in target.path(to: registration, in: asked)
        where !ask.ahead.contains(where: { $0.registration === outer }) {
            let place = outer.life.isKept ? outer.owner : container
            trace("the creation of \(outer.text) begins, in container \(place.id)")
            let run = makeRun(outer, place, nil)
            run.isAhead = true
            ask.ahead.append(run)
        }
    }

    /// Takes the creation that has begun before the services which the library passes to its factory.
    private func takeAhead(_ registration: Registration, _ asked: ContainerModel) -> Run? {
        guard let ask = call as? Ask,
            let index = ask.ahead.firstIndex(where: { $0.registration === registration && $0.asked === asked })
        else { return nil }
        let run = ask.ahead.remove(at: index)
        run.isAhead = false
        return run
    }

    /// Ends the creations whose factories the innermost call will not run any more.
    func failAhead(_ call: Call?) {
        guard let ask = call as? Ask else { return }
        while let run = ask.ahead.popLast() {
            run.isAhead = false
            fail(run)
            if run === outermost?.run { leaveOutermost() }
        }
    }

    /// Records that a call may begin an async creation in an object graph.
    func noteGraphStart(of ask: Ask) {
        guard ask.isAsync, let place = ask.place, ask.region.instances[place] == nil else { return }
        graphStarts[place, default: []].append((ask.startedAt, ask.env.creation, ask.region))
    }

    /// Records the end of a call that may have begun a creation.
    func noteEnd(of ask: Ask, _ error: (any Error)? = nil) {
        // After a cancellation, the creation goes on.
        let isCancelled = (error as? DependencyError)?.reason == .cancelled
        if let place = ask.place {
            graphStarts[place]?.removeAll { $0.ask == ask.startedAt }
            if isCancelled { orphans.insert(place) }
        }
        if !isCancelled {
            for (domain, starts) in innerStarts {
                let others = starts.filter { $0 != ask.startedAt }
                innerStarts[domain] = others.isEmpty ? nil : others
            }
        }
        guard error != nil, !isCancelled, let domain = ask.domain else { return }
        let state = state(of: domain)
        guard state.begunAt == ask.startedAt, state.creating == nil else { return }
        state.starter = nil
        state.startRegion = nil
        state.begunAt = nil
    }

    /// Returns the call that has begun a creation in an object graph, if only one can have done so.
    private func beginInGraph(
        _ registration: Registration, _ asked: ContainerModel, _ argument: Double?
    ) -> (starter: Run?, region: Region)? {
        let place = Domain(registration, asked, argument)
        if let ask = call as? Ask {
            graphStarts[place]?.removeAll { $0.ask == ask.startedAt }
            return nil
        }
        // An initializer that takes the service may have begun it in a task of its own.
        let isForInitializer =
            registration.key == Registration.keyOfParameters && registrations.contains { $0.takesService }
        guard call == nil, !isForInitializer, let starts = graphStarts[place], starts.count == 1,
            !orphans.contains(place)
        else {
            return nil
        }
        graphStarts[place] = nil
        return (starts[0].starter, starts[0].region)
    }

    /// S7: the container, `shared`, task-locals and cancellation inside a factory.
    private func verifySurroundings(of run: Run, _ call: Call?, isAsync: Bool) {
        let registration = run.registration
        let ask = call as? Ask
        let isDirect = ask.map { $0.found === registration } ?? (registration.life == .eager)
        if registration.life.isKept || registration.life == .eager {
            if run.asked !== registration.owner {
                violation("S7", "the factory of \(run.text) got container \(run.asked.id)")
            }
        } else if isDirect, let expected = call?.asked, run.asked !== expected {
            violation("S7", "the factory of \(run.text) got container \(run.asked.id), asked was \(expected.id)")
        }
        let sharedId = run.shared.map { "\($0.id)" } ?? "unknown"
        switch registration.life {
        case .singleton, .cached, .weak, .keyed, .scoped:
            let expected = registration.life == .scoped ? run.asked : registration.owner
            if run.shared !== expected {
                violation(
                    "S7",
                    "the factory of \(run.text) ran with container \(sharedId) as shared, expected \(expected.id)")
            }
            guard isAsync || registration.life.isKept && hidesTaskLocals else { return }
            if Ambient.value != nil { violation("S7", "the factory of \(run.text) sees the caller's task-locals") }
            if Task.isCancelled { violation("S7", "the factory of \(run.text) runs in a cancelled task") }
        case .transient, .graph, .eager:
            guard isDirect, let call, !(isAsync && registration.life == .graph) else { return }
            // A handle of a cached service resolves with the handle's container as `shared`.
            let isExpected = run.shared === call.shared || call.isByHandle && run.shared === call.asked
            if !isExpected {
                violation(
                    "S7",
                    "the factory of \(run.text) ran with container \(sharedId) as shared, the caller has "
                        + "\(call.shared.map { "\($0.id)" } ?? "unknown")")
            }
            let ambient = call.mayUseAmbient || !hidesTaskLocals ? call.ambient : nil
            if Ambient.value != ambient {
                violation(
                    "S7",
                    "the factory of \(run.text) finds \(Ambient.value ?? 0), and not \(ambient ?? 0), as the task-local"
                )
            }
        }
    }

    /// Creates the instance at the end of a factory.
    private func finish(_ run: Run) -> Core {
        let core = Core(run.number)
        run.core = core
        run.madeAt = tick()
        core.injected = run.injected
        run.injected = []
        core.wrappers = run.wrappers.take()
        let registration = run.registration
        if run.isInTask, registration.hasCompletion, registration.life != .transient, outermost == nil {
            // Its completion is an outermost creation.
            let creation = OutermostCreation(run)
            creation.isOver = true
            if !registration.isAsync { (creation.pending, incomplete) = (incomplete, []) }
            creation.pending.append(run)
            outermost = creation
            return core
        }
        guard let outermost, !registration.isAsync, registration.life != .eager else {
            let isTransient = registration.life == .transient
            // An instance waits for its completion, so the library has begun an outermost creation. The reference learns of it later, or
            // never: the task of a decorator creates the service inside on its thread, if no parameter inside suspends any more.
            let isPending = !incomplete.isEmpty && !registration.isAsync && !isTransient && registration.life != .eager
            if isPending || !run.isInTask && isTransient && registration.hasCompletion {
                incomplete.append(run)
            } else if !registration.hasCompletion {
                returned(run)
            }
            return core
        }
        let isPending = registration.hasCompletion || (registration.life != .transient && !outermost.pending.isEmpty)
        if isPending { outermost.pending.append(run) } else { returned(run) }
        if run === outermost.run { leaveOutermost() }
        return core
    }

    /// The factory of the outermost creation has returned or thrown.
    private func leaveOutermost() {
        outermost?.isOver = true
        if outermost?.pending.isEmpty ?? true { outermost = nil }
    }

    /// All completions of the outermost creation have returned: its instances are handed out.
    private func handOut(_ pending: [Run]) {
        outermost = nil
        var hasEnded = false
        for run in pending {
            // If an instance is refused, so are those after it, because they may refer to it.
            if isRefused(run) { hasEnded = true }
            if hasEnded, run.registration.life != .transient { refused(run) } else { returned(run) }
        }
    }

    /// Whether a complete instance cannot be stored: its lifetime refuses it, its creation was abandoned, or a container was shut down
    /// meanwhile. For an instance with a hook that is the container that would dispose of it, for others also a parent.
    private func isRefused(_ run: Run) -> Bool {
        let registration = run.registration
        if registration.life == .transient || registration.life == .eager { return false }
        if registration.isRefused || run.isAbandoned { return true }
        let containers =
            registration.isOwned ? [run.place] : (registration.life == .graph ? run.asked : run.place).chain
        return containers.contains { $0.endedAt != nil }
    }

    /// Records that a complete instance is not stored.
    private func refused(_ run: Run) {
        trace("\(run.text) is refused")
        run.returnedAt = tick()
        run.isAbandoned = true
        if let domain = run.domain, state(of: domain).creating === run { state(of: domain).creating = nil }
    }

    private func fail(_ run: Run) {
        trace(run.madeAt == nil ? "the factory of \(run.text) throws" : "\(run.text) is not handed out")
        run.failedAt = tick()
        run.injected = []
        run.wrappers = nil
        if let domain = run.domain, state(of: domain).creating === run { state(of: domain).creating = nil }
    }

    /// Records that the instance is complete.
    private func returned(_ run: Run) {
        if isRefused(run) { return refused(run) }
        run.returnedAt = tick()
        trace("\(run.text) is complete")
        let registration = run.registration
        // An eager instance is registered now.
        if registration.life == .eager { run.begunAt = tick() }
        if let domain = run.domain {
            let state = state(of: domain)
            if state.creating === run { state.creating = nil }
            if isThere(run) || registration.life == .weak, registration.removedAt == nil, !run.isAbandoned {
                state.current = run
            }
        }
        if registration.life == .eager, !registration.isAdded {
            push(registration, overwriting: overwritten.contains(registration.serial))
        }
    }

    func create(_ serial: Int, _ real: DependencyContainer, _ argument: Double?) throws -> Core {
        let (run, env) = begin(serial, real, argument, isAsync: false)
        try runFactory(run, env)
        return finish(run)
    }

    /// Creates an instance by an initializer that takes an Alpha.
    func create(_ serial: Int, with alpha: Held) throws -> Core {
        let registration = registrations[serial]
        let ask = call as? Ask
        var real: DependencyContainer? = ask?.asked?.existing ?? .shared
        if registration.life.isKept { real = registration.owner.existing }
        guard let real else { throw Refusal() }
        let (run, env) = begin(serial, real, nil, isAsync: false)
        let part = runs[alpha.core.number]
        run.injected.append(alpha.service)
        run.parts.append(Part(part))
        if part.registration.life == .graph {
            verifyGraph(
                part, Domain(part.registration, part.asked, nil), in: run.region, "the initializer of \(run.text)")
        }
        try runFactory(run, env)
        return finish(run)
    }

    /// Whether what a factory registers does not belong to the installation in progress: the factories of cached services, and those of
    /// their parts, run in the context of the owner.
    private func isOutsideInstallation(_ run: Run) -> Bool {
        run.lineage.contains { $0.registration.life.isKept && $0.startedAt > installedSince }
    }

    private func runFactory(_ run: Run, _ env: Env) throws {
        depth += 1
        defer { depth -= 1 }
        let (noted, isOutside) = (installing, isOutsideInstallation(run))
        defer { if isOutside { installing = noted } }
        if run.registration.life == .eager { return performAll(run.registration.script, env) }
        do {
            try perform(run.registration.script, env)
            if run.registration.failsAt == run.registration.turns { throw Refusal() }
        } catch {
            fail(run)
            if run === outermost?.run { leaveOutermost() }
            // The services that take this one fail, too.
            failAhead(call)
            throw error
        }
    }

    func createLater(_ serial: Int, _ real: DependencyContainer, _ argument: Double?) async throws -> Core {
        let (run, env) = begin(serial, real, argument, isAsync: true)
        defer { unfinishedAsyncRuns -= 1 }
        do {
            call = nil
            try await performInTask(run.registration.script, env)
            if run.registration.failsAt == run.registration.turns { throw Refusal() }
        } catch {
            fail(run)
            throw error
        }
        return finish(run)
    }

    func createInstance(_ registration: Registration, in real: DependencyContainer) -> Core {
        let (run, env) = begin(registration.serial, real, nil, isAsync: false, isMadeOutside: true)
        performAll(registration.script, env)
        return finish(run)
    }

    func complete(_ serial: Int, _ core: Core, _ real: DependencyContainer) throws {
        let run = runs[core.number]
        trace("\(run.text) is being completed")
        if model(of: DependencyContainer.shared) !== run.shared {
            violation("S7", "the completion of \(run.text) does not run with the container of its factory as shared")
        }
        let (noted, isOutside) = (installing, isOutsideInstallation(run))
        defer { if isOutside { installing = noted } }
        let env = Env(
            container: run.asked, real: real, run: run, depth: (call?.env.depth ?? 0) + 1, injects: run)
        if run.registration.life == .eager {
            if run.registration.completionFailsAt > 0 {
                fail(run)
                throw Refusal()
            }
            run.isCompleting = true
            performAll(run.registration.second, env)
            run.isCompleting = false
            return returned(run)
        }
        let group = outermost?.pending.contains { $0 === run } ?? false ? outermost : nil
        // The completion of a part of a cached service, too. One that does not wait sees the task-locals that the factory has bound.
        let isForAll = run.lineage.contains {
            $0.registration.life.isKept && !$0.isInTask && !$0.isFinished
        }
        if group != nil, isForAll, hidesTaskLocals, Ambient.value != nil || Task.isCancelled {
            violation("S7", "the completion of \(run.text) sees the caller's task-locals or cancellation")
        }
        if let group, !group.isOver || group.next !== run {
            violation("S16", "\(run.text) is completed before the instances that came into existence earlier")
        }
        incomplete.removeAll { $0 === run }
        run.isCompleting = true
        run.registration.completionTurns += 1
        // The library refuses a service without end: more than eight instances, each created by the completion of another one.
        let earlier = run.lineage.dropFirst().count {
            ($0.isCompleting || $0.isCompleted) && $0.registration.key == run.registration.key
        }
        do {
            if earlier < 7 { try perform(run.registration.second, env) }
            if run.registration.completionFailsAt == run.registration.completionTurns { throw Refusal() }
        } catch {
            run.isCompleting = false
            guard let group else {
                fail(run)
                for other in incomplete { fail(other) }
                incomplete = []
                throw error
            }
            outermost = nil
            let failed = FailedGroup()
            for other in group.pending {
                other.failedGroup = failed
                fail(other)
            }
            throw error
        }
        run.isCompleted = true
        run.isCompleting = false
        guard let group else {
            returned(run)
            if !incomplete.isEmpty, !incomplete.contains(where: \.registration.hasCompletion) {
                let pending = incomplete
                incomplete = []
                handOut(pending)
            }
            return
        }
        if group.next == nil { handOut(group.pending) }
    }

    func decorate(_ serial: Int, _ inner: Held, _ real: DependencyContainer) throws -> Core {
        let registration = registrations[serial]
        let expected = registration.decorates
        let innerRun = runs[inner.core.number]
        if innerRun.registration !== expected {
            violation("S10", "\(registration.text) was put around \(innerRun.text)")
        }
        let (run, env) = begin(serial, real, nil, isAsync: false)
        if let call { run.preparedAt = call.startedAt }
        run.injected.append(inner.service)
        run.parts.append(Part(innerRun))
        try runFactory(run, env)
        return finish(run)
    }

    // MARK: - Hooks

    func dispose(_ serial: Int, of core: Core) throws {
        let run = runs[core.number]
        run.hooks += 1
        noteDisposal(of: run, serial, count: run.hooks, isInOrder: true)
        if let group = run.failedGroup {
            // Instances come into existence in the order in which their factories return.
            if let last = group.last, let made = run.madeAt, let before = last.madeAt, before < made {
                violation("S18", "\(run.text) was disposed of after \(last.text), whose creation failed with it")
            }
            group.last = run
        }
        let env = Env(run: call?.env.run, depth: (call?.env.depth ?? 0) + 1, isHook: true)
        if !run.registration.hasCompletion { performAll(run.registration.second, env) }
        if run.registration.hookThrows { throw Refusal() }
    }

    func disposeLater(_ serial: Int, of core: Core) async throws {
        let run = runs[core.number]
        run.asyncHooks += 1
        noteDisposal(of: run, serial, count: run.asyncHooks, isInOrder: run.place.endsAsynchronously)
        let env = Env(depth: (call?.env.depth ?? 0) + 1, isHook: run.place.mayEndInCreation)
        call = nil
        if !run.registration.hasCompletion {
            try? await AsynchronousHook.$isAround.withValue(true) {
                try await performInTask(run.registration.second, env)
            }
        }
        run.asyncHookDone = true
        if run.registration.hookThrows { throw Refusal() }
    }

    private func noteDisposal(of run: Run, _ serial: Int, count: Int, isInOrder: Bool) {
        trace("\(run.text) is disposed of")
        let now = tick()
        run.disposedAt = run.disposedAt ?? now
        if run.mayBeDisplaced { noteAge(of: run) }
        if run.registration.serial != serial { violation("S5", "the hook of #\(serial) got \(run.text)") }
        if count > 1 { violation("S5", "\(run.text) was disposed of \(count) times, expected 1") }
        if let (rule, reason) = tooEarly(run) { violation(rule, "\(run.text) was disposed of too early: \(reason)") }
        let place = run.place
        guard isInOrder, let endedAt = place.endedAt, let created = run.returnedAt, created < endedAt else { return }
        // Instances that were refused, of earlier removed registrations, and those that were reset, are disposed of in a task of their own.
        if run.isAbandoned { return }
        if let removedAt = run.registration.removedAt, removedAt < place.clearedAt { return }
        if run.isOfAnyCreation || run.begunAt < place.clearedBeforeEnd { return }
        if run.registration.life == .cached, resets[run.registration.scopeIndex] > run.preparedAt { return }
        if let last = place.lastDisposed, last < created, !place.hasHandleUses {
            violation("S5", "\(run.text) was disposed of after an older instance")
        }
        place.lastDisposed = created
    }

    /// The rule and the reason if an instance must not be disposed of yet.
    private func tooEarly(_ run: Run) -> (String, String)? {
        let registration = run.registration
        if run.isAbandoned || run.isOfAnyCreation || run.failedAt != nil || run.place.endedAt != nil
            || !isHeld(run.place) || !isHeld(registration.owner)
        {
            return nil
        }
        if run.place.clearedAt > run.begunAt { return nil }
        if registration.life == .cached, resets[registration.scopeIndex] > run.preparedAt { return nil }
        guard registration.removedAt != nil else { return ("S5", "its container still has it") }
        if registration.owner.clearedAt < run.begunAt,
            let decorator = decorators(of: registration).first(where: isInUse)
        {
            return ("S10", "\(decorator.text) was put around it")
        }
        return nil
    }

    /// Whether a decorator, or one of its own decorators, can still be resolved.
    private func isInUse(_ decorator: Registration) -> Bool {
        decorator.removedAt == nil && isHeld(decorator.owner) || decorators(of: decorator).contains(where: isInUse)
    }

    /// Whether a hook must run for an instance at some time.
    func isOwed(_ run: Run) -> Bool { run.registration.isOwned && run.madeAt != nil }

    func verifyHooks(of run: Run, _ moment: String) {
        let registration = run.registration
        guard let returnedAt = run.returnedAt ?? run.failedAt ?? run.madeAt else { return }
        func isDuring(_ time: Int?) -> Bool { time.map { $0 > run.begunAt && $0 < returnedAt } ?? false }
        let rule =
            run.failedAt != nil
            ? "S18"
            : run.isAbandoned || isDuring(run.place.endedAt)
                ? "S2"
                : isDuring(registration.removedAt) || isDuring(run.place.clearedAt)
                    ? "S3"
                    : registration.life == .cached && isDuring(resets[registration.scopeIndex])
                        ? "S4"
                        : registrations.contains { $0.decorates === registration } ? "S10" : "S5"
        if registration.hasHook, run.hooks != 1 {
            violation(rule, "\(run.text) was disposed of \(run.hooks) times, expected 1, \(moment)")
        }
        if registration.hasAsyncHook, !hasJobs, run.asyncHooks != 1 {
            violation(rule, "\(run.text) was disposed of asynchronously \(run.asyncHooks) times, expected 1, \(moment)")
        }
    }

    // MARK: - Between the steps

    /// Whether the hook of a complete instance must have run by now.
    private func isDue(_ run: Run) -> Bool {
        let registration = run.registration
        let place = run.place
        if run.failedAt != nil || place.endDoneAt != nil { return true }
        // An asynchronous shutdown is in progress.
        if place.endedAt != nil { return false }
        if run.isAbandoned { return true }
        if run.isOfAnyCreation { return false }
        let isDecorated = place === registration.owner && !decorators(of: registration).isEmpty
        if place.clearedAt > run.begunAt {
            // An instance that was removed during its creation is disposed of with its last decorator.
            return !isDecorated || run.returnedAt ?? .max < place.clearedAt
        }
        if registration.life == .cached, resets[registration.scopeIndex] > run.preparedAt { return true }
        return registration.removedAt != nil && place === registration.owner && !isDecorated
    }

    /// Compares the library's state with the reference, if no call is in progress on this thread.
    func settle() {
        guard depth == 0, borrows.isEmpty else { return }
        incomplete = []
        if let run = outermost?.next { violation("S16", "\(run.text) was handed out before its completion") }
        for run in runs where isOwed(run) && isDue(run) {
            guard !hasJobs || (run.returnedAt ?? run.failedAt ?? 0) < jobStartedAt else { continue }
            verifyHooks(of: run, "after the step")
        }
        verifyKeepers()
        guard !hasJobs else { return }
        verifyDead()
    }

    /// Checks that unreferenced instances and containers are deinitialized.
    private func verifyDead() {
        var injected: Set<ObjectIdentifier> = []
        func note(_ service: Any) { injected.insert(ObjectIdentifier(core(of: service))) }
        for run in runs {
            for service in run.core?.injected ?? [] { note(service) }
            for service in run.injected { note(service) }
        }
        for held in kept { injected.insert(ObjectIdentifier(held.core)) }
        var remembered: Set<Int> = []
        for run in runs where run.core != nil { remembered.formUnion(run.memo.values) }
        for (_, _, memo) in made { remembered.formUnion(memo.values) }
        for run in runs {
            guard let core = run.core, run.isFinished, !injected.contains(ObjectIdentifier(core)),
                !remembered.contains(run.number), !isLost(run.place)
            else { continue }
            let registration = run.registration
            guard registration.token == nil else { continue }
            // An instance is kept alive until its hook has run.
            if isOwed(run), registration.hasHook && run.hooks == 0 || registration.hasAsyncHook && !run.asyncHookDone {
                continue
            }
            let mayBeKept: Bool
            switch registration.life {
            case _ where run.failedAt != nil || run.isAbandoned: mayBeKept = hasUnfinishedCreation
            case .transient, .graph: mayBeKept = hasUnfinishedCreation
            case .weak: mayBeKept = hasUnfinishedCreation
            default:
                let isOut = registration.removedAt != nil && run.place === registration.owner
                mayBeKept =
                    !(isOut || run.place.endDoneAt != nil
                    || (registration.life == .cached && resets[registration.scopeIndex] > run.preparedAt)
                    || run.place.existing == nil)
                    || hasUnfinishedCreation || isHeldByDecorator(registration)
            }
            if mayBeKept { continue }
            let rule =
                run.failedAt != nil
                ? "S18"
                : registration.isAsync
                    ? "S9" : registration.life == .cached && registration.removedAt == nil ? "S4" : "S6"
            violation(rule, "\(run.text) is alive, though nothing may hold it")
        }
        let hasTasks = tasks.contains { !$0.isFinished } || hasUnfinishedCreation
        for container in containers where !container.isProcess && !isHeld(container) {
            let isWrapped = made.contains { $0.container.chain.contains { $0 === container } }
            if isWrapped, container.existing == nil {
                violation("S6", "container \(container.id) is gone, though a wrapper of the program refers to it")
            }
            // Transient and graph instances may keep the containers of their wrappers alive.
            let isAsked = runs.contains {
                let isOwn = $0.registration.life == .transient || $0.registration.life == .graph
                return isOwn && $0.core?.wrappers != nil && $0.shared?.chain.contains { $0 === container } ?? false
            }
            let isTaken = asynchronousHooksGoOn || isAsked
            if !hasTasks, !isWrapped, !isTaken, !isLost(container), container.existing != nil {
                violation("S6", "container \(container.id) is alive, though nothing may hold it")
            }
        }
    }

    /// Whether a decorator may hold an instance of a registration.
    private func isHeldByDecorator(_ registration: Registration) -> Bool {
        registrations.contains {
            $0.decorates === registration && ($0.removedAt == nil || $0.token != nil || isHeldByDecorator($0))
        }
    }

    private var asynchronousHooksGoOn: Bool {
        runs.contains(where: \.isLeaving)
    }

    private var hasUnfinishedCreation: Bool { unfinishedAsyncRuns > 0 }

    private func core(of service: Any) -> Core {
        switch service {
        case let service as Alpha: service.core
        case let service as Beta: service.core
        case let service as Gamma: service.core
        case let service as Delta: service.core
        case let service as any Face: service.core
        case let service as any Open: service.core
        default: preconditionFailure("all kinds are above")
        }
    }
}
