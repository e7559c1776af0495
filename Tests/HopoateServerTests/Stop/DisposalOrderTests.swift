import Hopoate
import HopoateServer
import Testing

/// The levels in which instances are disposed of.
@Suite struct DisposalOrderTests {
    private typealias Uses = DisposalOrder.Uses

    @Test func nothingHasNoLevel() {
        #expect(DisposalOrder.levels([]) == [])
        #expect(DisposalOrder.levels([], groups: [Uses()]) == [])
    }

    @Test func unknownUsesKeepTheReverseOrderOfCreation() {
        #expect(DisposalOrder.levels((0..<4).map { Uses(oldest: $0) }) == [[3], [2], [1], [0]])
    }

    @Test func unrelatedInstancesShareALevelNewestFirst() {
        #expect(DisposalOrder.levels([Uses(), Uses(), Uses()]) == [[2, 1, 0]])
    }

    @Test func usersComeBeforeTheInstancesThatTheyUse() {
        #expect(DisposalOrder.levels([Uses(), Uses([0]), Uses([0]), Uses([1, 2])]) == [[3], [2, 1], [0]])
    }

    @Test func newerInstanceThatIsUsedEndsLater() {
        #expect(DisposalOrder.levels([Uses([1]), Uses()]) == [[0], [1]])
    }

    @Test func instanceMayUseItself() {
        #expect(DisposalOrder.levels([Uses([0]), Uses([1], oldest: 2)]) == [[1], [0]])
    }

    @Test func instancesThatUseEachOtherKeepTheReverseOrderOfCreation() {
        // Instances 0 and 3 use each other, 3 uses 1, and 2 uses 0.
        #expect(DisposalOrder.levels([Uses([3]), Uses(), Uses([0]), Uses([0, 1])]) == [[2], [3], [0], [1]])
    }

    @Test func usesPassThroughGroups() {
        // Instance 2 uses group 4, which uses group 3, which uses instance 0.
        #expect(DisposalOrder.levels([Uses(), Uses(), Uses([4])], groups: [Uses([0]), Uses([3])]) == [[2, 1], [0]])
        // The group uses the two oldest instances.
        #expect(
            DisposalOrder.levels([Uses(), Uses(), Uses(), Uses([4])], groups: [Uses(oldest: 2)]) == [[3, 2], [1, 0]])
    }

    @Test func unknownInstanceUsesOnlyOlderOnes() {
        // Instance 1 is unknown, and instance 2 uses nothing.
        #expect(DisposalOrder.levels([Uses(), Uses(oldest: 1), Uses()]) == [[2, 1], [0]])
    }

    @Test func longChainNeedsNoRecursion() {
        let count = 20_000
        let levels = DisposalOrder.levels((0..<count).map { Uses(oldest: $0) })
        #expect(levels.count == count && levels.first == [count - 1] && levels.last == [0])
    }

    // MARK: - Certain uses

    @Test func usedInstancesComeFirst() {
        #expect(DisposalOrder.usedFirst(0, []) == [])
        #expect(DisposalOrder.usedFirst(3, [[], [], []]) == [0, 1, 2])
        #expect(DisposalOrder.usedFirst(3, [[2], [], []]) == [2, 0, 1])
        // Instance 0 uses 2, and that uses 1.
        #expect(DisposalOrder.usedFirst(4, [[2], [], [1], []]) == [1, 2, 0, 3])
        // Through a group.
        #expect(DisposalOrder.usedFirst(3, [[3], [], [], [2]]) == [2, 0, 1])
    }

    @Test func certainUsesInACycleMoveNothing() {
        #expect(DisposalOrder.usedFirst(3, [[2], [], [0]]) == [0, 1, 2])
        #expect(DisposalOrder.usedFirst(4, [[2], [3], [0], []]) == [0, 3, 1, 2])
    }

    @Test(arguments: 0..<UInt64(200)) func randomCertainUsesMoveOnlyWhatTheyHaveTo(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (count, groups) = (Int.random(in: 1...9, using: &random), Int.random(in: 0...4, using: &random))
        let density = Double.random(in: 0...0.3, using: &random)
        let uses = (0..<count + groups).map { _ in
            (0..<count + groups).filter { _ in Double.random(in: 0...1, using: &random) < density }
        }
        let order = DisposalOrder.usedFirst(count, uses)
        #expect(order.sorted() == Array(0..<count))
        let reach = closure(of: uses.map { Uses($0) }, instances: count)
        var position = [Int](repeating: 0, count: count)
        for (index, instance) in order.enumerated() { position[instance] = index }
        for user in 0..<count {
            for used in 0..<count where used != user {
                if reach[user][used], !reach[used][user] {
                    // Not if the only way is through a cycle, of which the uses count as none.
                    let isPlain = uses[user].contains(used)
                    if isPlain { #expect(position[used] < position[user]) }
                }
            }
        }
        if (0..<count).allSatisfy({ user in (0..<count).allSatisfy { !reach[user][$0] || $0 <= user } }) {
            #expect(order == Array(0..<count))
        }
    }

    @Test(arguments: 0..<UInt64(200)) func randomUsesKeepTheInvariants(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (count, groups) = (Int.random(in: 1...9, using: &random), Int.random(in: 0...4, using: &random))
        let density = Double.random(in: 0...0.4, using: &random)
        let uses = (0..<count + groups).map { _ in
            let others = (0..<count + groups).filter { _ in Double.random(in: 0...1, using: &random) < density }
            return Uses(others, oldest: random.next().isMultiple(of: 4) ? Int.random(in: 0...count, using: &random) : 0)
        }
        let levels = DisposalOrder.levels(Array(uses[..<count]), groups: Array(uses[count...]))
        #expect(levels.flatMap(\.self).sorted() == Array(0..<count))
        #expect(levels.allSatisfy { !$0.isEmpty && $0 == $0.sorted(by: >) })

        let reach = closure(of: uses, instances: count)
        var level = [Int](repeating: 0, count: count)
        for (index, instances) in levels.enumerated() { for instance in instances { level[instance] = index } }
        for user in 0..<count {
            for used in 0..<count where used != user && reach[user][used] {
                let isMutual = reach[used][user]
                // Invariants 1 and 2.
                if !isMutual || user > used { #expect(level[user] < level[used]) }
            }
            // Invariant 3: an instance in the level before is the reason for this level.
            let isReason = { (other: Int) in reach[other][user] && level[other] == level[user] - 1 }
            #expect(level[user] == 0 || (0..<count).contains(where: isReason))
        }
    }

    /// Whether a node may use another one, directly or not, for each pair.
    private func closure(of uses: [Uses], instances: Int) -> [[Bool]] {
        var reach = uses.map { uses in (0..<instances + 4).map { uses.others.contains($0) || $0 < uses.oldest } }
        for middle in uses.indices {
            for user in uses.indices where reach[user][middle] {
                for used in uses.indices where reach[middle][used] { reach[user][used] = true }
            }
        }
        return reach
    }
}

extension SplitMix64: RandomNumberGenerator {}
