// Tests the whole registry under load: every thread reads and writes, and no reader sees a released payload. See CTorture.

import CTorture
import Testing

extension CRegistryTests {
    @Suite struct TortureTests {
        @Test(arguments: [1, 2, 4, 8, 16] as [UInt32], [1, 1_000] as [UInt32])
        func everyPayloadOutlivesItsReadersAndIsReleasedOnce(threads: UInt32, keys: UInt32) {
            let report = torture_run(plan(threads: threads, keys: keys))
            expectNoViolations(report)
            #expect(report.found > 0)
            #expect(report.removals > 0)
            #expect(report.removals_while_borrowed > 0)
        }

        @Test(arguments: [1, 2, 4, 8, 16] as [UInt32], [1, 1_000] as [UInt32])
        func replacementNeverShowsAGapOrAnOlderPayload(threads: UInt32, keys: UInt32) {
            let report = torture_replacing(plan(threads: threads, keys: keys))
            expectNoViolations(report)
            #expect(report.reads > 0)
            #expect(report.found == report.reads)
        }

        private func plan(threads: UInt32, keys: UInt32) -> torture_plan {
            let seed = UInt64.random(in: 1...UInt64.max)
            return torture_plan(threads: threads, keys: keys, milliseconds: Effort.milliseconds(300), seed: seed)
        }

        private func expectNoViolations(_ report: torture_report) {
            #expect(report.dead == 0)
            #expect(report.foreign == 0)
            #expect(report.resurrected == 0)
            #expect(report.twice == 0)
            #expect(report.leaked == 0)
            #expect(report.gaps == 0)
            #expect(report.backwards == 0)
            #expect(report.miscounted == 0)
            #expect(report.releases == report.pushes)
        }
    }
}
