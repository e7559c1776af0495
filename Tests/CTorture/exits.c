// Processes that exit while threads use the registry.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "CTorture.h"

enum {
    KEYS = 64,
    PAYLOADS = 16,
    /// The rounds after which a thread counts as busy.
    SOON = 4,
    PATIENCE_MILLISECONDS = 20000,
};

static _Atomic unsigned at_work;

/// Static, because the owner of other memory may be gone.
static const uint64_t payloads[PAYLOADS] __attribute__((aligned(16)));

static void forget(const void *payload) { (void)payload; }

static void *work_for_ever(void *argument) {
    hop_registry *own = argument;
    for (uint64_t number = 0;; number++) {
        hop_registry *registry = number % 2 == 0 ? NULL : own;
        const hop_key key = {.type = (uintptr_t)(number % KEYS + 1) * 16, .discriminator = (uintptr_t)pthread_self()};
        const void *payload = &payloads[number % PAYLOADS];
        hop_push(registry, key, payload, NULL);
        const hop_borrowed found = hop_borrow_begin(registry, key);
        (void)hop_contains(registry, key);
        if (number % 3 == 0) hop_replace(registry, key, payload, NULL, forget);
        hop_remove(registry, key, payload, forget);
        if (found.borrow != NULL) hop_borrow_end(found.borrow);
        if (number % 101 == 0) hop_remove_all(registry, forget);
        if (number == SOON) atomic_fetch_add_explicit(&at_work, 1, memory_order_relaxed);
    }
    return NULL;
}

void torture_work_for_ever(unsigned threads) {
    hop_registry *registry = hop_registry_make();
    for (unsigned index = 0; index < threads; index++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work_for_ever, registry) != 0) abort();
        pthread_detach(thread);
    }
    while (atomic_load_explicit(&at_work, memory_order_relaxed) < threads) sched_yield();
}

static int exit_under_load(void *argument) {
    (void)argument;
    torture_work_for_ever(2);
    exit(0);
}

static void *last_thread(void *argument) {
    (void)exit_under_load(argument);
    return NULL;
}

static int end_before_the_others(void *argument) {
    pthread_t thread;
    const hop_key key = {.type = 16};
    hop_push(NULL, key, &payloads[0], NULL);
    if (hop_borrow_begin(NULL, key).payload != &payloads[0]) abort();
    if (pthread_create(&thread, NULL, last_thread, argument) != 0) abort();
    pthread_exit(NULL);
}

struct exits {
    int (*body)(void *_Nullable);
    unsigned rounds;
    unsigned unclean;
};

static void *run_exits(void *argument) {
    struct exits *exits = argument;
    for (unsigned round = 0; round < exits->rounds; round++) {
        const struct torture_child child = torture_child_run(exits->body, NULL, PATIENCE_MILLISECONDS);
        exits->unclean += !child.in_time || child.status != 0 || child.lines != 0;
    }
    return NULL;
}

/// Forks from a thread of its own, so that the initial thread of the children has nothing of the tests on its stack.
static unsigned count_unclean(struct exits exits) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_exits, &exits) != 0) abort();
    pthread_join(thread, NULL);
    return exits.unclean;
}

unsigned torture_exit_under_load(unsigned rounds) {
    return count_unclean((struct exits){.body = exit_under_load, .rounds = rounds});
}

unsigned torture_exit_without_first_thread(unsigned rounds) {
    return count_unclean((struct exits){.body = end_before_the_others, .rounds = rounds});
}
