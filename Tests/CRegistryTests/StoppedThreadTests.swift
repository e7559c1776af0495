// Tests threads that are preempted at any point: which other threads they block, and that blocked threads sleep.

import CRegistry
import CTorture
import Foundation
import Testing

extension CRegistryTests {
    @Suite struct StoppedThreadTests {
        private let key = hop_key(type: 16, discriminator: 0)
        private let otherKey = hop_key(type: 32, discriminator: 0)

        /// How long a thread stays stopped, in seconds.
        private static let stop = 0.2

        @Test func removersWaitForAStoppedReaderAndResumePromptly() {
            expectOneOfManyAttempts {
                let scene = Scene()
                let payload = scene.push(key)
                let reader = StoppedReader()
                let remover = Timed { [key] in scene.remove(key, payload) }
                Thread.sleep(forTimeInterval: Self.stop)
                #expect(!remover.isDone)
                #expect(payload.releases == 0)
                let start = seconds(CLOCK_MONOTONIC)
                reader.goOn()
                remover.wait()
                // The remover checks again after a millisecond at most. A busy machine may delay it.
                return seconds(CLOCK_MONOTONIC) - start < 0.01 && payload.releases == 1
            }
        }

        @Test func writersThatWaitForAStoppedReaderSleep() {
            expectOneOfManyAttempts {
                let scene = Scene()
                let payload = scene.push(key)
                for type in 2...8 as ClosedRange<UInt> { scene.push(hop_key(type: 16 * type, discriminator: 0)) }
                let other = scene.newest(otherKey)
                let reader = StoppedReader()
                var waiting: [Timed] = [
                    Timed { [key] in scene.remove(key, payload) },
                    Timed { [otherKey] in scene.replace(otherKey) },
                    Timed { hop_wait_for_reads() },
                ]
                // `removeAll` starts after this, so that the first two removers have payloads to remove.
                #expect(eventually { scene.newest(key) == nil && scene.newest(otherKey) != other })
                waiting.append(Timed { scene.removeAll() })
                Thread.sleep(forTimeInterval: Self.stop)
                #expect(waiting.allSatisfy { !$0.isDone })
                reader.goOn()
                for one in waiting { one.wait() }
                // Half of this limit covers the first millisecond, in which a waiter spins.
                return waiting.allSatisfy { $0.processorSeconds < Self.stop * 0.2 }
            }
        }

        @Test func waitersForTheLockOfAStoppedThreadSleep() {
            expectOneOfManyAttempts {
                let lock = Lock()
                hop_lock_acquire(lock.word)
                let waiting = Timed {
                    hop_lock_acquire(lock.word)
                    hop_lock_release(lock.word)
                }
                Thread.sleep(forTimeInterval: Self.stop)
                #expect(!waiting.isDone)
                hop_lock_release(lock.word)
                waiting.wait()
                return waiting.processorSeconds < Self.stop * 0.2
            }
        }

        @Test func readersAndRegistrationsGoOnWhileAReaderIsStopped() {
            let scene = Scene()
            let payload = scene.push(key)
            let reader = StoppedReader()
            let remover = Timed { [key] in scene.remove(key, payload) }
            let others = Timed { [key, otherKey] in
                let first = scene.push(otherKey)
                // The second payload of a key, so that nodes are allocated, too.
                let second = scene.push(otherKey)
                for _ in 0..<1_000 {
                    #expect(scene.newest(otherKey) === second)
                    #expect(scene.stack(otherKey) == [second, first])
                    scene.borrow(otherKey) { #expect($0 === second) }
                    // The payload is removed, although the remover still waits to release it.
                    eventuallyNil(scene, key)
                }
                let made = Scene()
                made.push(key)
                made.destroy()
            }
            #expect(others.wait(), "a stopped reader holds readers or registrations up")
            #expect(!remover.isDone)
            reader.goOn()
            remover.wait()
            #expect(areReleasedOnce([payload]))
        }

        @Test func registrationThatReplacesTheTableDoesNotWaitForAStoppedReader() {
            let scene = Scene()
            for type in 1...8 as ClosedRange<UInt> { scene.push(hop_key(type: 16 * type, discriminator: 0)) }
            #expect(hop_statistics_read(scene.registry).capacity == 16)
            let reader = StoppedReader()
            let growing = Timed {
                for type in 9...100 as ClosedRange<UInt> { scene.push(hop_key(type: 16 * type, discriminator: 0)) }
            }
            #expect(growing.wait(), "a stopped reader holds a registration up")
            #expect(hop_statistics_read(scene.registry).capacity > 16)
            reader.goOn()
        }

        @Test func stoppedBorrowerBlocksNoOtherThread() {
            let scene = Scene()
            let payloads = [scene.push(key), scene.push(otherKey)]
            let borrower = Borrower(scene, key)
            let others = Timed { [key, otherKey] in
                scene.remove(key, payloads[0])
                scene.replace(otherKey)
                for type in 3...500 as ClosedRange<UInt> { scene.push(hop_key(type: 16 * type, discriminator: 0)) }
                scene.removeAll()
                hop_wait_for_reads()
            }
            #expect(others.wait(), "a borrow holds writers up")
            #expect(payloads[0].releases == 0 && payloads[1].releases == 1)
            borrower.end()
            #expect(areReleasedOnce(payloads))
        }
    }
}

private func eventuallyNil(_ scene: Scene, _ key: hop_key) {
    #expect(eventually { scene.newest(key) == nil })
}

private func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// A thread that is stopped inside a read section until it is resumed.
private struct StoppedReader {
    private let resume = Gate()
    private let worker: Worker

    init() {
        let inside = Gate()
        let resume = resume
        worker = Worker {
            let thread = hop_section_begin()
            inside.open()
            resume.wait()
            hop_section_end(thread)
        }
        inside.wait()
    }

    func goOn() {
        resume.open()
        worker.join()
    }
}

/// A closure on a thread of its own, and the processor time that it takes.
///
/// The thread writes before it opens the gate, and other threads read after they have waited for it.
private final class Timed: @unchecked Sendable {
    private let done = Gate()
    private let begun = Gate()
    private(set) var processorSeconds = 0.0

    init(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread { [self] in
            begun.open()
            let start = seconds(CLOCK_THREAD_CPUTIME_ID)
            body()
            processorSeconds = seconds(CLOCK_THREAD_CPUTIME_ID) - start
            done.open()
        }
        thread.start()
        begun.wait()
    }

    var isDone: Bool { done.wait(milliseconds: 0) }

    @discardableResult
    func wait() -> Bool { done.wait() }
}

/// The word of a lock at a fixed address.
///
/// The functions of the lock are thread-safe.
private final class Lock: @unchecked Sendable {
    let word = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)

    init() { word.initialize(to: 0) }

    deinit { word.deallocate() }
}
