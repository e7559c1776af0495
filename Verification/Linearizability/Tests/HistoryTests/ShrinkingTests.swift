import History
import Testing

struct Shrinking {
    @Test func linearizableHistoryIsNotShrunk() {
        let history = History(
            keys: 0..<1, initial: [[1]], operations: [Operation(.canResolve, 1, invoked: 0, returned: 1)])
        #expect(history.shrunk() == nil)
    }

    @Test func onlyTheGapIsLeft() throws {
        let history = History(
            keys: 0..<1, initial: [[1, 2]],
            operations: [
                Operation(.register, thread: 0, 65, invoked: 0, returned: 3),
                Operation(.optionalResolve, thread: 1, 65, invoked: 1, returned: 4),
                Operation(.overwrite, thread: 0, 66, invoked: 5, returned: 6),
                Operation(.canResolve, thread: 1, 66, invoked: 7, returned: 8),
                Operation(.overwrite, thread: 0, 67, invoked: 9, returned: 20),
                Operation(.optionalResolve, thread: 1, .none, invoked: 10, returned: 11),
                Operation(.remove, thread: 1, 67, invoked: 12, returned: 30),
                Operation(.optionalResolve, thread: 0, .none, invoked: 31, returned: 32),
            ])
        let (smallest, unexplained) = try #require(history.shrunk())
        #expect(smallest.initial == [[66]])
        #expect(smallest.operations.map(\.kind) == [.overwrite, .optionalResolve])
        #expect(smallest.operations[0].isPending)
        #expect(unexplained == 1)
        let table = smallest.table(unexplained: smallest.operations[unexplained])
        #expect(table.contains("key 0 holds [1.2]"))
        #expect(table.contains("optionalResolve key 0: nothing   <- no order explains this"))
    }

    @Test func removalThatExplainsAnAnswerIsKept() throws {
        // Without the removal the first result would look wrong, although it is right.
        let history = History(
            keys: 0..<1, initial: [[1]],
            operations: [
                Operation(.remove, 1, invoked: 0, returned: 1),
                Operation(.optionalResolve, .none, invoked: 2, returned: 3),
                Operation(.optionalResolve, 1, invoked: 4, returned: 5),
            ])
        let (smallest, unexplained) = try #require(history.shrunk())
        #expect(smallest.operations[unexplained].identifier == 1)
        #expect(smallest.operations.count == 1)
        #expect(smallest.initial == [[]])
    }
}
