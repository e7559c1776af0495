// Tests that release callbacks run outside every lock, so that they may call any function.

import CRegistry
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
            #expect(eventuallyReleased([top, below]))
            #expect(hop_count(scene.registry) == 0)
        }

        @Test func releaseMayResolvePushReplaceAndEmpty() {
            let (scene, key, otherKey) = (scene, key, otherKey)
            let payload = scene.push(key) { [unowned scene] in
                let inner = scene.push(otherKey)
                #expect(scene.newest(otherKey) === inner)
                scene.borrow(otherKey) { #expect($0 === inner) }
                scene.replace(otherKey)
                #expect(inner.releases <= 1)
                scene.removeAll()
                for type in 1...100 as ClosedRange<UInt> { scene.push(hop_key(type: type * 16, discriminator: 1)) }
            }
            scene.remove(key, payload)
            #expect(eventuallyReleased([payload]))
            #expect(hop_count(scene.registry) == 100)
        }

        @Test func eachReleaseOfAReplacedStackSeesTheNewOne() {
            let (scene, key) = (scene, key)
            let old = (0..<3).map { _ in
                scene.push(key) { [unowned scene] in #expect(scene.stack(key).count == 1) }
            }
            let new = scene.replace(key)
            #expect(eventuallyReleased(old))
            #expect(scene.stack(key) == [new])
        }

        @Test func recursiveEmptyingReleasesOnce() {
            let scene = scene
            let payloads = (1...20).map { type in
                scene.push(hop_key(type: type * 16, discriminator: 0)) { [unowned scene] in scene.removeAll() }
            }
            scene.removeAll()
            #expect(eventuallyReleased(payloads))
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
            #expect(eventuallyReleased(payloads))
            #expect(hop_count(scene.registry) == 0)
        }

        @Test func deferredReleaseMayCallTheRegistry() {
            let (scene, key, otherKey) = (scene, key, otherKey)
            let payload = scene.push(key) { [unowned scene] in
                scene.borrow(otherKey) { (_: Payload?) -> Void in scene.remove(otherKey, scene.push(otherKey)) }
            }
            let borrower = Borrower(scene, key)
            scene.remove(key, payload)
            #expect(payload.releases == 0)
            borrower.end()
            #expect(eventuallyReleased([payload]))
            #expect(hop_count(scene.registry) == 0)
        }

        @Test func releaseDuringDestructionMayUseAnotherRegistry() {
            let other = Scene()
            let (scene, key) = (scene, key)
            let payloads = (0..<10).map { _ in
                other.push(key) { [unowned scene] in scene.push(key) }
            }
            other.destroy()
            #expect(eventuallyReleased(payloads))
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
            #expect(eventuallyReleased([payload, other]))
        }
    }
}
