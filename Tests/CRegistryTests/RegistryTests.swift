// Tests the registry on one thread: stacks by key, lookups, releases and counts.

import CRegistry
import CTorture
import Testing

extension CRegistryTests {
    @Suite struct RegistryTests {
        private let scene = Scene()
        private let key = hop_key(type: 16, discriminator: 0)
        private let otherKey = hop_key(type: 32, discriminator: 0)

        @Test func newRegistryIsEmpty() {
            #expect(torture_count(scene.registry) == 0)
            #expect(scene.newest(key) == nil)
            #expect(!hop_contains(scene.registry, key))
            #expect(hop_statistics_read(scene.registry).capacity == 0)
        }

        @Test func newestPayloadIsFound() {
            for height in 1...3 {
                let payload = scene.push(key)
                #expect(scene.newest(key) === payload)
                #expect(torture_count(scene.registry) == height)
            }
            #expect(hop_contains(scene.registry, key))
            #expect(!hop_contains(scene.registry, otherKey))
        }

        @Test func lookupsInOneSectionMayReadSeveralRegistries() {
            let (other, payload) = (Scene(), scene.push(key))
            let others = (0..<100).map { other.push(hop_key(type: UInt($0) * 16 + 16, discriminator: 1)) }
            let found = hop_read_begin(scene.registry, key)
            let payloads = (0..<100).map { hop_find(other.registry, hop_key(type: $0 * 16 + 16, discriminator: 1)) }
            let missing = hop_find(other.registry, key)
            hop_section_end(found.thread)
            #expect(found.payload == payload.pointer)
            #expect(payloads == others.map { Optional($0.pointer) })
            #expect(missing == nil)
        }

        @Test(arguments: [0, 1, 2])
        func removalAtAnyDepthLeavesTheOthersInOrder(depth: Int) {
            let pushed = [scene.push(key), scene.push(key), scene.push(key)]
            var expected = Array(pushed.reversed())
            let removed = expected.remove(at: depth)
            #expect(scene.remove(key, removed))
            #expect(areReleasedOnce([removed]))
            #expect(scene.stack(key) == expected)
            #expect(scene.newest(key) === expected.first)
            #expect(torture_count(scene.registry) == 2)
            #expect(expected.allSatisfy { $0.releases == 0 })
        }

        @Test func everyOrderOfRemovalEmptiesTheStack() {
            for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                let pushed = [scene.push(key), scene.push(key), scene.push(key)]
                for index in order {
                    #expect(scene.remove(key, pushed[index]))
                    #expect(!scene.remove(key, pushed[index]))
                }
                #expect(scene.newest(key) == nil)
                #expect(areReleasedOnce(pushed))
            }
            #expect(torture_count(scene.registry) == 0)
        }

        @Test func removalOfAnUnknownPayloadCallsNothing() {
            let unknown = Payload()
            #expect(!scene.remove(key, unknown))
            let only = scene.push(key)
            #expect(!scene.remove(key, unknown))
            let second = scene.push(key)
            #expect(!scene.remove(key, unknown))
            #expect(!scene.remove(otherKey, only))
            #expect(!Scene().remove(key, only))
            #expect([unknown, only, second].allSatisfy { $0.releases == 0 })
            #expect(scene.stack(key) == [second, only])
        }

        @Test func removedPayloadIsNeverTouched() throws {
            // An invalid address, which can only be compared.
            let nowhere = try #require(UnsafeRawPointer(bitPattern: 0x10))
            scene.push(key)
            #expect(!hop_remove(scene.registry, key, nowhere) { _ in Issue.record("released") })
        }

        @Test func discriminatorsDistinguishKeys() {
            let keys = [0, 1, 2, UInt.max].map { hop_key(type: 16, discriminator: $0) }
            let payloads = keys.map { scene.push($0) }
            for (key, payload) in zip(keys, payloads) { #expect(scene.stack(key) == [payload]) }
            #expect(scene.remove(keys[1], payloads[1]))
            #expect(scene.newest(keys[1]) == nil)
            #expect(scene.newest(keys[0]) === payloads[0])
            #expect(scene.newest(hop_key(type: 16, discriminator: 3)) == nil)
        }

        @Test(arguments: [0, 1, 3])
        func replacementTakesThePlaceOfTheWholeStack(height: Int) {
            let old = (0..<height).map { _ in scene.push(key) }
            let kept = scene.push(otherKey)
            let new = scene.replace(key)
            #expect(areReleasedOnce(old))
            #expect(scene.stack(key) == [new])
            #expect(torture_count(scene.registry) == 2)
            #expect(scene.stack(otherKey) == [kept])
            #expect(new.releases == 0 && kept.releases == 0)
        }

        @Test func replacementOfAnEmptiedStackIsAPush() {
            scene.remove(key, scene.push(key))
            let new = scene.replace(key)
            #expect(scene.stack(key) == [new])
            #expect(torture_count(scene.registry) == 1)
        }

        @Test func removeAllReleasesEverythingAndLeavesAUsableRegistry() {
            let payloads = (1...100).map { scene.push(hop_key(type: 16 * ($0 / 2 + 1), discriminator: 0)) }
            scene.removeAll()
            #expect(areReleasedOnce(payloads))
            #expect(torture_count(scene.registry) == 0)
            #expect(scene.keys().isEmpty)
            scene.removeAll()
            let payload = scene.push(key)
            #expect(scene.stack(key) == [payload])
            #expect(payloads.allSatisfy { $0.releases == 1 })
        }

        @Test func destructionReleasesEachPayloadOnce() {
            let scene = Scene()
            var payloads = [scene.push(key), scene.push(key), scene.push(key), scene.push(otherKey)]
            #expect(scene.remove(key, payloads[1]))
            payloads.append(scene.replace(otherKey))
            scene.destroy()
            #expect(areReleasedOnce(payloads))
        }

        @Test func registriesShareNothing() {
            let other = Scene()
            let payload = scene.push(key)
            #expect(other.newest(key) == nil)
            other.push(key)
            other.removeAll()
            #expect(scene.stack(key) == [payload])
            #expect(payload.releases == 0)
        }

        @Test func namesHaveARegistryOfTheirOwn() {
            #expect(hop_names() == hop_names())
            let payload = Payload()
            let name = hop_key(type: 48, discriminator: 1)
            let first = hop_find_or_push(hop_names(), name, payload.pointer, Payload.retain, nil)
            let second = hop_find_or_push(hop_names(), name, scene.push(key).pointer, Payload.retain, nil)
            #expect(first == payload.pointer && second == payload.pointer)
            #expect(hop_contains(hop_names(), name) && !hop_contains(nil, name))
            // Names are permanent, but this payload belongs to the test.
            #expect(hop_remove(hop_names(), name, payload.pointer, Payload.release))
            #expect(payload.releases == 1)
        }

        @Test func defaultRegistryNeedsNoInitialization() {
            // Addresses that no type has.
            let keys = (1...64).map { hop_key(type: UInt.max - 16 * $0 + 1, discriminator: 0xBAD) }
            let before = keys.map { hop_contains(nil, $0) }
            #expect(!before.contains(true))
            let payloads = keys.map { key in
                let payload = Payload()
                hop_push(nil, key, payload.pointer, nil)
                return payload
            }
            for (key, payload) in zip(keys, payloads) {
                #expect(hop_contains(nil, key))
                #expect(!hop_contains(scene.registry, key))
                #expect(hop_remove(nil, key, payload.pointer, Payload.release))
                #expect(!hop_contains(nil, key))
            }
            #expect(areReleasedOnce(payloads))
        }
    }
}
