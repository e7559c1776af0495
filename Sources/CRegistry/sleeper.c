// A one-shot event: one thread sleeps until another one wakes it. A mutex and a condition variable, for portability.
#include <pthread.h>
#include <stdlib.h>

#include "CSupport.h"
#include "memory.h"

struct hop_sleeper {
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool is_awake;
};

hop_sleeper *hop_sleeper_make(void) {
    hop_sleeper *sleeper = hop_allocate(sizeof *sleeper, "a thread that waits");
    if (pthread_mutex_init(&sleeper->lock, NULL) != 0 || pthread_cond_init(&sleeper->woken, NULL) != 0) {
        hop_fail("could not make the lock of a thread that waits");
    }
    sleeper->is_awake = false;
    return sleeper;
}

void hop_sleeper_sleep(hop_sleeper *sleeper) {
#if !defined(__ANDROID__)  // Android has no thread cancellation.
    // If a thread were cancelled here, it would never release the lock, and would leave its entry in a queue of waiters.
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
#endif
    pthread_mutex_lock(&sleeper->lock);
    while (!sleeper->is_awake) pthread_cond_wait(&sleeper->woken, &sleeper->lock);
    pthread_mutex_unlock(&sleeper->lock);
#if !defined(__ANDROID__)
    pthread_setcancelstate(state, &state);
#endif
}

void hop_sleeper_wake(hop_sleeper *sleeper) {
    pthread_mutex_lock(&sleeper->lock);
    sleeper->is_awake = true;
    // Signal under the lock: once the sleeping thread can take the lock, it may return and free the sleeper.
    pthread_cond_signal(&sleeper->woken);
    pthread_mutex_unlock(&sleeper->lock);
}

void hop_sleeper_destroy(hop_sleeper *sleeper) {
    pthread_cond_destroy(&sleeper->woken);
    pthread_mutex_destroy(&sleeper->lock);
    free(sleeper);
}
