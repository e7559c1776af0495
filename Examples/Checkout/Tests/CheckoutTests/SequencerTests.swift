import Synchronization
import Testing

@testable import Checkout

@Suite struct SequencerTests {
    /// Records the tasks in the order in which they passed.
    private final class Passage: Sendable {
        private let numbers = Mutex<[Int]>([])

        var all: [Int] { numbers.withLock { $0 } }
        func note(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    @Test(arguments: [1, 2, 4, 8, 16]) func tasksPassInTheOrderOfTheirNumbers(tasks: Int) async {
        let sequencer = Sequencer()
        let passage = Passage()
        await withTaskGroup(of: Void.self) { group in
            for first in 0..<tasks {
                group.addTask {
                    for number in stride(from: first, to: 1_000, by: tasks) {
                        if number.isMultiple(of: 7) { await Task.yield() }
                        await sequencer.inTurn(number) { passage.note(number) }
                    }
                }
            }
        }
        #expect(passage.all == Array(0..<1_000))
    }

    @Test func aTaskAheadOfItsTurnWaits() async {
        let sequencer = Sequencer()
        let passage = Passage()
        await withTaskGroup(of: Void.self) { group in
            for number in (0..<50).reversed() {
                group.addTask { await sequencer.inTurn(number) { passage.note(number) } }
            }
        }
        #expect(passage.all == Array(0..<50))
    }
}
