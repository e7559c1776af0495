// Memory exhaustion: at each allocation of a workload in turn, and permanently.
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "CTorture.h"

enum {
    /// Enough keys to replace the table several times.
    KEYS = 40,
    /// Concurrent threads.
    THREADS = 6,
    /// Concurrent threads that need more records than those of one allocation.
    MANY_THREADS = 70,
    /// Payloads per thread.
    PAYLOADS = 8,
    /// Payloads that a thread borrows at once.
    BORROWS = 4,
    /// The number of consecutive complete workloads that end the sweep. Threads do not allocate equally in every run.
    CONFIRMATIONS = 3,
    /// An upper limit for the allocations of one run.
    MOST_ALLOCATIONS = 2000,
    PATIENCE_MILLISECONDS = 20000,
};

/// The possible ends of a line.
static const char *const kinds[] = {"a container",        "a table of registrations", "a registration",
                                    "a deferred release", "the records of threads",   "a look for borrows"};

struct payload {
    _Atomic unsigned releases;
    uint64_t padding;
};

static void count_release(const void *payload) {
    atomic_fetch_add_explicit(&((struct payload *)payload)->releases, 1, memory_order_relaxed);
}

static bool released_once(const struct payload *payloads, size_t count) {
    for (size_t index = 0; index < count; index++) {
        if (atomic_load_explicit(&payloads[index].releases, memory_order_relaxed) != 1) return false;
    }
    return true;
}

static hop_key key_of(size_t number) { return (hop_key){.type = (uintptr_t)(number + 1) * 16}; }

// MARK: The workload

/// Allocates tables, by pushes and by replacements.
static bool tables(hop_registry *_Nullable registry) {
    struct payload payloads[2 * KEYS] = {{0}};
    for (size_t index = 0; index < KEYS; index++) hop_push(registry, key_of(index), &payloads[index], NULL);
    for (size_t index = KEYS; index < 2 * KEYS; index++) {
        hop_replace(registry, key_of(index), &payloads[index], NULL, count_release);
    }
    hop_remove_all(registry, count_release);
    return released_once(payloads, 2 * KEYS);
}

/// Allocates nodes, by pushes and by removals that copy nodes.
static bool stacks(hop_registry *registry) {
    static struct payload payloads[PAYLOADS];
    for (size_t index = 0; index < PAYLOADS; index++) hop_push(registry, key_of(0), &payloads[index], NULL);
    for (size_t index = 0; index < PAYLOADS; index++) {
        if (!hop_remove(registry, key_of(0), &payloads[index], count_release)) return false;
    }
    return released_once(payloads, PAYLOADS);
}

/// Allocates looks for borrows and deferred releases, by removals of one payload and of several.
static bool deferrals(hop_registry *registry) {
    static struct payload payloads[2][BORROWS];
    for (size_t round = 0; round < 2; round++) {
        hop_borrow *borrows[BORROWS];
        for (size_t index = 0; index < BORROWS; index++) {
            hop_push(registry, key_of(index), &payloads[round][index], NULL);
            borrows[index] = hop_borrow_begin(registry, key_of(index)).borrow;
            if (borrows[index] == NULL) return false;
        }
        for (size_t index = 0; round == 0 && index < BORROWS; index++) {
            hop_remove(registry, key_of(index), &payloads[round][index], count_release);
        }
        hop_remove_all(registry, count_release);
        for (size_t index = 0; index < BORROWS; index++) hop_borrow_end(borrows[index]);
    }
    return released_once(payloads[0], (size_t)2 * BORROWS);
}

/// Runs threads that meet at a barrier, and waits for them. Returns whether all could be started.
static bool run_at_once(size_t count, pthread_barrier_t *all_here, void *(*body)(void *), void *argument) {
    pthread_barrier_init(all_here, NULL, (unsigned)count);
    pthread_t threads[MANY_THREADS];
    for (size_t index = 0; index < count; index++) {
        if (pthread_create(&threads[index], NULL, body, argument) != 0) return false;
    }
    for (size_t index = 0; index < count; index++) pthread_join(threads[index], NULL);
    return true;
}

struct crew {
    hop_registry *registry;
    pthread_barrier_t all_here;
    struct payload payloads[THREADS][PAYLOADS];
    _Atomic unsigned index;
};

static void *crew_member(void *argument) {
    struct crew *crew = argument;
    struct payload *payloads = crew->payloads[atomic_fetch_add_explicit(&crew->index, 1, memory_order_relaxed)];
    pthread_barrier_wait(&crew->all_here);
    for (size_t index = 0; index < PAYLOADS; index++) {
        hop_push(crew->registry, key_of(index), &payloads[index], NULL);
        const hop_borrowed found = hop_borrow_begin(crew->registry, key_of(index));
        hop_remove(crew->registry, key_of(index), &payloads[index], count_release);
        if (found.borrow != NULL) hop_borrow_end(found.borrow);
    }
    return NULL;
}

struct meeting {
    hop_registry *_Nullable registry;
    pthread_barrier_t all_here;
};

static void *meet(void *argument) {
    struct meeting *meeting = argument;
    (void)hop_contains(meeting->registry, key_of(0));
    // Each thread has a record now.
    pthread_barrier_wait(&meeting->all_here);
    return NULL;
}

bool torture_use_many_records(hop_registry *registry) {
    static struct meeting meeting;
    meeting.registry = registry;
    return run_at_once(MANY_THREADS, &meeting.all_here, meet, &meeting);
}

/// Allocates deferred releases that wait for several threads.
static bool threads(hop_registry *registry) {
    static struct crew crew;
    crew.registry = registry;
    if (!run_at_once(THREADS, &crew.all_here, crew_member, &crew)) return false;
    hop_remove_all(registry, count_release);
    return released_once(crew.payloads[0], (size_t)THREADS * PAYLOADS);
}

static int workload(void *successes) {
    hop_fail_allocation_after(*(const long *)successes);
    hop_registry *registry = hop_registry_make();
    const bool sound = tables(registry) && stacks(registry) && deferrals(registry) &&
                       torture_use_many_records(registry) && threads(registry) && tables(NULL) &&
                       torture_count(registry) == 0;
    hop_registry_destroy(registry, count_release);
    return sound ? 0 : 1;
}

// MARK: The sweep

static void judge(const struct torture_child *child, struct torture_faults *faults) {
    faults->hung += !child->in_time;
    faults->ended_otherwise += child->in_time && child->signal != SIGABRT;
    size_t bytes = 0;
    char what[sizeof child->first_line] = "";
    const int read =
        sscanf(child->first_line, "Hopoate: out of memory: could not allocate %zu bytes for %199[^\n]", &bytes, what);
    bool known = false;
    for (unsigned kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        if (read != 2 || strcmp(what, kinds[kind]) != 0) continue;
        faults->kinds |= 1u << kind;
        known = true;
    }
    faults->unclear += child->in_time && (child->lines != 1 || bytes == 0 || !known);
}

struct torture_faults torture_fault_sweep(void) {
    struct torture_faults faults = {0};
    unsigned completed = 0;
    for (long successes = 0; successes < MOST_ALLOCATIONS && completed < CONFIRMATIONS; successes++) {
        const struct torture_child child = torture_child_run(workload, &successes, PATIENCE_MILLISECONDS);
        if (child.in_time && child.status == 0) {
            completed += 1;
            faults.unclear += child.lines != 0;
        } else {
            completed = 0;
            faults.allocations += 1;
            judge(&child, &faults);
        }
    }
    faults.completed = completed == CONFIRMATIONS;
    return faults;
}

// MARK: Permanent exhaustion

void torture_exhaust_memory(void) {
    hop_registry *registry = hop_registry_make();
    hop_push(registry, key_of(0), &kinds, NULL);
    // About sixteen megabytes more than the process uses.
    const struct rlimit limit = {.rlim_cur = 16 << 20, .rlim_max = 16 << 20};
    setrlimit(RLIMIT_AS, &limit);
    for (size_t number = 1;; number++) hop_push(registry, key_of(number), &kinds, NULL);
}

void torture_exhaust_thread_keys(void) {
    pthread_key_t key;
    while (pthread_key_create(&key, NULL) == 0) continue;
    (void)hop_contains(NULL, key_of(0));
}
