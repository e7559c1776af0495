// Threads, gates and crowds for the tests in Swift.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "CTorture.h"

// MARK: Threads

struct torture_thread {
    pthread_t thread;
    void (*body)(void *_Nullable);
    void *context;
};

static void *run_body(void *argument) {
    const struct torture_thread *thread = argument;
    thread->body(thread->context);
    return NULL;
}

torture_thread *torture_thread_start(void (*body)(void *), void *context) {
    torture_thread *thread = malloc(sizeof *thread);
    if (thread == NULL) abort();
    thread->body = body;
    thread->context = context;
    if (pthread_create(&thread->thread, NULL, run_body, thread) != 0) abort();
    return thread;
}

void torture_thread_join(torture_thread *thread) {
    pthread_join(thread->thread, NULL);
    free(thread);
}

// MARK: Gates

struct torture_gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    bool is_open;
};

torture_gate *torture_gate_make(void) {
    torture_gate *gate = calloc(1, sizeof *gate);
    if (gate == NULL || pthread_mutex_init(&gate->lock, NULL) != 0 || pthread_cond_init(&gate->opened, NULL) != 0)
        abort();
    return gate;
}

void torture_gate_open(torture_gate *gate) {
    pthread_mutex_lock(&gate->lock);
    gate->is_open = true;
    pthread_cond_broadcast(&gate->opened);
    pthread_mutex_unlock(&gate->lock);
}

bool torture_gate_wait(torture_gate *gate, unsigned milliseconds) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    const long nanoseconds = deadline.tv_nsec + (long)(milliseconds % 1000) * 1000000;
    deadline.tv_sec += (time_t)(milliseconds / 1000) + nanoseconds / 1000000000;
    deadline.tv_nsec = nanoseconds % 1000000000;
    pthread_mutex_lock(&gate->lock);
    int error = 0;
    while (!gate->is_open && error == 0) error = pthread_cond_timedwait(&gate->opened, &gate->lock, &deadline);
    const bool is_open = gate->is_open;
    pthread_mutex_unlock(&gate->lock);
    return is_open;
}

void torture_gate_free(torture_gate *gate) {
    pthread_cond_destroy(&gate->opened);
    pthread_mutex_destroy(&gate->lock);
    free(gate);
}

// MARK: Crowds

struct crowd {
    const hop_registry *registry;
    hop_key key;
    enum torture_farewell farewell;
    _Atomic size_t found;
};

static pthread_key_t late_key;
static pthread_once_t late_once = PTHREAD_ONCE_INIT;

static void crowd_look_up(struct crowd *crowd) {
    const hop_found found = hop_read_begin(crowd->registry, crowd->key);
    const bool any = found.payload != NULL;
    hop_section_end(found.thread);
    if (any) atomic_fetch_add_explicit(&crowd->found, 1, memory_order_relaxed);
}

static void late_look_up(void *crowd) { crowd_look_up(crowd); }

/// On the supported systems, destructors run in the order in which the keys were created, and the registry's key has to come
/// first.
static void late_key_make(void) {
    (void)hop_contains(NULL, (hop_key){.type = 16});
    if (pthread_key_create(&late_key, late_look_up) != 0) abort();
}

static void *crowd_member(void *argument) {
    struct crowd *crowd = argument;
    crowd_look_up(crowd);
    switch (crowd->farewell) {
        case TORTURE_RETURNS:
            break;
        case TORTURE_LOOKS_UP_LATE:
            if (pthread_setspecific(late_key, crowd) != 0) abort();
            break;
        case TORTURE_EXITS_INSIDE:
            (void)hop_borrow_begin(crowd->registry, crowd->key);
            (void)hop_borrow_begin(crowd->registry, crowd->key);
            pthread_exit(NULL);
    }
    return NULL;
}

size_t torture_crowd(const hop_registry *registry, hop_key key, size_t count, size_t at_once,
                     enum torture_farewell farewell) {
    struct crowd crowd = {.registry = registry, .key = key, .farewell = farewell};
    pthread_once(&late_once, late_key_make);
    pthread_t *threads = calloc(at_once, sizeof *threads);
    if (threads == NULL) abort();
    for (size_t started = 0; started < count;) {
        size_t wave = 0;
        for (; wave < at_once && started < count; wave++, started++) {
            if (pthread_create(&threads[wave], NULL, crowd_member, &crowd) != 0) abort();
        }
        while (wave > 0) pthread_join(threads[--wave], NULL);
    }
    free(threads);
    return atomic_load_explicit(&crowd.found, memory_order_relaxed);
}

size_t torture_look_up_unknown(const hop_registry *registry, size_t count) {
    size_t found = 0;
    for (size_t number = 0; number < count; number++) {
        const hop_key key = {.type = (uintptr_t)UINT32_MAX + number * 16 + 1, .discriminator = number % 3};
        if (number % 2 == 0) {
            found += hop_contains(registry, key);
        } else {
            const hop_borrowed borrowed = hop_borrow_begin(registry, key);
            found += borrowed.payload != NULL;
            if (borrowed.borrow != NULL) hop_borrow_end(borrowed.borrow);
        }
    }
    return found;
}

// MARK: The process

static void retain_nothing(const void *payload) { (void)payload; }

size_t torture_count(const hop_registry *registry) {
    const size_t keys = hop_copy_keys(registry, NULL, 0);
    hop_key *buffer = malloc((keys + 1) * sizeof *buffer);
    size_t count = 0;
    for (size_t index = hop_copy_keys(registry, buffer, keys); index-- > 0;) {
        count += hop_copy_stack(registry, buffer[index], retain_nothing, NULL, 0);
    }
    free(buffer);
    return count;
}

uintptr_t torture_shared_overrides(void) {
    const uintptr_t word = __atomic_load_n(&hop_shared_word, __ATOMIC_RELAXED);
    return (word & 1) != 0 ? word >> 1 : 0;
}

bool torture_under_sanitizer(void) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
    return true;
#endif
#endif
    return false;
}

size_t torture_resident_memory(void) {
    if (torture_under_sanitizer()) return 0;
    FILE *statistics = fopen("/proc/self/statm", "r");
    if (statistics == NULL) return 0;
    size_t total, resident = 0;
    if (fscanf(statistics, "%zu %zu", &total, &resident) != 2) resident = 0;
    fclose(statistics);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}
