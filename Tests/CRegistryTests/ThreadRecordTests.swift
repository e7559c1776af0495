// Covers what a thread costs: one record, which the next thread takes over, however the thread ended.

import CRegistry
import CTorture
import Testing

extension CRegistryTests {
    @Suite struct ThreadRecordTests {
        private let scene = Scene()
        private let key = hop_key(type: 16, discriminator: 0)

        /// More records than this for a crowd of eight, and they are not handed on. Other suites have threads too.
        private static let fewRecords = 100
        private static let atOnce = 8
        private static let portion = 1_000

        private func crowdLeavesNothing(_ count: Int, _ farewell: torture_farewell, lookUps: Int) -> Bool {
            let records = hop_statistics_read(scene.registry).thread_records
            let memory = torture_resident_memory()
            // In portions, since the more records there are, the longer a thread looks for a free one.
            for begun in stride(from: 0, to: count, by: Self.portion) {
                let threads = min(Self.portion, count - begun)
                let found = torture_crowd(scene.registry, key, threads, Self.atOnce, farewell)
                #expect(found == threads * lookUps)
                if hop_statistics_read(scene.registry).thread_records > records + Self.fewRecords { return false }
            }
            return torture_resident_memory() < memory + 8_000_000
        }

        @Test func manyShortLivedThreadsShareFewRecords() {
            scene.push(key)
            let count = Effort.repetitions(100_000)
            expectOneOfManyAttempts { crowdLeavesNothing(count, TORTURE_RETURNS, lookUps: 1) }
        }

        @Test func threadThatLooksUpAfterItsRecordIsGoneTakesAnotherAndGivesItBack() {
            scene.push(key)
            let count = Effort.repetitions(20_000)
            expectOneOfManyAttempts { crowdLeavesNothing(count, TORTURE_LOOKS_UP_LATE, lookUps: 2) }
        }

        @Test func threadsThatExitInsideASectionGiveTheirRecordsBack() {
            scene.push(key)
            let count = Effort.repetitions(20_000)
            expectOneOfManyAttempts { crowdLeavesNothing(count, TORTURE_EXITS_INSIDE, lookUps: 1) }
        }

        @Test func removalIsNotPutOffByThreadsThatAreGone() {
            _ = torture_crowd(scene.registry, key, 64, 64, TORTURE_EXITS_INSIDE)
            expectOneOfManyAttempts {
                let payload = scene.push(key)
                scene.remove(key, payload)
                return payload.releases == 1
            }
        }

        @Test func recordThatWasHandedOnIsNotMistakenForItsFormerOwner() {
            expectOneOfManyAttempts {
                let payload = scene.push(key)
                let first = Borrower(scene, key)
                scene.remove(key, payload)
                let last = Borrower(scene, key)
                first.end()
                // Takes over the record of the first, and is inside while nothing waits for it.
                let second = Borrower(scene, key)
                let released = payload.releases == 1
                second.end()
                last.end()
                return released && payload.releases == 1
            }
        }
    }
}
