import History

/// A planned call of a thread.
struct InstanceStep {
    var kind: InstanceCall.Kind
    var container = 0
    var key = 0
    var argument = 0
    /// The registration to add or to remove.
    var registration: Identifier = .none
    /// The number of pauses before the call, a few nanoseconds each.
    var pauses = 0
    /// The same in factories and hooks that run in the call.
    var pausesInside = 0
    /// Whether a factory that runs in the call yields the processor.
    var yields = false
    /// Whether such a factory throws.
    var fails = false
    /// Whether such a factory resolves key 0 first.
    var nests = false
}

/// The plan of a round with lazily created services. The seed, the number of the round and the number of threads determine
/// it.
///
/// There are three keys: 0 has singletons, 1 singletons and scoped services, 2 keyed services. Container 0 has all
/// registrations; 1 and 2 are its children.
struct InstancePlan {
    static let keys = 3
    static let containers = 3
    private static let arguments = 2

    private(set) var registrations: [Identifier: LazyRegistration] = [:]
    /// The registrations before the threads begin, in order.
    private(set) var initial: [Identifier] = []
    private(set) var threads: [[InstanceStep]] = []

    init(seed: UInt64, round: Int, threads count: Int) {
        var random = SplitMix64(seed: seed &+ UInt64(round) &* 0xA076_1D64_78BD_642F &+ UInt64(count))
        _ = random.next()
        let flavour = Flavour.all[random.next(below: Flavour.all.count)]
        for index in 0..<random.next(in: 3...6) {
            let identifier = Identifier(index + 1)
            registrations[identifier] = Self.registration(key: index % Self.keys, &random)
            initial.append(identifier)
        }
        for thread in 0..<count {
            var steps: [InstanceStep] = []
            for index in 0..<random.next(in: flavour.lengths) {
                var step = InstanceStep(kind: random.pick(flavour.kinds), key: random.pick(flavour.keys))
                step.argument = step.key == 2 ? random.next(below: Self.arguments) : 0
                switch step.kind {
                case .resolve:
                    step.container = random.next(below: Self.containers)
                case .register, .overwrite:
                    step.registration = Identifier(thread + 1) * .perThread + Identifier(index)
                    registrations[step.registration] = Self.registration(key: step.key, &random)
                case .shutDown:
                    step.container = random.pick(flavour.ending)
                case .remove, .removeAll:
                    break
                }
                step.pauses = random.next(below: 3) == 0 ? random.next(below: 60) : 0
                step.pausesInside = random.next(below: 2) == 0 ? random.next(below: 120) : 0
                step.yields = random.next(below: 16) == 0
                step.fails = random.next(below: 8) == 0
                step.nests = random.next(below: 4) == 0
                steps.append(step)
            }
            threads.append(steps)
        }
        for thread in threads.indices {
            for index in threads[thread].indices where threads[thread][index].kind == .remove {
                let isInitial = random.next(below: 2) == 0
                let all = isInitial ? initial : registrations.keys.sorted()
                threads[thread][index].registration = random.pick(all)
            }
        }
    }

    private static func registration(key: Int, _ random: inout SplitMix64) -> LazyRegistration {
        let lifetime: InstanceLifetime =
            switch key {
            case 0: .singleton
            case 1: random.next(below: 4) == 0 ? .singleton : .scoped
            default: .keyed
            }
        return LazyRegistration(key: key, lifetime, hasHook: random.next(below: 4) != 0)
    }
}

/// A kind of round: its calls, keys and lengths.
private struct Flavour {
    var kinds: [InstanceCall.Kind]
    var keys = [0, 1, 2]
    var lengths = 5...9
    /// The containers that a thread may shut down.
    var ending: [Int] = []

    static let all: [Flavour] = [
        // All calls, except the shutdown of the container that has the registrations: it would refuse later registrations.
        Flavour(
            kinds: [.resolve, .resolve, .resolve, .resolve, .register, .remove, .overwrite, .removeAll, .shutDown],
            ending: [1, 2]),
        // Services that are removed while they are created.
        Flavour(kinds: [.resolve, .resolve, .resolve, .register, .remove, .remove], keys: [0, 2]),
        Flavour(kinds: [.resolve, .resolve, .resolve, .overwrite], keys: [1]),
        // Only resolve calls, the first of which create.
        Flavour(kinds: [.resolve], lengths: 3...6),
        // Children that are shut down while they are in use.
        Flavour(kinds: [.resolve, .resolve, .resolve, .resolve, .resolve, .shutDown], keys: [1], ending: [1, 2]),
        // The same with all containers.
        Flavour(kinds: [.resolve, .resolve, .resolve, .resolve, .resolve, .shutDown], ending: [0, 1, 2]),
    ]
}
