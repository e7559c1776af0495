// Tests forks at any moment: children may use the registry in the state in which other threads left it. Also tests a system that
// denies membarrier after it has granted it, and counts the calls.

// Each test runs in a process of its own, because it writes to the default registry. Exit tests, as in FaultTests.
#if compiler(>=6.2) && (os(Linux) || os(macOS))
    import CRegistry
    import CTorture
    import Foundation
    import Testing

    extension CRegistryTests {
        @Suite struct ForkTests {
            @Test func childOfAForkMayUseTheRegistry() async {
                await #expect(processExitsWith: .success) {
                    let rounds = Effort.repetitions(500)
                    expectNoHarm(torture_fork_under_load(UInt32(rounds)), children: rounds)
                }
            }

            @Test func childOfAForkDuringTheFirstUseMayUseTheRegistry() async {
                await #expect(processExitsWith: .success) {
                    let rounds = Effort.repetitions(100)
                    expectNoHarm(torture_fork_at_first_use(UInt32(rounds)), children: rounds)
                }
            }

            @Test func bothProcessesReleaseWhatWasBorrowedAtTheFork() async {
                await #expect(processExitsWith: .success) { #expect(torture_fork_with_deferred_releases() == 0) }
            }

            @Test func childForkedByAnEndingThreadMayUseTheRegistry() async {
                await #expect(processExitsWith: .success) {
                    for _ in 0..<Effort.repetitions(20) { #expect(torture_fork_with_a_last_word() == 0) }
                }
            }
        }
    }

    extension CRegistryTests {
        /// Each test runs in a process of its own, because a seccomp filter is permanent.
        @Suite struct DeniedCallTests {
            @Test(arguments: [false, true]) func processThatIsDeniedMembarrierReleasesAsBefore(atOnce: Bool) async {
                if atOnce {
                    await #expect(processExitsWith: .success) {
                        for _ in 0..<Effort.repetitions(10) { #expect(torture_deny_membarrier(true) == 0) }
                    }
                } else {
                    await #expect(processExitsWith: .success) { #expect(torture_deny_membarrier(false) == 0) }
                }
            }

            @Test func onlyRemovalsCallMembarrier() async {
                await #expect(processExitsWith: .success) { #expect(torture_count_membarriers() == 0) }
            }

            @Test func readersHaveFencesIfMembarrierIsRefused() {
                let isUnwanted = ProcessInfo.processInfo.environment["HOPOATE_MEMBARRIER"] == "off"
                let isGranted = torture_membarrier_is_granted() && !isUnwanted
                #expect(hop_statistics_read(nil).reader_fences == !isGranted)
            }
        }
    }

    private func expectNoHarm(_ forks: torture_forks, children: Int) {
        #expect(forks.children == children)
        #expect(forks.hung == 0)
        #expect(forks.died == 0)
        #expect(forks.wrong == 0, "\(forks.first_finding)")
        #expect(forks.twice == 0)
        #expect(forks.leaked == 0)
    }
#endif
