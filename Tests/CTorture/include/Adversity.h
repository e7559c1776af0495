// Adverse events for a process: memory exhaustion, forks, denied system calls, cancelled threads and exits.
//
// Functions that fork need a process without unrelated threads, so the tests call them in exit tests.
#ifndef CTORTURE_ADVERSITY_H
#define CTORTURE_ADVERSITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CRegistry.h"

#pragma clang assume_nonnull begin

// MARK: Memory exhaustion

struct torture_faults {
    /// Allocations of the workload. Each of them failed once, in a process of its own.
    unsigned allocations;
    /// The kinds of allocations that failed, as a bit set of the six kinds.
    unsigned kinds;
    /// Whether the last workload was complete and released each payload once.
    bool completed;

    // Failures, all of which must be zero.

    /// Processes that had to be killed.
    unsigned hung;
    /// Processes that did not end with SIGABRT.
    unsigned ended_otherwise;
    /// Processes that did not print exactly one correct line.
    unsigned unclear;
};

/// Defined in the library's memory.c, in no public header: makes the allocation after the next `successes` ones fail. A negative number stops
/// this.
void hop_fail_allocation_after(long successes);

/// Looks up in a registry from so many threads at once that the library needs memory for their records. Returns whether all threads could be
/// started.
bool torture_use_many_records(hop_registry *_Nullable registry);

/// Repeats a mixed workload with its first allocation failing, then its second, and so on to the last.
struct torture_faults torture_fault_sweep(void);

/// Pushes to a registry until the process has no memory left. Never returns.
void torture_exhaust_memory(void);

/// Allocates all remaining thread-specific keys, and then uses the registry for the first time.
void torture_exhaust_thread_keys(void);

// MARK: Fork

struct torture_forks {
    /// Forks while other threads read, borrowed and wrote, in the default registry and in another one.
    unsigned children;

    // Failures, all of which must be zero.

    /// Children that did not end in time.
    unsigned hung;
    /// Children that died.
    unsigned died;
    /// Children that found a failure, the first of which is in `first_finding`.
    unsigned wrong;
    int first_finding;
    /// Payloads of the parent that were released twice, or were not released at the end.
    unsigned twice;
    unsigned leaked;
};

/// Forks `rounds` times while other threads read and write. The children use the registry, and some fork again.
struct torture_forks torture_fork_under_load(unsigned rounds);

/// Forks `rounds` times while another thread uses the registry for the first time in its process.
struct torture_forks torture_fork_at_first_use(unsigned rounds);

/// Forks while this thread and two others borrow removed payloads. The child has to release those of the lost threads with its next
/// removal, and those that this thread borrows, too, at the end of the borrow. The parent has to release each at the end of its last
/// borrow. A release callback removes another payload. Returns zero if each process has released each payload exactly once and at its
/// time, otherwise the number of the failure: below 100 for the child, above for the parent. -1 if the child did not end.
int torture_fork_with_deferred_releases(void);

// MARK: Denied and counted system calls

/// Lets a child use the registry, denies it membarrier by a seccomp filter, and removes a payload that another thread borrows.
/// With `at_once`, every other removal races with the end of the borrow. Returns zero if each payload was released once, at the
/// latest by the end of its borrow. Otherwise returns the number of the failure, or minus the signal that ended the child.
/// Always zero on systems without membarrier.
int torture_deny_membarrier(bool at_once);

/// Counts the calls of membarrier. There is none for a registration, even if it replaces the table, for a registry that is made or
/// destroyed, for the end of a borrow, and for a removal while no other thread has a record. There is one for another removal, and a second
/// one if another thread borrows the payload. Returns zero if that is so, otherwise the number of the failure, or minus the signal that ended the child.
int torture_count_membarriers(void);

/// Whether the system grants membarrier to this process.
bool torture_membarrier_is_granted(void);

// MARK: Ends of threads

enum torture_end {
    /// pthread_cancel while the thread waits, outside every section.
    TORTURE_CANCELLED_OUTSIDE,
    /// pthread_cancel while the thread borrows two payloads, one of them twice. That one is removed meanwhile, the other one afterwards.
    TORTURE_CANCELLED_INSIDE,
    /// pthread_exit outside every section.
    TORTURE_EXITS_OUTSIDE,
    /// Returns. Destructors of a key older than the registry's, and of a younger key, look up, push, remove and try to borrow. They repeat
    /// this as often as the system allows. The threads share one of the payloads.
    TORTURE_HAUNTS_KEYS,
    /// The same for a thread that never used the registry before.
    TORTURE_HAUNTS_KEYS_ONLY,
    /// Returns. A destructor of a C++ thread_local does the same before the destructors of all keys. Equals
    /// TORTURE_HAUNTS_KEYS on systems without __cxa_thread_atexit_impl.
    TORTURE_HAUNTS_LOCALS,
};

/// Starts `count` threads, `at_once` at a time, with such an end. Returns the number of correct operations in destructors or, for threads
/// without destructors, the number of threads that ended. Zero if a payload was not released exactly once, and at its time.
size_t torture_ends(size_t count, size_t at_once, enum torture_end end);

/// Returns the number of such operations per thread.
size_t torture_acts_of_an_end(enum torture_end end);

/// Forks in a thread that is in the last pass of its destructors, while another such thread is in a read section. Returns zero if the
/// section has ended in the child, so that the child can read and remove, otherwise the number of the failure.
int torture_fork_with_a_last_word(void);

/// Cancels a thread that waits in a removal for a stopped reader, and then resumes the reader. Returns whether the removal
/// finished and released the payload exactly once.
bool torture_cancelled_remover_releases(void);

// MARK: Exit

/// Starts threads that read and write forever, and returns when they are busy.
void torture_work_for_ever(unsigned threads);

/// Ends `rounds` children by exit(0) while their threads are busy. Returns the number of children with another status.
unsigned torture_exit_under_load(unsigned rounds);

/// The same after the initial thread has ended inside a borrow.
unsigned torture_exit_without_first_thread(unsigned rounds);

// MARK: Processes

/// The result of a child.
struct torture_child {
    /// Whether it ended within its time limit. If not, it was killed.
    bool in_time;
    /// Its exit status, or -1 if a signal ended it.
    int status;
    /// The signal that ended it, or zero.
    int signal;
    /// The number of lines that it wrote to stderr, and the first of them.
    unsigned lines;
    char first_line[200];
};

/// Forks a child that runs `body` and exits with its result.
struct torture_child torture_child_run(int (*body)(void *_Nullable), void *_Nullable context, unsigned milliseconds);

#pragma clang assume_nonnull end

#endif
