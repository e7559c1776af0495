// Load generators and fault injection for CRegistry, in C, so that only the registry itself synchronizes the threads.
//
// The load is in torture_run and torture_replacing. The rest are utilities for the tests in Swift: threads, gates, and crowds of
// threads that come and go.
//
// All of it synchronizes with C11 atomics and pthreads only, which ThreadSanitizer understands, so its reports are about the
// registry.
#ifndef CTORTURE_H
#define CTORTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "Adversity.h"
#include "CRegistry.h"

#pragma clang assume_nonnull begin

// MARK: Load

struct torture_plan {
    /// Concurrent threads, all of which read and write.
    unsigned threads;
    /// Keys that the threads share.
    unsigned keys;
    /// The duration.
    unsigned milliseconds;
    /// The seed of the random choices.
    uint64_t seed;
};

struct torture_report {
    // Operations.
    uint64_t reads;
    uint64_t found;
    /// Removals of a payload by a thread that borrows it.
    uint64_t removals_while_borrowed;
    uint64_t removals;
    uint64_t pushes;
    uint64_t releases;

    // Failures, all of which must be zero.

    /// A reader saw a released object inside its section, or while it borrowed the object.
    uint64_t dead;
    /// A reader saw, in the same time, an object of another key or a later use of the same memory.
    uint64_t foreign;
    /// A reader was given an object without references.
    uint64_t resurrected;
    /// An object was released twice.
    uint64_t twice;
    /// Objects that were pushed and never released.
    uint64_t leaked;
    /// A key that always has a payload was found without one.
    uint64_t gaps;
    /// A reader saw an older version than one that was completely published before, or than it had seen itself.
    uint64_t backwards;
    /// A thread with fewer than four borrows could not borrow a payload, or one with four could.
    uint64_t miscounted;
};

/// Runs threads that read, push, remove, replace and empty at random, and use up to six payloads at once, of which they borrow four, while
/// registries and threads come and go. Then destroys everything and accounts for every object.
struct torture_report torture_run(struct torture_plan plan);

/// Runs one writer that continuously replaces the payload of a key by a newer version. All other threads read that key, and the
/// table around it grows and shrinks.
struct torture_report torture_replacing(struct torture_plan plan);

// MARK: Threads and gates

typedef struct torture_thread torture_thread;

torture_thread *torture_thread_start(void (*body)(void *_Nullable), void *_Nullable context);

/// Waits until the thread and the destructors of its thread-locals have ended.
void torture_thread_join(torture_thread *thread);

/// An event that happens once and can be waited for.
typedef struct torture_gate torture_gate;

torture_gate *torture_gate_make(void);
void torture_gate_open(torture_gate *gate);
/// Returns whether the gate was opened in time.
bool torture_gate_wait(torture_gate *gate, unsigned milliseconds);
void torture_gate_free(torture_gate *gate);

// MARK: Crowds

/// How the threads of a crowd end.
enum torture_farewell {
    /// Returns.
    TORTURE_RETURNS,
    /// Returns. A destructor of another thread-local looks up again after the destructor of the registry.
    TORTURE_LOOKS_UP_LATE,
    /// Calls pthread_exit while it borrows the payload of the key twice.
    TORTURE_EXITS_INSIDE,
};

/// Starts `count` threads, `at_once` at a time, each of which looks up a key and ends. Returns the number of successful lookups.
size_t torture_crowd(const hop_registry *_Nullable registry, hop_key key, size_t count, size_t at_once,
                     enum torture_farewell farewell);

/// Looks up `count` keys that the registry does not have. Returns the number of keys that were found.
size_t torture_look_up_unknown(const hop_registry *_Nullable registry, size_t count);

// MARK: Contents

/// Returns the number of payloads that a registry holds, if no thread writes it.
size_t torture_count(const hop_registry *_Nullable registry);

// MARK: The process

/// Returns the number of overrides of the shared object.
uintptr_t torture_shared_overrides(void);

/// Returns whether this was compiled for a sanitizer, which makes everything several times slower.
bool torture_under_sanitizer(void);

/// Returns the resident memory of the process in bytes. Zero if the system does not report it, and under a sanitizer, which
/// retains freed memory.
size_t torture_resident_memory(void);

#pragma clang assume_nonnull end

#endif
