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
            let count = Effort.repetitions(30_000)
            expectOneOfManyAttempts { crowdLeavesNothing(count, TORTURE_RETURNS, lookUps: 1) }
        }

        @Test func lateLookupTakesAndReturnsAnotherRecord() {
            scene.push(key)
            let count = Effort.repetitions(20_000)
            expectOneOfManyAttempts { crowdLeavesNothing(count, TORTURE_LOOKS_UP_LATE, lookUps: 2) }
        }

        @Test func threadsThatExitInsideABorrowReturnTheirRecords() {
            scene.push(key)
            let count = Effort.repetitions(20_000)
            expectOneOfManyAttempts { crowdLeavesNothing(count, TORTURE_EXITS_INSIDE, lookUps: 1) }
        }

        @Test func exitedThreadsDoNotDeferReleases() {
            let payload = scene.push(key)
            #expect(torture_crowd(scene.registry, key, 64, 64, TORTURE_EXITS_INSIDE) == 64)
            scene.remove(key, payload)
            #expect(payload.releases == 1)
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

        /// Records of other threads between those of the borrowers are returned and taken again while removals look for borrows.
        @Test(arguments: [TORTURE_RETURNS, TORTURE_EXITS_INSIDE])
        func removalFindsEveryBorrowWhileThreadsComeAndGo(farewell: torture_farewell) {
            let (scene, key) = (scene, key)
            let keys = (1...10).map { hop_key(type: 16 * $0, discriminator: 1) }
            let payloads = keys.map { _ in Payload() }
            for (key, payload) in zip(keys, payloads) { hop_push(scene.registry, key, payload.pointer, nil) }
            let borrowers = keys.map { Borrower(scene, $0) }
            let crowd = Worker {
                scene.push(key)
                _ = torture_crowd(scene.registry, key, Effort.repetitions(5_000), Self.atOnce, farewell)
            }
            // Each payload is removed, found borrowed, and pushed again.
            let rounds = Effort.repetitions(500)
            for _ in 0..<rounds {
                for (key, payload) in zip(keys, payloads) {
                    #expect(scene.remove(key, payload))
                    hop_push(scene.registry, key, payload.pointer, nil)
                }
                let other = scene.push(hop_key(type: 32, discriminator: 0))
                #expect(scene.remove(hop_key(type: 32, discriminator: 0), other) && other.releases == 1)
            }
            #expect(areUnreleased(payloads))
            crowd.join()
            for borrower in borrowers { borrower.end() }
            #expect(payloads.allSatisfy { $0.releases == rounds })
            for (key, payload) in zip(keys, payloads) { #expect(scene.remove(key, payload)) }
            #expect(payloads.allSatisfy { $0.releases == rounds + 1 })
        }

        @Test func reusedRecordIsNotMistakenForItsFormerOwner() {
            let other = hop_key(type: 32, discriminator: 0)
            let (payload, later) = (scene.push(key), scene.push(other))
            let first = Borrower(scene, key)
            scene.remove(key, payload)
            let last = Borrower(scene, other)
            first.end()
            // Reuses the record of the first borrower, and borrows something else.
            let second = Borrower(scene, other)
            #expect(payload.releases == 1)
            let again = scene.push(key)
            scene.remove(key, again)
            #expect(again.releases == 1)
            scene.remove(other, later)
            second.end()
            #expect(later.releases == 0)
            last.end()
            #expect(later.releases == 1)
        }
    }
}
