// Tests the lock, the published word, the override flag and the number of watchers.

import CRegistry
import CTorture
import Testing

extension CRegistryTests {
    @Suite struct PrimitivesTests {
        /// Words that threads share. The lock guards `count`, and the published word orders `written`.
        private final class Shared: @unchecked Sendable {
            let lock = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
            let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
            var count = 0
            var written = 0

            init() {
                lock.initialize(to: 0)
                word.initialize(to: 0)
            }

            deinit {
                lock.deallocate()
                word.deallocate()
            }
        }

        #if compiler(>=6.2)
            @Test func watchersAreCounted() async {
                // In a process of its own, in which nothing else watches.
                await #expect(processExitsWith: .success) {
                    #expect(!hop_is_watched())
                    func watchFromManyThreads() {
                        let workers = (0..<8).map { _ in
                            Worker {
                                for _ in 0..<1_000 {
                                    hop_watch_begin()
                                    precondition(hop_is_watched())
                                    hop_watch_end()
                                }
                            }
                        }
                        for worker in workers { worker.join() }
                    }
                    watchFromManyThreads()
                    #expect(!hop_is_watched())
                }
            }
        #endif

        @Test(arguments: [1, 2, 8])
        func lockExcludes(threads: Int) {
            let shared = Shared()
            let increments = Effort.repetitions(100_000) / threads
            let workers = (0..<threads).map { _ in
                Worker {
                    for _ in 0..<increments {
                        hop_lock_acquire(shared.lock)
                        shared.count += 1
                        hop_lock_release(shared.lock)
                    }
                }
            }
            for worker in workers { worker.join() }
            #expect(shared.count == threads * increments)
            #expect(shared.lock.pointee == 0)
        }

        @Test func lockIsHeldUntilItIsReleased() {
            let shared = Shared()
            let acquired = Gate()
            hop_lock_acquire(shared.lock)
            let waiter = Worker {
                hop_lock_acquire(shared.lock)
                acquired.open()
                hop_lock_release(shared.lock)
            }
            #expect(!acquired.wait(milliseconds: 20))
            hop_lock_release(shared.lock)
            #expect(acquired.wait())
            waiter.join()
        }

        @Test func storedWordPublishesEarlierWrites() {
            for round in 1...Effort.repetitions(200) {
                let shared = Shared()
                let writer = Worker {
                    shared.written = round
                    hop_word_store(shared.word, UInt32(round))
                }
                #expect(eventually { hop_word_load(shared.word) != 0 })
                #expect(hop_word_load(shared.word) == UInt32(round))
                #expect(shared.written == round)
                writer.join()
            }
        }

        #if compiler(>=6.2) && (os(Linux) || os(macOS))
            // In processes of their own, because the word is one for the process.

            @Test func sharedObjectIsHiddenUntilTheLastOverrideEnds() async {
                await #expect(processExitsWith: .success) {
                    let object = UnsafeMutablePointer<Int>.allocate(capacity: 1)
                    defer { object.deallocate() }
                    let shared = UnsafeRawPointer(object)
                    #expect(hop_shared() == nil && torture_shared_overrides() == 0)
                    // An override before the object is published, and one after that.
                    for _ in 1...2 {
                        for _ in 1...2 {
                            hop_shared_override_begin()
                            hop_shared_publish(shared)
                            #expect(hop_shared() == nil && torture_shared_overrides() > 0)
                        }
                        hop_shared_override_end()
                        hop_shared_publish(shared)
                        #expect(hop_shared() == nil && torture_shared_overrides() > 0)
                        hop_shared_override_end()
                        #expect(hop_shared() == nil && torture_shared_overrides() == 0)
                        hop_shared_publish(shared)
                        #expect(hop_shared() == shared && torture_shared_overrides() == 0)
                    }
                }
            }

            @Test func codeUnderAnOverrideNeverSeesTheSharedObject() async {
                await #expect(processExitsWith: .success) { PrimitivesTests.raceOverrides() }
            }

            private static func raceOverrides() {
                let (object, mistakes) = (Shared(), Shared())
                let workers = (0..<4).map { _ in
                    Worker {
                        for round in 0..<Effort.repetitions(20_000) {
                            hop_shared_override_begin()
                            if hop_shared() != nil || torture_shared_overrides() == 0 {
                                hop_word_increment(mistakes.word)
                            }
                            hop_shared_override_end()
                            // The next override begins before the object is published, after that, or beside another override.
                            if round % 4 == 0, torture_shared_overrides() == 0 { hop_shared_publish(object.word) }
                        }
                    }
                }
                for worker in workers { worker.join() }
                #expect(hop_word_load(mistakes.word) == 0)
                #expect(torture_shared_overrides() == 0)
                withExtendedLifetime(object) {}
            }
        #endif
    }
}
