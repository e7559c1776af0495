// The rows with their limits. To add a row, add a case to Operation, a subject to Subjects and a row here.

/// A row of the table.
struct Row: Sendable {
    enum Figure: Sendable {
        /// Nanoseconds per operation on one thread.
        case nanoseconds
        /// The time in relation to another operation on as many threads. The limit is a maximum.
        case ratio(to: Operation)
        /// The speed in relation to another operation on as many threads. The limit is a minimum.
        case timesFaster(than: Operation)
        /// The throughput in relation to one thread. The limit is a minimum. It is normalized by threads that share nothing,
        /// because other processes may use the cores, too.
        case scaling
        /// The bytes that one operation allocates.
        case bytes
    }

    let title: String
    let operation: Operation
    let threads: Int
    let figure: Figure
    /// The limit that must hold now, or nil for a row that is only reported.
    let bar: Double?
    /// The intended limit.
    let goal: Double?
    /// Whether continuous integration checks the limit.
    let isGate: Bool

    init(
        _ title: String, _ operation: Operation, threads: Int = 1, _ figure: Figure = .nanoseconds, bar: Double? = nil,
        goal: Double? = nil, isGate: Bool = true
    ) {
        self.title = title
        self.operation = operation
        self.threads = threads
        self.figure = figure
        self.bar = bar
        self.goal = goal
        self.isGate = isGate
    }

    var cell: Cell { Cell(operation: operation, threads: threads) }

    /// The cells to measure in the same rounds.
    var cells: [Cell] {
        switch figure {
        case .nanoseconds, .bytes: [cell]
        case .ratio(let other), .timesFaster(let other): [cell, Cell(operation: other, threads: threads)]
        case .scaling:
            [operation, .independent].flatMap { operation in
                [1, threads].map { Cell(operation: operation, threads: $0) }
            }
        }
    }

    /// Returns the figure of each round.
    func values(in samples: Samples) -> [Double]? {
        switch figure {
        case .nanoseconds: samples.nanoseconds(cell)
        case .ratio(let other): samples.ratios(cell, to: Cell(operation: other, threads: threads))
        case .timesFaster(let other): samples.ratios(Cell(operation: other, threads: threads), to: cell)
        case .scaling: samples.scaling(operation, threads: threads, against: .independent)
        case .bytes: samples.bytes(operation).map { [$0] }
        }
    }
}

/// Rows that are measured in the same rounds.
struct Group {
    let title: String
    let rows: [Row]
    /// Prepares the containers. Called once, after the previous groups were measured.
    let subjects: () -> [Subject]
}

extension Group {
    /// All groups, in an order in which no group affects the next. The group that overrides `shared` to the end of the process comes last.
    static func all(threads: [Int]) -> [Group] {
        [
            Group(
                title: "Existing services, 100 others registered", rows: kept(threads),
                subjects: Subjects.kept),
            Group(title: "Lifetimes and names, existing services", rows: lasting(threads), subjects: Subjects.lasting),
            Group(title: "While creations are recorded", rows: recorded, subjects: Subjects.recorded),
            Group(title: "New instances", rows: made(threads), subjects: Subjects.made),
            Group(title: "Registering, and child containers", rows: changing(threads), subjects: Subjects.changing),
            Group(title: "First creations, and starts", rows: starting, subjects: Subjects.starting),
            Group(title: "Resolving among many keys", rows: crowded, subjects: Subjects.crowded),
            Group(
                title: "While another thread registers and removes the same type", rows: churned(threads),
                subjects: Subjects.churned),
            Group(title: "After an override of shared", rows: overridden, subjects: Subjects.overridden),
        ]
    }

    private static func kept(_ threads: [Int]) -> [Row] {
        threads.flatMap { threads -> [Row] in
            let isOne = threads == 1
            return [
                Row("floor: a closure returns a captured reference", .floor, threads: threads),
                Row("a closure that shares nothing", .independent, threads: threads),
                Row(
                    "resolve(T.self)", .resolve, threads: threads, .ratio(to: .floor), bar: isOne ? 1.25 : nil,
                    goal: isOne ? 1.1 : nil),
                Row(
                    "shared.resolve(T.self)", .sharedResolve, threads: threads, .ratio(to: .floor),
                    bar: isOne ? 1.6 : nil, goal: isOne ? 1.2 : nil),
                Row(
                    "withService(T.self) { }", .withService, threads: threads, .ratio(to: .floor),
                    bar: isOne ? 0.55 : nil, goal: isOne ? 0.35 : nil),
                Row("withService, a struct as any P", .withStructure, threads: threads, .ratio(to: .floor)),
                Row(
                    "shared.withService(T.self) { }", .sharedWithService, threads: threads, .ratio(to: .floor),
                    goal: isOne ? 0.4 : nil),
                Row("a dictionary under a lock", .dictionary, threads: threads, .ratio(to: .floor)),
                isOne
                    ? Row("a linear search by name", .list, .ratio(to: .floor))
                    : Row("a linear search by name, locked", .lockedList, threads: threads, .ratio(to: .floor)),
            ] + (isOne ? once : scaling(threads))
        }
    }

    private static var once: [Row] {
        [
            Row("resolve, against the dictionary", .resolve, .timesFaster(than: .dictionary), bar: 6),
            Row("resolve, against the list", .resolve, .timesFaster(than: .list)),
            Row("container.resolve, own container", .ownResolve, .ratio(to: .floor)),
            Row("container.withService, own container", .ownWithService, .ratio(to: .floor)),
            Row("child.resolve, found in the parent", .childResolve, .ratio(to: .floor)),
            Row("@Dependency, after the first access", .wrapper, .ratio(to: .floor)),
            Row("resolveAll of three", .resolveAll, .ratio(to: .floor)),
        ]
    }

    private static func scaling(_ threads: Int) -> [Row] {
        let bar = threads == 2 ? 1.9 : nil
        return [
            Row("resolve, throughput of one thread", .resolve, threads: threads, .scaling),
            Row("withService, throughput of one thread", .withService, threads: threads, .scaling, bar: bar),
            Row("shared.withService, throughput of one", .sharedWithService, threads: threads, .scaling, bar: bar),
        ]
    }

    private static func lasting(_ threads: [Int]) -> [Row] {
        let once = [
            Row("resolve(T.self), eager", .resolve),
            Row("singleton", .singleton, .ratio(to: .resolve), bar: 1.2),
            Row("withService, singleton", .singletonWithService, .ratio(to: .resolve)),
            Row("asyncResolve, an asynchronous singleton", .asynchronousSingleton, .ratio(to: .resolve)),
            Row("named, by a constant", .named, .ratio(to: .resolve), bar: 1.5),
            Row("named, by a literal", .namedLiteral, .ratio(to: .resolve)),
            Row("decorated", .decorated, .ratio(to: .resolve)),
            Row("scoped, in a child, registered in its parent", .scoped, .ratio(to: .resolve), bar: 1.6, goal: 1.2),
        ]
        return once + threads.flatMap(keyed)
    }

    private static func keyed(_ threads: Int) -> [Row] {
        [
            Row("floor: a closure returns a captured reference", .floor, threads: threads),
            Row(
                "keyed by an Int", .keyed, threads: threads, .ratio(to: .floor), bar: threads == 1 ? 8 : nil,
                goal: threads == 1 ? 4 : nil),
            Row("keyed by an Int, another one per thread", .keyedApart, threads: threads, .ratio(to: .floor)),
            Row("keyed by an Int, with a limit", .keyedLimited, threads: threads, .ratio(to: .floor)),
            Row("keyed by an Int and a String", .keyedByText, threads: threads, .ratio(to: .floor)),
            Row("an Int, a dictionary under a lock", .dictionaryKeyed, threads: threads, .ratio(to: .floor)),
        ]
            + (threads == 1
                ? [] : [Row("another Int per thread, throughput of one", .keyedApart, threads: threads, .scaling)])
    }

    private static var recorded: [Row] { [Row("singleton, recorded, own container", .recorded)] }

    private static func made(_ threads: [Int]) -> [Row] {
        threads.flatMap { threads in
            [
                Row("floor: the initializer", .initializer, threads: threads),
                Row(
                    "resolve(T.self), transient", .transient, threads: threads, .ratio(to: .initializer),
                    bar: threads == 1 ? 1.6 : nil, goal: threads == 1 ? 1.3 : nil),
            ] + (threads == 1 ? arguments : [])
        }
    }

    private static var arguments: [Row] {
        [
            Row("a transient whose factory gets the container", .factory, .ratio(to: .initializer)),
            Row("one argument", .argument, .ratio(to: .initializer), bar: 2.5, goal: 1.6),
            Row("one argument, against none", .argument, .ratio(to: .factory), bar: 1.5),
            Row("three dependencies, a factory by hand", .handwritten),
            Row("three dependencies, the initializer", .constructor, .ratio(to: .handwritten), bar: 1.5),
        ]
    }

    private static func changing(_ threads: [Int]) -> [Row] {
        let once = [
            Row("floor: a closure returns a captured reference", .floor),
            Row("register, each of 100 types", .register, bar: 150, goal: 80),
            // A removal calls `membarrier`. A processor with a cheap floor does not make this system call cheaper, so the gate
            // checks removals without it.
            Row(
                "register, resolve and remove one type", .cycle, .ratio(to: .floor), bar: 40, goal: 20,
                isGate: System.isWithoutMembarrier),
            Row("makeChild(), dropped empty", .child, bar: 100, goal: 50),
            Row("a child with one registration", .childWithValue, .ratio(to: .child)),
            Row("a child that creates one scoped service", .childWithScoped, .ratio(to: .floor), goal: 15),
            Row("the same in dictionaries under locks", .dictionaryScope, .ratio(to: .floor)),
            Row("a child that creates 5 scoped services", .childWithFiveScoped, .ratio(to: .floor)),
            Row("a child that creates 20 scoped services", .childWithTwentyScoped, .ratio(to: .floor)),
            Row("withChildWithoutAwaitingHooks, one scoped service", .scope, .ratio(to: .floor)),
            Row("a request: child, value, scoped service, controller", .request, .ratio(to: .requestByDictionary)),
            Row("the same request by dictionaries under locks", .requestByDictionary),
            Row("the same request by hand", .requestByHand, .ratio(to: .request)),
            Row("the same by asyncResolve", .requestSuspendingWithScoped, .ratio(to: .request)),
            Row("child, value, asyncResolve of a controller", .requestSuspending, .ratio(to: .floor)),
        ]
        return once
            + threads.filter { $0 > 1 }.flatMap { threads in
                [
                    Row("scoped service in a child, throughput of one", .childWithScoped, threads: threads, .scaling),
                    Row("dictionaries under locks, throughput of one", .dictionaryScope, threads: threads, .scaling),
                    Row("a request, throughput of one thread", .request, threads: threads, .scaling),
                ]
            }
    }

    private static var starting: [Row] {
        [
            Row("a request, bytes", .request, .bytes),
            Row("the same by dictionaries under locks, bytes", .requestByDictionary, .bytes),
            Row("the same by hand, bytes", .requestByHand, .bytes),
            Row("first resolve of a singleton, three dependencies", .first, .ratio(to: .firstByDictionary)),
            Row("the same by a dictionary under a lock", .firstByDictionary),
            Row("the same by hand", .firstByHand, .ratio(to: .first)),
            Row("start: 300 services registered and created", .start, .ratio(to: .startByDictionary)),
            Row("the same by a dictionary under a lock", .startByDictionary),
            Row("the same by hand", .startByHand, .ratio(to: .start)),
            Row("start, bytes", .start, .bytes),
            Row("the same by a dictionary under a lock, bytes", .startByDictionary, .bytes),
            Row("the same by hand, bytes", .startByHand, .bytes),
        ]
    }

    private static var crowded: [Row] {
        [
            Row("one type, 10 keys", .resolve10),
            Row("one type, 100 keys", .resolve100, .ratio(to: .resolve10)),
            Row("one type, 1 000 keys", .resolve1000, .ratio(to: .resolve10)),
            Row("one type, 10 000 keys", .resolve10000, .ratio(to: .resolve10)),
            Row("one type, 100 000 keys", .resolve100000, .ratio(to: .resolve10)),
            Row("each in turn (unspecialised), 10 keys", .rotate10),
            Row("each in turn, 100 keys", .rotate100, .ratio(to: .rotate10)),
            Row("each in turn, 1 000 keys", .rotate1000, .ratio(to: .rotate10)),
            Row("each in turn, 10 000 keys", .rotate10000, .ratio(to: .rotate10)),
            Row("each in turn, 100 000 keys", .rotate100000, .ratio(to: .rotate10)),
            Row("dictionary under a lock, 10 keys", .dictionary10, .ratio(to: .resolve10)),
            Row("dictionary under a lock, 100 keys", .dictionary100, .ratio(to: .dictionary10)),
            Row("dictionary under a lock, 1 000 keys", .dictionary1000, .ratio(to: .dictionary10)),
            Row("dictionary under a lock, 10 000 keys", .dictionary10000, .ratio(to: .dictionary10)),
            Row("dictionary under a lock, 100 000 keys", .dictionary100000, .ratio(to: .dictionary10)),
        ]
    }

    /// Needs a core for the other thread.
    private static func churned(_ threads: [Int]) -> [Row] {
        guard threads.count > 1 else { return [] }
        return [
            Row("resolve(T.self), quiet", .quiet),
            Row("resolve(T.self), churned", .churned, .ratio(to: .quiet), bar: 3),
        ]
    }

    private static var overridden: [Row] {
        [
            Row("floor: a closure returns a captured reference", .floor),
            Row("resolve(T.self), outside", .afterOverride, .ratio(to: .floor)),
            Row("shared.resolve(T.self), outside", .sharedAfterOverride, .ratio(to: .floor)),
            Row("resolve(T.self), in $shared.withValue", .overridden, .ratio(to: .floor)),
            Row("shared.resolve(T.self), in withValue", .sharedOverridden, .ratio(to: .floor)),
        ]
    }
}
