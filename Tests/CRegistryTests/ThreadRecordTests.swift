// Tests the cost of a thread: one record, which a later thread reuses, however the first thread ended.

import CRegistry
import CTorture
import Foundation
import Testing

extension CRegistryTests {
    @Suite struct ThreadRecordTests {
        private let scene = Scene()
        private let key = hop_key(type: 16, discriminator: 0)

        /// The limit for eight concurrent threads if records are reused. Threads of other suites count, too.
        private static let fewRecords = 100
        private static let atOnce = 8
        private static let portion = 1_000

        /// The payloads that a thread has removed.
        private let removed = Removed()

        private final class Removed: @unchecked Sendable {
            // Guarded by `lock`.
            private let lock = NSLock()
            private var payloads: [Payload] = []

            func withLock<Result>(_ body: (inout [Payload]) -> Result) -> Result { lock.withLock { body(&payloads) } }
        }

        private func crowdLeavesNothing(_ count: Int, _ farewell: torture_farewell, lookUps: Int) -> Bool {
            let records = hop_statistics_read(scene.registry).thread_records
            let memory = torture_resident_memory()
            // In portions, because a thread scans the list for a free record, which takes longer the more records there are.
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

        @Test func lateLookupTakesAndReturnsAnotherRecord() {
            scene.push(key)
            let count = Effort.repetitions(20_000)
            expectOneOfManyAttempts { crowdLeavesNothing(count, TORTURE_LOOKS_UP_LATE, lookUps: 2) }
        }

        @Test func threadsThatExitInsideASectionReturnTheirRecords() {
            scene.push(key)
            let count = Effort.repetitions(20_000)
            expectOneOfManyAttempts { crowdLeavesNothing(count, TORTURE_EXITS_INSIDE, lookUps: 1) }
        }

        @Test func exitedThreadsDoNotDeferReleases() {
            _ = torture_crowd(scene.registry, key, 64, 64, TORTURE_EXITS_INSIDE)
            expectOneOfManyAttempts {
                let payload = scene.push(key)
                scene.remove(key, payload)
                return payload.releases == 1
            }
        }

        @Test func removalScansOnlyRecordsOfLiveThreads() {
            scene.push(key)
            expectOneOfManyAttempts {
                let before = hop_statistics_read(scene.registry)
                let found = torture_crowd(scene.registry, key, 1_000, 1_000, TORTURE_RETURNS)
                #expect(found == 1_000)
                let after = hop_statistics_read(scene.registry)
                return after.records_in_use <= before.records_in_use
            }
            // The number of live threads: each of these has a record and returns it. Threads of other suites come and go.
            expectOneOfManyAttempts {
                let borrowers = (0..<200).map { _ in Borrower(scene, key) }
                let during = hop_statistics_read(scene.registry).records_in_use
                for borrower in borrowers { borrower.end() }
                let after = hop_statistics_read(scene.registry).records_in_use
                return during >= borrowers.count && after + borrowers.count / 2 <= during
            }
        }

        @Test func removalFindsLongSectionsWhileThreadsComeAndGo() {
            scene.push(key)
            let kept = (0..<10).map { _ in Borrower(scene, key) }
            let payload = scene.push(key)
            // Records of other threads between these are unlinked and linked again while removals look for borrowed sections.
            let isOver = Gate()
            let remover = Worker {
                while !isOver.wait(milliseconds: 0) {
                    let other = Payload()
                    hop_push(scene.registry, hop_key(type: 32, discriminator: 0), other.pointer, nil)
                    #expect(scene.remove(hop_key(type: 32, discriminator: 0), other))
                    // The registry always has borrowed sections, so no removal may release its payload at once.
                    #expect(other.releases == 0)
                    removed.withLock { $0.append(other) }
                }
            }
            _ = torture_crowd(scene.registry, key, Effort.repetitions(5_000), Self.atOnce, TORTURE_RETURNS)
            scene.remove(key, payload)
            #expect(payload.releases == 0)
            isOver.open()
            remover.join()
            for borrower in kept { borrower.end() }
            #expect(eventuallyReleased([payload]))
            #expect(removed.withLock { eventuallyReleased($0) })
        }

        @Test func reusedRecordIsNotMistakenForItsFormerOwner() {
            expectOneOfManyAttempts {
                let payload = scene.push(key)
                let first = Borrower(scene, key)
                scene.remove(key, payload)
                let last = Borrower(scene, key)
                first.end()
                // Reuses the record of the first borrower, and is inside a section that defers nothing.
                let second = Borrower(scene, key)
                let released = payload.releases == 1
                second.end()
                last.end()
                return released && payload.releases == 1
            }
        }
    }
}
