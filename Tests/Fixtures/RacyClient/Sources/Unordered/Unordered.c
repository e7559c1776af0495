// The flags are read and written in functions that ThreadSanitizer does not instrument, so it knows of no order through them.
#include "Unordered.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct runner {
    void (*body)(void);
    int may_run;
    pthread_t thread;
};

__attribute__((no_sanitize("thread"), noinline)) static void let_run(struct runner *runner) {
    __atomic_store_n(&runner->may_run, 1, __ATOMIC_RELEASE);
}

__attribute__((no_sanitize("thread"), noinline)) static bool may_run(struct runner *runner) {
    return __atomic_load_n(&runner->may_run, __ATOMIC_ACQUIRE) != 0;
}

static void *run(void *argument) {
    struct runner *runner = argument;
    while (!may_run(runner)) usleep(100);
    runner->body();
    return NULL;
}

void unordered_run(void (*body)(void), bool one_after_the_other) {
    struct runner runners[2] = {{.body = body}, {.body = body}};
    for (int index = 0; index < 2; index++) {
        if (pthread_create(&runners[index].thread, NULL, run, &runners[index]) != 0) abort();
    }
    for (int index = 0; index < 2; index++) {
        let_run(&runners[index]);
        // What the first one did happens before the join, and nothing that this thread does happens before the second one's.
        if (one_after_the_other) pthread_join(runners[index].thread, NULL);
    }
    for (int index = 0; index < 2 && !one_after_the_other; index++) pthread_join(runners[index].thread, NULL);
}
