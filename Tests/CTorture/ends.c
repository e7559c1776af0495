// Threads that end in unusual ways, and their use of the registry while they end.
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "objects.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IS_WATCHED 1
#endif
#endif

enum {
/// The number of passes of key destructors for a thread that sets its keys again each time. ThreadSanitizer shuts the thread down
/// in the last pass, and instrumented code must not run after that.
#if defined(IS_WATCHED)
    ITERATIONS = PTHREAD_DESTRUCTOR_ITERATIONS - 1,
#else
    ITERATIONS = PTHREAD_DESTRUCTOR_ITERATIONS,
#endif
};

enum {
    /// The operations of an act.
    OPERATIONS = 5,
};

struct haunting {
    hop_registry *registry;
    struct torture_nursery *nursery;
    enum torture_end end;
    _Atomic size_t acts;
};

/// The argument of a thread's destructors, which run one after the other.
struct ghost {
    struct haunting *haunting;
    unsigned acts;
    bool is_late;
    _Atomic unsigned releases;
};

static void count_release(const void *payload) {
    atomic_fetch_add_explicit(&((struct ghost *)payload)->releases, 1, memory_order_relaxed);
}

static unsigned releases_of(const struct ghost *ghost) {
    return atomic_load_explicit(&ghost->releases, memory_order_relaxed);
}

/// Borrows the ghost, if its thread can. Checks also that it can: until the destructor of the registry has run, in the first pass, between
/// those of the two keys.
static hop_borrow *_Nullable borrow_if_possible(const struct ghost *ghost, hop_key key, bool *is_right) {
    const hop_registry *registry = ghost->haunting->registry;
    const bool can_borrow = !ghost->is_late && ghost->acts == 0;
    const hop_borrowed borrowed = hop_borrow_begin(registry, key);
    const hop_found found = hop_read_begin(registry, key);
    hop_borrow *second = hop_section_borrow(found.thread, ghost);
    *is_right = found.payload == ghost && (second != NULL) == can_borrow && (borrowed.borrow != NULL) == can_borrow &&
                borrowed.payload == (can_borrow ? ghost : NULL);
    if (second == NULL) {
        *is_right = *is_right && hop_find(registry, key) == ghost;  // The section is still open.
        hop_section_end(found.thread);
    } else {
        hop_borrow_end(second);
    }
    return borrowed.borrow;
}

/// Replaces a payload of all threads, and reads the newest one.
static bool share(struct haunting *haunting) {
    const hop_key key = {.type = 48};
    struct torture_report report = {0};
    struct torture_object *object = torture_object_make(haunting->nursery, 1);
    hop_replace(haunting->registry, key, object, NULL, torture_object_release);
    const hop_found found = hop_read_begin(haunting->registry, key);
    if (found.payload != NULL) torture_object_inspect(found.payload, 1, 8, &report);
    hop_section_end(found.thread);
    return found.payload != NULL && report.dead == 0 && report.foreign == 0;
}

/// Five operations: lookups in a section and for a borrow, a removal, its release, another lookup, and a replacement.
static void act(struct ghost *ghost) {
    struct haunting *haunting = ghost->haunting;
    const hop_key key = {.type = (uintptr_t)ghost};
    const unsigned releases = releases_of(ghost);
    bool is_right;
    hop_push(haunting->registry, key, ghost, NULL);
    hop_borrow *borrow = borrow_if_possible(ghost, key, &is_right);
    size_t acts = is_right;
    acts += hop_remove(haunting->registry, key, ghost, count_release);
    const bool is_deferred = releases_of(ghost) == releases;
    if (borrow != NULL) hop_borrow_end(borrow);
    acts += is_deferred == (borrow != NULL) && releases_of(ghost) == releases + 1;
    acts += !hop_contains(haunting->registry, key);
    acts += share(haunting);
    atomic_fetch_add_explicit(&haunting->acts, acts, memory_order_relaxed);
}

static pthread_key_t early_key, late_key;
static pthread_once_t late_once = PTHREAD_ONCE_INIT;

static void haunt(void *argument) {
    struct ghost *ghost = argument;
    act(ghost);
    if (++ghost->acts == ITERATIONS) return;
    if (pthread_setspecific(ghost->is_late ? late_key : early_key, ghost) != 0) abort();
}

/// Before the key of the registry: this runs before constructors without a priority.
__attribute__((constructor(101))) static void early_key_make(void) {
    if (pthread_key_create(&early_key, haunt) != 0) abort();
}

/// After the key of the registry.
static void late_key_make(void) {
    (void)hop_contains(NULL, (hop_key){.type = 16});
    if (pthread_key_create(&late_key, haunt) != 0) abort();
}

#if defined(__GLIBC__)
// The function that compilers call for a C++ thread_local with a destructor.
extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *module);
extern void *__dso_handle;

static void haunt_once(void *ghost) { act(ghost); }
#endif

static void haunt_keys(struct ghost ghosts[2]) {
    pthread_once(&late_once, late_key_make);
    ghosts[0].is_late = false;
    ghosts[1].is_late = true;
    if (pthread_setspecific(early_key, &ghosts[0]) != 0 || pthread_setspecific(late_key, &ghosts[1]) != 0) abort();
}

/// Returns when the thread is cancelled.
static void wait_for_cancellation(struct haunting *haunting) {
    atomic_fetch_add_explicit(&haunting->acts, 1, memory_order_release);
    // Not pause() or similar: ThreadSanitizer loses track of a thread that is cancelled in a function that it intercepts.
    while (true) {
        pthread_testcancel();
        sched_yield();
    }
}

/// The keys of the payloads that threads borrow when they are cancelled.
static const hop_key key = {.type = 16};
static const hop_key other_key = {.type = 32};

struct member {
    pthread_t thread;
    struct haunting *haunting;
    struct ghost ghosts[2];
};

static void *member_body(void *argument) {
    struct member *member = argument;
    struct haunting *haunting = member->haunting;
    if (haunting->end == TORTURE_HAUNTS_KEYS_ONLY) {
        haunt_keys(member->ghosts);
        return NULL;
    }
    (void)hop_contains(haunting->registry, key);
    switch (haunting->end) {
        case TORTURE_CANCELLED_INSIDE:
            (void)hop_borrow_begin(haunting->registry, key);
            (void)hop_borrow_begin(haunting->registry, other_key);
            (void)hop_borrow_begin(haunting->registry, key);
            wait_for_cancellation(haunting);
            break;
        case TORTURE_CANCELLED_OUTSIDE:
            wait_for_cancellation(haunting);
            break;
        case TORTURE_EXITS_OUTSIDE:
            atomic_fetch_add_explicit(&haunting->acts, 1, memory_order_relaxed);
            pthread_exit(NULL);
        case TORTURE_HAUNTS_LOCALS:
#if defined(__GLIBC__)
            if (__cxa_thread_atexit_impl(haunt_once, &member->ghosts[0], &__dso_handle) != 0) abort();
            break;
#endif
        default:
            haunt_keys(member->ghosts);
    }
    return NULL;
}

size_t torture_acts_of_an_end(enum torture_end end) {
    switch (end) {
        case TORTURE_HAUNTS_LOCALS:
#if defined(__GLIBC__)
            return OPERATIONS;
#endif
        case TORTURE_HAUNTS_KEYS:
        case TORTURE_HAUNTS_KEYS_ONLY:
            return 2 * ITERATIONS * OPERATIONS;
        default:
            return 1;
    }
}

size_t torture_ends(size_t count, size_t at_once, enum torture_end end) {
    struct haunting haunting = {
        .registry = hop_registry_make(), .nursery = torture_nursery_make((unsigned)at_once), .end = end};
    struct ghost borrowed[2] = {{.haunting = &haunting}, {.haunting = &haunting}};
    unsigned waves = 0;
    bool is_exact = true;
    const bool cancels = end == TORTURE_CANCELLED_INSIDE || end == TORTURE_CANCELLED_OUTSIDE;
    struct member *members = calloc(at_once, sizeof *members);
    if (members == NULL) abort();
    for (size_t started = 0; started < count;) {
        size_t wave = 0;
        hop_push(haunting.registry, key, &borrowed[0], NULL);
        hop_push(haunting.registry, other_key, &borrowed[1], NULL);
        for (; wave < at_once && started < count; wave++, started++) {
            struct member *member = &members[wave];
            *member = (struct member){.haunting = &haunting};
            for (size_t index = 0; index < 2; index++) member->ghosts[index].haunting = &haunting;
            if (pthread_create(&member->thread, NULL, member_body, member) != 0) abort();
        }
        while (cancels && atomic_load_explicit(&haunting.acts, memory_order_acquire) < started) sched_yield();
        // The one payload is removed before its borrowers end, the other one afterwards.
        is_exact = hop_remove(haunting.registry, key, &borrowed[0], count_release) && is_exact;
        is_exact = is_exact && (end != TORTURE_CANCELLED_INSIDE || releases_of(&borrowed[0]) == waves);
        while (wave > 0) {
            wave -= 1;
            if (cancels && pthread_cancel(members[wave].thread) != 0) abort();
            pthread_join(members[wave].thread, NULL);
        }
        waves += 1;
        is_exact = is_exact && releases_of(&borrowed[0]) == waves && releases_of(&borrowed[1]) == waves - 1;
        is_exact = hop_remove(haunting.registry, other_key, &borrowed[1], count_release) && is_exact;
        is_exact = is_exact && releases_of(&borrowed[1]) == waves;
    }
    hop_remove_all(haunting.registry, torture_object_release);
    hop_registry_destroy(haunting.registry, count_release);
    free(members);
    struct torture_report report = {0};
    torture_nursery_end(haunting.nursery, &report);
    is_exact = is_exact && report.leaked == 0 && report.twice == 0 && report.resurrected == 0;
    return is_exact ? atomic_load_explicit(&haunting.acts, memory_order_relaxed) : 0;
}

// MARK: A cancelled remover

struct cancellation {
    hop_registry *registry;
    struct ghost payload;
    _Atomic bool reading;
    _Atomic bool read;
    _Atomic bool removing;
};

static const hop_key cancelled_key = {.type = 16};

static void *stopped_reader(void *argument) {
    struct cancellation *cancellation = argument;
    hop_thread *thread = hop_section_begin();
    atomic_store_explicit(&cancellation->reading, true, memory_order_release);
    while (!atomic_load_explicit(&cancellation->read, memory_order_acquire)) {
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
    hop_section_end(thread);
    return NULL;
}

static void *cancelled_remover(void *argument) {
    struct cancellation *cancellation = argument;
    atomic_store_explicit(&cancellation->removing, true, memory_order_release);
    hop_remove(cancellation->registry, cancelled_key, &cancellation->payload, count_release);
    return NULL;
}

bool torture_cancelled_remover_releases(void) {
    struct cancellation cancellation = {.registry = hop_registry_make()};
    hop_push(cancellation.registry, cancelled_key, &cancellation.payload, NULL);
    pthread_t reader, remover;
    if (pthread_create(&reader, NULL, stopped_reader, &cancellation) != 0) abort();
    while (!atomic_load_explicit(&cancellation.reading, memory_order_acquire)) sched_yield();
    if (pthread_create(&remover, NULL, cancelled_remover, &cancellation) != 0) abort();
    while (!atomic_load_explicit(&cancellation.removing, memory_order_acquire)) sched_yield();
    // Long enough for the remover to fall asleep.
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    if (pthread_cancel(remover) != 0) abort();
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    const bool waited = releases_of(&cancellation.payload) == 0;
    atomic_store_explicit(&cancellation.read, true, memory_order_release);
    pthread_join(remover, NULL);
    pthread_join(reader, NULL);
    hop_registry_destroy(cancellation.registry, count_release);
    return waited && releases_of(&cancellation.payload) == 1;
}

// MARK: Forks in a destructor

struct parting {
    pthread_key_t key;
    hop_registry *registry;
    struct ghost payloads[2];
    _Atomic bool is_inside;
    _Atomic bool is_over;
    struct torture_child child;
};

/// The argument of the destructors of one of the two threads.
struct parter {
    struct parting *parting;
    void (*last_word)(struct parting *parting);
    unsigned passes;
};

static const hop_key parting_key = {.type = 16};

static void speak_in_the_last_pass(void *argument) {
    struct parter *parter = argument;
    if (++parter->passes == ITERATIONS) {
        parter->last_word(parter->parting);
    } else if (pthread_setspecific(parter->parting->key, parter) != 0) {
        abort();
    }
}

static void *part(void *argument) {
    struct parter *parter = argument;
    (void)hop_contains(parter->parting->registry, parting_key);
    if (pthread_setspecific(parter->parting->key, parter) != 0) abort();
    return NULL;
}

static void stay_inside(struct parting *parting) {
    hop_thread *thread = hop_section_begin();
    atomic_store_explicit(&parting->is_inside, true, memory_order_release);
    while (!atomic_load_explicit(&parting->is_over, memory_order_acquire)) sched_yield();
    hop_section_end(thread);
}

static bool remove_new(struct parting *parting, unsigned number) {
    hop_push(parting->registry, parting_key, &parting->payloads[number], NULL);
    return hop_remove(parting->registry, parting_key, &parting->payloads[number], count_release);
}

/// Borrows a payload and removes it, in a thread that may borrow.
static void *borrow_and_remove(void *argument) {
    struct parting *parting = argument;
    const struct ghost *payload = &parting->payloads[1];
    hop_push(parting->registry, parting_key, payload, NULL);
    const hop_borrowed found = hop_borrow_begin(parting->registry, parting_key);
    const bool is_removed = hop_remove(parting->registry, parting_key, payload, count_release);
    if (found.borrow == NULL || !is_removed || releases_of(payload) != 0) return NULL;
    hop_borrow_end(found.borrow);
    return releases_of(payload) == 1 ? argument : NULL;
}

/// Runs in the child: the section of the lost thread has ended, and the forking thread still borrows nothing.
static int part_again(void *argument) {
    struct parting *parting = argument;
    hop_push(parting->registry, parting_key, &parting->payloads[1], NULL);
    if (!hop_contains(parting->registry, parting_key)) return 1;
    if (hop_borrow_begin(parting->registry, parting_key).borrow != NULL) return 2;
    hop_remove_all(parting->registry, count_release);
    if (releases_of(&parting->payloads[1]) != 1) return 3;
    if (!remove_new(parting, 0) || releases_of(&parting->payloads[0]) != 1) return 4;
    atomic_store_explicit(&parting->payloads[1].releases, 0, memory_order_relaxed);
    pthread_t thread;
    void *result;
    if (pthread_create(&thread, NULL, borrow_and_remove, parting) != 0 || pthread_join(thread, &result) != 0) return 5;
    if (result == NULL) return 6;
    return hop_statistics_read(NULL).deferred == 0 ? 0 : 7;
}

static void fork_beside(struct parting *parting) {
    while (!atomic_load_explicit(&parting->is_inside, memory_order_acquire)) sched_yield();
    parting->child = torture_child_run(part_again, parting, 20000);
    atomic_store_explicit(&parting->is_over, true, memory_order_release);
}

int torture_fork_with_a_last_word(void) {
    struct parting parting = {.registry = hop_registry_make()};
    if (pthread_key_create(&parting.key, speak_in_the_last_pass) != 0) abort();
    struct parter parters[] = {{.parting = &parting, .last_word = stay_inside},
                               {.parting = &parting, .last_word = fork_beside}};
    pthread_t threads[2];
    for (size_t index = 0; index < 2; index++) {
        if (pthread_create(&threads[index], NULL, part, &parters[index]) != 0) abort();
    }
    for (size_t index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    hop_registry_destroy(parting.registry, count_release);
    return parting.child.status;
}
