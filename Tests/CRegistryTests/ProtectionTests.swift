// Tests which releases the protection of a payload defers, and for how long.

import CRegistry
import Testing

extension Scene {
    /// Runs a closure while the newest payload of a key is protected. Returns false if it could not be protected.
    fileprivate func protect(_ key: hop_key, _ body: (Payload) -> Void) -> Bool {
        guard let found = beginProtection(key), let payload = found.payload else { return false }
        body(Payload.at(payload))
        hop_borrow_end(found.thread)
        return true
    }
}

extension CRegistryTests {
    /// Where the system refuses membarrier, nothing can be protected, and there is nothing to test.
    @Suite(.enabled(if: !hop_statistics_read(nil).reader_fences)) struct ProtectionTests {
        private let key = hop_key(type: 16, discriminator: 0)
        private let otherKey = hop_key(type: 32, discriminator: 0)

        /// How a payload leaves its registry.
        enum Removal: CaseIterable, Sendable {
            case remove, replace, removeAll

            func run(_ scene: Scene, _ key: hop_key, _ payload: Payload) {
                switch self {
                case .remove: scene.remove(key, payload)
                case .replace: scene.replace(key)
                case .removeAll: scene.removeAll()
                }
            }
        }

        @Test(arguments: Removal.allCases) func removalInsideAProtectionReleasesAtItsEnd(removal: Removal) {
            expectOneOfManyAttempts {
                let scene = Scene()
                let payload = scene.push(key)
                let isProtected = scene.protect(key) { found in
                    #expect(found === payload)
                    removal.run(scene, key, payload)
                    #expect(payload.releases == 0)
                }
                #expect(isProtected)
                return payload.releases == 1
            }
        }

        @Test(arguments: Removal.allCases) func removalDuringAnotherThreadsProtectionReleasesAtItsEnd(removal: Removal)
        {
            expectOneOfManyAttempts {
                let scene = Scene()
                scene.push(key)
                let payload = scene.push(key)
                let protector = Borrower(scene, key, protects: true)
                #expect(protector.found === payload)
                removal.run(scene, key, payload)
                #expect(payload.releases == 0)
                protector.end()
                return payload.releases == 1
            }
        }

        @Test(arguments: Removal.allCases) func protectionDefersNoOtherRelease(removal: Removal) {
            expectOneOfManyAttempts {
                let scene = Scene()
                let below = scene.push(key)
                scene.push(key)
                let other = scene.push(otherKey)
                var wasPrompt = false
                let isProtected = scene.protect(key) { payload in
                    removal.run(scene, otherKey, other)
                    if removal != .removeAll { scene.remove(key, below) }
                    wasPrompt = other.releases == 1 && below.releases == 1
                    #expect(payload.releases == 0)
                }
                #expect(isProtected)
                return wasPrompt
            }
        }

        @Test func releaseWaitsForAllProtectionsOfThePayload() {
            expectOneOfManyAttempts {
                let scene = Scene()
                let payload = scene.push(key)
                let protector = Borrower(scene, key, protects: true)
                #expect(protector.found === payload)
                let isProtected = scene.protect(key) { _ in scene.remove(key, payload) }
                #expect(isProtected && payload.releases == 0)
                protector.end()
                return payload.releases == 1
            }
        }

        /// Sixteen threads protect the newest payloads of four keys.
        @Test func emptyingDefersTheProtectedPayloadsOnly() {
            expectOneOfManyAttempts {
                let scene = Scene()
                let keys = (1...12).map { hop_key(type: $0 * 16, discriminator: 0) }
                let payloads = keys.map { key in (0..<3).map { _ in scene.push(key) } }
                let protectors = (0..<16).map { number in Borrower(scene, keys[number * number % 7], protects: true) }
                var waiting = Set(protectors.compactMap(\.found).map(ObjectIdentifier.init))
                #expect(waiting.count == 4)
                scene.removeAll()
                func areReleased(_ payload: Payload) -> Bool {
                    payload.releases == (waiting.contains(ObjectIdentifier(payload)) ? 0 : 1)
                }
                var wereAllPrompt = payloads.joined().allSatisfy(areReleased)
                for number in protectors.indices.reversed() {
                    protectors[number].end()
                    waiting = Set(protectors[..<number].compactMap(\.found).map(ObjectIdentifier.init))
                    wereAllPrompt = payloads.joined().allSatisfy(areReleased) && wereAllPrompt
                }
                return wereAllPrompt
            }
        }

        /// The release of one payload ends the protection of the other one, which the removal has seen already.
        @Test(arguments: [0, 1]) func protectionMayEndBetweenTheLookAndTheRelease(protected: Int) {
            // Unchecked, because it has a variable. Sound, because the thread of the test releases both payloads.
            final class Ending: @unchecked Sendable {
                private var protector: Borrower?

                func set(_ protector: Borrower) { self.protector = protector }

                func run() {
                    let protector = protector
                    self.protector = nil
                    protector?.end()
                }
            }
            expectOneOfManyAttempts {
                let scene = Scene()
                let ending = Ending()
                let payloads = [key, otherKey].map { key in scene.push(key) { ending.run() } }
                let protector = Borrower(scene, [key, otherKey][protected], protects: true)
                #expect(protector.found === payloads[protected])
                ending.set(protector)
                scene.removeAll()
                return payloads.allSatisfy { $0.releases == 1 }
            }
        }

        @Test func borrowedSectionsInsideAProtectionEndBeforeIt() {
            expectOneOfManyAttempts {
                let scene = Scene()
                let payload = scene.push(key)
                let other = scene.push(otherKey)
                var wasPrompt = false
                let isProtected = scene.protect(key) { _ in
                    scene.borrow(key) { found in
                        #expect(found === payload)
                        scene.remove(key, payload)
                        scene.remove(otherKey, other)
                        #expect(other.releases == 0)
                    }
                    wasPrompt = other.releases == 1
                    #expect(payload.releases == 0)
                }
                #expect(isProtected)
                return wasPrompt && payload.releases == 1
            }
        }

        @Test func aThreadProtectsTwoPayloadsAtOnce() {
            let scene = Scene()
            scene.push(key)
            scene.push(otherKey)
            let isProtected = scene.protect(key) { _ in
                let isSecondProtected = scene.protect(otherKey) { _ in
                    #expect(!scene.protect(key) { _ in })
                    // The failed call has left the short section to its caller, which has ended it.
                    hop_wait_for_reads()
                }
                #expect(isSecondProtected)
            }
            #expect(isProtected)
            #expect(scene.protect(key) { _ in })
        }

        @Test func threadExitInsideAProtectionReleasesThePayload() {
            expectOneOfManyAttempts {
                let scene = Scene()
                let payload = scene.push(key)
                let protector = Borrower(scene, key, protects: true, exitsInside: true)
                #expect(protector.found === payload)
                scene.remove(key, payload)
                #expect(payload.releases == 0)
                protector.end()
                return payload.releases == 1
            }
        }
    }
}
