// Back-off: waiting for a thread that runs a few instructions, but may have been preempted in them.
#ifndef HOP_WAITING_H
#define HOP_WAITING_H

#include <pthread.h>
#include <sched.h>
#include <time.h>

#pragma clang assume_nonnull begin

/// Sleeps for less than a second. Not a cancellation point: if a thread were cancelled here, it would never release a lock that
/// it holds, and it would leak memory that only it knows of.
static inline void hop_sleep(long nanoseconds) {
    struct timespec moment = {.tv_nsec = nanoseconds};
#if defined(__ANDROID__)  // Android has no thread cancellation.
    while (nanosleep(&moment, &moment) != 0) continue;
#else
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    while (nanosleep(&moment, &moment) != 0) continue;
    pthread_setcancelstate(state, &state);
#endif
}

/// One step of back-off: spins, then yields the processor, then sleeps. Call it in a loop, with a counter that starts at zero.
/// The sleep lets threads of a lower priority run, or ones that do not run for a while. The sleeps grow from 50 microseconds
/// to a millisecond, so that a long wait costs hardly any processor time.
static inline void hop_wait_a_little(unsigned *rounds) {
    enum { SPINS = 100, YIELDS = 1000, SHORTEST = 50000, LONGEST = 1000000 };
    *rounds += 1;
    if (*rounds < SPINS) return;
    if (*rounds < YIELDS) {
        sched_yield();
        return;
    }
    // Every fourth sleep is longer, until they last a millisecond. The first 80 sleeps take 42 milliseconds together.
    const unsigned long nanoseconds = SHORTEST * (1 + (*rounds - YIELDS) / 4UL);
    hop_sleep((long)(nanoseconds < LONGEST ? nanoseconds : LONGEST));
}

/// Waits until the stores that are in store buffers now have reached memory. They leave a buffer within nanoseconds, or when their
/// thread is preempted; this sleeps for a millisecond. The machine ensures it, the language does not.
static inline void hop_wait_for_store_buffers(void) { hop_sleep(1000000); }

#pragma clang assume_nonnull end

#endif
