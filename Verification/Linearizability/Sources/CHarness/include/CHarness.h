// A clock that orders what threads do without making them meet, and threads that begin together.
#ifndef CHARNESS_H
#define CHARNESS_H

#include <stdint.h>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <time.h>
#endif

#pragma clang assume_nonnull begin

/// Reads the clock between two operations.
///
/// What makes the stamps sound. Let one operation end before a reading r, and another one begin after a reading s. If r
/// < s, then the first had ended before the second began. That takes two things:
///
///   - No operation reaches over a reading. The reading waits until all loads before it are done, and no later
///     instruction begins before it is done (rdtscp and lfence; on arm64 dsb and isb).
///   - The clocks of the cores agree: of two readings, one of which happens before the other, the later is not the
///     smaller one. The program measures by how much they fail to, and widens every operation by that; see Clock.swift.
///
/// What a reading must not do is synchronise. A shared counter would: its locked instruction drains the store buffer,
/// and the line that it bounces makes threads take turns, so that reorderings of the code under test would be hidden by
/// the test. A reading here writes to no memory, and stores that are still in the store buffer stay there: a write
/// which returns before others can see it is caught.
static inline uint64_t har_clock_read(void) {
#if defined(__x86_64__)
    uint32_t low, high, core;
    __asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high), "=c"(core)::"memory");
    return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("dsb ishld\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
    return ticks;
#else
    struct timespec now;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    clock_gettime(CLOCK_MONOTONIC, &now);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

/// Tells the processor that this is a loop which waits.
static inline void har_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#endif
}

/// Lets another thread have the processor.
void har_yield(void);

/// Stores to memory that nobody is expected to read any more.
void har_store(uint16_t *word, uint16_t value);

/// How many processors the process may use.
unsigned har_processors(void);

/// A word of the calling thread; NULL until it is set.
void *_Nullable har_thread_context(void);

/// Sets the word of the calling thread.
void har_set_thread_context(void *_Nullable context);

/// Reports a violation and ends the process in so many seconds, unless called again before.
void har_watch(unsigned seconds);

/// Calls `body` on `count` threads, with their numbers, and returns when all have returned. Where the system allows it,
/// they are spread over the processors and stay there: two threads that take turns on one never overlap. Ends the
/// process where the system refuses a thread.
void har_run_threads(unsigned count, void (*body)(unsigned number, void *context), void *context);

#pragma clang assume_nonnull end

#endif
