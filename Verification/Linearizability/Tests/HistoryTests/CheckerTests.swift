import History
import Testing

/// A history of one key, or of two keys if the operations use two.
private func history(_ operations: [Operation], initial: [[Identifier]] = [[]]) -> History {
    History(keys: 0..<initial.count, initial: initial, operations: operations)
}

struct LinearizableHistories {
    @Test func nothingAtAllIsLinearizable() {
        #expect(check(history([])).isLinearizable)
    }

    @Test func newestRegistrationIsFoundAndTheOneBelowAfterItsRemoval() {
        let verdict = check(
            history([
                Operation(.register, 1, invoked: 0, returned: 1),
                Operation(.register, 2, invoked: 2, returned: 3),
                Operation(.resolve, 2, invoked: 4, returned: 5),
                Operation(.remove, 2, invoked: 6, returned: 7),
                Operation(.resolve, 1, invoked: 8, returned: 9),
                Operation(.canResolve, 1, invoked: 10, returned: 11),
            ]))
        #expect(verdict.isLinearizable)
        #expect(verdict.overlapping == 0)
    }

    @Test(arguments: [Identifier.none, 1]) func overlappingReadMayComeBeforeOrAfter(found: Identifier) {
        let verdict = check(
            history([
                Operation(.register, thread: 0, 1, invoked: 0, returned: 10),
                Operation(.optionalResolve, thread: 1, found, invoked: 5, returned: 6),
            ]))
        #expect(verdict.isLinearizable)
        #expect(verdict.overlapping == 2)
    }

    @Test func operationsThatTouchAtOneReadingOverlap() {
        let verdict = check(
            history([
                Operation(.register, thread: 0, 1, invoked: 0, returned: 5),
                Operation(.optionalResolve, thread: 1, .none, invoked: 5, returned: 6),
            ]))
        #expect(verdict.isLinearizable)
    }

    @Test func aWriteThatOverlapsTwoReadsMayComeBetweenThem() {
        let verdict = check(
            history(
                [
                    Operation(.overwrite, thread: 0, 2, invoked: 0, returned: 10),
                    Operation(.optionalResolve, thread: 1, 1, invoked: 1, returned: 2),
                    Operation(.optionalResolve, thread: 1, 2, invoked: 3, returned: 4),
                ], initial: [[1]]))
        #expect(verdict.isLinearizable)
    }

    @Test func orderOfOverlappingWritesIsDecidedByALaterRead() {
        for stack: [Identifier] in [[1, 2], [2, 1]] {
            let verdict = check(
                history([
                    Operation(.register, thread: 0, 1, invoked: 0, returned: 10),
                    Operation(.register, thread: 1, 2, invoked: 0, returned: 10),
                    Operation(.resolveAll, stack: stack, invoked: 11, returned: 12),
                ]))
            #expect(verdict.isLinearizable)
        }
    }

    @Test func pendingChangeMayHaveHappenedOrNot() {
        for found: Identifier in [.none, 1] {
            let verdict = check(
                history([
                    Operation(.register, thread: 0, 1, invoked: 0, returned: .max),
                    Operation(.optionalResolve, thread: 1, found, invoked: 5, returned: 6),
                ]))
            #expect(verdict.isLinearizable)
        }
    }

    @Test func removingTwiceIsRemovingOnce() {
        let verdict = check(
            history(
                [
                    Operation(.remove, thread: 0, 2, invoked: 0, returned: 3),
                    Operation(.remove, thread: 1, 2, invoked: 1, returned: 4),
                    Operation(.resolveAll, stack: [3, 1], invoked: 5, returned: 6),
                ], initial: [[1, 2, 3]]))
        #expect(verdict.isLinearizable)
    }
}

struct HistoriesThatAreNotLinearizable {
    @Test func lostRegistrationIsFound() {
        let verdict = check(
            history([
                Operation(.register, 1, invoked: 0, returned: 1),
                Operation(.optionalResolve, .none, invoked: 2, returned: 3),
            ]))
        #expect(verdict.unexplained == 1)
    }

    @Test func returnedRemovalThatIsStillSeenIsFound() {
        let verdict = check(
            history(
                [
                    Operation(.remove, thread: 0, 1, invoked: 0, returned: 1),
                    Operation(.optionalResolve, thread: 1, 1, invoked: 2, returned: 3),
                ], initial: [[1]]))
        #expect(verdict.unexplained == 1)
    }

    @Test func readsThatGoBackInTimeAreFound() {
        let verdict = check(
            history([
                Operation(.register, thread: 0, 1, invoked: 0, returned: 10),
                Operation(.canResolve, thread: 1, 1, invoked: 1, returned: 2),
                Operation(.canResolve, thread: 1, .none, invoked: 3, returned: 4),
            ]))
        #expect(verdict.unexplained == 2)
    }

    @Test func readsOfTwoThreadsThatSeeTwoWritesInOppositeOrdersAreFound() {
        // Each thread alone could be explained; both together could not.
        let verdict = check(
            history(
                [
                    Operation(.overwrite, thread: 0, 2, invoked: 0, returned: 100),
                    Operation(.overwrite, thread: 1, 3, invoked: 0, returned: 100),
                    Operation(.optionalResolve, thread: 2, 2, invoked: 1, returned: 2),
                    Operation(.optionalResolve, thread: 3, 3, invoked: 3, returned: 4),
                    Operation(.optionalResolve, thread: 2, 2, invoked: 5, returned: 6),
                ], initial: [[1]]))
        #expect(verdict.unexplained == 4)
    }

    @Test func gapInAnOverwritingIsFound() {
        let verdict = check(
            history(
                [
                    Operation(.overwrite, thread: 0, 2, invoked: 0, returned: 10),
                    Operation(.optionalResolve, thread: 1, .none, invoked: 5, returned: 6),
                ], initial: [[1]]))
        #expect(verdict.unexplained == 1)
    }

    @Test func tornResolveAllIsFound() {
        // 1 is removed, then 3 is registered. The stack was [2, 1], [2] and [3, 2], newest first, but never [3, 2, 1]:
        // a reader that sees this has walked a list during a change, from the new top to the old end.
        let operations = [
            Operation(.remove, thread: 0, 1, invoked: 0, returned: 3),
            Operation(.register, thread: 0, 3, invoked: 4, returned: 7),
            Operation(.resolveAll, thread: 1, stack: [3, 2, 1], invoked: 1, returned: 6),
        ]
        #expect(check(history(operations, initial: [[1, 2]])).unexplained == 2)
        for stack: [Identifier] in [[2, 1], [2], [3, 2]] {
            var whole = operations
            whole[2].stack = stack
            #expect(check(history(whole, initial: [[1, 2]])).isLinearizable)
        }
    }

    @Test func removalOfHalfTheKeysIsFound() {
        let operations = [
            Operation(.removeAll, thread: 0, invoked: 0, returned: 10),
            Operation(.optionalResolve, thread: 1, key: 0, .none, invoked: 1, returned: 2),
            Operation(.optionalResolve, thread: 1, key: 1, 2, invoked: 3, returned: 4),
        ]
        let whole = history(operations, initial: [[1], [2]])
        #expect(whole.partitioned().count == 1)
        #expect(check(whole).unexplained == 2)
    }

    @Test func commitOfHalfTheKeysIsFound() {
        let commit = Operation(.commit, thread: 0, key: 0, 3, stack: [4], invoked: 0, returned: 10)
        func reads(_ first: Identifier, _ second: Identifier) -> History {
            let operations = [
                commit, Operation(.optionalResolve, thread: 1, key: 0, first, invoked: 1, returned: 2),
                Operation(.optionalResolve, thread: 1, key: 1, second, invoked: 3, returned: 4),
            ]
            return history(operations, initial: [[1], [2]])
        }
        #expect(reads(3, 2).partitioned().count == 1 && check(reads(3, 2)).unexplained == 2)
        #expect(check(reads(1, 4)).isLinearizable && check(reads(3, 4)).isLinearizable)
    }

    @Test func serviceThatIsGoneInTheClosureThatBorrowsItIsFound() {
        let operations = [
            Operation(.borrow, 1, invoked: 0, returned: 1),
            Operation(.remove, 1, invoked: 2, returned: 3),
            Operation(.optionalResolve, .none, invoked: 4, returned: 5),
            Operation(.look, .dead, stack: [1], invoked: 6, returned: 7),
        ]
        #expect(check(history(operations, initial: [[1]])).unexplained == 3)
    }
}

struct Partition {
    @Test func keysAreCheckedApart() {
        let parts = history(
            [
                Operation(.register, key: 1, 1, invoked: 0, returned: 1),
                Operation(.canResolve, key: 2, .none, invoked: 2, returned: 3),
                Operation(.canResolve, key: 1, 1, invoked: 4, returned: 5),
            ], initial: [[], [], []]
        ).partitioned()
        #expect(parts.map(\.keys) == [1..<2, 2..<3])
        #expect(parts.map(\.operations.count) == [2, 1])
        #expect(parts.allSatisfy { check($0).isLinearizable })
    }

    @Test func storesThatOvertookLoadsAreFoundInTheKeyOfOne() {
        // Two threads each register and then look up the other's registration. At most one of them can miss it.
        let whole = history(
            [
                Operation(.register, thread: 0, key: 0, 1, invoked: 0, returned: 10),
                Operation(.register, thread: 1, key: 1, 2, invoked: 0, returned: 11),
                Operation(.canResolve, thread: 0, key: 1, .none, invoked: 12, returned: 13),
                Operation(.canResolve, thread: 1, key: 0, .none, invoked: 12, returned: 13),
            ], initial: [[], []])
        #expect(whole.partitioned().contains { !check($0).isLinearizable })
    }
}
