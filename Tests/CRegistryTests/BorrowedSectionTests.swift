// Covers what borrowed sections put off, for how long, and that they make nobody wait.

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

        @Test func removalInsideOnesOwnSectionIsReleasedAtItsEnd() {
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

        @Test func sectionsNestAndTheOutermostCounts() {
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

        @Test func shortSectionsAndCopiesAreFineInside() {
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

        @Test func sectionOfAnotherThreadIsReleasedAtItsEnd() {
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

        @Test func onlySectionsThatBeganBeforeTheRemovalAreSpared() {
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

        @Test func sectionThatEndsDuringAWriteIsNotForgotten() {
            // Either the end of the section releases, or the write at the same moment; after both it is done.
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

        @Test func sectionThatWaitsForALockOfTheRemoverDoesNotHang() {
            let scene = Scene()
            let payload = scene.push(key)
            let lock = Gate()
            // Its closure waits for what the remover holds.
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

        @Test func replacementEmptyingAndGrowthSpareWhatIsBorrowed() {
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

        @Test func destructionInsideASectionOfAnotherRegistryWaitsForNobody() {
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

        @Test func threadThatExitsInsideItsSectionLetsGoOfWhatWaitsForIt() {
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
