import Hopoate

/// The callers of one run, in their order.
struct Order: CustomStringConvertible {
    let callers: [Caller]
    /// Whether they resolve at the same time.
    var isTogether = false
    /// Whether each resolves the last root first.
    var isReversed = false

    var description: String {
        let names = callers.map { "\($0)" }
        if names.count == 1 { return "\(names[0]) alone" }
        return (isTogether ? "together: " : "") + names.joined(separator: isTogether ? " and " : ", then ")
            + (isReversed ? ", the last root first" : "")
    }
}

/// A service whose factory runs the requests.
final class Outer: Sendable {}

/// A service whose factory starts a task that runs the requests.
final class Starter: Sendable {}

/// One run of a program: the callers resolve the roots in one order, with containers of their own.
// Unchecked, because it has variables. Sound, because all code runs on one thread.
final class Run: @unchecked Sendable {
    private let program: Program
    private let order: Order
    private(set) var results: [Caller: [RootResult]] = [:]
    private(set) var findings: [Finding] = []
    /// Whether a creation would go on for ever, so that the results say nothing.
    private(set) var isEndless = false
    /// Whether what validation finds has to be compared at the end.
    private let verdict: Verdict?

    private var containers: Containers
    /// The callers that have not ended.
    private var open: [(visit: Visit, container: DependencyContainer)] = []
    private var churned = 0

    init(_ program: Program, _ order: Order, verdict: Verdict? = nil) {
        self.program = program
        self.order = order
        self.verdict = verdict
        containers = Containers(program)
    }

    /// Runs it. Call it once.
    func run() {
        if !runAll() { note(Finding(.hang, "a task does not end")) }
        if Living.areTooMany {
            isEndless = true
            note(Finding(.hang, "a creation does not end"))
        }
        endAll()
        lookForKept(3)
        // For bob, whose services are those of alice or his own.
        if let verdict, !Verdict(program, .bob, containers).isEqual(to: verdict) {
            note(Finding(.again, "validation gives another answer than before"))
        }
        containers = Containers(Program())
        if !Living.isEmpty {
            let services = Living.all().map { "\(program.registrations[$0.origin])" }
            note(Finding(.leak, "alive without a container: \(services.joined(separator: "; "))"))
        }
        Living.reset()
    }

    private func note(_ finding: Finding) {
        var finding = finding
        finding.order = order
        findings.append(finding)
    }

    private func suspends(_ caller: Caller) -> Bool {
        caller == .app ? program.suspends.contains(true) : program.suspends[caller.rawValue]
    }

    /// - Returns: Whether all tasks have ended.
    private func runAll() -> Bool {
        let app = containers.app
        switch program.surroundings {
        case .none, .bound:
            if !order.callers.contains(where: suspends) {
                callAll()
                return true
            }
            return runSuspending { await self.callAllSuspending() }
        case .factory(let life):
            app.register(Outer.self, lifetime: outerLifetime(life)) { _ in
                self.callAll()
                return Outer()
            }
            _ = try? app.require(Outer.self)
            return true
        case .suspendingFactory(let life):
            app.register(Outer.self, lifetime: outerLifetime(life)) { _ async in
                await self.callAllSuspending()
                return Outer()
            }
            return runSuspending { _ = try? await app.asyncResolve(Outer.self) }
        case .task:
            let gate = Gate()
            app.register(Starter.self, lifetime: .transient) { _ async in
                gate.task = Task {
                    while !gate.isOpen { await Executor.pause() }
                    await self.callAllSuspending()
                }
                return Starter()
            }
            app.register(Outer.self) { container async throws in
                _ = try await container.asyncResolve(Starter.self)
                gate.isOpen = true
                await gate.task?.value
                return Outer()
            }
            return runSuspending { _ = try? await app.asyncResolve(Outer.self) }
        }
    }

    private func runSuspending(_ body: @escaping @Sendable () async -> Void) -> Bool {
        Executor.run(seed: order.isTogether ? program.schedule : nil, body)
    }

    private func outerLifetime(_ life: Life) -> Lifetime {
        switch life {
        case .transient: .transient
        case .graph: .graph
        case .scoped: .scoped
        default: .singleton
        }
    }

    // MARK: - The callers

    private func callAll() {
        for caller in order.callers {
            call(caller)
            if endsNow { end() }
            lookForEnded(caller)
            change()
        }
    }

    private func callAllSuspending() async {
        if order.isTogether {
            await withTaskGroup { group in
                for caller in order.callers {
                    group.addTask { await self.callSuspending(caller) }
                }
            }
            return
        }
        for caller in order.callers {
            await callSuspending(caller)
            if endsNow { await endSuspending() }
            lookForEnded(caller)
            await changeSuspending()
        }
    }

    private func call(_ caller: Caller) {
        let (visit, container) = begin(caller)
        within(visit, container) {
            while let step = visit.next() { perform(step, visit, container) }
        }
    }

    private func callSuspending(_ caller: Caller) async {
        if !suspends(caller) { return call(caller) }
        let (visit, container) = begin(caller)
        await withinSuspending(visit, container) {
            while let step = visit.next() { await performSuspending(step, visit, container) }
        }
    }

    private func begin(_ caller: Caller) -> (Visit, DependencyContainer) {
        let container = containers.container(for: caller)
        let visit = Visit(program, caller, order.isReversed ? program.roots.reversed() : program.roots)
        open.append((visit, container))
        return (visit, container)
    }

    private func within(_ visit: Visit, _ container: DependencyContainer, _ body: () -> Void) {
        Request.$bits.withValue(program.bindsLocal ? visit.caller.bit : 0) {
            if program.surroundings == .bound {
                DependencyContainer.$shared.withValue(container, operation: body)
            } else {
                body()
            }
        }
    }

    private func withinSuspending(
        _ visit: Visit, _ container: DependencyContainer, _ body: () async -> Void
    ) async {
        await Request.$bits.withValue(program.bindsLocal ? visit.caller.bit : 0) {
            if program.surroundings == .bound {
                await DependencyContainer.$shared.withValue(container, operation: body)
            } else {
                await body()
            }
        }
    }

    private func perform(_ step: Visit.Step, _ visit: Visit, _ container: DependencyContainer) {
        visit.record(
            Result {
                switch step {
                case .root(let key): try contents(of: key.service, key, container)
                case .handle(let handle): Contents(holding: try handle.use())
                }
            })
    }

    private func performSuspending(_ step: Visit.Step, _ visit: Visit, _ container: DependencyContainer) async {
        do {
            switch step {
            case .root(let key):
                visit.record(.success(try await contents(of: key.service, key, suspendingFrom: container)))
            case .handle(let handle):
                visit.record(.success(Contents(holding: try await handle.useSuspending())))
            }
        } catch {
            visit.record(.failure(error))
        }
    }

    private func contents<S: Service>(
        of service: S.Type, _ key: Key, _ container: DependencyContainer
    ) throws -> Contents {
        Contents(holding: try container.require(S.self, named: key.dependencyName))
    }

    private func contents<S: Service>(
        of service: S.Type, _ key: Key, suspendingFrom container: DependencyContainer
    ) async throws -> Contents {
        Contents(holding: try await container.asyncResolve(S.self, named: key.dependencyName))
    }

    // MARK: - The ends of callers

    /// Whether a caller ends before the next one begins.
    private var endsNow: Bool { !program.overlaps && !order.isTogether }

    /// Whether an outer creation may hold instances of a request until its end: those of its object graph.
    private var isInsideFactory: Bool { program.surroundings.life != nil || program.surroundings == .task }

    // Functions of their own, so that nothing holds the container after their return.

    private func end() {
        guard let (visit, _) = open.popLast() else { return }
        finish(visit)
    }

    private func endSuspending() async {
        guard let (visit, container) = open.popLast() else { return }
        finish(visit)
        if program.shutsDown, visit.caller != .app { try? await container.shutdown() }
        await Executor.waitForOthers()
    }

    private func lookForEnded(_ caller: Caller) {
        if endsNow, !isInsideFactory { lookForKept(caller.bit) }
    }

    private func endAll() {
        while let (visit, _) = open.popLast() { finish(visit) }
    }

    private func finish(_ visit: Visit) {
        results[visit.caller] = visit.results
        for finding in visit.findings { note(finding) }
        visit.end()
    }

    /// Looks for instances of requests that have ended.
    private func lookForKept(_ bits: UInt8) {
        for instance in Living.all(where: { ($0.marks.values | $0.marks.locals) & bits != 0 }) {
            let kind = instance.marks.values & bits == 0 ? Finding.Kind.keptLocal : .kept
            note(Finding(kind, "alive after its request: \(program.registrations[instance.origin])"))
        }
    }

    // MARK: - Between two callers

    private func change() {
        guard program.changesBetween else { return }
        containers.scope.reset()
        for key in containers.limited {
            for _ in 0..<keyLimit { create(key.service, key, newArgument()) }
        }
    }

    private func changeSuspending() async {
        guard program.changesBetween else { return }
        containers.scope.reset()
        for key in containers.limited {
            for _ in 0..<keyLimit { await createSuspending(key.service, key, newArgument()) }
        }
    }

    private func newArgument() -> Int {
        churned += 1
        return 1_000 + churned
    }

    private func create<S: Service>(_ service: S.Type, _ key: Key, _ argument: Int) {
        _ = try? containers.app.require(S.self, named: key.dependencyName, arguments: argument)
    }

    private func createSuspending<S: Service>(_ service: S.Type, _ key: Key, _ argument: Int) async {
        _ = try? await containers.app.asyncResolve(S.self, named: key.dependencyName, arguments: argument)
    }
}

/// Where a task waits until a factory has returned.
// Unchecked and sound, because all code runs on one thread.
private final class Gate: @unchecked Sendable {
    var task: Task<Void, Never>?
    var isOpen = false
}
