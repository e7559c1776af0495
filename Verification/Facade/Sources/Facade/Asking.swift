import Hopoate

// Every way to resolve, and its permitted results.
extension World {
    // MARK: - Resolving

    /// The argument of a resolve call. The last one is not equal to itself.
    private func argument(_ choice: Int) -> Double {
        let values = skips("S15") ? [0, 1, 2, 0] : [0, 1, 2, Double.nan]
        return values[choice & 3]
    }

    private func makeAsk(_ step: Step, _ env: Env, isAsync: Bool) -> (Ask, DependencyContainer)? {
        guard var (container, real) = pick(step.a, env) else { return nil }
        var key = key(step.b, takesArgument: step.c & 12 == 12)
        let present = registrations.filter { $0.removedAt == nil && $0.isAdded }
        if step.b < 224, !present.isEmpty {
            // Usually a key with a registration.
            let registration = present[step.b % present.count]
            key = registration.key
            if container.lookUp(key) == nil, let owner = registration.owner.real {
                (container, real) = (registration.owner, owner)
            }
        }
        let argument = key.takesArgument ? argument(step.c >> 4) : nil
        if isAsync, let found = container.lookUp(key) {
            // If neither of two creations has begun its factory, the reference cannot tell which one begins first.
            let target = found.forwards.flatMap { container.lookUp($0) } ?? found
            if let domain = domain(of: target, asked: container, argument), isDisplaced(domain) { return nil }
            // An initializer in the task of the caller does not tell the container of the call after it was suspended.
            let part = container.lookUp(Registration.keyOfParameters)
            if target.life == .transient, target.takesServiceInside, part?.maySuspend ?? false { return nil }
        }
        let ask = Ask(key, argument, env, asked: container, isAsync: isAsync)
        noteGraphStart(of: ask)
        return (ask, real)
    }

    func ask(_ step: Step, _ env: Env) throws {
        guard let (ask, real) = makeAsk(step, env, isAsync: false) else { return }
        trace(ask.text)
        do {
            let held = try calling(ask) { try kinds[ask.key.kind].require(ask, in: real) }
            verify(ask, held)
            keep(held, ask, step.c)
        } catch {
            verify(ask, error)
            // A factory may go on without the service.
            if step.c & 2 == 2 { throw error }
        }
    }

    func askInTask(_ step: Step, _ env: Env) async throws {
        guard let (ask, real) = makeAsk(step, env, isAsync: true) else { return }
        trace(ask.text)
        do {
            call = ask
            let held = try await kinds[ask.key.kind].asyncRequire(ask, in: real)
            call = nil
            failAhead(ask)
            noteEnd(of: ask)
            verify(ask, held)
            keep(held, ask, step.c)
        } catch {
            call = nil
            failAhead(ask)
            noteEnd(of: ask, error)
            verify(ask, error)
            if step.c & 2 == 2 { throw error }
        }
    }

    /// Whether a resolve call is sure to succeed, so that it may use functions that trap if it fails.
    func isSure(_ ask: Ask) -> Bool {
        guard isUncertain == 0, let found = ask.found, let target = ask.target, target.decorates == nil,
            found.decorates == nil, let asked = ask.asked
        else { return false }
        if target.forwards != nil { return false }
        if asked.chain.contains(where: { $0.endedAt != nil }) { return false }
        if ask.mayBeCaptive { return false }
        if target.life == .keyed, ask.argument?.isNaN ?? true { return false }
        if ask.current != nil { return true }
        return target.isPlain && ask.creating == nil
    }

    func useAgain(_ step: Step, _ env: Env) {
        guard let (ask, real) = makeAsk(step, env, isAsync: false), isSure(ask) else { return }
        trace("\(ask.text), by way \(step.d % 7)")
        // Free functions resolve with the container as `shared`.
        if ask.argument == nil, step.d % 7 == 6 { ask.shared = ask.asked }
        if ask.argument == nil, step.d % 7 == 4 || step.d % 7 == 5 { ask.isByHandle = env.run != nil }
        // A service keeps the instance of its lazy handle. It does not keep the instances that its provider returns.
        if ask.argument == nil, step.d % 7 == 4, let owner = env.creation?.owning { use(owner, in: ask) }
        let held = calling(ask) {
            kinds[ask.key.kind].useAgain(ask, step.d, in: real)
        }
        guard let held else {
            return violation("S1", "\(ask.text) found nothing, though \(ask.found?.text ?? "") is there")
        }
        verify(ask, held)
        keep(held, ask, step.c)
    }

    func resolveAll(_ step: Step, _ env: Env) {
        guard let (container, real) = pick(step.a, env) else { return }
        let key = key(step.b)
        let stack: [Registration] = container.chain.flatMap { ($0.stacks[key] ?? []).reversed() }
        let ask = Ask(key, nil, env, asked: container, isAsync: false)
        let isInCreation = env.creation != nil || ask.mayHaveKeeper
        let isSafe = stack.allSatisfy { (registration: Registration) -> Bool in
            guard registration.decorates == nil, registration.forwards == nil else { return false }
            if isInCreation, registration.life == .scoped || registration.mayEndEarly { return false }
            if registration.life == .graph { return false }
            let place = domain(of: registration, asked: container, nil).map { self.state(of: $0) }
            if let current = place?.current, isThere(current) { return true }
            return registration.isPlain && place?.creating == nil
        }
        guard isSafe, !container.chain.contains(where: { $0.endedAt != nil }) else { return }
        trace("resolve all of \(key.text) in container \(container.id)")
        let call = Call(env, asked: container)
        let all = calling(call) { kinds[key.kind].resolveAll(key.name, in: real) }
        if all.count != stack.count { violation("S1", "resolveAll found \(all.count) of \(stack.count)") }
        for (held, registration) in zip(all, stack) where runs[held.core.number].registration !== registration {
            violation("S1", "resolveAll found \(runs[held.core.number].text) in the place of \(registration.text)")
        }
        for held in all {
            runs[held.core.number].isHandedOut = true
        }
    }

    func borrow(_ step: Step, _ env: Env) {
        guard let (ask, real) = makeAsk(step, env, isAsync: false), ask.argument == nil, isSure(ask),
            let asked = ask.asked, let target = ask.target, borrows.count < 6
        else { return }
        trace("borrow \(ask.key.text) from container \(asked.id)")
        let inside = Env(inside: env)
        func look(_ core: Core) {
            let number = core.number
            if runs[number].registration !== target { violation("S1", "\(ask.text) lent \(runs[number].text)") }
            borrows.append(target)
            let outer = call
            call = nil
            performAll(step.script, inside)
            call = outer
            borrows.removeLast()
            if !live.contains(number) { violation("S13", "\(runs[number].text) ended while it was borrowed") }
        }
        let kind = kinds[ask.key.kind]
        let name = ask.key.name
        calling(ask) { kind.borrow(real, name, look) }
    }

    // MARK: - Handles and wrappers

    func makeHandle(_ step: Step, _ env: Env) {
        // Only outside of creations. Handles of services are read through the services' wrappers.
        guard env.run == nil, let (ask, real) = makeAsk(step, env, isAsync: false), handles.count < 20,
            let asked = ask.asked
        else { return }
        trace("a provider of \(ask.key.text) in container \(asked.id)")
        handles.append((kinds[ask.key.kind].handle(ask, in: real), ask.key, ask.argument, asked))
    }

    func askHandle(_ step: Step, _ env: Env) {
        guard !handles.isEmpty else { return }
        let (handle, key, argument, container) = handles[step.a % handles.count]
        // A provider uses the arguments that it was made with.
        let ask = Ask(key, argument, env, asked: container, isAsync: false)
        trace("a provider: \(ask.text)")
        let isGone = container.existing == nil
        do {
            let held = try calling(ask) { try handle.require() }
            if isGone { violation("S6", "a provider returned something of a container that is gone") }
            verify(ask, held)
            keep(held, ask, step.c)
        } catch {
            if isGone {
                if (error as? DependencyError)?.reason != .containerGone {
                    violation("S6", "a provider of a container that is gone threw: \(error)")
                }
            } else {
                verify(ask, error)
            }
        }
    }

    func makeWrappers(_ step: Step, _ env: Env) {
        // Only outside of creations: there a wrapper keeps its container alive.
        guard env.run == nil, call == nil, made.count < 4, let (container, real) = pick(step.a, env),
            !container.isProcess
        else { return }
        trace("wrappers of container \(container.id)")
        made.append((Wrappers(real), container, [:]))
    }

    func readMadeWrappers(_ step: Step, _ env: Env) {
        guard !made.isEmpty else { return }
        let index = step.a % made.count
        let (wrappers, container, memo) = made[index]
        if container.existing == nil {
            return violation("S6", "container \(container.id) is gone, though a wrapper of the program refers to it")
        }
        trace("read the wrappers of container \(container.id)")
        var remembered = memo
        read(wrappers, step.b % 4, in: container, env, memo: &remembered)
        // A program that ran meanwhile may have dropped the wrappers.
        if index < made.count, made[index].container === container { made[index].memo = remembered }
    }

    /// Reads the wrappers of an instance that the program holds, as the service itself would.
    func readWrappers(_ step: Step, _ env: Env) {
        guard !kept.isEmpty else { return }
        let held = kept[step.a % kept.count]
        guard let wrappers = held.core.wrappers else { return }
        let run = runs[held.core.number]
        guard let container = run.shared, container.existing != nil else { return }
        trace("read the wrappers of \(run.text)")
        read(wrappers, step.b % 4, in: container, env, of: run, memo: &run.memo)
    }

    /// Reads the wrappers of a service in its factory or completion.
    func readOwnWrappers(_ step: Step, _ env: Env) {
        guard let run = env.creation, let wrappers = run.wrappers ?? run.core?.wrappers, let container = run.shared,
            container.existing != nil
        else { return }
        trace("read the own wrappers of \(run.text)")
        read(wrappers, step.a % 4, in: container, env, of: run, memo: &run.memo)
    }

    private func read(
        _ wrappers: Wrappers, _ way: Int, in container: ContainerModel, _ env: Env, of service: Run? = nil,
        memo: inout [Int: Int]
    ) {
        let ask = Ask(
            Key(kind: way & 1, nameIndex: 0, takesArgument: false), nil, env, asked: container, isAsync: false)
        ask.isByHandle = service != nil
        // A captive dependency would trap.
        if let owner = service?.wrapperOwner?.registration, let target = ask.target {
            if owner.life.isKept, target.life == .scoped { return }
            if owner.isLasting, target.mayEndEarly, way != 3 { return }
        }
        // A provider keeps nothing for its service.
        if way != 3, let owner = service?.wrapperOwner { use(owner, in: ask) }
        if let number = memo[way] {
            // The wrapper must return the same instance as before.
            let held = calling(ask) { read(wrappers, way) }
            if held?.core.number != number {
                violation("S1", "a wrapper that held \(runs[number].text) returned another instance")
            }
            return
        }
        guard isSure(ask) else { return }
        let held = calling(ask) { read(wrappers, way) }
        guard let held else {
            return violation("S1", "a wrapper found nothing, though \(ask.found?.text ?? "") is there")
        }
        verify(ask, held)
        // A provider caches nothing.
        if way == 3 { return }
        memo[way] = held.core.number
        service?.parts.append(Part(runs[held.core.number], of: ask, keptBy: service, isOfWrapper: true))
    }

    /// Makes a call one that is for a service: in the region of that service, and for nobody else.
    private func use(_ owner: Run, in ask: Ask) {
        guard owner.registration.life.isKept || owner.registration.life == .eager else { return }
        ask.mayUseAmbient = false
        if !owner.isFinished, owner.core == nil || owner.isCompleting {
            ask.region = owner.region
        } else {
            ask.region = Region()
            ask.earlierRegion = owner.region
            if owner.registration.life == .eager, let ambient = owner.ambient { ask.region.ambients = [ambient] }
        }
    }

    private func read(_ wrappers: Wrappers, _ way: Int) -> Held? {
        switch way {
        case 0: Held(core: wrappers.alpha.core, service: wrappers.alpha)
        case 1: wrappers.beta.map { Held(core: $0.core, service: $0) }
        case 2: wrappers.lazyHandle().object.map { Held(core: $0.core, service: $0) }
        default: wrappers.provider.optionalResolve().map { Held(core: $0.core, service: $0) }
        }
    }

    // MARK: - Results

    /// Checks that the resolve call may return this instance.
    func verify(_ ask: Ask, _ held: Held) {
        let run = runs[held.core.number]
        trace("\(ask.text) returned \(run.text)")
        if ask.isByHandle { ask.asked?.hasHandleUses = true }
        defer { run.isHandedOut = true }
        guard isUncertain == 0 else { return }
        guard let found = ask.found, let target = ask.target else {
            return violation("S1", "\(ask.text) returned \(run.text), though nothing is registered")
        }
        verifyRequest(ask, run)
        // A call that may suspend creates the scoped service behind an alias first, and the scoped services that the target takes. Then the
        // alias looks the target up, and finds a registration that such a creation has made, or the next one if the creation has removed
        // the target.
        let isLookedUpAgain =
            ask.isAsync && found !== target && (target.life == .scoped || target.takesServiceInside)
            && run.registration.key == target.key
            && (ask.asked?.chain ?? []).contains { $0 === run.registration.owner }
            && (run.registration.serial > target.serial || target.removedAt.map { $0 > ask.startedAt } ?? false)
        guard run.registration === target || isLookedUpAgain else {
            let rule = run.registration.removedAt.map { $0 < ask.startedAt } ?? false ? "S3" : "S1"
            return violation(rule, "\(ask.text) returned \(run.text), expected one of \(target.text)")
        }
        if let disposedAt = run.disposedAt, disposedAt < ask.startedAt {
            violation("S5", "\(ask.text) returned \(run.text), which was disposed of before")
        }
        let life = target.life
        if life == .scoped, run.asked !== ask.asked {
            violation("S1", "\(ask.text) returned \(run.text), which belongs to container \(run.asked.id)")
        }
        if life == .scoped, let keeper = ask.keeper, keeper.registration.owner === ask.asked {
            violation("S8", "the factory of \(keeper.text) got \(run.text), expected an error: captive dependency")
        }
        if let captor = ask.captor, !ask.mayHaveKeeper {
            violation("S19", "the factory of \(captor.text) got \(run.text), expected an error: captive dependency")
        }
        if life == .keyed, ask.argument?.isNaN ?? false {
            violation("S15", "\(ask.text) accepted an argument that is not equal to itself")
        }
        // Inside the creation that waits for its completion, an instance is found even after a reset.
        let isPending = run.isPending(at: ask.startedAt)
        if life == .cached, run.startedAt < resetBefore(ask.startedAt, target.scopeIndex), target.decorates == nil,
            !isPending
        {
            violation("S4", "\(ask.text) returned \(run.text), whose creation began before the reset")
        }
        if let endedAt = run.place.endedAt, let returnedAt = run.returnedAt, endedAt < returnedAt, life.isShared {
            violation("S2", "\(ask.text) returned \(run.text), whose container was shut down before it was complete")
        }
        if run.failedAt != nil { violation("S18", "\(ask.text) returned \(run.text), whose creation has failed") }
        if run.isAbandoned { violation("S2", "\(ask.text) returned \(run.text), whose creation was abandoned") }
        if run.isOfAnyCreation { return }
        if !ask.isAsync, target.isAsync, ask.current == nil, life.isShared, found === target, !isPending {
            violation("S14", "\(ask.text) returned \(run.text), though only tasks can make it")
        }
        switch life {
        case .transient:
            if run.isHandedOut || run.startedAt < ask.startedAt {
                violation("S1", "\(ask.text) returned the transient \(run.text) a second time")
            }
        case .graph:
            guard ask.region.isKnown, let place = ask.place else { break }
            verifyGraph(run, place, in: ask.region, ask.text)
            if run.asked !== ask.asked {
                violation("S1", "\(ask.text) returned \(run.text), which belongs to container \(run.asked.id)")
            }
            if run.region.isKnown, run.region !== ask.region, run.region !== ask.earlierRegion {
                violation("S1", "\(ask.text) returned \(run.text) of another object graph")
            }
        // The instance of the registration that was found when an alias was looked up again may have existed before the call.
        case _ where run.registration !== target: break
        default:
            if let current = ask.current {
                if current !== run, !current.mayBeDisplaced {
                    violation("S1", "\(ask.text) returned \(run.text), expected \(current.text)")
                }
            } else if let returnedAt = run.returnedAt, returnedAt < ask.startedAt, life != .weak, life != .eager {
                violation("S1", "\(ask.text) returned \(run.text), which was not to be found any more")
            }
        }
    }

    /// Checks that all calls in a region get one instance of a graph service.
    func verifyGraph(_ run: Run, _ place: Domain, in region: Region, _ text: String) {
        guard region.isKnown else { return }
        if let other = region.instances[place], other != run.number, runs[other].failedAt == nil,
            !runs[other].isAbandoned
        {
            violation("S1", "\(text) got \(run.text), before it was \(runs[other].text)")
        }
        region.instances[place] = run.number
    }

    /// The time of the last reset of a scope before a moment.
    private func resetBefore(_ moment: Int, _ scope: Int) -> Int { resets[scope] < moment ? resets[scope] : -1 }

    /// Checks that there is a reason for an error.
    func verify(_ ask: Ask, _ error: any Error) {
        guard let error = error as? DependencyError else {
            return violation("S1", "\(ask.text) threw something else: \(error)")
        }
        let reason = error.reason
        trace("\(ask.text) threw: \(error.description.prefix { $0 != "\n" })")
        guard isUncertain == 0, let asked = ask.asked else { return }
        let isEnded = asked.chain.contains { $0.endedAt != nil }
        guard let target = ask.target, let found = ask.found else {
            // A cached service may get an error that only the container of its caller has the registration. So may a parameter of its
            // initializer, which may be created before that service begins.
            let isCaptive =
                isCaptive(error)
                && ask.env.run?.lineage.contains { $0.registration.life.isKept || $0.isOfUnknown } ?? false
            if reason != .notRegistered, !isCaptive, !(isEnded && reason == .shutDown) {
                violation("S1", "\(ask.text), where nothing is registered, threw: \(error)")
            }
            return
        }
        if target.life == .keyed, ask.argument?.isNaN ?? false {
            if reason != .invalid, !(ask.mayBeCaptive && isCaptive(error)) {
                violation("S15", "\(ask.text) threw, instead of invalid: \(error)")
            }
            return
        }
        // Any failure of this creation.
        let hasFailed = runs.contains {
            $0.registration === target
                && ($0.failedAt.map { $0 >= ask.startedAt }
                    ?? ($0.isAbandoned && ($0.returnedAt.map { $0 >= ask.startedAt } ?? true)))
        }
        if hasFailed { return }
        let wouldBeCaptive = target.life == .scoped && ask.keeper?.registration.owner === asked
        if wouldBeCaptive || ask.captor != nil && !ask.mayHaveKeeper {
            // A service that does not exist and that only tasks can create is refused for that reason, too.
            let isOther =
                (target.isAsync && reason == .onlyAsynchronous) || (isEnded && reason == .shutDown)
                || reason == .circular
            if !isCaptive(error), !isOther {
                violation(ask.captor == nil ? "S8" : "S19", "\(ask.text) threw, instead of captive: \(error)")
            }
            return
        }
        if target.life == .scoped || target.mayEndEarly, ask.mayHaveKeeper, isCaptive(error) { return }
        let isComposed =
            target.decorates != nil || found !== target || target.forwards != nil || target.takesService
        switch reason {
        case .shutDown where isEnded: return
        case .cancelled where ask.isAsync && ask.env.task?.isCancelled ?? false: return
        case .onlyAsynchronous where !ask.isAsync && (target.isAsync || isComposed) && ask.current == nil: return
        case .circular:
            if ask.env.creation != nil || ask.env.mayBeInside || isComposed || ask.env.isInHook { return }
            return violation("S9", "\(ask.text), in the course of no creation, threw: \(error)")
        default:
            if isComposed { return }
        }
        violation(
            reason == .cancelled ? "S7" : isEnded ? "S2" : "S3",
            "\(ask.text) threw, though \(target.text) was there and no creation of it failed: \(error)")
    }

    /// Whether an error reports a captive dependency.
    private func isCaptive(_ error: DependencyError) -> Bool { error.reason == .captive }
}
