// Tests the functions for the owner of a registry besides push: find or push, seal, attach, and sleep.

import CRegistry
import CTorture
import Foundation
import Testing

extension CRegistryTests {
    @Suite struct OwnerTests {
        private let scene = Scene()
        private let key = hop_key(type: 16, discriminator: 1)

        // MARK: Find or push

        @Test func findsTheNewestOrPushesTheFirst() {
            let first = Payload()
            let second = Payload()
            let registry = hop_registry_make()
            #expect(hop_find_or_push(registry, key, first.pointer, Payload.retain, nil) == first.pointer)
            #expect(hop_find_or_push(registry, key, second.pointer, Payload.retain, nil) == first.pointer)
            #expect(torture_count(registry) == 1 && first.retains == 2 && second.retains == 0)
            hop_remove(registry, key, first.pointer, Payload.release)
            #expect(hop_find_or_push(registry, key, second.pointer, Payload.retain, nil) == second.pointer)
            hop_registry_destroy(registry, Payload.release)
            #expect(areReleasedOnce([first, second]))
        }

        @Test(arguments: [2, 4, 8])
        func concurrentFindOrPushCallsAgree(threads: Int) {
            for round in 0..<Effort.repetitions(200) {
                let key = hop_key(type: 32, discriminator: UInt(round))
                let payloads = (0..<threads).map { _ in Payload() }
                let winners = Answers()
                let workers = payloads.map { payload in
                    Worker { [scene] in
                        winners.add(hop_find_or_push(scene.registry, key, payload.pointer, Payload.retain, nil))
                    }
                }
                for worker in workers { worker.join() }
                let winner = Payload.at(winners.all[0])
                #expect(winners.all.count == threads && winners.all.allSatisfy { $0 == winner.pointer })
                #expect(winner.retains == threads && scene.newest(key) == winner)
                hop_remove(scene.registry, key, winner.pointer, Payload.release)
                #expect(winner.releases == 1)
                #expect(payloads.filter { $0.releases != 0 }.count == 1)
            }
        }

        // MARK: Removing entries

        @Test func removalOfEntriesIsDueAfterANumberOfAdditions() {
            let registry = hop_registry_make()
            let payloads = (0..<30).map { _ in Payload() }
            func key(_ number: Int) -> hop_key { hop_key(type: UInt(number) * 16 + 16, discriminator: 1) }
            func isDue(afterAdding number: Int) -> Bool {
                var isDue = false
                _ = hop_find_or_push(registry, key(number), payloads[number].pointer, Payload.retain, &isDue)
                return isDue
            }
            for number in 0..<15 { #expect(!isDue(afterAdding: number)) }
            // An entry that is found is no addition.
            #expect(!isDue(afterAdding: 0) && isDue(afterAdding: 15) && isDue(afterAdding: 16))
            let entries = [2, 3, 5, 7].map { hop_entry(key: key($0), payload: payloads[$0].pointer) }
            hop_remove_entries(registry, entries, entries.count, 3, Payload.release)
            #expect(torture_count(registry) == 13)
            for number in 0..<17 { #expect(hop_contains(registry, key(number)) != [2, 3, 5, 7].contains(number)) }
            #expect(!isDue(afterAdding: 17) && !isDue(afterAdding: 18) && isDue(afterAdding: 19))
            hop_remove_entries(registry, nil, 0, 1, Payload.release)
            #expect(!isDue(afterAdding: 0) && isDue(afterAdding: 20))
            hop_registry_destroy(registry, Payload.release)
            #expect(areReleasedOnce(Array(payloads[..<21])))
        }

        @Test func entriesThatAreNotTheOnlyOnesOfTheirKeysStay() {
            let other = hop_key(type: 32, discriminator: 1)
            let (below, above, replaced) = (scene.push(key), scene.push(key), scene.push(other))
            let entries = [
                hop_entry(key: key, payload: below.pointer), hop_entry(key: key, payload: above.pointer),
                hop_entry(key: other, payload: above.pointer),
                hop_entry(key: hop_key(type: 64, discriminator: 1), payload: above.pointer),
            ]
            hop_remove_entries(scene.registry, entries, entries.count, 1, Payload.release)
            #expect(scene.stack(key) == [above, below] && scene.newest(other) === replaced)
            #expect(torture_count(scene.registry) == 3)
        }

        // MARK: Sealing

        @Test func sealedRegistryRefusesPushesAndServesLookups() {
            let before = scene.push(key)
            #expect(!hop_is_sealed(scene.registry))
            hop_seal(scene.registry)
            hop_seal(scene.registry)
            #expect(hop_is_sealed(scene.registry))
            let late = Payload()
            #expect(!hop_push(scene.registry, key, late.pointer, nil))
            #expect(!hop_replace(scene.registry, key, late.pointer, nil, Payload.release))
            #expect(scene.newest(key) == before && torture_count(scene.registry) == 1 && late.releases == 0)
            // `hop_find_or_push` serves entries of the owner itself, which a sealed registry still accepts.
            let own = hop_key(type: 48, discriminator: 1)
            #expect(hop_find_or_push(scene.registry, own, late.pointer, Payload.retain, nil) == late.pointer)
            #expect(scene.remove(own, late) && scene.remove(key, before))
            #expect(areReleasedOnce([late]))
        }

        @Test(arguments: [2, 4])
        func pushThatRacesWithSealIsFoundOrRefused(threads: Int) {
            for _ in 0..<Effort.repetitions(200) {
                // Sound, because a registry is thread-safe.
                nonisolated(unsafe) let registry = hop_registry_make()
                let accepted = Answers()
                let payloads = (0..<threads).map { _ in Payload() }
                let workers = payloads.map { [key] payload in
                    Worker { if hop_push(registry, key, payload.pointer, nil) { accepted.add(payload.pointer) } }
                }
                hop_seal(registry)
                let count = torture_count(registry)
                for worker in workers { worker.join() }
                #expect(torture_count(registry) == count && accepted.all.count == count)
                hop_registry_destroy(registry, Payload.release)
                #expect(payloads.allSatisfy { $0.releases == (accepted.all.contains($0.pointer) ? 1 : 0) })
            }
        }

        // MARK: Marks

        @Test func eachRegistryHasMarksOfItsOwn() {
            let child = hop_registry_make_child(scene.registry, Payload.release)
            for registry in [scene.registry, child] {
                #expect(hop_marks(registry) == 0)
                hop_marks_set(registry, 5)
                hop_marks_set(registry, 6)
                hop_marks_clear(registry, 4)
                #expect(hop_marks(registry) == 3 && hop_marks_after_fence(registry) == 3)
            }
            hop_seal(scene.registry)
            hop_marks_clear(scene.registry, 3)
            #expect(hop_marks(scene.registry) == 0 && hop_marks(child) == 3)
            hop_registry_destroy(child, Payload.release)
        }

        /// One thread marks and then looks for the others' words; the others write their words and then look for the mark.
        @Test(arguments: [2, 4])
        func noThreadMissesBothTheMarkAndAWord(threads: Int) {
            for _ in 0..<Effort.repetitions(2_000) {
                // Sound, because a registry is thread-safe.
                nonisolated(unsafe) let registry = hop_registry_make()
                nonisolated(unsafe) let words = UnsafeMutablePointer<UInt32>.allocate(capacity: threads)
                words.initialize(repeating: 0, count: threads)
                let unmarked = Answers()
                let workers = (0..<threads).map { thread in
                    Worker {
                        hop_word_store(words + thread, 1)
                        if hop_marks_after_fence(registry) == 0 { unmarked.add(UnsafeRawPointer(words + thread)) }
                    }
                }
                hop_marks_set(registry, 1)
                let unseen = (0..<threads).filter { hop_word_load(words + $0) == 0 }
                for worker in workers { worker.join() }
                #expect(unseen.allSatisfy { !unmarked.all.contains(UnsafeRawPointer(words + $0)) })
                words.deallocate()
                hop_registry_destroy(registry, Payload.release)
            }
        }

        // MARK: Numbers

        @Test func numbersOfEachRegistryRiseFromZero() {
            let other = hop_registry_make()
            defer { hop_registry_destroy(other, Payload.release) }
            let registry = hop_registry_make()
            defer { hop_registry_destroy(registry, Payload.release) }
            #expect((0..<3).map { _ in hop_next_number(registry) } == [0, 1, 2])
            #expect(hop_next_number(other) == 0)
            #expect(hop_next_number(nil) < hop_next_number(nil))
        }

        @Test func concurrentNumbersAreDistinct() {
            // Sound, because a registry is thread-safe.
            nonisolated(unsafe) let registry = hop_registry_make()
            defer { hop_registry_destroy(registry, Payload.release) }
            let count = Effort.repetitions(1_000)
            let workers = (0..<4).map { _ in
                Worker {
                    var last = -1
                    for _ in 0..<count {
                        let number = Int(hop_next_number(registry))
                        precondition(number > last)
                        last = number
                    }
                }
            }
            for worker in workers { worker.join() }
            #expect(hop_next_number(registry) == count * workers.count)
        }

        // MARK: Attachment

        @Test func firstAttachmentWins() {
            let registry = hop_registry_make()
            defer { hop_registry_destroy(registry, Payload.release) }
            let (first, second) = (Payload(), Payload())
            #expect(hop_attachment(registry) == nil)
            #expect(hop_attach(registry, first.pointer) == first.pointer)
            #expect(hop_attach(registry, second.pointer) == first.pointer)
            #expect(hop_attachment(registry) == first.pointer)
        }

        @Test func concurrentAttachmentsAgree() {
            for _ in 0..<Effort.repetitions(200) {
                // Sound, because a registry is thread-safe.
                nonisolated(unsafe) let registry = hop_registry_make()
                let payloads = (0..<4).map { _ in Payload() }
                let winners = Answers()
                let workers = payloads.map { payload in Worker { winners.add(hop_attach(registry, payload.pointer)) } }
                for worker in workers { worker.join() }
                #expect(Set(winners.all).count == 1 && hop_attachment(registry) == winners.all[0])
                hop_registry_destroy(registry, Payload.release)
            }
        }

        // MARK: Sleep

        @Test func wakeEndsSleep() {
            for round in 0..<Effort.repetitions(500) {
                let sleeper = Sleeper()
                let worker = Worker { hop_sleeper_sleep(sleeper.raw) }
                // Wakes it before or after it falls asleep.
                if round % 2 == 0 { usleep(UInt32(round % 5) * 20) }
                hop_sleeper_wake(sleeper.raw)
                worker.join()
            }
        }

        @Test func wakeBeforeSleepIsNotLost() {
            let sleeper = Sleeper()
            hop_sleeper_wake(sleeper.raw)
            hop_sleeper_sleep(sleeper.raw)
        }

        @Test func threadWordIsThreadLocal() {
            #expect(hop_thread_word_load() == nil)
            var number = 7
            withUnsafeMutablePointer(to: &number) { pointer in
                hop_thread_word_store(pointer)
                Worker { precondition(hop_thread_word_load() == nil) }.join()
                #expect(hop_thread_word_load() == UnsafeMutableRawPointer(pointer))
                hop_thread_word_store(nil)
            }
        }
    }
}

/// The results of several threads.
private final class Answers: @unchecked Sendable {
    private let lock = NSLock()
    private var answers: [UnsafeRawPointer] = []

    func add(_ answer: UnsafeRawPointer) { lock.withLock { answers.append(answer) } }

    var all: [UnsafeRawPointer] { lock.withLock { answers } }
}

/// A sleeper that two threads share. It is freed after both of them.
private final class Sleeper: @unchecked Sendable {
    let raw = hop_sleeper_make()

    deinit { hop_sleeper_destroy(raw) }
}
