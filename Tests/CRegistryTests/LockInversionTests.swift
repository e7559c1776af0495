// Tests locks of the user around removals and inside borrows, in every order.

import CRegistry
import CTorture
import Foundation
import Testing

extension CRegistryTests {
    @Suite struct LockInversionTests {
        private let key = hop_key(type: 16, discriminator: 0)
        private let otherKey = hop_key(type: 32, discriminator: 0)
        private let rounds = Effort.repetitions(5_000)

        @Test func removerHoldsTheLockThatABorrowerWaitsFor() {
            expectNoDeadlock { scene, lock in
                let payload = scene.push(key)
                lock.withLock {
                    sched_yield()
                    scene.remove(key, payload)
                }
            } and: { scene, lock in
                scene.borrow(key) { _ in lock.withLock { _ = sched_yield() } }
            }
        }

        @Test func borrowerHoldsTheLockThatARemoverWaitsFor() {
            expectNoDeadlock { scene, lock in
                let payload = scene.push(key)
                scene.borrow(key) { _ in
                    sched_yield()
                    lock.withLock { _ = scene.remove(key, payload) }
                }
            } and: { scene, lock in
                let payload = scene.push(key)
                lock.withLock {}
                scene.remove(key, payload)
            }
        }

        @Test func bothBorrowAndBothRemoveUnderTheLock() {
            let body = { @Sendable [key] (scene: Scene, lock: NSLock) in
                scene.borrow(key) { found in
                    lock.withLock {
                        sched_yield()
                        if let found { scene.remove(key, found) }
                    }
                    lock.withLock { _ = scene.push(key) }
                }
            }
            expectNoDeadlock(body, and: body)
        }

        @Test func releaseTakesTheLockThatABorrowerHolds() {
            expectNoDeadlock { scene, lock in
                // The releasing thread takes the lock: here, or at the end of the other section, outside the lock.
                scene.remove(otherKey, scene.push(otherKey) { lock.withLock {} })
            } and: { scene, lock in
                scene.borrow(otherKey) { _ in lock.withLock { _ = scene.remove(key, scene.push(key)) } }
            }
        }

        @Test func borrowersRemoveEachOthersPayloadAndWaitForEachOthersLock() {
            let locks = [NSLock(), NSLock()]
            let keys = [key, otherKey]
            // Each thread removes the payload of the other under its own lock, and only then waits for the other lock.
            let body = { @Sendable (scene: Scene, mine: Int) in
                let other = 1 - mine
                scene.push(keys[mine])
                scene.borrow(keys[mine]) { _ in
                    locks[mine].withLock {
                        sched_yield()
                        if let found = scene.newest(keys[other]) { scene.remove(keys[other], found) }
                    }
                    locks[other].withLock {}
                }
            }
            expectNoDeadlock { scene, _ in
                body(scene, 0)
            } and: { scene, _ in
                body(scene, 1)
            }
        }

        /// Repeats two closures on two threads, and checks that both finish.
        private func expectNoDeadlock(
            _ one: @escaping @Sendable (Scene, NSLock) -> Void, and other: @escaping @Sendable (Scene, NSLock) -> Void
        ) {
            let scene = Scene()
            let lock = NSLock()
            let rounds = rounds
            let gates = [one, other].map { body in
                let done = Gate()
                Thread {
                    for _ in 0..<rounds { body(scene, lock) }
                    done.open()
                }.start()
                return done
            }
            for gate in gates { #expect(gate.wait(), "a borrower and a remover wait for each other") }
        }
    }
}
