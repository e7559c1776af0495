// Adversaries for CRegistry, in C so that nothing but the registry itself stands between the threads.
//
// The torture proper is torture_run and torture_replacing. The rest is what the tests in Swift need to set a scene with:
// threads that can be joined, gates that can be waited for, crowds of threads that come and go.
//
// Everything here synchronises with C11 atomics and pthreads only, which ThreadSanitizer understands: a report that it
// makes is about the registry.
#ifndef CTORTURE_H
#define CTORTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "Adversity.h"
#include "CRegistry.h"

#pragma clang assume_nonnull begin

// MARK: Torture

struct torture_plan {
    /// Threads at work at once. All of them read and write.
    unsigned threads;
    /// Keys that they meet on.
    unsigned keys;
    /// How long they go on.
    unsigned milliseconds;
    /// What the random choices begin with.
    uint64_t seed;
};

struct torture_report {
    // What was done.
    uint64_t reads;
    uint64_t found;
    /// Removals inside the very borrowed section in which the payload was found, of the payload found.
    uint64_t removals_while_borrowed;
    uint64_t removals;
    uint64_t pushes;
    uint64_t releases;

    // What must not be. Each of these is zero, or the registry is wrong.

    /// A reader, inside its section, saw an object that was released.
    uint64_t dead;
    /// A reader, inside its section, saw an object of another key, or another life of the same memory.
    uint64_t foreign;
    /// A reader was given an object whose last reference was gone.
    uint64_t resurrected;
    /// An object was released that had been released before.
    uint64_t twice;
    /// Objects that were pushed and never released.
    uint64_t leaked;
    /// A key that always has a payload was found without one.
    uint64_t gaps;
    /// A reader saw an older version than one whose publication was over, or than it had seen itself.
    uint64_t backwards;
};

/// Threads that read, push, remove, replace and empty at random, in short and in borrowed sections, while registries and
/// threads come and go. Then everything is taken down, and every object accounted for.
struct torture_report torture_run(struct torture_plan plan);

/// One writer that always replaces the one payload of a key by a newer version, while all others read that key, and the
/// table around it grows and shrinks.
struct torture_report torture_replacing(struct torture_plan plan);

// MARK: Threads and gates

typedef struct torture_thread torture_thread;

torture_thread *torture_thread_start(void (*body)(void *_Nullable), void *_Nullable context);

/// Waits until the thread has ended, its thread-locals' destructors included.
void torture_thread_join(torture_thread *thread);

/// Something that happens once, and can be waited for.
typedef struct torture_gate torture_gate;

torture_gate *torture_gate_make(void);
void torture_gate_open(torture_gate *gate);
/// Returns whether the gate was opened in time.
bool torture_gate_wait(torture_gate *gate, unsigned milliseconds);
void torture_gate_free(torture_gate *gate);

// MARK: Crowds

/// How the threads of a crowd end.
enum torture_farewell {
    /// By returning.
    TORTURE_RETURNS,
    /// By returning; a destructor of another thread-local looks up once more, after the registry's own has run.
    TORTURE_LOOKS_UP_LATE,
    /// By pthread_exit inside two nested borrowed sections.
    TORTURE_EXITS_INSIDE,
};

/// Starts `count` threads, `at_once` at a time, each of which looks a key up and ends.
/// Returns how often they found something.
size_t torture_crowd(const hop_registry *_Nullable registry, hop_key key, size_t count, size_t at_once,
                     enum torture_farewell farewell);

/// Looks `count` keys up, none of which the registry has. Returns how many were found.
size_t torture_look_up_unknown(const hop_registry *_Nullable registry, size_t count);

// MARK: The process

/// Whether this was compiled for a sanitizer, which makes everything several times slower.
bool torture_under_sanitizer(void);

/// The memory of the process that is resident, in bytes. Zero where the system does not tell, and under a sanitizer, which
/// keeps what was freed.
size_t torture_resident_memory(void);

#pragma clang assume_nonnull end

#endif
