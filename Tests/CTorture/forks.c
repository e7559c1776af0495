// Forks at any moment. A child inherits the registry in the state in which the lost threads of the parent left it: with sections and
// borrows that never end, and with deferred releases that no thread will run.
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
    /// Threads under load, more than processors.
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
        const hop_borrowed first = hop_borrow_begin(registry, key_of(number));
        const hop_borrowed second = hop_borrow_begin(noise->registry, key_of(number + 1));
        look_up(registry, number + 2);
        if (number % 2 == 0) write_something(registry, payloads, number);
        if (number % 16 == 0) sched_yield();
        if (first.borrow != NULL) hop_borrow_end(first.borrow);
        if (second.borrow != NULL) hop_borrow_end(second.borrow);
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
        const hop_borrowed found = hop_borrow_begin(registry, key);
        if (plan->others != NULL) look_up(plan->others, act);
        look_up(NULL, act);
        if (found.payload != payload) return LOST_A_PUSH;
        hop_borrow_end(found.borrow);
        if (!hop_remove(registry, key, payload, release) || hop_contains(registry, key)) return FOUND_WHAT_WAS_REMOVED;
        // Nobody borrows it.
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

// MARK: Deferred releases

/// What happens to each payload.
enum deferral {
    /// One of two other threads borrows it, and this thread removes it before the fork.
    OF_THE_FIRST,
    OF_THE_SECOND,
    /// This thread borrows it, and removes it before the fork.
    OF_THIS,
    /// Both the first one and this thread borrow it.
    SHARED,
    /// The second one borrows it, and it is removed after the fork.
    REMOVED_LATER,
    /// Nobody borrows it, and it is removed after the fork.
    UNBORROWED,
    /// A release callback removes it.
    NESTED,
    DEFERRALS,
};

struct deferrals {
    hop_registry *registry;
    struct counted {
        _Alignas(16) _Atomic unsigned releases;
    } payloads[DEFERRALS];
    _Atomic unsigned borrowers;
    _Atomic bool is_over;
    _Atomic bool has_nested;
    hop_borrow *own[2];
};

static struct deferrals deferrals;

static hop_key deferral_key(enum deferral number) { return (hop_key){.type = 16 * (1 + (uintptr_t)number)}; }

static hop_borrow *borrow(enum deferral number) {
    const hop_borrowed found = hop_borrow_begin(deferrals.registry, deferral_key(number));
    if (found.payload != &deferrals.payloads[number]) abort();
    return found.borrow;
}

static unsigned releases_of(enum deferral number) {
    return atomic_load_explicit(&deferrals.payloads[number].releases, memory_order_relaxed);
}

/// Whether exactly the payloads in a bit set are released, each of them once.
static bool are_released(unsigned set) {
    for (unsigned number = 0; number < DEFERRALS; number++) {
        if (releases_of(number) != (set >> number & 1)) return false;
    }
    return true;
}

static bool remove_deferral(enum deferral number);

/// The first release of a payload that another thread alone has borrowed removes one more payload.
static void release_and_remove(const void *payload) {
    struct counted *released = (struct counted *)payload;
    atomic_fetch_add_explicit(&released->releases, 1, memory_order_relaxed);
    if (released != &deferrals.payloads[OF_THE_FIRST] && released != &deferrals.payloads[OF_THE_SECOND]) return;
    if (atomic_exchange_explicit(&deferrals.has_nested, true, memory_order_relaxed)) return;
    if (!remove_deferral(NESTED)) abort();
}

static bool remove_deferral(enum deferral number) {
    return hop_remove(deferrals.registry, deferral_key(number), &deferrals.payloads[number], release_and_remove);
}

static void *borrow_two(void *argument) {
    const bool is_first = argument == NULL;
    hop_borrow *one = borrow(is_first ? OF_THE_FIRST : OF_THE_SECOND);
    hop_borrow *other = borrow(is_first ? SHARED : REMOVED_LATER);
    atomic_fetch_add_explicit(&deferrals.borrowers, 1, memory_order_release);
    while (!atomic_load_explicit(&deferrals.is_over, memory_order_acquire)) sched_yield();
    hop_borrow_end(one);
    hop_borrow_end(other);
    return NULL;
}

enum {
    BY_THE_NEXT_REMOVAL = 1 << OF_THE_FIRST | 1 << OF_THE_SECOND | 1 << NESTED | 1 << UNBORROWED,
    BY_ALL = (1 << DEFERRALS) - 1,
};

static int release_in_the_child(void *argument) {
    (void)argument;
    if (!are_released(0)) return 1;
    if (!remove_deferral(UNBORROWED) || !are_released(BY_THE_NEXT_REMOVAL)) return 2;
    if (hop_statistics_read(NULL).deferred != 2) return 3;
    if (!remove_deferral(REMOVED_LATER) || !are_released(BY_THE_NEXT_REMOVAL | 1 << REMOVED_LATER)) return 4;
    hop_borrow_end(deferrals.own[0]);
    if (!are_released(BY_ALL & ~(1 << SHARED))) return 5;
    hop_borrow_end(deferrals.own[1]);
    if (!are_released(BY_ALL)) return 6;
    if (hop_statistics_read(NULL).deferred != 0) return 7;
    hop_registry_destroy(deferrals.registry, release_and_remove);
    return are_released(BY_ALL) ? 0 : 8;
}

static int release_in_the_parent(void) {
    if (!are_released(0)) return 101;
    if (!remove_deferral(UNBORROWED) || !are_released(1 << UNBORROWED)) return 102;
    if (!remove_deferral(REMOVED_LATER) || !are_released(1 << UNBORROWED)) return 103;
    if (hop_statistics_read(NULL).deferred != 5) return 104;
    hop_borrow_end(deferrals.own[0]);
    hop_borrow_end(deferrals.own[1]);
    return are_released(1 << UNBORROWED | 1 << OF_THIS) ? 0 : 105;
}

int torture_fork_with_deferred_releases(void) {
    deferrals.registry = hop_registry_make();
    for (unsigned number = 0; number < DEFERRALS; number++) {
        hop_push(deferrals.registry, deferral_key(number), &deferrals.payloads[number], NULL);
    }
    pthread_t threads[2];
    for (unsigned index = 0; index < 2; index++) {
        if (pthread_create(&threads[index], NULL, borrow_two, index == 0 ? NULL : &deferrals) != 0) abort();
    }
    while (atomic_load_explicit(&deferrals.borrowers, memory_order_acquire) != 2) sched_yield();
    deferrals.own[0] = borrow(OF_THIS);
    deferrals.own[1] = borrow(SHARED);
    for (unsigned number = 0; number <= SHARED; number++) {
        if (!remove_deferral(number)) return 100;
    }
    const struct torture_child child = torture_child_run(release_in_the_child, NULL, PATIENCE_MILLISECONDS);
    const int finding = release_in_the_parent();
    atomic_store_explicit(&deferrals.is_over, true, memory_order_release);
    for (unsigned index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    if (child.status != 0) return child.status;
    if (finding != 0) return finding;
    if (!are_released(BY_ALL) || hop_statistics_read(NULL).deferred != 0) return 106;
    hop_registry_destroy(deferrals.registry, release_and_remove);
    return are_released(BY_ALL) ? 0 : 107;
}
