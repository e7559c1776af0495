// Tests the first table of a child registry, which lies in the allocation of the registry.

import CRegistry
import CTorture
import Testing

extension CRegistryTests {
    @Suite struct ChildTableTests {
        private let parent = Scene()

        private func key(_ number: Int) -> hop_key { hop_key(type: UInt(number + 1) * 16, discriminator: 0) }

        private func newest(_ registry: OpaquePointer, _ number: Int) -> Payload? {
            let found = hop_read_begin(registry, key(number))
            defer { hop_section_end(found.thread) }
            return found.payload.map(Payload.at)
        }

        /// Makes a child with one payload per key, with any alignment of its allocation.
        private func makeChild(_ payloads: [Payload], slots: Int = 0) -> OpaquePointer {
            let parent = hop_registry_make()
            defer { hop_registry_destroy(parent, Payload.release) }
            for _ in 0..<slots { _ = hop_scope_reserve(parent) }
            let child = hop_registry_make_child(parent, Payload.release)
            for (number, payload) in payloads.enumerated() { hop_push(child, key(number), payload.pointer, nil) }
            return child
        }

        @Test(arguments: [0, 1, 4, 5, 9, 100])
        func keysAreFoundInTheFirstTableAndAfterItsGrowth(count: Int) {
            for slots in 0..<4 {
                let payloads = (0..<count).map { _ in Payload() }
                let child = makeChild(payloads, slots: slots)
                #expect(payloads.indices.allSatisfy { newest(child, $0) == payloads[$0] })
                #expect(newest(child, count) == nil && torture_count(child) == count)
                hop_registry_destroy(child, Payload.release)
                #expect(payloads.allSatisfy { $0.releases == 1 })
            }
        }

        @Test(arguments: [1, 4, 5])
        func emptiedChildTakesKeysAgain(count: Int) {
            let payloads = (0..<count).map { _ in Payload() }
            let child = makeChild(payloads)
            for payload in payloads { hop_push(child, key(0), payload.pointer, nil) }
            hop_remove_all(child, Payload.release)
            #expect(payloads.allSatisfy { $0.releases == 2 } && newest(child, 0) == nil)
            let later = payloads.map { _ in Payload() }
            for (number, payload) in later.enumerated() { hop_push(child, key(number), payload.pointer, nil) }
            #expect(later.indices.allSatisfy { newest(child, $0) == later[$0] })
            hop_registry_destroy(child, Payload.release)
            #expect(later.allSatisfy { $0.releases == 1 })
        }

        @Test(arguments: [1, 5])
        func borrowOfThePayloadOfTheFirstTableOutlivesItsReplacement(count: Int) throws {
            let payloads = (0..<count).map { _ in Payload() }
            let child = makeChild(payloads)
            let found = hop_borrow_begin(child, key(0))
            #expect(found.payload.map(Payload.at) == payloads[0])
            hop_remove_all(child, Payload.release)
            #expect(payloads[0].releases == 0 && areReleasedOnce(Array(payloads[1...])))
            hop_push(child, key(0), payloads[0].pointer, nil)
            hop_borrow_end(try #require(found.borrow))
            #expect(areReleasedOnce(payloads))
            hop_registry_destroy(child, Payload.release)
            #expect(payloads[0].releases == 2)
        }

        @Test func readersOfTheFirstTableDoNotSeeItsGrowth() {
            for _ in 0..<Effort.repetitions(500) {
                let payloads = (0..<20).map { _ in Payload() }
                let child = UncheckedPointer(makeChild([payloads[0]]))
                let ended = Gate()
                let reader = Worker {
                    var isFound = true
                    while !ended.wait(milliseconds: 0) { isFound = isFound && newest(child.pointer, 0) == payloads[0] }
                    #expect(isFound)
                }
                for number in 1..<20 { hop_push(child.pointer, key(number), payloads[number].pointer, nil) }
                ended.open()
                reader.join()
                hop_registry_destroy(child.pointer, Payload.release)
                #expect(payloads.allSatisfy { $0.releases == 1 })
            }
        }

        // Unchecked, because it is a pointer. Sound, because registries are thread-safe.
        private struct UncheckedPointer: @unchecked Sendable {
            let pointer: OpaquePointer

            init(_ pointer: OpaquePointer) { self.pointer = pointer }
        }
    }
}
