// Tests the copies of a registry's content: the stack of a key at one moment, and the keys.

import CRegistry
import Testing

extension CRegistryTests {
    @Suite struct CopyTests {
        private let scene = Scene()
        private let key = hop_key(type: 16, discriminator: 0)

        @Test func copyOfNoStackIsEmpty() {
            #expect(hop_copy_stack(scene.registry, key, Payload.retain, nil, 0) == 0)
            scene.remove(key, scene.push(key))
            #expect(hop_copy_stack(scene.registry, key, Payload.retain, nil, 0) == 0)
        }

        @Test(arguments: [1, 2, 10])
        func copyIsNewestFirstAndRetainsEachOnce(height: Int) {
            let payloads = (0..<height).map { _ in scene.push(key) }
            #expect(scene.stack(key) == payloads.reversed())
            #expect(payloads.allSatisfy { $0.retains == 1 })
        }

        @Test(arguments: [1, 2, 10])
        func nothingIsStoredOrRetainedIfTheBufferIsTooSmall(height: Int) {
            let payloads = (0..<height).map { _ in scene.push(key) }
            let untouched = Payload().pointer
            for capacity in 0..<height {
                var buffer = [UnsafeRawPointer?](repeating: untouched, count: height)
                #expect(hop_copy_stack(scene.registry, key, Payload.retain, &buffer, capacity) == height)
                #expect(buffer.allSatisfy { $0 == untouched })
            }
            #expect(payloads.allSatisfy { $0.retains == 0 })
        }

        @Test func unusedBufferSpaceIsLeftUntouched() {
            let payload = scene.push(key)
            var buffer = [UnsafeRawPointer?](repeating: nil, count: 4)
            #expect(hop_copy_stack(scene.registry, key, Payload.retain, &buffer, 4) == 1)
            #expect(buffer == [payload.pointer, nil, nil, nil])
        }

        @Test func keysWithAPayloadAreCopiedOnce() {
            let kept = (1...50).map { hop_key(type: 16 * $0, discriminator: $0 % 3) }
            for key in kept {
                scene.push(key)
                scene.push(key)
            }
            let emptied = hop_key(type: 16 * 51, discriminator: 0)
            scene.remove(emptied, scene.push(emptied))
            let keys = scene.keys().sorted { $0.type < $1.type }
            #expect(keys.map(\.type) == kept.map(\.type))
            #expect(keys.map(\.discriminator) == kept.map(\.discriminator))
        }

        @Test func copiedKeysAreLimitedByTheBuffer() {
            for type in 1...10 as ClosedRange<UInt> { scene.push(hop_key(type: 16 * type, discriminator: 0)) }
            #expect(hop_copy_keys(scene.registry, nil, 0) == 10)
            var buffer = [hop_key](repeating: hop_key(), count: 10)
            #expect(hop_copy_keys(scene.registry, &buffer, 4) == 10)
            #expect(buffer.map { $0.type != 0 } == (0..<10).map { $0 < 4 })
        }
    }
}
