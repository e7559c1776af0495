// Back-off: waiting for a thread that runs a few instructions, but may have been preempted in them.
#ifndef HOP_WAITING_H
#define HOP_WAITING_H

#include <pthread.h>
#include <sched.h>
#include <time.h>

#pragma clang assume_nonnull begin

/// One step of back-off: spins, then yields the processor, then sleeps. Call it in a loop, with a counter that starts at zero.
/// The sleep lets threads of a lower priority run, or ones that do not run for a while. The sleeps grow from 50 microseconds
/// to a millisecond, so that a long wait costs hardly any processor time.
///
/// The sleep is not a cancellation point. If a thread were cancelled here, it would never release a lock that it holds, and it
/// would leak garbage that only it knows of.
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
    const struct timespec moment = {.tv_nsec = (long)(nanoseconds < LONGEST ? nanoseconds : LONGEST)};
#if defined(__ANDROID__)  // Android has no thread cancellation.
    nanosleep(&moment, NULL);
#else
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    nanosleep(&moment, NULL);
    pthread_setcancelstate(state, &state);
#endif
}

#pragma clang assume_nonnull end

#endif
