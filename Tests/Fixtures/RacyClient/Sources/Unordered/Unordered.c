// The flags are accessed in functions that ThreadSanitizer does not instrument, so it sees no order through them.
#include "Unordered.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

struct runner {
    enum unordered_form form;
    void (*begin)(void);
    void (*body)(void);
    int may_run;
    int has_run;
    int has_ended_once;
    pthread_t thread;
};

static pthread_key_t ending;

__attribute__((disable_sanitizer_instrumentation, noinline)) static void raise_flag(int *flag) {
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

__attribute__((disable_sanitizer_instrumentation, noinline)) static void wait_for(int *flag) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) sched_yield();
}

static void finish(struct runner *runner) {
    runner->body();
    raise_flag(&runner->has_run);
}

static void run_late(void *argument) {
    struct runner *runner = argument;
    if (runner->has_ended_once) return finish(runner);
    runner->has_ended_once = 1;
    if (pthread_setspecific(ending, runner) != 0) abort();
}

static void *run(void *argument) {
    struct runner *runner = argument;
    wait_for(&runner->may_run);
    runner->begin();
    if (runner->form != UNORDERED_LATE) {
        finish(runner);
    } else if (pthread_setspecific(ending, runner) != 0) {
        abort();
    }
    return NULL;
}

static void start(struct runner *runner) {
    if (pthread_create(&runner->thread, NULL, run, runner) != 0) abort();
}

void unordered_run(enum unordered_form form, void (*begin)(void), void (*body)(void)) {
    static struct runner runners[2];
    if (pthread_key_create(&ending, run_late) != 0) abort();
    for (int index = 0; index < 2; index++) {
        runners[index] = (struct runner){.form = form, .begin = begin, .body = body};
    }
    start(&runners[0]);
    if (form == UNORDERED_PARALLEL) {
        start(&runners[1]);
        raise_flag(&runners[0].may_run);
    } else {
        raise_flag(&runners[0].may_run);
        wait_for(&runners[0].has_run);
        // Waits for the remaining destructors. Joining the thread would order the two.
        usleep(100000);
        start(&runners[1]);
    }
    raise_flag(&runners[1].may_run);
    for (int index = 0; index < 2; index++) pthread_join(runners[index].thread, NULL);
}
