// Forks at any moment. A child inherits the registry in the state in which the lost threads of the parent left it: with sections
// that never end, and with deferred releases that no thread will run.
//
// The payloads here have no lock that a fork could lose: a flag tells whether a registry owns them.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "CTorture.h"

enum {
    /// Keys that all threads use, in both registries.
    KEYS = 24,
    /// Threads under load, more than processors: some per kind of section, and some writers.
    THREADS = 6,
    /// Payloads per thread.
    PAYLOADS = 16,
    /// The operations of a child.
    ACTS = 40,
    /// Every n-th child forks again.
    GRANDCHILDREN = 4,
    PATIENCE_MILLISECONDS = 20000,
};

/// The failures that a child may find.
enum finding {
    SOUND,
    LOST_A_PUSH,
    FOUND_WHAT_WAS_REMOVED,
    PUT_A_RELEASE_OFF,
    LEFT_GARBAGE,
    GRANDCHILD_FAILED,
};

struct payload {
    /// Whether a registry owns the payload.
    _Atomic bool registered;
    _Atomic(unsigned *) twice;
    uint64_t padding;
};

static void release(const void *payload) {
    struct payload *released = (struct payload *)payload;
    unsigned *twice = atomic_load_explicit(&released->twice, memory_order_relaxed);
    if (!atomic_exchange_explicit(&released->registered, false, memory_order_acq_rel) && twice != NULL) {
        __atomic_fetch_add(twice, 1, __ATOMIC_RELAXED);
    }
}

static bool is_registered(const struct payload *payload) {
    return atomic_load_explicit(&payload->registered, memory_order_acquire);
}

static hop_key key_of(uint64_t number) { return (hop_key){.type = (uintptr_t)(number % KEYS + 1) * 16}; }

static void look_up(const hop_registry *_Nullable registry, uint64_t number) {
    const hop_found found = hop_read_begin(registry, key_of(number));
    hop_section_end(found.thread);
}

// MARK: The parent's threads

struct noise {
    hop_registry *registry;
    _Atomic bool over;
    _Atomic unsigned started;
    unsigned twice;
    struct payload payloads[THREADS][PAYLOADS];
};

/// Returns a payload that no registry owns. Its release has run, even if it was deferred.
static struct payload *_Nullable free_payload(struct payload *payloads, uint64_t number) {
    struct payload *payload = &payloads[number % PAYLOADS];
    if (is_registered(payload)) return NULL;
    atomic_store_explicit(&payload->registered, true, memory_order_release);
    return payload;
}

static void write_something(hop_registry *_Nullable registry, struct payload *payloads, uint64_t number) {
    struct payload *payload = free_payload(payloads, number);
    if (payload == NULL) {
        // The payload may be in either registry or in none.
        hop_remove(registry, key_of(number), &payloads[number % PAYLOADS], release);
    } else if (number % 3 == 0) {
        hop_replace(registry, key_of(number), payload, NULL, release);
    } else {
        hop_push(registry, key_of(number), payload, NULL);
    }
    if (number % 257 == 0) hop_remove_all(registry, release);
}

static void *make_noise(void *argument) {
    struct noise *noise = argument;
    const unsigned index = atomic_fetch_add_explicit(&noise->started, 1, memory_order_relaxed);
    struct payload *payloads = noise->payloads[index];
    hop_registry *registry = index % 2 == 0 ? NULL : noise->registry;
    for (uint64_t number = index; !atomic_load_explicit(&noise->over, memory_order_relaxed); number++) {
        const hop_found outer = hop_borrow_begin(registry, key_of(number));
        const hop_found inner = hop_borrow_begin(noise->registry, key_of(number + 1));
        look_up(registry, number + 2);
        if (number % 2 == 0) write_something(registry, payloads, number);
        if (number % 16 == 0) sched_yield();
        hop_borrow_end(inner.thread);
        hop_borrow_end(outer.thread);
        for (uint64_t near = 0; near < 8; near++) look_up(registry, number + near);
        write_something(registry, payloads, number);
    }
    return NULL;
}

// MARK: The child

struct visit {
    const hop_registry *_Nullable others;
    unsigned generations;
};

/// Runs every operation of a child, in the default registry and in its own. The registries of the parent's other threads are only
/// read.
static int visit(void *argument) {
    const struct visit *plan = argument;
    static struct payload payloads[PAYLOADS];
    hop_registry *own = hop_registry_make();
    for (uint64_t act = 0; act < ACTS; act++) {
        hop_registry *registry = act % 2 == 0 ? NULL : own;
        struct payload *payload = &payloads[act % PAYLOADS];
        const hop_key key = {.type = key_of(act).type, .discriminator = 1 + act % 2};
        atomic_store_explicit(&payload->registered, true, memory_order_release);
        if (act % 3 == 0) {
            hop_replace(registry, key, payload, NULL, release);
        } else {
            hop_push(registry, key, payload, NULL);
        }
        const hop_found found = hop_borrow_begin(registry, key);
        if (plan->others != NULL) look_up(plan->others, act);
        look_up(NULL, act);
        hop_borrow_end(found.thread);
        if (found.payload != payload) return LOST_A_PUSH;
        if (!hop_remove(registry, key, payload, release) || hop_contains(registry, key)) return FOUND_WHAT_WAS_REMOVED;
        // Only a section of this thread could defer the release.
        if (is_registered(payload)) return PUT_A_RELEASE_OFF;
    }
    hop_registry_destroy(own, release);
    hop_remove_all(NULL, release);
    if (hop_statistics_read(NULL).deferred != 0) return LEFT_GARBAGE;
    if (plan->generations == 0) return SOUND;
    struct visit next = {.others = plan->others, .generations = plan->generations - 1};
    const struct torture_child child = torture_child_run(visit, &next, PATIENCE_MILLISECONDS / 2);
    return child.status == SOUND ? SOUND : GRANDCHILD_FAILED;
}

static void note(const struct torture_child *child, struct torture_forks *forks) {
    forks->children += 1;
    if (!child->in_time) {
        forks->hung += 1;
    } else if (child->signal != 0) {
        forks->died += 1;
    } else if (child->status != SOUND) {
        if (forks->wrong == 0) forks->first_finding = child->status;
        forks->wrong += 1;
    }
}

struct torture_forks torture_fork_under_load(unsigned rounds) {
    struct torture_forks forks = {0};
    struct noise *noise = calloc(1, sizeof *noise);
    if (noise == NULL) abort();
    noise->registry = hop_registry_make();
    for (unsigned index = 0; index < THREADS * PAYLOADS; index++) {
        atomic_init(&noise->payloads[index / PAYLOADS][index % PAYLOADS].twice, &noise->twice);
    }
    pthread_t threads[THREADS];
    for (unsigned index = 0; index < THREADS; index++) {
        if (pthread_create(&threads[index], NULL, make_noise, noise) != 0) abort();
    }
    while (atomic_load_explicit(&noise->started, memory_order_relaxed) < THREADS) sched_yield();
    for (unsigned round = 0; round < rounds && forks.hung == 0; round++) {
        struct visit plan = {.others = noise->registry, .generations = round % GRANDCHILDREN == 0};
        // Out of step with the threads.
        for (volatile unsigned left = round * 997 % 4096; left != 0;) left -= 1;
        const struct torture_child child = torture_child_run(visit, &plan, PATIENCE_MILLISECONDS);
        note(&child, &forks);
    }
    atomic_store_explicit(&noise->over, true, memory_order_relaxed);
    for (unsigned index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
    // The parent is unaffected: each payload is released exactly once.
    hop_remove_all(NULL, release);
    hop_registry_destroy(noise->registry, release);
    forks.twice = noise->twice;
    for (unsigned index = 0; index < THREADS * PAYLOADS; index++) {
        forks.leaked += is_registered(&noise->payloads[index / PAYLOADS][index % PAYLOADS]);
    }
    free(noise);
    return forks;
}

// MARK: The first use

static void *use_first(void *argument) {
    _Atomic bool *ready = argument;
    atomic_store_explicit(ready, true, memory_order_release);
    (void)hop_contains(NULL, key_of(0));
    return NULL;
}

/// In a process that has not used the registry: a thread uses it while this thread forks, and the child forks again.
static int fork_at_first_use(void *round) {
    _Atomic bool ready = false;
    pthread_t thread;
    if (pthread_create(&thread, NULL, use_first, &ready) != 0) return GRANDCHILD_FAILED;
    while (!atomic_load_explicit(&ready, memory_order_acquire)) sched_yield();
    // Forks at a varying point of the first use, which takes up to some milliseconds with its system calls.
    nanosleep(&(struct timespec){.tv_nsec = *(const long *)round * 41000 % 4000000}, NULL);
    struct visit plan = {.others = NULL, .generations = 1};
    const struct torture_child child = torture_child_run(visit, &plan, PATIENCE_MILLISECONDS / 2);
    pthread_join(thread, NULL);
    return child.status == SOUND ? SOUND : GRANDCHILD_FAILED;
}

struct torture_forks torture_fork_at_first_use(unsigned rounds) {
    struct torture_forks forks = {0};
    for (long round = 0; round < (long)rounds && forks.hung == 0; round++) {
        const struct torture_child child = torture_child_run(fork_at_first_use, &round, PATIENCE_MILLISECONDS);
        note(&child, &forks);
    }
    return forks;
}

// MARK: A release callback that writes

static const hop_key callback_key = {.type = 16};

/// Two registries with a deferred release each. The child finds both releases ready at once.
struct deferrals {
    hop_registry *registries[2];
    struct payload payloads[2];
    _Atomic unsigned borrowers;
    _Atomic bool over;
};

struct borrower {
    struct deferrals *deferrals;
    unsigned number;
};

static struct deferrals *observed;
static bool was_alone;

/// The first of the two callbacks makes a write, which has to release the payload of the other registry.
static void release_and_write(const void *payload) {
    const bool is_first = is_registered(&observed->payloads[0]) && is_registered(&observed->payloads[1]);
    release(payload);
    if (!is_first) return;
    hop_registry *other = hop_registry_make();
    hop_registry_destroy(other, release);
    was_alone = is_registered(&observed->payloads[0]) || is_registered(&observed->payloads[1]);
}

static void *borrow(void *argument) {
    const struct borrower *borrower = argument;
    struct deferrals *deferrals = borrower->deferrals;
    const hop_found found = hop_borrow_begin(deferrals->registries[borrower->number], callback_key);
    atomic_fetch_add_explicit(&deferrals->borrowers, 1, memory_order_release);
    while (!atomic_load_explicit(&deferrals->over, memory_order_acquire)) sched_yield();
    hop_borrow_end(found.thread);
    return NULL;
}

static int write_in_the_child(void *argument) {
    struct deferrals *deferrals = argument;
    observed = deferrals;
    hop_registry_destroy(hop_registry_make(), release);
    if (was_alone) return PUT_A_RELEASE_OFF;
    if (is_registered(&deferrals->payloads[0]) || is_registered(&deferrals->payloads[1])) return LEFT_GARBAGE;
    return SOUND;
}

int torture_fork_with_deferred_releases(void) {
    struct deferrals deferrals = {.borrowers = 0};
    struct borrower borrowers[2];
    pthread_t threads[2];
    observed = &deferrals;
    for (unsigned index = 0; index < 2; index++) {
        deferrals.registries[index] = hop_registry_make();
        atomic_store(&deferrals.payloads[index].registered, true);
        hop_push(deferrals.registries[index], callback_key, &deferrals.payloads[index], NULL);
        borrowers[index] = (struct borrower){.deferrals = &deferrals, .number = index};
        if (pthread_create(&threads[index], NULL, borrow, &borrowers[index]) != 0) abort();
    }
    while (atomic_load_explicit(&deferrals.borrowers, memory_order_acquire) != 2) sched_yield();
    for (unsigned index = 0; index < 2; index++) hop_remove_all(deferrals.registries[index], release_and_write);
    const struct torture_child child = torture_child_run(write_in_the_child, &deferrals, PATIENCE_MILLISECONDS);
    atomic_store_explicit(&deferrals.over, true, memory_order_release);
    for (unsigned index = 0; index < 2; index++) {
        pthread_join(threads[index], NULL);
        hop_registry_destroy(deferrals.registries[index], release);
    }
    return child.status;
}
