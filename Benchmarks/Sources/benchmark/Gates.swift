// The checks for continuous integration: counts, which are equal on every machine, and ratios, with a tolerance for noise and up
// to three attempts. Absolute times are not checked.

import Hopoate

struct Gates {
    private var failures = 0
    private var skipped = 0

    /// Prints a line per gate, and returns whether all of them hold.
    static func check(_ options: Options) -> Bool {
        var gates = Gates()
        say(System.description)
        // Ratios before counts, because counting slows everything down permanently.
        gates.checkRatios(options)
        gates.checkReferenceCount()
        gates.checkCounts()
        let skips = gates.skipped == 0 ? "" : "; \(gates.skipped) SKIPPED"
        say(gates.failures == 0 ? "\nall gates hold\(skips)" : "\n\(gates.failures) gates FAIL\(skips)")
        return gates.failures == 0
    }

    private mutating func report(_ holds: Bool, _ text: String) {
        if !holds { failures += 1 }
        say("  \(holds ? "pass" : "FAIL")  \(text)")
    }

    private mutating func skip(_ text: String) {
        skipped += 1
        say("  SKIPPED  \(text)")
    }

    // MARK: Ratios

    private static let attempts = 3

    /// The limit of a row, with a tolerance for other load on the machine, or nil if the row is not a gate.
    static func bar(_ row: Row) -> Double? {
        guard let bar = row.bar, row.isGate else { return nil }
        return switch row.figure {
        case .nanoseconds, .bytes: nil
        // The floor is little more than two atomic operations. Their cost varies by a factor of three between processors, while
        // the cost of the other instructions does not. So this gate finds large regressions only. The instruction counts find
        // small ones.
        case .ratio: bar * 1.6
        // The factor over other code depends on the cost of locks and atomics on the machine. That there is one does not.
        case .timesFaster: 1.5
        case .scaling: bar * 1.7 / 1.9
        }
    }

    private mutating func checkRatios(_ options: Options) {
        if System.cores < 2 { skip("all that needs two cores: this process may use one") }
        for group in Group.all(threads: Benchmark.threads.filter { $0 <= 2 }) {
            var missing = group.rows(matching: options.filter).filter { Self.bar($0) != nil }
            guard !missing.isEmpty else { continue }
            let subjects = group.subjects()
            say("\n\(group.title)")
            for attempt in 1...Self.attempts where !missing.isEmpty {
                let results = group.measure(subjects, missing, options.effort, bar: Self.bar).results
                for result in results where result.isWithinBar || attempt == Self.attempts {
                    report(result.isWithinBar, Self.text(result, attempt))
                }
                missing = results.filter { !$0.isWithinBar }.map(\.row)
            }
        }
    }

    private static func text(_ result: Result, _ attempt: Int) -> String {
        let row = result.row
        let threads = row.threads == 1 ? "" : ", \(row.threads) threads"
        let limit = bar(row).map(row.figure.limit) ?? ""
        let attempts = attempt == 1 ? "" : " (attempt \(attempt))"
        return "\(row.title)\(threads): \(row.figure.text(result.value)), \(limit)\(attempts)"
    }

    // MARK: The container's reference count

    private mutating func checkReferenceCount() {
        say("\nNobody counts references to the default container")
        let container = DependencyContainer.shared
        let word = ReferenceCount.word(of: container)
        report(ReferenceCount.isImmortal(word), "it is laid out at compile time: \(word.hex)")
        let ordinary = DependencyContainer()
        let other = ReferenceCount.word(of: ordinary)
        report(!ReferenceCount.isImmortal(other), "control: a container made at run time is not: \(other.hex)")
        let subjects = Subjects.kept()
        for operation in [Operation.resolve, .sharedResolve, .withService, .sharedWithService] {
            let words = Self.words(of: container, during: subjects[operation], steps: 500)
            report(words == [word], "unchanged before, during and after \(operation.rawValue) on two threads")
        }
        // The change is only visible while a thread is between its retain and its release, so a busy machine needs more steps.
        let words = Self.words(of: ordinary, during: Subjects.keeping(ordinary), steps: 50_000)
        report(words.count > 1, "control: a resolve that keeps its container changes the word")
    }

    /// Returns the values of the reference count while two threads resolve the object: until a second value appears, or until
    /// each thread has done `steps` times a thousand operations.
    private static func words(
        of container: DependencyContainer, during subject: Subject, steps: Int
    ) -> Set<UInt64> {
        var words: Set<UInt64> = [ReferenceCount.word(of: container)]
        let threads = (0..<2).map { _ in Background { _ = subject.nanoseconds(1000) } }
        threads[0].during {
            threads[1].during {
                while words.count == 1, threads.contains(where: { $0.steps < steps }) {
                    for _ in 0..<1000 { words.insert(ReferenceCount.word(of: container)) }
                }
            }
        }
        words.insert(ReferenceCount.word(of: container))
        return words
    }

    // MARK: Allocations and retains

    /// The upper limits of an operation, or nil for no limit.
    private struct Limits {
        let operation: Operation
        var allocations: Double? = 0
        var service: Double? = 1
        var container: Double? = 0
        var others: Double? = 0

        func hold(_ counts: Counts) -> Bool {
            Self.holds(counts.allocations, allocations) && Self.holds(counts.serviceRetains, service)
                && Self.holds(counts.containerRetains, container) && Self.holds(counts.otherRetains, others)
        }

        private static func holds(_ count: Double, _ limit: Double?) -> Bool { limit.map { count <= $0 } ?? true }
    }

    private static let limits = [
        Limits(operation: .floor),
        Limits(operation: .resolve),
        Limits(operation: .sharedResolve, container: nil),
        Limits(operation: .withService, service: 0),
        Limits(operation: .withStructure, service: 0),
        Limits(operation: .sharedWithService, service: 0, container: nil),
        Limits(operation: .ownResolve),
        Limits(operation: .ownWithService, service: 0),
        Limits(operation: .wrapper),
    ]

    private static let lastingLimits = [
        Limits(operation: .singleton),
        Limits(operation: .singletonWithService, service: 0),
        Limits(operation: .named),
        Limits(operation: .namedLiteral),
        Limits(operation: .decorated, service: nil, others: 1),
    ]

    private static let keyedLimits = [
        // The other object is the instance.
        Limits(operation: .keyed, others: 1),
        Limits(operation: .keyedLimited, others: 1),
        Limits(operation: .keyedByText, others: 1),
    ]

    private static let changingLimits = [
        // The container and its registry.
        Limits(operation: .child, allocations: 2, container: nil),
        // Besides, the slot, the creation and the service. Retained are: the parent, the factory, the slot by its creation and by the
        // registry, the creation by the slot, and the service by the caller.
        Limits(operation: .childWithScoped, allocations: 5, others: 6),
    ]

    private mutating func checkCounts() {
        say("\nWhat one operation does, counted (references to the default container count for nothing: see above)")
        guard Counts.canBeTaken else {
            return skip("allocations and retains cannot be counted on this platform")
        }
        let subjects = Subjects.kept()
        let service = DependencyContainer.shared.resolve((any Sensor).self)
        let container = DependencyContainer.shared
        func check(_ limits: Limits, _ subject: Subject) {
            let counts = Counts.of(subject, service: service, container: container)
            report(limits.hold(counts), "\(limits.operation.rawValue): \(counts.inWords)")
        }
        for limits in Self.limits { check(limits, subjects[limits.operation]) }
        checkControls(service, container)
        let lasting = Subjects.lasting()
        let singleton = DependencyContainer.shared.resolve((any Probe).self)
        let named = DependencyContainer.shared.resolve((any Sensor).self, named: .outdoors)
        for limits in Self.lastingLimits {
            let subject = lasting[limits.operation]
            let isSingleton = limits.operation == .singleton || limits.operation == .singletonWithService
            let counts = Counts.of(subject, service: isSingleton ? singleton : named, container: container)
            report(limits.hold(counts), "\(limits.operation.rawValue): \(counts.inWords)")
        }
        for limits in Self.keyedLimits {
            let subject = lasting[limits.operation]
            // From the third use on, the instance is found without a lock.
            consume(Int(subject.nanoseconds(3)))
            let counts = Counts.of(subject, service: named, container: container)
            report(limits.hold(counts), "\(limits.operation.rawValue): \(counts.inWords)")
        }
        check(Limits(operation: .transient, allocations: 1, service: 0), Subjects.made()[.transient])
        let changing = Subjects.changing()
        for limits in Self.changingLimits { check(limits, changing[limits.operation]) }
    }

    /// Checks operations that are broken on purpose: they must be counted correctly, and no gate may accept them.
    private mutating func checkControls(_ service: any Sensor, _ container: DependencyContainer) {
        let limits = Limits(operation: .resolve)
        func control(_ title: String, _ subject: Subject, _ isCounted: (Counts) -> Bool) {
            let counts = Counts.of(subject, service: service, container: container)
            report(isCounted(counts) && !limits.hold(counts), "control: \(title): \(counts.inWords)")
        }
        control("a resolve that allocates once is caught", Subjects.allocating()) { $0.allocations == 1 }
        control("a resolve that keeps the service twice is caught", Subjects.keeping(service)) {
            $0.serviceRetains == 2
        }
        control("a resolve that keeps its container is caught", Subjects.keeping(container)) {
            $0.containerRetains == 1
        }
        let other = DependencyContainer()
        control("a resolve that keeps another object is caught", Subjects.keeping(other)) { $0.otherRetains == 1 }
    }
}

extension Counts {
    fileprivate var inWords: String {
        "\(allocations.plain) allocations; retains: \(serviceRetains.plain) of the service, "
            + "\(containerRetains.plain) of the container, \(otherRetains.plain) of others"
    }
}

extension Double {
    /// Without decimals for a whole number.
    fileprivate var plain: String { fixed(self == rounded() ? 0 : 2) }
}

extension [Subject] {
    /// Returns the subject of an operation, which must exist.
    subscript(operation: Operation) -> Subject {
        guard let subject = first(where: { $0.operation == operation }) else { fatalError("no subject: \(operation)") }
        return subject
    }
}

extension UInt64 {
    fileprivate var hex: String { "0x" + String(self, radix: 16) }
}
