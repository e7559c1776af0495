// Tests processes that exit while threads use the registry: nothing of the registry is torn down.

// Exit tests, as in FaultTests.
#if compiler(>=6.2) && (os(Linux) || os(macOS))
    import CTorture
    import Foundation
    import Testing

    extension CRegistryTests {
        @Suite struct ProcessEndTests {
            @Test func exitWithThreadsAtWorkIsClean() async {
                await #expect(processExitsWith: .success) {
                    let rounds = UInt32(Effort.repetitions(100))
                    #expect(torture_exit_under_load(rounds) == 0)
                    #expect(torture_exit_without_first_thread(rounds) == 0)
                }
            }

            @Test func exitOfTheTestProcessWithThreadsAtWorkIsClean() async {
                for _ in 0..<Effort.repetitions(10) {
                    await #expect(processExitsWith: .exitCode(0)) {
                        torture_work_for_ever(2)
                        exit(0)
                    }
                }
            }

            @Test func returnWithThreadsAtWorkIsClean() async {
                for _ in 0..<Effort.repetitions(10) {
                    await #expect(processExitsWith: .success) {
                        torture_work_for_ever(2)
                    }
                }
            }
        }
    }
#endif
