import History

/// A planned operation of a thread.
struct Step {
    var kind: Operation.Kind
    var key: Int
    /// The registration to add or to remove.
    var identifier: Identifier = .none
    /// The registration of the next key, for a commit.
    var second: Identifier = .none
    /// Whether the service is created once or by each resolve call.
    var isCached = true
    /// The number of borrows of the same type at once, for a borrow.
    var borrows = 1
    /// Whether the closure of the innermost borrow removes the service. Otherwise only other threads may.
    var removesBorrowed = true
    /// The number of pauses before the operation, a few nanoseconds each, so that rounds of one plan interleave differently.
    var pauses = 0

    /// The largest number of operations that are recorded for it.
    var mostOperations: Int { kind == .borrow ? 2 * borrows + 2 : 1 }
}

/// The plan of a round. Only the seed, the number of the round and the number of threads determine it.
struct Plan {
    /// The stacks at the beginning, oldest first. The keys are numbered from 0 here; `firstType` is the type of key 0.
    var initial: [[Identifier]]
    var firstType: Int
    var threads: [[Step]]
    /// For each key, whether any step may change it.
    private(set) var isChanging: [Bool]
    /// Whether the container is a child of one that has a fallback for each type. Then rounds use `resolve`, which traps
    /// if there is no registration. Otherwise they use `canResolve`, which would always return true in such a child.
    var isChild: Bool
    /// Whether the container allows commits.
    var isVersioned: Bool
    /// Whether the round keeps a token after a removal, so that another thread may use it for a second removal. Otherwise
    /// the removing thread drops it, and only the container keeps the service alive.
    var keepsTokens: Bool

    init(seed: UInt64, round: Int, threads count: Int) {
        var random = SplitMix64(seed: seed &+ UInt64(round) &* 0xD1B5_4A32_D192_ED03 &+ UInt64(count))
        _ = random.next()
        let flavour = Flavour.all[random.next(below: Flavour.all.count)]
        let isChild = flavour.keepsToPlainContainers ? false : random.next(below: 2) == 0
        let hot = random.next(in: flavour.hotKeys)
        let heights = flavour.heights
        var next: Identifier = 0
        func registrations(_ count: Int) -> [Identifier] {
            (0..<count).map { _ in
                next += 1
                return next
            }
        }
        initial = (0..<hot).map { _ in registrations(random.next(in: heights)) }
        // A table takes 8 keys, then 32. The round begins with almost as many, so that the fresh keys make it grow.
        let fresh = flavour.freshKeys
        if fresh > 0 {
            let limit = random.next(below: 8) == 0 ? 32 : 8
            let taken = initial.count { !$0.isEmpty } + random.next(in: 0...2)
            initial += (0..<limit - taken).map { _ in registrations(1) }
        }
        let settled = initial.count
        initial += [[Identifier]](repeating: [], count: fresh)
        firstType = random.next(below: Keys.all.count)
        keepsTokens = random.next(below: 2) == 0
        self.isChild = isChild
        isVersioned = flavour.kinds.contains(.commit)

        let length = random.next(in: flavour.lengths)
        threads = (0..<count).map { thread in
            (0..<length).map { index in
                var step = Step(kind: random.pick(flavour.kinds), key: random.next(below: hot))
                if fresh > 0, random.next(below: 3) == 0 {
                    step.key = step.kind.isRead ? random.next(below: settled) : settled + random.next(below: fresh)
                }
                if isChild, step.kind == .canResolve { step.kind = .resolve }
                if step.kind == .register || step.kind == .overwrite {
                    step.identifier = Identifier(thread + 1) * .perThread + Identifier(index)
                    step.isCached = random.next(below: 4) != 0
                }
                if step.kind == .commit {
                    // It changes the next key, too.
                    step.key = random.next(below: hot - 1)
                    step.identifier = Identifier(thread + 1) * .perThread + Identifier(index)
                    step.second = step.identifier + Identifier(length)
                }
                if step.kind == .borrow {
                    // A thread can borrow four services at once. The fifth borrow takes a reference.
                    step.borrows = random.next(below: 4) == 0 ? random.next(in: 2...5) : 1
                    step.removesBorrowed = random.next(below: 4) != 0
                }
                step.pauses = random.next(below: 4) == 0 ? random.next(below: flavour.pauses) : 0
                return step
            }
        }
        isChanging = [Bool](repeating: flavour.kinds.contains(.removeAll), count: initial.count)
        for step in threads.joined() where !step.kind.isRead || step.kind == .borrow {
            isChanging[step.key] = true
            if step.kind == .commit { isChanging[step.key + 1] = true }
        }
        chooseRemovals(&random)
    }

    /// Chooses a registration for each removal: an earlier one of the same thread, one of another thread, or an initial one.
    private mutating func chooseRemovals(_ random: inout SplitMix64) {
        let planned = threads
        for thread in threads.indices {
            for index in threads[thread].indices where threads[thread][index].kind == .remove {
                let key = threads[thread][index].key
                let own = planned[thread][..<index].filter { $0.key == key && $0.identifier != .none }
                let all = planned.joined().filter { $0.key == key && $0.identifier != .none }
                let candidates =
                    switch random.next(below: 3) {
                    case 0: own.map(\.identifier)
                    case 1: all.map(\.identifier)
                    default: initial[key]
                    }
                // Without candidates it stays `none`, and the thread skips the removal.
                if !candidates.isEmpty { threads[thread][index].identifier = random.pick(candidates) }
            }
        }
    }
}

/// A kind of round: its operations, keys and heights.
private struct Flavour {
    var kinds: [Operation.Kind]
    var hotKeys = 1...3
    var heights = 0...3
    var freshKeys = 0
    var lengths = 8...16
    /// A fourth of the operations begin after fewer pauses of the processor than this.
    var pauses = 30
    var keepsToPlainContainers = false

    static let all: [Flavour] = [
        // All operations on single keys.
        Flavour(kinds: [
            .register, .register, .remove, .remove, .overwrite, .optionalResolve, .canResolve, .resolveAll, .borrow,
        ]),
        // One type that is registered and removed.
        Flavour(
            kinds: [.register, .remove, .remove, .optionalResolve, .optionalResolve, .canResolve], hotKeys: 1...1,
            heights: 0...1, lengths: 12...20),
        // A type that always has a registration.
        Flavour(kinds: [.overwrite, .optionalResolve, .optionalResolve, .canResolve, .resolveAll], heights: 1...3),
        // High stacks, with removals at any depth.
        Flavour(kinds: [.register, .remove, .remove, .resolveAll, .resolveAll], hotKeys: 1...2, heights: 2...6),
        // Growth of the table during all other operations.
        Flavour(
            kinds: [
                .register, .register, .register, .remove, .overwrite, .optionalResolve, .optionalResolve, .resolveAll,
            ],
            freshKeys: 3),
        // Closures that borrow a service while they, or other threads, remove it.
        Flavour(kinds: [.borrow, .borrow, .register, .register, .remove, .optionalResolve], hotKeys: 1...2),
        // All keys at once. Short, because such a history cannot be split by key.
        Flavour(
            kinds: [
                .removeAll, .register, .register, .optionalResolve, .optionalResolve, .canResolve, .resolveAll, .remove,
            ], hotKeys: 2...3, heights: 1...2, lengths: 4...8, keepsToPlainContainers: true),
        Flavour(
            kinds: [.removeAll, .register, .register, .register, .optionalResolve, .canResolve, .overwrite],
            heights: 0...2, freshKeys: 2, lengths: 4...8, keepsToPlainContainers: true),
        // Commits of two keys each. A commit takes as long as many reads, so the reads pause.
        Flavour(
            kinds: [.commit] + [Operation.Kind](repeating: .optionalResolve, count: 16) + [.resolveAll, .canResolve],
            hotKeys: 2...2, heights: 0...2, lengths: 24...31, pauses: 1_000, keepsToPlainContainers: true),
        Flavour(
            kinds: [
                .commit, .commit, .register, .overwrite, .remove, .removeAll, .optionalResolve, .optionalResolve,
                .borrow,
            ],
            hotKeys: 2...3, heights: 0...2, lengths: 4...8, keepsToPlainContainers: true),
    ]
}
