import Synchronization
import Testing

@testable import Checkout

@Suite struct SequencerTests {
    @Test(arguments: [1, 2, 4, 8, 16]) func tasksPassInTheOrderOfTheirNumbers(tasks: Int) async {
        let sequencer = Sequencer()
        let passed = Mutex<[Int]>([])
        let turn = Atomic(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    for number in sequence(state: (), next: { _ in turn.add(1, ordering: .relaxed).oldValue }) {
                        if number >= 1_000 { break }
                        if number.isMultiple(of: 7) { await Task.yield() }
                        await sequencer.inTurn(number) { passed.withLock { $0.append(number) } }
                    }
                }
            }
        }
        #expect(passed.withLock { $0 } == Array(0..<1_000))
    }

    @Test func whoComesTooEarlyWaits() async {
        let sequencer = Sequencer()
        let passed = Mutex<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for number in (0..<50).reversed() {
                group.addTask { await sequencer.inTurn(number) { passed.withLock { $0.append(number) } } }
            }
        }
        #expect(passed.withLock { $0 } == Array(0..<50))
    }
}
