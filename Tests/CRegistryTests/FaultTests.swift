// Tests memory exhaustion: whichever allocation fails, the process aborts with one line.

// Exit tests need Swift 6.2, and a system that allows processes to be started.
#if compiler(>=6.2) && (os(Linux) || os(macOS))
    import CRegistry
    import CTorture
    import Foundation
    import Testing

    extension CRegistryTests {
        @Suite struct FaultTests {
            private static let key = hop_key(type: 16, discriminator: 0)

            /// Checks the standard error of the process, without the lines of a sanitizer.
            private func expectOneLine(_ result: ExitTest.Result?, for what: String) throws {
                let error = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
                let lines = error.split(separator: "\n").filter { $0.hasPrefix("Hopoate:") }
                #expect(lines.count == 1)
                let line = try #require(lines.first)
                #expect(line.hasPrefix("Hopoate: out of memory: could not allocate "))
                #expect(line.hasSuffix(" bytes for \(what)"))
            }

            @Test func failureToCreateARegistryAborts() async throws {
                let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
                    hop_fail_allocation_after(0)
                    _ = hop_registry_make()
                }
                try expectOneLine(result, for: "a container")
            }

            @Test func failureToGrowTheTableAborts() async throws {
                let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
                    let scene = Scene()
                    hop_fail_allocation_after(0)
                    scene.push(FaultTests.key)
                }
                try expectOneLine(result, for: "a table of registrations")
            }

            @Test func failureToPushARegistrationAborts() async throws {
                let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
                    let scene = Scene()
                    scene.push(FaultTests.key)
                    // The second payload of a key allocates two nodes.
                    hop_fail_allocation_after(1)
                    scene.push(FaultTests.key)
                }
                try expectOneLine(result, for: "a registration")
            }

            @Test func failureToLookForBorrowsAborts() async throws {
                let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
                    let scene = Scene()
                    let payload = scene.push(FaultTests.key)
                    scene.borrow(FaultTests.key) { _ in
                        hop_fail_allocation_after(0)
                        scene.remove(FaultTests.key, payload)
                    }
                }
                try expectOneLine(result, for: "a look for borrows")
            }

            @Test func failureToDeferAReleaseAborts() async throws {
                let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
                    let scene = Scene()
                    let payload = scene.push(FaultTests.key)
                    scene.borrow(FaultTests.key) { _ in
                        // The look for borrows allocates first.
                        hop_fail_allocation_after(1)
                        scene.remove(FaultTests.key, payload)
                    }
                }
                try expectOneLine(result, for: "a deferred release")
            }

            @Test func failureOnAThreadsFirstUseAborts() async throws {
                let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
                    let scene = Scene()
                    hop_fail_allocation_after(0)
                    _ = torture_use_many_records(scene.registry)
                }
                try expectOneLine(result, for: "the records of threads")
            }

            @Test func operationsWithoutAllocationsWorkWithoutMemory() async {
                await #expect(processExitsWith: .success) {
                    let scene = Scene()
                    let payloads = [scene.push(FaultTests.key), scene.push(FaultTests.key)]
                    let otherKey = hop_key(type: 32, discriminator: 0)
                    let other = scene.push(otherKey)
                    // The first use on this thread creates its record.
                    #expect(hop_contains(scene.registry, FaultTests.key))
                    hop_fail_allocation_after(0)
                    #expect(scene.newest(FaultTests.key) === payloads[1])
                    #expect(scene.stack(FaultTests.key) == payloads.reversed())
                    scene.borrow(FaultTests.key) { #expect($0 === payloads[1]) }
                    // Only the release of a borrowed payload needs memory.
                    scene.borrow(FaultTests.key) { _ in #expect(scene.remove(otherKey, other) && other.releases == 1) }
                    // Removing from the top, or the only payload, copies no node. A single payload needs no node.
                    #expect(scene.remove(FaultTests.key, payloads[1]))
                    #expect(scene.remove(FaultTests.key, payloads[0]))
                    scene.replace(FaultTests.key)
                    scene.removeAll()
                    hop_fail_allocation_after(-1)
                    #expect(payloads.allSatisfy { $0.releases == 1 })
                }
            }
        }
    }
#endif
