// The flags are accessed in functions that ThreadSanitizer does not instrument, so it sees no order through them.
#include "Unordered.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

struct runner {
    void (*body)(void);
    int may_run;
    int has_run;
    pthread_t thread;
};

__attribute__((disable_sanitizer_instrumentation, noinline)) static void raise_flag(int *flag) {
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

__attribute__((disable_sanitizer_instrumentation, noinline)) static void wait_for(int *flag) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) sched_yield();
}

static void *run(void *argument) {
    struct runner *runner = argument;
    wait_for(&runner->may_run);
    runner->body();
    raise_flag(&runner->has_run);
    return NULL;
}

static void start(struct runner *runner) {
    if (pthread_create(&runner->thread, NULL, run, runner) != 0) abort();
}

void unordered_run(void (*body)(void), bool one_after_the_other) {
    static struct runner runners[2];
    for (int index = 0; index < 2; index++) runners[index].body = body;
    start(&runners[0]);
    if (one_after_the_other) {
        raise_flag(&runners[0].may_run);
        wait_for(&runners[0].has_run);
        // Waits for the destructors of the thread-locals. Joining the thread would order the two.
        usleep(100000);
        start(&runners[1]);
    } else {
        start(&runners[1]);
        raise_flag(&runners[0].may_run);
    }
    raise_flag(&runners[1].may_run);
    for (int index = 0; index < 2; index++) pthread_join(runners[index].thread, NULL);
}
