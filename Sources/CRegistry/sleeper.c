// One thread that sleeps until another one wakes it. A mutex and a condition, because these are everywhere.
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
#if !defined(__ANDROID__)  // Has no cancellation.
    // A thread that was cancelled here would leave the lock taken and its place in a queue behind.
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
    // Under the lock: once the sleeper can take it, it may end and free all this.
    pthread_cond_signal(&sleeper->woken);
    pthread_mutex_unlock(&sleeper->lock);
}

void hop_sleeper_destroy(hop_sleeper *sleeper) {
    pthread_cond_destroy(&sleeper->woken);
    pthread_mutex_destroy(&sleeper->lock);
    free(sleeper);
}
