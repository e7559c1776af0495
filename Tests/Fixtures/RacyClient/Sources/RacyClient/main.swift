// A program with a race in one of its services, which ThreadSanitizer must report: the container must not order the threads that
// use a service.
//
//   RacyClient WAY sequential|parallel|late library|plain
//
// Two unordered threads write to the same service. They find it in one of the ways below or, for comparison, in a global
// variable. `sequential`: the second thread starts after the first one has ended. `late`: so, too, but both write while they end,
// after the library's own destructor for the thread.
import Hopoate
import Unordered

final class Counter {
    var count = 0
    @inline(never) func add() { count += 1 }
}

/// A way to find a service.
enum Way: String, CaseIterable {
    case resolve, withService, wrapper, asyncResolve, scoped, keyed, lazy, singleton
}

struct Holder: @unchecked Sendable {
    // Not Sendable on purpose.
    let counter = Counter()
    @Dependency(container: container) var wrapped: Counter
    @LazyDependency(named: .lazy, container: container) var lazy: Counter
}

extension DependencyName {
    static let scoped = DependencyName("scoped")
    static let keyed = DependencyName("keyed")
    static let lazy = DependencyName("lazy")
    static let singleton = DependencyName("singleton")
}

/// Runs tasks on the thread that enqueues them.
final class StartingThread: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
}

let arguments = CommandLine.arguments
let forms: [String: unordered_form] = [
    "sequential": .UNORDERED_SEQUENTIAL, "parallel": .UNORDERED_PARALLEL, "late": .UNORDERED_LATE,
]
guard arguments.count == 4, let chosen = Way(rawValue: arguments[1]), let form = forms[arguments[2]] else {
    fatalError("RacyClient WAY sequential|parallel|late library|plain; ways: \(Way.allCases.map(\.rawValue))")
}
let way = chosen
let isPlain = arguments[3] == "plain"

let container = DependencyContainer()
container.register(unchecked: Counter.self, lifetime: .eager) { _ in Counter() }
container.register(unchecked: Counter.self, named: .scoped, lifetime: .scoped) { _ in Counter() }
container.register(unchecked: Counter.self, named: .keyed, lifetime: .keyed) { (_, number: Int) in Counter() }
container.register(unchecked: Counter.self, named: .lazy, lifetime: .singleton) { _ in Counter() }
container.register(unchecked: Counter.self, named: .singleton, lifetime: .singleton) { _ in Counter() }
let child = container.makeChild()
let holder = Holder()
let executor = StartingThread()

/// Finds the service and writes to it.
@Sendable func write() {
    if isPlain, way != .asyncResolve { return holder.counter.add() }
    switch way {
    case .resolve: container.resolve(Counter.self).add()
    case .withService: container.withService(Counter.self) { $0.add() }
    case .wrapper: holder.wrapped.add()
    case .asyncResolve:
        Task(executorPreference: executor) {
            if isPlain { holder.counter.add() } else { try await container.asyncResolve(Counter.self).add() }
        }
    case .scoped: child.resolve(Counter.self, named: .scoped).add()
    case .keyed: container.resolve(Counter.self, named: .keyed, arguments: 1).add()
    case .lazy: holder.lazy.add()
    case .singleton: container.resolve(Counter.self, named: .singleton).add()
    }
}

/// Looks something up. Before the writes, so that the library has something to do when the thread ends. After them, because an order of two
/// lookups in two threads would otherwise not order the last write of the one before the first write of the other.
@Sendable func look() {
    if !isPlain { precondition(container.canResolve(Counter.self)) }
}

unordered_run(
    form, look,
    { @Sendable in
        for _ in 0..<100 { write() }
        look()
    })
