import CRegistry
import Hopoate
import HopoateServer
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The monotonic clock, in nanoseconds.
func nanoseconds() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}

/// The state that all workers of a crew share.
final class Crew: Sendable {
    let container = DependencyContainer.allowingCommits { _ in }
    let isOver = Atomic<Bool>(false)
    let plant: Plant?

    init(plant: Plant?) { self.plant = plant }

    /// Runs `commit` on this thread.
    func commitOnThisThread() {
        let executor = ThreadExecutor()
        Task(executorPreference: executor) { [self] in
            await commit()
            executor.end()
        }
        executor.run()
    }

    /// Replaces services that last and services that change, while the workers use them, until the end.
    func commit() async {
        var random = SplitMix64(seed: 1)
        while !isOver.load(ordering: .relaxed) {
            let kinds = [random.pick(Kind.lasting), random.pick(Kind.changing)]
            do { try await container.commit { next in for kind in kinds { _ = kind.register(next, true) } } } catch {
                fatalError("\(error)")
            }
            // Not by a sleep, for which threads of the pool would run.
            usleep(100)
        }
    }
}

/// Runs tasks on one thread, which ends after them. The threads of Swift's pool stay, and with them the memory that they keep for later.
final class ThreadExecutor: TaskExecutor {
    private let state = Mutex((jobs: [UnownedJob](), hasEnded: false))

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    func end() { state.withLock { $0.hasEnded = true } }

    /// Runs jobs until `end` was called, and all have run.
    func run() {
        while true {
            let (jobs, hasEnded) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.hasEnded)
            }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            if hasEnded, jobs.isEmpty { return }
            if jobs.isEmpty { usleep(100) }
        }
    }
}

/// A planted fault.
enum Plant: String {
    /// After each thousand operations of one thread, a container with a service leaks.
    case leak
    /// A lookup takes a second and a half.
    case stall
}

/// The work of one thread.
struct Worker {
    struct Report {
        var reads = Latencies()
        var writes = Latencies()
        /// Composite operations: making, using and dropping a child, starting a thread, and so on.
        var others = Latencies()
        /// The largest number of deferred releases that a worker has seen.
        var deferred = 0

        mutating func add(_ report: Report) {
            reads.add(report.reads)
            writes.add(report.writes)
            others.add(report.others)
            deferred = max(deferred, report.deferred)
        }
    }

    private let crew: Crew
    private let number: Int
    private var random: SplitMix64
    private var report = Report()
    private var undos: [Kind.Undo] = []

    init(_ crew: Crew, number: Int, seed: UInt64) {
        self.crew = crew
        self.number = number
        random = SplitMix64(seed: seed &+ UInt64(number))
    }

    mutating func work() -> Report {
        var turn = 0
        while !crew.isOver.load(ordering: .relaxed) {
            for _ in 0..<100 { step() }
            turn += 1
            if number == 0 { misbehave(turn) }
        }
        for undo in undos { undo() }
        return report
    }

    private mutating func read(_ body: () -> Void) {
        let begun = nanoseconds()
        body()
        report.reads.add(nanoseconds() - begun)
    }

    private mutating func write(_ body: () -> Void) {
        let begun = nanoseconds()
        body()
        report.writes.add(nanoseconds() - begun)
    }

    private mutating func other(_ body: (inout Worker) -> Void) {
        let begun = nanoseconds()
        body(&self)
        report.others.add(nanoseconds() - begun)
    }

    private mutating func step() {
        let container = crew.container
        let lasting = random.pick(Kind.lasting)
        let changing = random.pick(Kind.changing)
        let unknown = random.pick(Kind.unknown)
        switch random.next(below: 1_000) {
        case ..<400: read { precondition(lasting.resolve(container) == 1) }
        case ..<500: read { lasting.borrow(container) { precondition($0 == 1) } }
        case ..<600: read { _ = changing.optionalResolve(container) }
        case ..<650: read { changing.borrow(container) { precondition($0 == 1) } }
        case ..<700: read { precondition(!unknown.canResolve(container) && !unknown.optionalResolve(container)) }
        case ..<720: read { _ = changing.resolveAll(container) }
        case ..<860: registerOrRemove(changing)
        case ..<880: write { lasting.overwrite(container) }
        case ..<900: write { changing.overwrite(container) }
        case ..<950: other { $0.child(lasting) }
        case ..<980: other { $0.bind(lasting) }
        case ..<995: other { $0.removeInside(changing) }
        case ..<998: other { $0.emptyAContainer(changing) }
        default: other { $0.beBorn(lasting) }
        }
    }

    private mutating func registerOrRemove(_ kind: Kind) {
        if undos.count < 8, random.next(below: 2) == 0 {
            let cached = random.next(below: 4) != 0
            let container = crew.container
            var undo: Kind.Undo = {}
            write { undo = kind.register(container, cached) }
            undos.append(undo)
        } else if let undo = undos.popLast() {
            write(undo)
        }
    }

    private mutating func child(_ kind: Kind) {
        let child = crew.container.makeChild()
        read { precondition(kind.resolve(child) == 1) }
        write { _ = kind.register(child, false) }
        read { precondition(kind.resolve(child) == 1) }
    }

    private mutating func bind(_ kind: Kind) {
        let child = crew.container.makeChild()
        DependencyContainer.$shared.withValue(child) {
            read { precondition(kind.resolveFree() == 1) }
        }
    }

    /// Removes a service while borrowing it, so that its release is deferred.
    private mutating func removeInside(_ kind: Kind) {
        let undo = kind.register(crew.container, true)
        // A thread can borrow four services at once. The fifth borrow takes a reference.
        borrow(kind, times: random.next(below: 5) + 1) { worker in
            worker.write(undo)
            let deferred = Int(hop_statistics_read(nil).deferred)
            worker.report.deferred = max(worker.report.deferred, deferred)
            // Other threads get a chance to remove what this closure borrows.
            if worker.random.next(below: 16) == 0 { sched_yield() }
        }
    }

    private mutating func borrow(_ kind: Kind, times: Int, _ body: (inout Worker) -> Void) {
        if times == 0 { return body(&self) }
        var isFound = false
        kind.borrow(crew.container) { _ in
            isFound = true
            borrow(kind, times: times - 1, body)
        }
        // Another thread may have overwritten and removed the service.
        if !isFound { body(&self) }
    }

    private mutating func emptyAContainer(_ kind: Kind) {
        let container = DependencyContainer()
        for other in Kind.changing { _ = other.register(container, true) }
        read { _ = kind.resolve(container) }
        write { container.removeAll() }
    }

    private func beBorn(_ kind: Kind) {
        let container = crew.container
        Thread {
            for _ in 0..<20 { precondition(kind.resolve(container) == 1) }
        }.join()
    }

    private func misbehave(_ turn: Int) {
        switch crew.plant {
        case .leak where turn % 10 == 0:
            let container = DependencyContainer()
            container.register(Service(1), for: Service<Never>.self)
            // A whole container, so that the leak shows on a busy machine, too, which does few operations in a second.
            _ = Unmanaged.passRetained(container)
        case .stall where turn == 100:
            // Like a thread that is preempted in a lookup: threads that remove have to wait.
            let section = hop_section_begin()
            usleep(1_500_000)
            hop_section_end(section)
        default: break
        }
    }
}
