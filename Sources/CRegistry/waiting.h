// How to wait for somebody who is in a few instructions, and may have lost the processor there.
#ifndef HOP_WAITING_H
#define HOP_WAITING_H

#include <pthread.h>
#include <sched.h>
#include <time.h>

#pragma clang assume_nonnull begin

/// To be called again and again, with a counter that begins at zero: spins, then lets others run, then sleeps. Sleeping is
/// what helps where the others have a lower priority, or do not run at all for a while.
///
/// The sleep is no cancellation point. A thread that was cancelled here would take along a lock that it holds, or garbage
/// that nobody else knows of.
static inline void hop_wait_a_little(unsigned *rounds) {
    enum { SPINS = 100, YIELDS = 1000, NANOSECONDS = 50000 };
    *rounds += 1;
    if (*rounds < SPINS) return;
    if (*rounds < YIELDS) {
        sched_yield();
        return;
    }
    const struct timespec moment = {.tv_nsec = NANOSECONDS};
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
