// How to wait for somebody who is in a few instructions, and may have lost the processor there.
#ifndef HOP_WAITING_H
#define HOP_WAITING_H

#include <pthread.h>
#include <sched.h>
#include <time.h>

#pragma clang assume_nonnull begin

/// To be called again and again, with a counter that begins at zero: spins, then lets others run, then sleeps. Sleeping is
/// what helps where the others have a lower priority, or do not run at all for a while. The sleeps get longer, from 50
/// microseconds to a millisecond, so that a long wait costs next to no processor time.
///
/// The sleep is no cancellation point. A thread that was cancelled here would take along a lock that it holds, or garbage
/// that nobody else knows of.
static inline void hop_wait_a_little(unsigned *rounds) {
    enum { SPINS = 100, YIELDS = 1000, SHORTEST = 50000, LONGEST = 1000000 };
    *rounds += 1;
    if (*rounds < SPINS) return;
    if (*rounds < YIELDS) {
        sched_yield();
        return;
    }
    // Longer at every fourth sleep: the longest is reached after 80 of them, 42 milliseconds in all.
    const unsigned long nanoseconds = SHORTEST * (1 + (*rounds - YIELDS) / 4UL);
    const struct timespec moment = {.tv_nsec = (long)(nanoseconds < LONGEST ? nanoseconds : LONGEST)};
#if defined(__ANDROID__)  // Has no cancellation.
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
