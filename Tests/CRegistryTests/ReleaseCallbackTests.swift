// Tests that release callbacks run outside every lock, so that they may call any function.

import CRegistry
import CTorture
import Testing

extension CRegistryTests {
    @Suite struct ReleaseCallbackTests {
        private let scene = Scene()
        private let key = hop_key(type: 16, discriminator: 0)
        private let otherKey = hop_key(type: 32, discriminator: 0)

        @Test func releaseMayRemoveFromTheSameStack() {
            let below = scene.push(key)
            let (scene, key) = (scene, key)
            let top = scene.push(key) { [unowned scene] in
                #expect(scene.newest(key) === below)
                #expect(scene.remove(key, below))
            }
            scene.remove(key, top)
            #expect(areReleasedOnce([top, below]))
            #expect(torture_count(scene.registry) == 0)
        }

        @Test func releaseMayResolvePushReplaceAndEmpty() {
            let (scene, key, otherKey) = (scene, key, otherKey)
            let payload = scene.push(key) { [unowned scene] in
                let inner = scene.push(otherKey)
                #expect(scene.newest(otherKey) === inner)
                scene.borrow(otherKey) { #expect($0 === inner) }
                scene.replace(otherKey)
                #expect(inner.releases == 1)
                scene.removeAll()
                for type in 1...100 as ClosedRange<UInt> { scene.push(hop_key(type: type * 16, discriminator: 1)) }
            }
            scene.remove(key, payload)
            #expect(areReleasedOnce([payload]))
            #expect(torture_count(scene.registry) == 100)
        }

        @Test func eachReleaseOfAReplacedStackSeesTheNewOne() {
            let (scene, key) = (scene, key)
            let old = (0..<3).map { _ in
                scene.push(key) { [unowned scene] in #expect(scene.stack(key).count == 1) }
            }
            let new = scene.replace(key)
            #expect(areReleasedOnce(old))
            #expect(scene.stack(key) == [new])
        }

        @Test func recursiveEmptyingReleasesOnce() {
            let scene = scene
            let payloads = (1...20).map { type in
                scene.push(hop_key(type: type * 16, discriminator: 0)) { [unowned scene] in scene.removeAll() }
            }
            scene.removeAll()
            #expect(areReleasedOnce(payloads))
        }

        @Test func chainOfReleasesEnds() {
            let scene = scene
            let length: UInt = 1_000
            @Sendable func key(_ number: UInt) -> hop_key { hop_key(type: 16 * (number + 1), discriminator: 0) }
            var next: Payload?
            var payloads: [Payload] = []
            for number in 0..<length {
                let pushed = scene.push(key(number)) { [unowned scene, next] in
                    if let next { scene.remove(key(number - 1), next) }
                }
                next = pushed
                payloads.append(pushed)
            }
            scene.remove(key(length - 1), payloads[payloads.count - 1])
            #expect(areReleasedOnce(payloads))
            #expect(torture_count(scene.registry) == 0)
        }

        /// The release callback at the end of a borrow pushes a payload, borrows it and removes it. Then it uses all places of the thread for
        /// borrows, removes all payloads, and destroys another registry.
        @Test func releaseAtTheEndOfABorrowMayCallTheRegistry() {
            let (scene, key, otherKey) = (scene, key, otherKey)
            let other = Scene()
            let destroyed = (0..<10).map { _ in other.push(key) }
            let payload = scene.push(key) { [unowned scene] in
                let inner = scene.push(otherKey)
                scene.borrow(otherKey) { found in
                    #expect(found === inner)
                    #expect(scene.remove(otherKey, inner) && inner.releases == 0)
                }
                #expect(inner.releases == 1)
                let last = scene.push(key)
                // The place of the borrow that ends is free.
                let borrows = (0..<4).compactMap { _ in hop_borrow_begin(scene.registry, key).borrow }
                #expect(borrows.count == 4)
                scene.removeAll()
                #expect(last.releases == 0)
                for borrow in borrows { hop_borrow_end(borrow) }
                #expect(last.releases == 1)
                other.destroy()
                #expect(areReleasedOnce(destroyed))
            }
            let borrower = Borrower(scene, key)
            scene.remove(key, payload)
            #expect(payload.releases == 0 && areUnreleased(destroyed))
            borrower.end()
            #expect(payload.releases == 1)
            #expect(torture_count(scene.registry) == 0)
        }

        /// Each release ends the borrow of the next payload, which is then released inside.
        @Test func releaseMayEndAnotherBorrow() {
            // Unchecked, because it has a variable. Sound, because only the thread of the test uses it.
            final class Borrows: @unchecked Sendable {
                var open: [OpaquePointer] = []

                func endLast() { if let borrow = open.popLast() { hop_borrow_end(borrow) } }
            }
            let borrows = Borrows()
            let keys = (1...4).map { hop_key(type: $0 * 16, discriminator: 2) }
            let payloads = keys.map { key in scene.push(key) { borrows.endLast() } }
            borrows.open = keys.compactMap { hop_borrow_begin(scene.registry, $0).borrow }
            #expect(borrows.open.count == 4)
            for (key, payload) in zip(keys, payloads) { scene.remove(key, payload) }
            #expect(areUnreleased(payloads))
            borrows.endLast()
            #expect(areReleasedOnce(payloads) && borrows.open.isEmpty)
        }

        @Test func releaseDuringDestructionMayUseAnotherRegistry() {
            let other = Scene()
            let (scene, key) = (scene, key)
            let payloads = (0..<10).map { _ in
                other.push(key) { [unowned scene] in scene.push(key) }
            }
            other.destroy()
            #expect(areReleasedOnce(payloads))
            #expect(scene.stack(key).count == 10)
        }

        @Test func otherThreadsReadAndWriteWhileAReleaseRuns() {
            let (scene, key, otherKey) = (scene, key, otherKey)
            let running = Gate()
            let done = Gate()
            let payload = scene.push(key) {
                running.open()
                #expect(done.wait(), "a release holds others up")
            }
            let remover = Worker { [unowned scene] in scene.remove(key, payload) }
            #expect(running.wait())
            let other = scene.push(otherKey)
            #expect(scene.newest(otherKey) === other)
            #expect(scene.remove(otherKey, other))
            done.open()
            remover.join()
            #expect(areReleasedOnce([payload, other]))
        }
    }
}
