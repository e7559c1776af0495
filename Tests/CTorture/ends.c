// Threads that end in unusual ways, and their use of the registry while they end.
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "CTorture.h"

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

struct haunting {
    hop_registry *registry;
    enum torture_end end;
    _Atomic size_t acts;
    _Atomic size_t releases;
};

/// The argument of a thread's destructors, which run one after the other.
struct ghost {
    struct haunting *haunting;
    unsigned acts;
    bool is_late;
};

static void count_release(const void *payload) {
    struct haunting *haunting = ((const struct ghost *)payload)->haunting;
    atomic_fetch_add_explicit(&haunting->releases, 1, memory_order_relaxed);
}

/// Three operations: a lookup in both kinds of section, a push, and a removal.
static void act(struct ghost *ghost) {
    struct haunting *haunting = ghost->haunting;
    const hop_key key = {.type = (uintptr_t)ghost};
    hop_push(haunting->registry, key, ghost, NULL);
    const hop_found found = hop_borrow_begin(haunting->registry, key);
    size_t acts = found.payload == ghost && hop_contains(haunting->registry, key);
    hop_borrow_end(found.thread);
    acts += hop_remove(haunting->registry, key, ghost, count_release);
    acts += !hop_contains(haunting->registry, key);
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

struct member {
    pthread_t thread;
    struct haunting *haunting;
    struct ghost ghosts[2];
};

static void *member_body(void *argument) {
    struct member *member = argument;
    struct haunting *haunting = member->haunting;
    const hop_key key = {.type = 16};
    if (haunting->end == TORTURE_HAUNTS_KEYS_ONLY) {
        haunt_keys(member->ghosts);
        return NULL;
    }
    (void)hop_contains(haunting->registry, key);
    switch (haunting->end) {
        case TORTURE_CANCELLED_INSIDE:
            (void)hop_borrow_begin(haunting->registry, key);
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
            return 3;
#endif
        case TORTURE_HAUNTS_KEYS:
        case TORTURE_HAUNTS_KEYS_ONLY:
            return 2 * ITERATIONS * 3;
        default:
            return 1;
    }
}

size_t torture_ends(size_t count, size_t at_once, enum torture_end end) {
    struct haunting haunting = {.registry = hop_registry_make(), .end = end};
    const bool cancels = end == TORTURE_CANCELLED_INSIDE || end == TORTURE_CANCELLED_OUTSIDE;
    struct member *members = calloc(at_once, sizeof *members);
    if (members == NULL) abort();
    for (size_t started = 0; started < count;) {
        size_t wave = 0;
        for (; wave < at_once && started < count; wave++, started++) {
            struct member *member = &members[wave];
            *member = (struct member){.haunting = &haunting};
            for (size_t index = 0; index < 2; index++) member->ghosts[index].haunting = &haunting;
            if (pthread_create(&member->thread, NULL, member_body, member) != 0) abort();
        }
        while (cancels && atomic_load_explicit(&haunting.acts, memory_order_acquire) < started) sched_yield();
        while (wave > 0) {
            wave -= 1;
            if (cancels && pthread_cancel(members[wave].thread) != 0) abort();
            pthread_join(members[wave].thread, NULL);
        }
    }
    hop_registry_destroy(haunting.registry, count_release);
    free(members);
    return atomic_load_explicit(&haunting.acts, memory_order_relaxed);
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
    struct haunting haunting = {.releases = 0};
    struct cancellation cancellation = {.registry = hop_registry_make(), .payload = {.haunting = &haunting}};
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
    const bool waited = atomic_load_explicit(&haunting.releases, memory_order_relaxed) == 0;
    atomic_store_explicit(&cancellation.read, true, memory_order_release);
    pthread_join(remover, NULL);
    pthread_join(reader, NULL);
    // A borrowed section of another test may defer the release. In that case, the destruction of the registry must not release it
    // either.
    for (unsigned left = 10000; left != 0 && atomic_load(&haunting.releases) == 0; left--) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        hop_remove_all(cancellation.registry, count_release);
        if (atomic_load(&haunting.releases) == 0 && hop_statistics_read(NULL).deferred == 0) break;
    }
    hop_registry_destroy(cancellation.registry, count_release);
    return waited && atomic_load_explicit(&haunting.releases, memory_order_relaxed) == 1;
}

// MARK: Forks in a destructor

struct parting {
    pthread_key_t key;
    hop_registry *registry;
    struct haunting haunting;
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
    const hop_found found = hop_borrow_begin(parting->registry, parting_key);
    atomic_store_explicit(&parting->is_inside, true, memory_order_release);
    while (!atomic_load_explicit(&parting->is_over, memory_order_acquire)) sched_yield();
    hop_borrow_end(found.thread);
}

static bool remove_new(struct parting *parting, unsigned number) {
    hop_push(parting->registry, parting_key, &parting->payloads[number], NULL);
    return hop_remove(parting->registry, parting_key, &parting->payloads[number], count_release);
}

static hop_thread *section_of_the_parent;

/// Runs in the child: the section of the forking thread is still active, and the section of the lost thread has ended.
static int part_again(void *argument) {
    struct parting *parting = argument;
    const _Atomic size_t *releases = &parting->haunting.releases;
    if (!remove_new(parting, 0)) return 1;
    if (atomic_load_explicit(releases, memory_order_relaxed) != 0) return 2;
    hop_borrow_end(section_of_the_parent);
    if (atomic_load_explicit(releases, memory_order_relaxed) != 1) return 3;
    if (!remove_new(parting, 1) || atomic_load_explicit(releases, memory_order_relaxed) != 2) return 4;
    return hop_statistics_read(NULL).deferred == 0 ? 0 : 5;
}

static void fork_inside(struct parting *parting) {
    while (!atomic_load_explicit(&parting->is_inside, memory_order_acquire)) sched_yield();
    const hop_found found = hop_borrow_begin(parting->registry, parting_key);
    section_of_the_parent = found.thread;
    parting->child = torture_child_run(part_again, parting, 20000);
    hop_borrow_end(found.thread);
    atomic_store_explicit(&parting->is_over, true, memory_order_release);
}

int torture_fork_with_a_last_word(void) {
    struct parting parting = {.registry = hop_registry_make()};
    for (size_t index = 0; index < 2; index++) parting.payloads[index].haunting = &parting.haunting;
    if (pthread_key_create(&parting.key, speak_in_the_last_pass) != 0) abort();
    struct parter parters[] = {{.parting = &parting, .last_word = stay_inside},
                               {.parting = &parting, .last_word = fork_inside}};
    pthread_t threads[2];
    for (size_t index = 0; index < 2; index++) {
        if (pthread_create(&threads[index], NULL, part, &parters[index]) != 0) abort();
    }
    for (size_t index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    hop_registry_destroy(parting.registry, count_release);
    return parting.child.status;
}
