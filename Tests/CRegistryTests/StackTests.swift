// Tests high stacks: removals from the depth, by number and by payload, and the snapshots that readers have meanwhile.

import CRegistry
import CTorture
import Testing

extension CRegistryTests {
    @Suite struct StackTests {
        private let scene = Scene()
        private let key = hop_key(type: 16, discriminator: 0)
        private let otherKey = hop_key(type: 32, discriminator: 0)

        @Test func payloadsAreNumberedInTheOrderOfTheirPushes() throws {
            let payloads = [
                scene.push(key), scene.push(otherKey), scene.push(key), scene.replace(otherKey), scene.push(otherKey),
            ]
            let numbers = try payloads.map { try #require($0.number) }
            #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
            #expect(try hop_next_number(scene.registry) > #require(numbers.last))
        }

        @Test(arguments: 1...20) func numberFindsThePayloadAtAnyDepth(height: Int) throws {
            for depth in 0..<height {
                let pushed = (0..<height).map { _ in scene.push(key) }
                let removed = pushed[depth]
                let number = try #require(removed.number)
                #expect(!scene.remove(otherKey, numbered: number))
                #expect(!scene.remove(key, numbered: number, Payload()))
                #expect(!scene.remove(key, numbered: number + 1_000))
                #expect(scene.stack(key) == pushed.reversed())
                #expect(scene.remove(key, numbered: number, depth.isMultiple(of: 2) ? removed : nil))
                #expect(!scene.remove(key, numbered: number))
                #expect(scene.stack(key) == pushed.reversed().filter { $0 !== removed })
                #expect(torture_count(scene.registry) == height - 1)
                scene.removeAll()
                #expect(areReleasedOnce(pushed))
            }
        }

        /// A removed payload may get the address of another one. So a search by address must not find where it was.
        @Test func payloadThatWasRemovedMayBePushedAgain() {
            let again = Payload()
            hop_push(scene.registry, key, again.pointer, Payload.noteNumber)
            let others = (0..<10).map { _ in scene.push(key) }
            #expect(scene.remove(key, again))
            hop_push(scene.registry, key, again.pointer, Payload.noteNumber)
            #expect(scene.stack(key) == [again] + others.reversed())
            #expect(scene.remove(key, again))
            #expect(scene.stack(key) == others.reversed())
            #expect(!scene.remove(key, again))
            #expect(again.releases == 2)
            #expect(others.allSatisfy { $0.releases == 0 })
        }

        @Test func severalStacksAreReplacedAtOnceAlsoIfTheRegistryIsSealed() throws {
            let old = [scene.push(key), scene.push(key), scene.push(otherKey)]
            let third = hop_key(type: 48, discriminator: 0)
            hop_seal(scene.registry)
            let new = scene.replaceEntries([otherKey, key, otherKey, third, otherKey])
            #expect(areReleasedOnce(old))
            #expect(scene.stack(key) == [new[1]] && scene.stack(otherKey) == [new[4], new[2], new[0]])
            #expect(scene.stack(third) == [new[3]])
            let numbers = try (old + new).map { try #require($0.number) }
            #expect(numbers == numbers.sorted())
            #expect(try scene.remove(otherKey, numbered: #require(new[2].number)))
            #expect(scene.stack(otherKey) == [new[4], new[0]])
            scene.replaceEntries([])
            #expect(torture_count(scene.registry) == 4)
        }

        @Test func aBorrowOutlivesAReplacementOfSeveralStacks() {
            let old = scene.push(key)
            scene.borrow(key) { borrowed in
                scene.replaceEntries([key, otherKey])
                #expect(borrowed == old && old.releases == 0)
            }
            #expect(areReleasedOnce([old]))
        }

        @Test func replacementsOfAllSizesKeepTheOtherKeys() {
            let kept = (1...20).map { scene.push(hop_key(type: UInt(16 * $0), discriminator: 1)) }
            for count in 1...40 {
                let keys = (1...count).map { hop_key(type: UInt(16 * $0), discriminator: 0) }
                let new = scene.replaceEntries(keys)
                #expect(zip(keys, new).allSatisfy { scene.stack($0) == [$1] })
            }
            for (index, payload) in kept.enumerated() {
                #expect(scene.stack(hop_key(type: UInt(16 * (index + 1)), discriminator: 1)) == [payload])
            }
        }

        @Test func pinsAreCounted() {
            #expect(hop_pin(scene.registry) == 0 && hop_pin(scene.registry) == 1)
            #expect(hop_unpin(scene.registry) == 1 && hop_unpin(scene.registry) == 0)
        }

        /// Compares with an array.
        @Test(arguments: [1, 2, 3, 5, 16, 100]) func randomChangesAgreeWithAModel(height: Int) throws {
            var random = SystemRandomNumberGenerator()
            var model: [Payload] = []
            for _ in 0..<Effort.repetitions(6_000) {
                let index = Int.random(in: 0..<max(1, model.count), using: &random)
                switch Int.random(in: 0..<(height * 4), using: &random) {
                case 0:
                    model = [scene.replace(key)]
                case 1:
                    scene.removeAll()
                    model = []
                case let choice where model.count < height && (choice.isMultiple(of: 2) || model.isEmpty):
                    model.insert(scene.push(key), at: 0)
                case let choice where !model.isEmpty:
                    // The newest one more often than the others.
                    let payload = model.remove(at: choice.isMultiple(of: 3) ? 0 : index)
                    let number = try #require(payload.number)
                    #expect(choice.isMultiple(of: 2) ? scene.remove(key, payload) : scene.remove(key, numbered: number))
                    #expect(areReleasedOnce([payload]))
                default: break
                }
                #expect(scene.stack(key) == model && scene.newest(key) === model.first)
                #expect(torture_count(scene.registry) == model.count && model.allSatisfy { $0.releases == 0 })
            }
        }

        /// A thread pushes payloads and removes the oldest ones, so each state of the stack is a range of numbers.
        @Test(arguments: [2, 3, 8, 64]) func copiesAreOfOneMoment(height: Int) {
            let ended = Gate()
            let writer = Worker { [scene, key] in
                defer { ended.open() }
                var numbers: [Int] = []
                for _ in 0..<Effort.repetitions(20_000) {
                    if let number = scene.push(key).number { numbers.append(number) }
                    if numbers.count > height { scene.remove(key, numbered: numbers.removeFirst()) }
                }
            }
            var buffer = [UnsafeRawPointer?](repeating: nil, count: height + 1)
            while !ended.wait(milliseconds: 0) {
                let copied = hop_copy_stack(scene.registry, key, { _ in }, &buffer, buffer.count)
                #expect(copied <= height + 1)
                // The scene keeps removed payloads alive.
                let numbers = buffer.prefix(copied).compactMap { $0.flatMap { Payload.at($0).number } }
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 == $1 + 1 }, "\(numbers)")
            }
            writer.join()
        }
    }
}
