// Tests the scope slots of child registries.

import CRegistry
import Testing

extension CRegistryTests {
    @Suite struct ScopeSlotTests {
        private let parent = Scene()

        /// A child registry, and the payloads that its slots have had.
        private final class Child: @unchecked Sendable {
            // Thread-safe, as the registry.
            let registry: OpaquePointer
            private var isDestroyed = false

            init(of parent: Scene) {
                registry = hop_registry_make_child(parent.registry, Payload.release)
            }

            deinit { destroy() }

            func destroy() {
                if isDestroyed { return }
                isDestroyed = true
                hop_registry_destroy(registry, Payload.release)
            }

            func fill(_ index: Int, _ key: UInt, _ payload: Payload) -> Bool {
                hop_scope_fill(registry, index, key, payload.pointer)
            }

            func find(_ index: Int, _ key: UInt) -> Payload? {
                let section = hop_section_begin()
                defer { hop_section_end(section) }
                return hop_scope_find(registry, index, key).map(Payload.at)
            }

            var slots: Int { hop_statistics_read(registry).scope_slots }
        }

        @Test func indicesAreDenseAndBounded() {
            for index in 0..<Int(HOP_MOST_SCOPE_SLOTS) { #expect(hop_scope_reserve(parent.registry) == index) }
            #expect(hop_scope_reserve(parent.registry) == Int(HOP_MOST_SCOPE_SLOTS))
            #expect(Child(of: parent).slots == Int(HOP_MOST_SCOPE_SLOTS))
        }

        @Test func childHasTheSlotsThatWereReservedBefore() {
            let early = Child(of: parent)
            _ = hop_scope_reserve(parent.registry)
            let late = Child(of: parent)
            #expect(early.slots == 0 && late.slots == 1)
            let payload = Payload()
            #expect(!hop_scope_has_slot(early.registry, 0, 16) && !early.fill(0, 16, payload))
            #expect(early.find(0, 16) == nil)
            #expect(hop_scope_has_slot(late.registry, 0, 16) && late.fill(0, 16, payload))
            #expect(late.find(0, 16) == payload)
            #expect(!hop_scope_has_slot(parent.registry, 0, 16))
            late.destroy()
            #expect(payload.releases == 1)
        }

        @Test func grandchildHasTheSlotsOfItsParent() {
            _ = hop_scope_reserve(parent.registry)
            let child = Child(of: parent)
            #expect(hop_scope_reserve(child.registry) == 1)
            let grandchild = hop_registry_make_child(child.registry, Payload.release)
            defer { hop_registry_destroy(grandchild, Payload.release) }
            #expect(hop_statistics_read(grandchild).scope_slots == 2)
        }

        @Test func slotBelongsToItsFirstKey() {
            _ = hop_scope_reserve(parent.registry)
            let child = Child(of: parent)
            let first = Payload()
            let other = Payload()
            #expect(child.fill(0, 16, first))
            #expect(!child.fill(0, 16, other) && !child.fill(0, 32, other))
            #expect(child.find(0, 16) == first && child.find(0, 32) == nil)
            #expect(hop_scope_has_slot(child.registry, 0, 16) && !hop_scope_has_slot(child.registry, 0, 32))
            hop_remove_all(child.registry, Payload.release)
            #expect(first.releases == 1 && child.find(0, 16) == nil)
            #expect(!child.fill(0, 32, other))
            #expect(child.fill(0, 16, other) && child.find(0, 16) == other)
            child.destroy()
            #expect(first.releases == 1 && other.releases == 1)
        }

        @Test func sealedRegistryAcceptsPayloadsInSlots() {
            _ = hop_scope_reserve(parent.registry)
            let child = Child(of: parent)
            let payload = Payload()
            hop_seal(child.registry)
            #expect(child.fill(0, 16, payload))
            child.destroy()
            #expect(payload.releases == 1)
        }

        @Test func removingAllReleasesWhatIsInSlotsAndInTheTable() {
            for _ in 0..<20 { _ = hop_scope_reserve(parent.registry) }
            let child = Child(of: parent)
            let payloads = (0..<30).map { _ in Payload() }
            for index in 0..<20 where index % 3 != 0 { #expect(child.fill(index, 16, payloads[index])) }
            for number in 20..<30 {
                hop_push(child.registry, hop_key(type: 16, discriminator: 0), payloads[number].pointer, nil)
            }
            hop_remove_all(child.registry, Payload.release)
            for (number, payload) in payloads.enumerated() {
                #expect(payload.releases == (number < 20 && number % 3 == 0 ? 0 : 1))
            }
        }

        /// A borrow defers the release of a slot's payload, as for payloads of the table.
        @Test func borrowDefersTheReleaseOfASlot() throws {
            for _ in 0..<2 { _ = hop_scope_reserve(parent.registry) }
            let child = Child(of: parent)
            let payload = Payload()
            let other = Payload()
            #expect(child.fill(0, 16, payload) && child.fill(1, 32, other))
            let section = hop_section_begin()
            let found = try #require(hop_scope_find(child.registry, 0, 16))
            let borrow = try #require(hop_section_borrow(section, found))
            hop_remove_all(child.registry, Payload.release)
            #expect(payload.releases == 0 && other.releases == 1)
            hop_borrow_end(borrow)
            #expect(payload.releases == 1)
        }

        /// The first 32 slots are made with the child, the others in chunks of 32.
        @Test func furtherSlotsAreMadeOnFirstUse() {
            for _ in 0..<200 { _ = hop_scope_reserve(parent.registry) }
            let child = Child(of: parent)
            let payloads = (0..<200).map { _ in Payload() }
            // In an order that makes the chunks at different times.
            for index in (0..<200).map({ $0 * 77 % 200 }) {
                #expect(hop_scope_has_slot(child.registry, index, 16) && child.find(index, 16) == nil)
                #expect(child.fill(index, 16, payloads[index]) && child.find(index, 16) == payloads[index])
                #expect(!hop_scope_has_slot(child.registry, index, 32) && !child.fill(index, 32, payloads[index]))
            }
            for index in 0..<200 { #expect(child.find(index, 16) == payloads[index]) }
            for index in [200, 223, 1_023, Int.max] {
                #expect(!hop_scope_has_slot(child.registry, index, 16) && child.find(index, 16) == nil)
                #expect(!child.fill(index, 16, payloads[0]))
            }
            hop_remove_all(child.registry, Payload.release)
            #expect(areReleasedOnce(payloads))
            #expect(child.find(100, 16) == nil && !child.fill(100, 32, payloads[0]))
            let last = (0..<200).map { _ in Payload() }
            for index in 0..<200 { #expect(child.fill(index, 16, last[index])) }
            child.destroy()
            #expect(last.allSatisfy { $0.releases == 1 })
        }

        @Test(arguments: [0, 31, 32, 63, 64])
        func oneOfManyThreadsFillsASlot(index: Int) {
            for _ in 0...index { _ = hop_scope_reserve(parent.registry) }
            for _ in 0..<Effort.repetitions(1_000) {
                let child = Child(of: parent)
                let payloads = (0..<4).map { _ in Payload() }
                let gate = Gate()
                let threads = payloads.indices.map { number in
                    Worker {
                        _ = gate.wait()
                        // Two keys, so that threads also race for the slot itself.
                        if !child.fill(index, number % 2 == 0 ? 16 : 32, payloads[number]) {
                            Payload.retain(payloads[number].pointer)
                        }
                    }
                }
                gate.open()
                for thread in threads { thread.join() }
                let refused = payloads.map(\.retains).reduce(0, +)
                let found = [child.find(index, 16), child.find(index, 32)].compactMap { $0 }
                #expect(refused == 3 && found.count == 1 && found[0].retains == 0)
                child.destroy()
                #expect(payloads.allSatisfy { $0.releases == 1 - $0.retains })
            }
        }

        /// A reader that has found a payload uses it while another thread empties the registry.
        @Test func payloadsAreNotReleasedUnderReaders() {
            _ = hop_scope_reserve(parent.registry)
            let child = Child(of: parent)
            let ended = Gate()
            let reader = Worker {
                defer { ended.open() }
                for _ in 0..<Effort.repetitions(100_000) {
                    let section = hop_section_begin()
                    if let payload = hop_scope_find(child.registry, 0, 16) {
                        #expect(Payload.at(payload).releases == 0)
                    }
                    hop_section_end(section)
                }
            }
            var payloads: [Payload] = []
            while !ended.wait(milliseconds: 0) {
                let payload = Payload()
                payloads.append(payload)
                #expect(child.fill(0, 16, payload))
                hop_remove_all(child.registry, Payload.release)
            }
            reader.join()
            #expect(areReleasedOnce(payloads))
        }
    }
}
