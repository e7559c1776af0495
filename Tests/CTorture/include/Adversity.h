// What befalls a process: memory that runs out, forks, system calls that are denied, threads that are cancelled, its end.
//
// Functions that fork want a process of their own, without threads that know nothing of it: the tests call them in exit tests.
#ifndef CTORTURE_ADVERSITY_H
#define CTORTURE_ADVERSITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Memory that runs out

struct torture_faults {
    /// Allocations of the workload; each was the one that fails, in a process of its own.
    unsigned allocations;
    /// What was asked for when one failed, a bit for each of the five kinds.
    unsigned kinds;
    /// Whether the workload at last came to its end, with each payload released once.
    bool completed;

    // What must not be.

    /// Processes that had to be killed.
    unsigned hung;
    /// Processes that did not end by SIGABRT.
    unsigned ended_otherwise;
    /// Processes that did not say exactly one line, and the right one.
    unsigned unclear;
};

/// Runs a mixed workload again and again, with its first allocation failing, then its second, and so on to the last.
struct torture_faults torture_fault_sweep(void);

/// Pushes to a registry until the system has no more memory for the process. Never returns.
void torture_exhaust_memory(void);

/// Takes all thread-specific keys that are left, and then uses the registry for the first time.
void torture_exhaust_thread_keys(void);

// MARK: Fork

struct torture_forks {
    /// Forks while a thread was at work on the default registry, on another one, and in sections of both kinds.
    unsigned children;

    // What must not be.

    /// Children that did not come to their end in time.
    unsigned hung;
    /// Children that died.
    unsigned died;
    /// Children that found something wrong; what it was is in `first_finding`.
    unsigned wrong;
    int first_finding;
    /// Payloads of the parent that were released twice or, once all was over, not at all.
    unsigned twice;
    unsigned leaked;
};

/// Forks `rounds` times while other threads read and write. The children use the registry, and some fork again.
struct torture_forks torture_fork_under_load(unsigned rounds);

/// Forks `rounds` times while another thread uses the registry for the first time in its process.
struct torture_forks torture_fork_at_first_use(unsigned rounds);

// MARK: A system call that is taken back

/// Lets a child use the registry, denies it membarrier by a seccomp filter, and removes what another thread borrows; with
/// `at_once`, every other time while the section ends. Returns zero where each payload was released once, by the end of the
/// section at the latest; else the number of what was found, or minus the signal that ended the child. Zero on systems without.
int torture_deny_membarrier(bool at_once);

// MARK: Threads that end

enum torture_end {
    /// pthread_cancel while the thread waits, outside every section.
    TORTURE_CANCELLED_OUTSIDE,
    /// pthread_cancel while the thread waits in two nested borrowed sections.
    TORTURE_CANCELLED_INSIDE,
    /// pthread_exit outside every section.
    TORTURE_EXITS_OUTSIDE,
    /// By returning; destructors of a key made before the registry's, and of one made after it, look up, push and remove, and
    /// ask to be called again, as often as the system allows.
    TORTURE_HAUNTS_KEYS,
    /// The same, but the thread never used the registry before.
    TORTURE_HAUNTS_KEYS_ONLY,
    /// By returning; a destructor of a C++ thread_local looks up, pushes and removes, before all keys' destructors.
    /// On systems without __cxa_thread_atexit_impl this is TORTURE_HAUNTS_KEYS.
    TORTURE_HAUNTS_LOCALS,
};

/// Starts `count` threads, `at_once` at a time, that end in such a way. Returns how many lookups, pushes and removals in
/// destructors did what they should, or, for threads without, how many threads came to their end.
size_t torture_ends(size_t count, size_t at_once, enum torture_end end);

/// How many of those a thread makes.
size_t torture_acts_of_an_end(enum torture_end end);

/// Forks in a borrowed section of a thread that is in the last pass of its destructors, while another such thread is in one.
/// Returns zero where the child found its own section going on and the other one ended; else the number of what it found.
int torture_fork_with_a_last_word(void);

/// Cancels a thread that waits, in a removal, for a reader that has stopped; then the reader goes on.
/// Returns whether the removal came to its end: the payload was released, exactly once.
bool torture_cancelled_remover_releases(void);

// MARK: The end of the process

/// Starts threads that read and write for ever, and returns when they are at it.
void torture_work_for_ever(unsigned threads);

/// Ends `rounds` children by exit(0) while their threads are at work. Returns how many ended otherwise.
unsigned torture_exit_under_load(unsigned rounds);

/// The same, where the first thread has ended before, inside a borrowed section.
unsigned torture_exit_without_first_thread(unsigned rounds);

// MARK: Processes

/// What became of a child.
struct torture_child {
    /// Whether it ended by itself. If not, it was killed.
    bool in_time;
    /// Its exit status; -1 where a signal ended it.
    int status;
    /// The signal that ended it, or zero.
    int signal;
    /// Lines that it wrote to stderr, and the first of them.
    unsigned lines;
    char first_line[200];
};

/// Forks a child that runs `body` and ends with what it returns.
struct torture_child torture_child_run(int (*body)(void *_Nullable), void *_Nullable context, unsigned milliseconds);

#pragma clang assume_nonnull end

#endif
