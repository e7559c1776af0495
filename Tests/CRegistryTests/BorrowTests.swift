// Tests borrows: which releases they defer, and that a release is deferred exactly until the last borrow of its payload ends.

import CRegistry
import CTorture
import Testing

extension CRegistryTests {
    @Suite struct BorrowTests {
        private let key = hop_key(type: 16, discriminator: 0)
        private let otherKey = hop_key(type: 32, discriminator: 0)
        private let keys = (1...4).map { hop_key(type: $0 * 16, discriminator: 1) }

        /// How a payload leaves its registry. It is the only one of its key.
        enum Removal: CaseIterable, Sendable {
            case remove, removeNumbered, removeEntries, replace, removeAll

            func run(_ scene: Scene, _ key: hop_key, _ payload: Payload) {
                switch self {
                case .remove: #expect(scene.remove(key, payload))
                case .removeNumbered: #expect(payload.number.map { scene.remove(key, numbered: $0) } == true)
                case .removeEntries: scene.removeEntries([(key, payload)])
                case .replace: scene.replace(key)
                case .removeAll: scene.removeAll()
                }
                #expect(scene.newest(key) !== payload)
            }
        }

        // MARK: One borrow

        @Test(arguments: Removal.allCases) func payloadThatNobodyBorrowsIsReleasedBeforeItsRemovalReturns(
            removal: Removal
        ) {
            let scene = Scene()
            let payload = scene.push(key)
            removal.run(scene, key, payload)
            #expect(payload.releases == 1 && payload.wasReleasedHere)
        }

        @Test(arguments: Removal.allCases) func payloadThatItsRemoverBorrowsIsReleasedAtTheEnd(removal: Removal) throws
        {
            let scene = Scene()
            let payload = scene.push(key)
            let found = hop_borrow_begin(scene.registry, key)
            #expect(found.payload == payload.pointer)
            removal.run(scene, key, payload)
            #expect(payload.releases == 0)
            #expect(hop_statistics_read(nil).deferred >= 1)
            hop_borrow_end(try #require(found.borrow))
            #expect(payload.releases == 1)
        }

        @Test(arguments: Removal.allCases) func borrowerReleasesAtItsEndWhatAnotherThreadHasRemoved(removal: Removal) {
            let scene = Scene()
            let payload = scene.push(key)
            let borrower = Borrower(
                scene, key,
                afterwards: {
                    // Nobody else has released it before the end of the borrow has returned.
                    #expect(payload.releases == 1 && payload.wasReleasedHere)
                })
            #expect(borrower.found === payload)
            removal.run(scene, key, payload)
            #expect(payload.releases == 0)
            borrower.end()
            #expect(payload.releases == 1)
        }

        @Test func borrowThatEndsBeforeTheRemovalDefersNothing() {
            let scene = Scene()
            let payload = scene.push(key)
            let borrower = Borrower(scene, key)
            scene.borrow(key) { #expect($0 === payload) }
            borrower.end()
            #expect(payload.releases == 0)
            scene.remove(key, payload)
            #expect(payload.releases == 1)
        }

        @Test func nothingIsBorrowedIfNothingIsFound() {
            let scene = Scene()
            // More often than a thread has places.
            for _ in 0..<100 {
                let found = hop_borrow_begin(scene.registry, key)
                #expect(found.payload == nil && found.borrow == nil)
            }
            // The section has ended.
            hop_wait_for_reads()
            let payload = scene.push(key)
            scene.borrow(key) { #expect($0 === payload) }
        }

        @Test func readsCopiesAndGracePeriodsMayRunInsideABorrow() {
            let scene = Scene()
            let payload = scene.push(key)
            scene.borrow(key) { _ in
                #expect(scene.newest(key) === payload)
                #expect(scene.stack(key) == [payload])
                hop_wait_for_reads()
                scene.remove(key, payload)
                #expect(scene.newest(key) == nil && scene.keys().isEmpty)
                hop_wait_for_reads()
            }
        }

        /// The borrow ends while the payload is removed: either thread releases it. After both, it is released.
        @Test func borrowThatEndsDuringTheRemovalLosesNoRelease() {
            for round in 0..<Effort.repetitions(2_000) {
                let scene = Scene()
                let payload = scene.push(key)
                let borrowers = (0...(round % 3)).map { _ in Borrower(scene, key) }
                let remover = Worker { [key] in scene.remove(key, payload) }
                for borrower in borrowers { borrower.end() }
                remover.join()
                #expect(payload.releases == 1)
            }
        }

        @Test func borrowerThatWaitsForTheRemoversLockDoesNotDeadlock() {
            let scene = Scene()
            let payload = scene.push(key)
            let lock = Gate()
            // The borrower waits for a lock that the remover holds.
            let borrower = Borrower(scene, key, body: { lock.wait() })
            let removed = Gate()
            let remover = Worker { [key] in
                scene.remove(key, payload)
                removed.open()
            }
            #expect(removed.wait(), "the removal waits for user code")
            #expect(payload.releases == 0)
            lock.open()
            borrower.end()
            remover.join()
            #expect(payload.releases == 1)
        }

        // MARK: What a borrow does not defer

        @Test(arguments: Removal.allCases, [false, true])
        func borrowDefersNoOtherRelease(removal: Removal, isElsewhere: Bool) throws {
            let (scene, other) = (Scene(), Scene())
            let below = scene.push(key)
            let borrowed = scene.push(key)
            let (neighbour, foreign) = (scene.push(otherKey), other.push(key))
            let borrower = isElsewhere ? Borrower(scene, key) : nil
            let own = isElsewhere ? nil : hop_borrow_begin(scene.registry, key).borrow
            removal.run(other, key, foreign)
            #expect(foreign.releases == 1)
            removal.run(scene, otherKey, neighbour)
            #expect(neighbour.releases == 1)
            if removal == .removeAll {
                #expect(below.releases == 1)
            } else {
                #expect(scene.remove(key, below) && below.releases == 1)
                #expect(scene.remove(key, borrowed))
            }
            #expect(borrowed.releases == 0)
            if let own { hop_borrow_end(own) }
            borrower?.end()
            #expect(borrowed.releases == 1)
        }

        @Test(arguments: [0, 1, 2, 3], [Removal.replace, .removeAll])
        func borrowDefersOnePayloadOfAStackThatLeavesAsAWhole(depth: Int, removal: Removal) {
            let scene = Scene()
            let below = (0..<(3 - depth)).map { _ in scene.push(key) }
            let borrowed = scene.push(key)
            let borrower = Borrower(scene, key)
            let others = below + (0..<depth).map { _ in scene.push(key) }
            removal.run(scene, key, borrowed)
            #expect(areReleasedOnce(others) && borrowed.releases == 0)
            borrower.end()
            #expect(borrowed.releases == 1)
        }

        @Test func removalOfEntriesDefersTheBorrowedOnesOnly() {
            let scene = Scene()
            let entries = (0..<100).map { number in
                let key = hop_key(type: 16 * UInt(number + 1), discriminator: 0)
                return (key: key, payload: scene.push(key))
            }
            let borrowers = stride(from: 0, to: 100, by: 7).map {
                (number: $0, thread: Borrower(scene, entries[$0].key))
            }
            scene.removeEntries(entries)
            for (number, entry) in entries.enumerated() {
                #expect(entry.payload.releases == (number.isMultiple(of: 7) ? 0 : 1))
            }
            for borrower in borrowers {
                #expect(entries[borrower.number].payload.releases == 0)
                borrower.thread.end()
                #expect(entries[borrower.number].payload.releases == 1)
            }
        }

        /// Sixteen threads borrow the newest payloads of four keys.
        @Test func emptyingDefersTheBorrowedPayloadsOnly() {
            let scene = Scene()
            let keys = (1...12).map { hop_key(type: $0 * 16, discriminator: 0) }
            let payloads = keys.map { key in (0..<3).map { _ in scene.push(key) } }
            let borrowers = (0..<16).map { number in Borrower(scene, keys[number * number % 7]) }
            var waiting = Set(borrowers.compactMap(\.found).map(ObjectIdentifier.init))
            #expect(waiting.count == 4)
            scene.removeAll()
            func expectExactReleases() {
                for payload in payloads.joined() {
                    #expect(payload.releases == (waiting.contains(ObjectIdentifier(payload)) ? 0 : 1))
                }
            }
            expectExactReleases()
            for number in borrowers.indices.reversed() {
                borrowers[number].end()
                waiting = Set(borrowers[..<number].compactMap(\.found).map(ObjectIdentifier.init))
                expectExactReleases()
            }
        }

        @Test func thousandsOfRemovalsDuringABorrowReleaseAtOnce() {
            let scene = Scene()
            let borrowed = scene.push(otherKey)
            let borrower = Borrower(scene, otherKey)
            scene.remove(otherKey, borrowed)
            scene.borrow(otherKey) { #expect($0 == nil) }
            for _ in 0..<Effort.repetitions(5_000) {
                let payload = scene.push(key)
                scene.remove(key, payload)
                #expect(payload.releases == 1)
            }
            #expect(borrowed.releases == 0)
            borrower.end()
            #expect(borrowed.releases == 1)
        }

        @Test func eachOfManyRemovalsWaitsForItsOwnBorrow() {
            let scene = Scene()
            var borrowed: [(payload: Payload, borrower: Borrower)] = []
            for _ in 0..<6 {
                let payload = scene.push(key)
                borrowed.append((payload, Borrower(scene, key)))
                scene.remove(key, payload)
            }
            #expect(areUnreleased(borrowed.map(\.payload)))
            for index in [3, 0, 5, 1, 4, 2] {
                #expect(borrowed[index].payload.releases == 0)
                borrowed[index].borrower.end()
                #expect(borrowed[index].payload.releases == 1)
            }
        }

        @Test func removalsFromManyRegistriesDuringBorrowsAreExact() {
            let scenes = (0..<40).map { _ in Scene() }
            let removed = scenes.map { $0.push(key) }
            let borrowers = scenes.map { Borrower($0, key) }
            for (scene, payload) in zip(scenes, removed) { scene.remove(key, payload) }
            for (index, borrower) in borrowers.enumerated().reversed() {
                #expect(areUnreleased(Array(removed[...index])))
                borrower.end()
                #expect(areReleasedOnce(Array(removed[index...])))
            }
        }

        @Test func borrowedPayloadsSurviveReplacementEmptyingAndGrowth() {
            let scene = Scene()
            let first = scene.push(key)
            let borrower = Borrower(scene, key)
            let second = scene.replace(key)
            let secondBorrower = Borrower(scene, key)
            #expect(secondBorrower.found === second)
            let others = (2...500).map { scene.push(hop_key(type: 16 * $0, discriminator: 0)) }
            scene.removeAll()
            #expect(scene.newest(key) == nil)
            #expect(areUnreleased([first, second]) && areReleasedOnce(others))
            borrower.end()
            #expect(first.releases == 1 && second.releases == 0)
            secondBorrower.end()
            #expect(second.releases == 1)
        }

        @Test func destructionOfAnotherRegistryInsideBorrowsReleasesAtOnce() {
            let scene = Scene()
            let payload = scene.push(key)
            let borrower = Borrower(scene, key)
            let other = Scene()
            let payloads = (0..<10).map { _ in other.push(key) }
            scene.borrow(key) { found in
                #expect(found === payload)
                scene.remove(key, payload)
                other.destroy()
                #expect(areReleasedOnce(payloads) && payload.releases == 0)
            }
            borrower.end()
            #expect(payload.releases == 1)
        }

        // MARK: Several borrows of one payload

        @Test(arguments: [false, true]) func lastOfTwoThreadsReleases(firstEndsFirst: Bool) {
            let scene = Scene()
            let payload = scene.push(key)
            func borrower(_ isLast: Bool) -> Borrower {
                Borrower(
                    scene, key,
                    afterwards: {
                        #expect(payload.releases == (isLast ? 1 : 0) && payload.wasReleasedHere == isLast)
                    })
            }
            let (first, second) = (borrower(!firstEndsFirst), borrower(firstEndsFirst))
            #expect(first.found === payload && second.found === payload)
            scene.remove(key, payload)
            let order = firstEndsFirst ? [first, second] : [second, first]
            order[0].end()
            #expect(payload.releases == 0)
            order[1].end()
            #expect(payload.releases == 1)
        }

        @Test func remainingBorrowOfTheRemoverReleases() {
            let scene = Scene()
            let payload = scene.push(key)
            let borrower = Borrower(scene, key)
            scene.borrow(key) { found in
                #expect(found === payload)
                scene.remove(key, payload)
                borrower.end()
                #expect(payload.releases == 0)
            }
            #expect(payload.releases == 1 && payload.wasReleasedHere)
        }

        @Test func lastOfManyThreadsReleases() {
            let scene = Scene()
            let payload = scene.push(key)
            var borrowers = (0..<50).map { _ in Borrower(scene, key) }
            scene.remove(key, payload)
            borrowers.shuffle()
            for borrower in borrowers {
                #expect(payload.releases == 0)
                borrower.end()
            }
            #expect(payload.releases == 1)
        }

        /// All end at once, so they race for the release.
        @Test func oneOfManyThreadsThatEndAtOnceReleases() {
            for _ in 0..<Effort.repetitions(200) {
                let scene = Scene()
                let payload = scene.push(key)
                let gate = Gate()
                let borrowers = (0..<8).map { _ in Borrower(scene, key, body: { gate.wait() }) }
                scene.remove(key, payload)
                #expect(payload.releases == 0)
                for borrower in borrowers { borrower.allowEnd() }
                gate.open()
                for borrower in borrowers { borrower.end() }
                #expect(payload.releases == 1)
            }
        }

        @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
        func lastBorrowOfOneThreadReleases(order: [Int]) {
            let scene = Scene()
            let payload = scene.push(key)
            let borrows = (0..<3).compactMap { _ in hop_borrow_begin(scene.registry, key).borrow }
            #expect(Set(borrows).count == 3)
            scene.remove(key, payload)
            for index in order {
                #expect(payload.releases == 0)
                hop_borrow_end(borrows[index])
            }
            #expect(payload.releases == 1)
        }

        // MARK: Several borrows of one thread

        @Test func borrowsOfOneThreadEndInAnyOrder() {
            for order in permutations(of: [0, 1, 2, 3]) {
                let scene = Scene()
                let payloads = keys.map { scene.push($0) }
                let borrows = keys.compactMap { hop_borrow_begin(scene.registry, $0).borrow }
                #expect(Set(borrows).count == 4)
                // Two of them are removed before the others, and two only after the first end.
                scene.remove(keys[0], payloads[0])
                scene.remove(keys[order[0]], payloads[order[0]])
                for (step, index) in order.enumerated() {
                    #expect(payloads[index].releases == 0)
                    hop_borrow_end(borrows[index])
                    if step == 0 { for (key, payload) in zip(keys, payloads) { scene.remove(key, payload) } }
                    for (position, other) in order.enumerated() {
                        #expect(payloads[other].releases == (position <= step ? 1 : 0))
                    }
                }
            }
        }

        @Test(arguments: 0..<4) func aThreadBorrowsFourPayloadsAtOnce(ended: Int) throws {
            let scene = Scene()
            let fifthKey = hop_key(type: 80, discriminator: 1)
            let payloads = keys.map { scene.push($0) }
            let fifth = scene.push(fifthKey)
            var borrows = keys.compactMap { hop_borrow_begin(scene.registry, $0).borrow }
            #expect(borrows.count == 4)
            let refused = hop_borrow_begin(scene.registry, fifthKey)
            #expect(refused.payload == nil && refused.borrow == nil)
            // The section has ended.
            hop_wait_for_reads()
            let found = hop_read_begin(scene.registry, fifthKey)
            let refusedInSection = try hop_section_borrow(found.thread, #require(found.payload))
            // The section is still open: another thread that removes the payload waits for its end.
            let isWaiting = Gate()
            let remover = Worker {
                isWaiting.open()
                scene.remove(fifthKey, fifth)
            }
            let hasBegun = isWaiting.wait() && eventually { hop_find(scene.registry, fifthKey) == nil }
            let releases = fifth.releases
            hop_section_end(found.thread)
            remover.join()
            #expect(refusedInSection == nil && hasBegun && releases == 0)
            #expect(fifth.releases == 1)
            // Other threads have places of their own.
            let other = Borrower(scene, keys[0], keys[1], keys[2], keys[3])
            other.end()
            hop_borrow_end(borrows[ended])
            let again = hop_borrow_begin(scene.registry, keys[ended])
            #expect(again.payload == payloads[ended].pointer)
            borrows[ended] = try #require(again.borrow)
            #expect(hop_borrow_begin(scene.registry, keys[0]).borrow == nil)
            scene.removeAll()
            #expect(areUnreleased(payloads))
            for borrow in borrows { hop_borrow_end(borrow) }
            #expect(areReleasedOnce(payloads))
        }

        @Test func placeIsFreeAfterItsBorrowHasReleased() {
            let scene = Scene()
            for _ in 0..<20 {
                let payloads = keys.map { scene.push($0) }
                let borrows = keys.compactMap { hop_borrow_begin(scene.registry, $0).borrow }
                #expect(borrows.count == 4)
                scene.removeAll()
                #expect(areUnreleased(payloads))
                for borrow in borrows { hop_borrow_end(borrow) }
                #expect(areReleasedOnce(payloads))
            }
        }

        // MARK: Payloads that are removed more than once

        /// A payload that is in no scene, so that it may be released several times.
        private func push(_ payload: Payload, _ scene: Scene, _ key: hop_key) {
            #expect(hop_push(scene.registry, key, payload.pointer, nil))
        }

        @Test(arguments: [1, 2, 3, 1_000]) func payloadIsReleasedAsOftenAsItIsRemoved(times: Int) {
            let (scene, payload) = (Scene(), Payload())
            push(payload, scene, key)
            scene.borrow(key) { found in
                #expect(found === payload)
                for time in 1...times {
                    #expect(scene.remove(key, payload) && payload.releases == 0)
                    #expect(hop_statistics_read(nil).deferred >= time)
                    if time < times { push(payload, scene, key) }
                }
            }
            #expect(payload.releases == times)
        }

        @Test func endOfABorrowReleasesAPayloadThatWasPushedAgain() {
            let (scene, payload) = (Scene(), Payload())
            push(payload, scene, key)
            scene.borrow(key) { _ in
                scene.remove(key, payload)
                push(payload, scene, key)
            }
            #expect(payload.releases == 1 && scene.newest(key) === payload)
            scene.borrow(key) { _ in #expect(payload.releases == 1) }
            scene.remove(key, payload)
            #expect(payload.releases == 2)
        }

        @Test(arguments: [false, true]) func bothRemovalsWaitForBothBorrows(firstEndsFirst: Bool) {
            let (scene, payload) = (Scene(), Payload())
            push(payload, scene, key)
            let first = Borrower(scene, key)
            scene.remove(key, payload)
            push(payload, scene, key)
            let second = Borrower(scene, key)
            #expect(first.found === payload && second.found === payload)
            scene.remove(key, payload)
            #expect(payload.releases == 0)
            let order = firstEndsFirst ? [first, second] : [second, first]
            order[0].end()
            #expect(payload.releases == 0)
            order[1].end()
            #expect(payload.releases == 2)
        }

        @Test func payloadOfTwoRegistriesIsReleasedForEach() {
            let (scene, other, payload) = (Scene(), Scene(), Payload())
            push(payload, scene, key)
            push(payload, other, key)
            let borrower = Borrower(scene, key)
            other.remove(key, payload)
            #expect(payload.releases == 0)
            scene.removeAll()
            #expect(payload.releases == 0)
            borrower.end()
            #expect(payload.releases == 2)
        }

        // MARK: The ends of threads

        @Test func threadExitInsideABorrowReleasesThePayload() {
            let scene = Scene()
            let payload = scene.push(key)
            let borrower = Borrower(scene, key, exitsInside: true)
            #expect(borrower.found === payload)
            scene.remove(key, payload)
            #expect(payload.releases == 0)
            borrower.end()
            #expect(payload.releases == 1)
        }

        /// One payload is removed before the thread borrows more, the next ones before and after its exit.
        @Test func threadExitInsideSeveralBorrowsEndsAllOfThem() {
            let scene = Scene()
            let payloads = keys[..<3].map { scene.push($0) }
            let borrower = Borrower(scene, keys[1], keys[0], keys[2], keys[0], exitsInside: true)
            let other = Borrower(scene, keys[2])
            scene.remove(keys[0], payloads[0])
            scene.remove(keys[2], payloads[2])
            #expect(areUnreleased(payloads))
            borrower.end()
            #expect(payloads[0].releases == 1)
            #expect(areUnreleased(Array(payloads[1...])))
            scene.remove(keys[1], payloads[1])
            #expect(payloads[1].releases == 1 && payloads[2].releases == 0)
            other.end()
            #expect(payloads[2].releases == 1)
            // A thread that gets the record has all places.
            let next = Borrower(scene, keys[3])
            let last = scene.push(keys[3])
            scene.remove(keys[3], last)
            #expect(next.found == nil && last.releases == 1)
            next.end()
        }

        /// The releases of a thread that exits read, push, remove, and try to borrow.
        @Test func releaseAtAThreadExitMayCallTheRegistry() {
            let scene = Scene()
            let (key, otherKey) = (key, otherKey)
            let payloads = keys.map { pushed in
                scene.push(pushed) { [unowned scene] in
                    let inner = scene.push(otherKey)
                    #expect(scene.newest(otherKey) === inner)
                    scene.borrow(otherKey) { #expect($0 == nil) }
                    #expect(scene.remove(otherKey, inner) && inner.releases == 1)
                    scene.replace(key)
                }
            }
            let borrower = Borrower(scene, keys[0], keys[1], keys[2], keys[3], exitsInside: true)
            for (key, payload) in zip(keys, payloads) { scene.remove(key, payload) }
            #expect(areUnreleased(payloads))
            borrower.end()
            #expect(areReleasedOnce(payloads))
            #expect(torture_count(scene.registry) == 1)
        }

        // MARK: Races inside a removal

        /// The release of one payload ends the borrow of the other one, which the removal has seen already.
        @Test(arguments: [0, 1], [false, true])
        func borrowMayEndBetweenTheLookAndTheRelease(borrowed: Int, isElsewhere: Bool) {
            // Unchecked, because it has variables. Sound, because the thread of the test releases both payloads.
            final class Ending: @unchecked Sendable {
                var borrower: Borrower?
                var own: OpaquePointer?

                func run() {
                    let (borrower, own) = (borrower, own)
                    (self.borrower, self.own) = (nil, nil)
                    borrower?.end()
                    if let own { hop_borrow_end(own) }
                }
            }
            let scene = Scene()
            let ending = Ending()
            let payloads = [key, otherKey].map { key in scene.push(key) { ending.run() } }
            let borrowedKey = [key, otherKey][borrowed]
            if isElsewhere {
                ending.borrower = Borrower(scene, borrowedKey)
                #expect(ending.borrower?.found === payloads[borrowed])
            } else {
                ending.own = hop_borrow_begin(scene.registry, borrowedKey).borrow
            }
            scene.removeAll()
            #expect(areReleasedOnce(payloads))
        }

        private func permutations(of numbers: [Int]) -> [[Int]] {
            if numbers.isEmpty { return [[]] }
            return numbers.flatMap { first in
                permutations(of: numbers.filter { $0 != first }).map { [first] + $0 }
            }
        }
    }
}
