// Tests threads that are cancelled, that exit, and that use the registry in their destructors.

import CRegistry
import CTorture
import Testing

extension CRegistryTests {
    @Suite struct ThreadEndTests {
        /// As in ThreadRecordTests.
        private static let fewRecords = 100
        private static let atOnce = 8
        private static let portion = 1_000

        /// Checks that threads with such an end complete all their operations and leave no records behind.
        private func endsLeaveNothing(_ count: Int, _ end: torture_end) -> Bool {
            let records = hop_statistics_read(nil).thread_records
            // In portions, because a thread scans the list for a free record, which takes longer the more records there are.
            for begun in stride(from: 0, to: count, by: Self.portion) {
                let threads = min(Self.portion, count - begun)
                #expect(torture_ends(threads, Self.atOnce, end) == threads * torture_acts_of_an_end(end))
                if hop_statistics_read(nil).thread_records > records + Self.fewRecords { return false }
            }
            return true
        }

        @Test(arguments: [TORTURE_CANCELLED_INSIDE, TORTURE_CANCELLED_OUTSIDE, TORTURE_EXITS_OUTSIDE])
        func cancelledAndExitedThreadsReturnTheirRecords(end: torture_end) {
            let count = Effort.repetitions(2_000)
            expectOneOfManyAttempts { endsLeaveNothing(count, end) }
        }

        @Test(arguments: [TORTURE_HAUNTS_KEYS, TORTURE_HAUNTS_KEYS_ONLY, TORTURE_HAUNTS_LOCALS])
        func threadLocalDestructorsMayUseTheRegistry(end: torture_end) {
            let count = Effort.repetitions(5_000)
            expectOneOfManyAttempts { endsLeaveNothing(count, end) }
        }

        @Test func cancelledThreadsDoNotDeferReleases() {
            #expect(torture_ends(64, 64, TORTURE_CANCELLED_INSIDE) == 64)
        }

        @Test func cancelledRemoverStillReleases() {
            #expect(torture_cancelled_remover_releases())
        }
    }
}
