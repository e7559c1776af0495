// Tests memory exhaustion: at every single allocation of a mixed workload, and permanently.

// Exit tests, as in FaultTests.
#if compiler(>=6.2) && os(Linux)
    import CRegistry
    import CTorture
    import Foundation
    import Testing

    extension CRegistryTests {
        @Suite struct AllocationFaultTests {
            @Test func anyFailedAllocationAbortsWithOneLine() async {
                await #expect(processExitsWith: .success) {
                    let faults = torture_fault_sweep()
                    #expect(faults.completed)
                    #expect(faults.allocations > 50)
                    // All six kinds of allocations failed.
                    #expect(faults.kinds == 0b111111)
                    #expect(faults.hung == 0)
                    #expect(faults.ended_otherwise == 0)
                    #expect(faults.unclear == 0)
                }
            }

            @Test func exhaustedThreadKeysAreHarmlessAfterStartUp() async {
                await #expect(processExitsWith: .success) {
                    torture_exhaust_thread_keys()
                }
            }

            @Test func exhaustedMemoryAbortsWithOneLine() async throws {
                // Sanitizers reserve the whole address space, so it cannot be limited.
                if torture_under_sanitizer() { return }
                let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
                    torture_exhaust_memory()
                }
                let lines = try lines(of: result)
                #expect(lines.count == 1)
                #expect(lines.first?.hasPrefix("Hopoate: out of memory: could not allocate ") == true)
            }

            /// The lines of the process without those of a sanitizer.
            private func lines(of result: ExitTest.Result?) throws -> [String] {
                let error = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
                return error.split(separator: "\n").filter { $0.hasPrefix("Hopoate:") }.map(String.init)
            }
        }
    }
#endif
