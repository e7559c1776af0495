// The flags are read and written in functions that ThreadSanitizer does not instrument, so it knows of no order through them.
#include "Unordered.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct runner {
    void (*body)(void);
    int may_run;
    /// Which one may run when this one has ended.
    struct runner *next;
    int passes;
    pthread_t thread;
};

static pthread_key_t end_key;

__attribute__((no_sanitize("thread"), noinline)) static void let_run(struct runner *runner) {
    __atomic_store_n(&runner->may_run, 1, __ATOMIC_RELEASE);
}

__attribute__((no_sanitize("thread"), noinline)) static bool may_run(struct runner *runner) {
    return __atomic_load_n(&runner->may_run, __ATOMIC_ACQUIRE) != 0;
}

/// In the third pass the destructors of all others have run.
static void end(void *argument) {
    struct runner *runner = argument;
    if (++runner->passes < 3) {
        pthread_setspecific(end_key, runner);
    } else if (runner->next != NULL) {
        let_run(runner->next);
    }
}

static void *run(void *argument) {
    struct runner *runner = argument;
    pthread_setspecific(end_key, runner);
    while (!may_run(runner)) usleep(100);
    runner->body();
    return NULL;
}

void unordered_run(void (*body)(void), bool one_after_the_other) {
    static struct runner runners[2];
    if (pthread_key_create(&end_key, end) != 0) abort();
    runners[0] = (struct runner){.body = body, .next = one_after_the_other ? &runners[1] : NULL};
    runners[1] = (struct runner){.body = body};
    for (int index = 0; index < 2; index++) {
        if (pthread_create(&runners[index].thread, NULL, run, &runners[index]) != 0) abort();
    }
    let_run(&runners[0]);
    if (!one_after_the_other) let_run(&runners[1]);
    for (int index = 1; index >= 0; index--) pthread_join(runners[index].thread, NULL);
}
