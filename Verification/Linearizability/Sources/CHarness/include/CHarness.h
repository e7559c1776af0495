// A clock that orders the operations of threads without synchronising them, and threads that run at the same time.
#ifndef CHARNESS_H
#define CHARNESS_H

#include <stdint.h>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <time.h>
#endif

#pragma clang assume_nonnull begin

/// Reads the clock between two operations.
///
/// Why the stamps are sound. Let one operation end before a reading r, and another one begin after a reading s. If r < s,
/// then the first operation ended before the second one began. This needs two conditions:
///
///   - No operation crosses a reading. The reading waits until all loads before it are done, and no later instruction
///     begins before it is done (rdtscp and lfence; on arm64 dsb and isb).
///   - The clocks of the cores agree: if one reading happens before another, the later one is not smaller. The program
///     measures by how much they disagree, and widens every operation by that; see Clock.swift.
///
/// A reading must not synchronise. A shared counter would: its locked instruction drains the store buffer, and its cache
/// line makes threads take turns. So the test would hide reorderings of the code under test. A reading here writes to no
/// memory, and does not drain the store buffer. So a write that returns before others can see it is caught.
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

/// Tells the processor that this is a spin loop.
static inline void har_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#endif
}

/// Yields the processor.
void har_yield(void);

/// Stores to memory that no thread is expected to read any more.
void har_store(uint16_t *word, uint16_t value);

/// The number of processors that the process may use.
unsigned har_processors(void);

/// A word of the calling thread; NULL until it is set.
void *_Nullable har_thread_context(void);

/// Sets the word of the calling thread.
void har_set_thread_context(void *_Nullable context);

/// Starts a watchdog: in `seconds` it reports a violation and exits, unless this is called again before.
void har_watch(unsigned seconds);

/// Calls `body` on `count` threads, with their numbers, and returns when all have returned. If the system allows it, the
/// threads are pinned to different processors, because two threads that take turns on one never overlap. Traps if the
/// system refuses a thread.
void har_run_threads(unsigned count, void (*body)(unsigned number, void *context), void *context);

#pragma clang assume_nonnull end

#endif
