// Tests the table: growth, collisions, removal of unused keys, and lookups without side effects.

import CRegistry
import CTorture
import Testing

extension CRegistryTests {
    @Suite struct TableTests {
        private let registry = hop_registry_make()
        private let release: hop_release = { _ in }

        /// An invalid address, which the registry never dereferences.
        private func payload(_ number: Int) -> UnsafeRawPointer {
            UnsafeRawPointer(bitPattern: UInt(number + 1) * 16).unsafelyUnwrapped
        }

        private func newest(_ registry: OpaquePointer, _ key: hop_key) -> UnsafeRawPointer? {
            let found = hop_read_begin(registry, key)
            defer { hop_section_end(found.thread) }
            return found.payload
        }

        /// Similar to addresses of types: aligned and close to each other.
        private func key(_ number: Int) -> hop_key {
            hop_key(type: 0x5555_0000_0000 + UInt(number) * 16, discriminator: 0)
        }

        @Test func everyKeyIsFoundWhileTheTableGrows() {
            defer { hop_registry_destroy(registry, release) }
            let count = Effort.repetitions(100_000)
            for number in 0..<count {
                hop_push(registry, key(number), payload(number), nil)
                // The newest key, the oldest key and one between, in the current table.
                let between = number / 2
                if newest(registry, key(number)) != payload(number) || newest(registry, key(0)) != payload(0)
                    || newest(registry, key(between)) != payload(between)
                {
                    Issue.record("lost among \(number) keys")
                    return
                }
            }
            let wrong = (0..<count).filter { newest(registry, key($0)) != payload($0) }
            #expect(wrong.isEmpty)
            #expect(newest(registry, key(count)) == nil)
            #expect(torture_count(registry) == count)
            let capacity = hop_statistics_read(registry).capacity
            #expect(capacity >= count * 2 && capacity <= count * 8)
        }

        @Test func collidingKeysAreDistinguished() {
            defer { hop_registry_destroy(registry, release) }
            // Multiples of the inverse of the low half of the hash's factor have neighbouring hashes. All of these keys, and the
            // keys without a discriminator, collide in a table of any size.
            let keys = (0..<500).map { hop_key(type: 16, discriminator: UInt($0) * 0x9937_733D & 0xFFFF_FFFF) }
            for (number, key) in keys.enumerated() { hop_push(registry, key, payload(number), nil) }
            #expect(keys.enumerated().allSatisfy { newest(registry, $1) == payload($0) })
            for (number, key) in keys.enumerated() where number % 2 == 0 {
                #expect(hop_remove(registry, key, payload(number), release))
            }
            for (number, key) in keys.enumerated() {
                #expect(newest(registry, key) == (number % 2 == 0 ? nil : payload(number)))
            }
        }

        @Test func emptiedKeysAreDroppedFromTheTable() {
            defer { hop_registry_destroy(registry, release) }
            hop_push(registry, key(0), payload(0), nil)
            for number in 1...Effort.repetitions(100_000) {
                hop_push(registry, key(number), payload(number), nil)
                hop_remove(registry, key(number), payload(number), release)
            }
            #expect(hop_statistics_read(registry).capacity <= 64)
            #expect(newest(registry, key(0)) == payload(0))
            #expect(hop_copy_keys(registry, nil, 0) == 1)
        }

        @Test func tableShrinksWhenItIsRebuiltForFewerKeys() {
            defer { hop_registry_destroy(registry, release) }
            for number in 0..<10_000 { hop_push(registry, key(number), payload(number), nil) }
            let capacity = hop_statistics_read(registry).capacity
            for number in 10..<10_000 { hop_remove(registry, key(number), payload(number), release) }
            for number in 10_000..<50_000 {
                hop_push(registry, key(number), payload(number), nil)
                hop_remove(registry, key(number), payload(number), release)
            }
            #expect(hop_statistics_read(registry).capacity < capacity / 10)
            #expect((0..<10).allSatisfy { newest(registry, key($0)) == payload($0) })
        }

        @Test func emptiedKeyReusesItsSlot() {
            defer { hop_registry_destroy(registry, release) }
            for _ in 0..<Effort.repetitions(20_000) {
                hop_push(registry, key(0), payload(0), nil)
                hop_remove(registry, key(0), payload(0), release)
            }
            #expect(hop_statistics_read(registry).capacity == 16)
        }

        @Test func churnDoesNotGrowMemory() {
            defer { hop_registry_destroy(registry, release) }
            let rounds = Effort.repetitions(100_000)
            hop_push(registry, key(0), payload(0), nil)
            expectOneOfManyAttempts {
                let memory = torture_resident_memory()
                for _ in 0..<rounds {
                    // Removed from the middle, so that a node is copied. The payload that replaces the stack is the bottom of the
                    // next round.
                    hop_push(registry, key(0), payload(1), nil)
                    hop_push(registry, key(0), payload(2), nil)
                    hop_remove(registry, key(0), payload(1), release)
                    hop_replace(registry, key(0), payload(3), nil, release)
                }
                return torture_resident_memory() < memory + 4_000_000
            }
            #expect(torture_count(registry) == 1)
        }

        @Test func removeAllFreesTheTable() {
            defer { hop_registry_destroy(registry, release) }
            for number in 0..<1_000 { hop_push(registry, key(number), payload(number), nil) }
            hop_remove_all(registry, release)
            #expect(hop_statistics_read(registry).capacity == 0)
        }

        @Test func lookupsOfUnknownKeysChangeNothing() {
            defer { hop_registry_destroy(registry, release) }
            for number in 0..<100 { hop_push(registry, key(number), payload(number), nil) }
            let unknown = Effort.repetitions(1_000_000)
            expectOneOfManyAttempts {
                let before = hop_statistics_read(registry)
                let memory = torture_resident_memory()
                let found = torture_look_up_unknown(registry, unknown)
                let after = hop_statistics_read(registry)
                #expect(found == 0)
                #expect(after.capacity == before.capacity)
                #expect(torture_count(registry) == 100)
                return after.thread_records == before.thread_records
                    && torture_resident_memory() < memory + 4_000_000
            }
        }
    }
}
