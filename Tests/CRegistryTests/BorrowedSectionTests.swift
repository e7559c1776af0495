// Tests which releases a borrowed section defers, and for how long, and that no thread waits for a borrowed section.

import CRegistry
import Testing

extension CRegistryTests {
    @Suite struct BorrowedSectionTests {
        private let key = hop_key(type: 16, discriminator: 0)
        private let otherKey = hop_key(type: 32, discriminator: 0)

        @Test func removalOutsideBorrowedSectionsReleasesBeforeItReturns() {
            expectOneOfManyAttempts {
                let scene = Scene()
                let payload = scene.push(key)
                return scene.remove(key, payload) && payload.releases == 1
            }
        }

        @Test func payloadsAreProtectedUnlessReadersNeedFences() {
            let scene = Scene()
            let payload = scene.push(key)
            let found = hop_read_begin(scene.registry, key)
            let isProtected = hop_protect(found.thread, payload.pointer)
            if isProtected { hop_borrow_end(found.thread) } else { hop_section_end(found.thread) }
            #expect(isProtected == !hop_statistics_read(nil).reader_fences)
        }

        @Test func removalInsideABorrowedSectionReleasesAtItsEnd() {
            expectOneOfManyAttempts {
                let scene = Scene()
                let payload = scene.push(key)
                scene.borrow(key) { found in
                    #expect(found === payload)
                    #expect(scene.remove(key, payload))
                    #expect(!hop_contains(scene.registry, key))
                    #expect(payload.releases == 0)
                }
                return payload.releases == 1
            }
        }

        @Test func nestedSectionsDeferReleasesToTheOutermostEnd() {
            expectOneOfManyAttempts {
                let scene = Scene()
                let payload = scene.push(key)
                let other = scene.push(otherKey)
                scene.borrow(key) { _ in
                    scene.borrow(otherKey) { _ in
                        scene.remove(key, payload)
                        scene.borrow(key) { #expect($0 == nil) }
                    }
                    scene.remove(otherKey, other)
                    #expect(payload.releases == 0 && other.releases == 0)
                }
                return payload.releases == 1 && other.releases == 1
            }
        }

        @Test func readsAndCopiesMayRunInsideABorrowedSection() {
            let scene = Scene()
            let payload = scene.push(key)
            scene.borrow(key) { _ in
                #expect(scene.newest(key) === payload)
                #expect(scene.stack(key) == [payload])
                hop_wait_for_reads()
                scene.remove(key, payload)
                #expect(scene.newest(key) == nil)
            }
        }

        @Test func removalDuringAnotherThreadsSectionReleasesAtItsEnd() {
            expectOneOfManyAttempts {
                let scene = Scene()
                let payload = scene.push(key)
                let borrower = Borrower(scene, key)
                #expect(borrower.found === payload)
                #expect(scene.remove(key, payload))
                #expect(payload.releases == 0)
                borrower.end()
                return payload.releases == 1
            }
        }

        @Test func releaseWaitsOnlyForSectionsThatBeganBeforeTheRemoval() {
            expectOneOfManyAttempts {
                let scene = Scene()
                let payload = scene.push(key)
                let before = Borrower(scene, key)
                scene.remove(key, payload)
                let after = Borrower(scene, key)
                #expect(after.found == nil)
                #expect(payload.releases == 0)
                before.end()
                let released = payload.releases == 1
                after.end()
                return released
            }
        }

        @Test func eachOfManyRemovalsWaitsForItsOwnSections() {
            expectOneOfManyAttempts {
                let scene = Scene()
                var borrowers: [Borrower] = []
                var removed: [Payload] = []
                for _ in 0..<6 {
                    let payload = scene.push(key)
                    borrowers.append(Borrower(scene, key))
                    scene.remove(key, payload)
                    removed.append(payload)
                }
                var released = true
                for (index, borrower) in borrowers.enumerated() {
                    #expect(removed[index...].allSatisfy { $0.releases == 0 })
                    borrower.end()
                    released = released && removed[...index].allSatisfy { $0.releases == 1 }
                }
                return released
            }
        }

        @Test func newestRemovalWaitsForTheOldestSection() {
            let scene = Scene()
            let oldest = Borrower(scene, key)
            var removed: [Payload] = []
            for _ in 0..<6 {
                let payload = scene.push(key)
                let borrower = Borrower(scene, key)
                scene.remove(key, payload)
                borrower.end()
                removed.append(payload)
            }
            #expect(removed.allSatisfy { $0.releases == 0 })
            oldest.end()
            #expect(eventuallyReleased(removed))
        }

        @Test func sectionThatEndsDuringAWriteStillTriggersTheRelease() {
            // Either the end of the section or the concurrent write releases the payload. After both, it is released.
            expectOneOfManyAttempts {
                (0..<200).allSatisfy { _ in
                    let scene = Scene()
                    let payload = scene.push(key)
                    let borrower = Borrower(scene, key)
                    scene.remove(key, payload)
                    let writer = Worker {
                        for _ in 0..<20 { scene.remove(otherKey, scene.push(otherKey)) }
                    }
                    borrower.end()
                    writer.join()
                    return payload.releases == 1
                }
            }
        }

        @Test func thousandsOfRemovalsWaitForOneSectionAndAreAllReleasedAtItsEnd() {
            expectOneOfManyAttempts {
                let count = 5_000
                let scene = Scene()
                let deferred = hop_statistics_read(nil).deferred
                let borrower = Borrower(scene, key)
                let payloads = (0..<count).map { _ in
                    let payload = scene.push(key)
                    scene.remove(key, payload)
                    return payload
                }
                #expect(payloads.allSatisfy { $0.releases == 0 })
                #expect(hop_statistics_read(nil).deferred >= count)
                let bounded = hop_statistics_read(nil).deferred < deferred + count + 100
                borrower.end()
                return bounded && payloads.allSatisfy { $0.releases == 1 } && hop_statistics_read(nil).deferred == 0
            }
        }

        @Test func sectionThatWaitsForTheRemoversLockDoesNotDeadlock() {
            let scene = Scene()
            let payload = scene.push(key)
            let lock = Gate()
            // The closure waits for a lock that the remover holds.
            let borrower = Borrower(scene, key) { lock.wait() }
            let removed = Gate()
            let remover = Worker {
                scene.remove(key, payload)
                removed.open()
            }
            #expect(removed.wait(), "the removal waits for user code")
            #expect(payload.releases == 0)
            lock.open()
            borrower.end()
            remover.join()
            #expect(eventuallyReleased([payload]))
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
            #expect(first.releases == 0 && second.releases == 0)
            #expect(others.allSatisfy { $0.releases == 0 })
            borrower.end()
            #expect(second.releases == 0)
            secondBorrower.end()
            #expect(eventuallyReleased([first, second] + others))
        }

        @Test func destructionInsideAnotherRegistrysSectionReleasesAtOnce() {
            let scene = Scene()
            let borrower = Borrower(scene, key)
            let other = Scene()
            let payloads = (0..<10).map { _ in other.push(key) }
            scene.borrow(key) { _ in
                other.destroy()
                #expect(payloads.allSatisfy { $0.releases == 1 })
            }
            borrower.end()
        }

        @Test func removalFromAnotherRegistryReleasesBeforeItReturns() {
            let scene = Scene()
            scene.push(key)
            let borrower = Borrower(scene, key)
            let other = Scene()
            let removed = other.push(key)
            other.remove(key, removed)
            #expect(removed.releases == 1)
            let replaced = other.push(key)
            let replacement = other.replace(key)
            #expect(replaced.releases == 1)
            other.removeAll()
            #expect(replacement.releases == 1)
            let newest = other.push(key)
            scene.borrow(key) { _ in
                other.remove(key, newest)
                #expect(newest.releases == 1)
            }
            borrower.end()
        }

        @Test func nestedSectionsDeferOnlyReleasesOfTheirOwnRegistry() {
            let outer = Scene()
            let inner = Scene()
            let outerPayload = outer.push(key)
            let innerPayload = inner.push(key)
            outer.borrow(key) { _ in
                inner.borrow(key) { found in
                    #expect(found === innerPayload)
                    // A nested section of the same registry is only counted.
                    outer.borrow(key) { #expect($0 === outerPayload) }
                    inner.borrow(otherKey) { #expect($0 == nil) }
                    inner.remove(key, innerPayload)
                    outer.remove(key, outerPayload)
                    #expect(innerPayload.releases == 0 && outerPayload.releases == 0)
                }
                #expect(eventuallyReleased([innerPayload]) && outerPayload.releases == 0)
                // The slot of the section that has ended can be reused.
                let next = inner.push(key)
                inner.remove(key, next)
                #expect(next.releases == 1)
            }
            #expect(eventuallyReleased([outerPayload]))
        }

        @Test func removalsByOtherThreadsWaitOnlyForSectionsOfTheirRegistry() {
            let outer = Scene()
            let inner = Scene()
            let outerPayload = outer.push(key)
            let innerPayload = inner.push(key)
            let isInside = Gate()
            let leaveInner = Gate()
            let leftInner = Gate()
            let leaveOuter = Gate()
            let worker = Worker {
                outer.borrow(key) { _ in
                    inner.borrow(key) { _ in
                        isInside.open()
                        leaveInner.wait()
                    }
                    leftInner.open()
                    leaveOuter.wait()
                }
            }
            #expect(isInside.wait())
            inner.remove(key, innerPayload)
            outer.remove(key, outerPayload)
            #expect(innerPayload.releases == 0 && outerPayload.releases == 0)
            leaveInner.open()
            #expect(leftInner.wait())
            #expect(eventuallyReleased([innerPayload]) && outerPayload.releases == 0)
            leaveOuter.open()
            worker.join()
            #expect(eventuallyReleased([outerPayload]))
        }

        @Test(arguments: [1, 3, 6]) func sectionsOfManyRegistriesNest(depth: Int) {
            Self.nestSections(depth, key)
        }

        #if compiler(>=6.2)
            /// In a process of its own, because these sections defer all releases of the process.
            @Test func sectionsOfMoreThanSixRegistriesNest() async {
                await #expect(processExitsWith: .success) {
                    for depth in [7, 20] {
                        BorrowedSectionTests.nestSections(depth, hop_key(type: 16, discriminator: 0))
                    }
                }
            }
        #endif

        private static func nestSections(_ depth: Int, _ key: hop_key) {
            let scenes = (0..<depth).map { _ in Scene() }
            let payloads = scenes.map { $0.push(key) }
            let other = Scene()
            let unread = other.push(key)
            // A thread that protects nothing has separate sections for up to six registries. With more, releases of all other
            // registries wait for its outermost section.
            let named = 6
            func nest(_ level: Int) {
                if level == depth {
                    for (scene, payload) in zip(scenes, payloads) { scene.remove(key, payload) }
                    #expect(payloads.allSatisfy { $0.releases == 0 })
                    other.remove(key, unread)
                    #expect(unread.releases == (depth <= named ? 1 : 0))
                    return
                }
                scenes[level].borrow(key) { found in
                    #expect(found === payloads[level])
                    nest(level + 1)
                }
                #expect(level < named ? eventuallyReleased([payloads[level]]) : payloads[level].releases == 0)
            }
            nest(0)
            #expect(eventuallyReleased(payloads + [unread]))
        }

        @Test func threadExitInNestedSectionsReleasesDeferredPayloads() {
            let outer = Scene()
            let inner = Scene()
            let outerPayload = outer.push(key)
            let innerPayload = inner.push(key)
            let isInside = Gate()
            let leave = Gate()
            let worker = Worker {
                _ = hop_borrow_begin(outer.registry, key)
                _ = hop_borrow_begin(inner.registry, key)
                _ = hop_borrow_begin(outer.registry, key)
                isInside.open()
                leave.wait()
            }
            #expect(isInside.wait())
            outer.remove(key, outerPayload)
            inner.remove(key, innerPayload)
            #expect(outerPayload.releases == 0 && innerPayload.releases == 0)
            leave.open()
            worker.join()
            #expect(eventuallyReleased([outerPayload, innerPayload]))
        }

        @Test func deferredPayloadsOutliveTheirRegistryAndItsReusedAddress() {
            for _ in 0..<100 {
                let outer = Scene()
                let outerPayload = outer.push(key)
                let payloads = outer.borrow(key) { _ in
                    outer.remove(key, outerPayload)
                    return (0..<3).map { _ in
                        let short = Scene()
                        let payload = short.push(key)
                        short.borrow(key) { _ in
                            short.remove(key, payload)
                            #expect(payload.releases == 0)
                        }
                        short.destroy()
                        return payload
                    }
                }
                // Another thread may have taken a batch that it is about to dispose of.
                #expect(eventuallyReleased(payloads + [outerPayload]))
            }
        }

        @Test func removalsFromManyRegistriesDuringSectionsAreAllReleased() {
            let scenes = (0..<40).map { _ in Scene() }
            let removed = scenes.map { $0.push(key) }
            let borrowers = scenes.map { Borrower($0, key) }
            for (scene, payload) in zip(scenes, removed) { scene.remove(key, payload) }
            for (index, borrower) in borrowers.enumerated().reversed() {
                #expect(removed[...index].allSatisfy { $0.releases == 0 })
                borrower.end()
                // Another thread may have taken a batch that it is about to dispose of.
                #expect(eventuallyReleased(Array(removed[index...])))
            }
        }

        @Test func namesHaveARegistryOfTheirOwn() {
            #expect(hop_names() == hop_names())
            let scene = Scene()
            let payload = Payload()
            let name = hop_key(type: 48, discriminator: 1)
            let first = hop_find_or_push(hop_names(), name, payload.pointer, Payload.retain, nil)
            let second = hop_find_or_push(hop_names(), name, scene.push(key).pointer, Payload.retain, nil)
            #expect(first == payload.pointer && second == payload.pointer)
            #expect(hop_contains(hop_names(), name) && !hop_contains(nil, name))
            // Names are permanent, but this payload belongs to the test.
            #expect(hop_remove(hop_names(), name, payload.pointer, Payload.release))
            scene.removeAll()
        }

        @Test func threadExitInsideASectionReleasesDeferredPayloads() {
            expectOneOfManyAttempts {
                let scene = Scene()
                let payload = scene.push(key)
                let borrower = Borrower(scene, key, exitsInside: true)
                scene.remove(key, payload)
                #expect(payload.releases == 0)
                borrower.end()
                return payload.releases == 1
            }
        }
    }
}
