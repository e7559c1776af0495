#define _GNU_SOURCE 1
#include "scheduler.h"

#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library.h"

enum { MOST_POINTS = 20000, MOST_FREED = 4096, MOST_LATE = 64, POISON = 0xDB };

enum state { READY, WAITING, ENDED };

/// A store in a store buffer. `size` is zero for the unlocking of a mutex.
struct late_store {
    void *object;
    uint64_t value;
    size_t size;
};

struct actor {
    enum state state;
    /// The number of writes at its last step, so that it does not wait for a write that has happened since.
    unsigned long seen_writes;
    /// The store buffer, oldest store first.
    struct late_store late[MOST_LATE];
    unsigned late_count;
    /// Whether a release fence came after the stores in the buffer, so that all later ones stay behind them.
    bool late_fence;
};

/// A point at which more than one thread could go on.
struct choice {
    unsigned chosen;
    unsigned options;
};

static const struct scene *playing;
static struct actor actors[MOST_THREADS];
static sem_t batons[MOST_THREADS], main_baton;
static unsigned threads_started;
static _Thread_local int self = -1;
/// The thread-local of the library, and its destructor.
static _Thread_local void *specific;
static void (*destructor)(void *value);
static _Thread_local jmp_buf end_of_body;

static unsigned long writes;
static unsigned points, preemptions, preemption_bound, delays, delay_bound;
static bool is_weak, grants_membarrier, begins_with_records, has_successor;

/// The path. Choices beyond `path_length` are not made yet.
static struct choice path[MOST_POINTS];
static unsigned path_length, path_position;
/// Whether the path was given. Then it is followed, regardless of the options.
static bool replaying;

static void *freed[MOST_FREED];
static unsigned freed_count;

// MARK: Findings

void schedule_finding(const char *what) {
    printf("schedules: %s: %s\n", playing->name, what);
    printf("    the same schedule again: %s--replay %s %s %s %s %u %u ", library_is_apart() ? "--apart " : "",
           playing->name, is_weak ? "weak" : "x86", grants_membarrier ? "membarrier" : "fences",
           begins_with_records ? "records" : "none", preemption_bound, delay_bound);
    unsigned last = 0;
    for (unsigned index = 0; index < path_position; index++) {
        if (path[index].chosen == 0) continue;
        printf("%s%u:%u", last != 0 ? "," : "", index, path[index].chosen);
        last = index + 1;
    }
    printf("%s\n", last == 0 ? "none" : "");
    fflush(stdout);
    _exit(1);
}

static void crashed(int number) {
    (void)number;
    schedule_finding("a thread used memory that was freed, or no memory at all");
}

// MARK: Choices

static bool is_successor(unsigned index) { return has_successor && index + 1 == playing->threads; }

static bool may_run(unsigned index) {
    const struct actor *actor = &actors[index];
    if (is_successor(index) && actors[0].state != ENDED) return false;
    return actor->state == READY || (actor->state == WAITING && actor->seen_writes != writes);
}

/// The option that the path takes.
static unsigned choose(unsigned options) {
    if (options < 2) return 0;
    if (path_position == MOST_POINTS) schedule_finding("the schedule has too many choices");
    if (replaying) return path[path_position++].chosen % options;
    if (path_position == path_length) path[path_length++] = (struct choice){.chosen = 0, .options = options};
    const struct choice *choice = &path[path_position++];
    if (choice->options != options)
        schedule_finding("the schedule is not the same the second time: the harness is wrong");
    return choice->chosen;
}

/// Lets the oldest store in the buffer of a thread reach memory.
static void flush_one(unsigned index) {
    struct actor *actor = &actors[index];
    const struct late_store store = actor->late[0];
    actor->late_count -= 1;
    memmove(&actor->late[0], &actor->late[1], actor->late_count * sizeof store);
    if (store.size == 0) {
        pthread_mutex_unlock(store.object);
    } else {
        memcpy(store.object, &store.value,
               store.size);  // The addresses are those of aligned words on a little-endian machine.
    }
    if (actor->late_count == 0) actor->late_fence = false;
    writes += 1;
}

/// Empties the buffer of a thread. Returns whether it held stores.
static bool drain(unsigned index) {
    const bool any = actors[index].late_count != 0;
    while (actors[index].late_count != 0) flush_one(index);
    return any;
}

/// The thread that runs next; -1 if none can. The calling thread is the first option if it can go on. Before that, stores may
/// leave the buffers of any threads: each one costs a preemption, unless no thread can run without it.
static int next_actor(int current) {
    const bool current_can = current >= 0 && actors[current].state == READY;
    while (true) {
        const bool may_preempt = preemptions < preemption_bound;
        int options[2 * MOST_THREADS];
        unsigned count = 0, threads;
        if (current_can) options[count++] = current;
        if (!current_can || may_preempt) {
            for (unsigned index = 0; index < playing->threads; index++) {
                if (may_run(index) && !(current_can && (int)index == current)) options[count++] = (int)index;
            }
        }
        threads = count;
        if (threads == 0 || may_preempt) {
            for (unsigned index = 0; index < playing->threads; index++) {
                if (actors[index].late_count != 0) options[count++] = (int)index;
            }
        }
        if (count == 0) return -1;
        const unsigned option = choose(count);
        const int next = options[option];
        if (option < threads) {
            if (current_can && next != current) preemptions += 1;
            return next;
        }
        if (threads != 0) preemptions += 1;
        flush_one((unsigned)next);
    }
}

/// Replaces the path by the next one. Returns whether there is one.
static bool advance(void) {
    path_length = path_position;
    while (path_length != 0 && path[path_length - 1].chosen + 1 == path[path_length - 1].options) path_length -= 1;
    if (path_length == 0) return false;
    path[path_length - 1].chosen += 1;
    return true;
}

// MARK: The baton

static void await(sem_t *baton) {
    while (sem_wait(baton) != 0) continue;
}

static void hand_on(int next) {
    if (next == self) return;
    const int me = self;
    sem_post(&batons[next]);
    await(&batons[me]);
}

void schedule_point(bool wrote) {
    if (self < 0) return;
    writes += wrote;
    actors[self].seen_writes = writes;
    if (++points == MOST_POINTS) schedule_finding("the schedule does not end");
    hand_on(next_actor(self));
}

void schedule_wait(void) {
    if (self < 0) return;
    struct actor *actor = &actors[self];
    actor->state = WAITING;
    const int next = next_actor(self);
    if (next < 0) schedule_finding("all threads wait for each other");
    hand_on(next);
    actor->state = READY;
}

void schedule_look_again(void) {
    if (self >= 0) actors[self].seen_writes = writes - 1;
}

// MARK: Store buffers

/// Whether a store of the calling thread stays behind those in its buffer.
static bool stays_behind(const struct actor *actor, const void *object, bool is_release) {
    if (actor->late_count == 0) return false;
    if (!is_weak || is_release || actor->late_fence) return true;
    for (unsigned index = 0; index < actor->late_count; index++) {
        if (actor->late[index].object == object) return true;
    }
    return false;
}

void schedule_store(void *object, uint64_t value, size_t size, bool is_release) {
    if (self < 0) {
        memcpy(object, &value, size);
        return;
    }
    struct actor *actor = &actors[self];
    bool is_late = stays_behind(actor, object, is_release);
    if (!is_late && delays < delay_bound) {
        is_late = choose(2) == 1;
        delays += is_late;
    }
    if (is_late) {
        if (actor->late_count == MOST_LATE) schedule_finding("a store buffer is full");
        actor->late[actor->late_count++] = (struct late_store){.object = object, .value = value, .size = size};
    } else {
        memcpy(object, &value, size);
    }
    schedule_point(!is_late);
}

void schedule_release_fence(void) {
    if (self >= 0) actors[self].late_fence = actors[self].late_count != 0;
}

bool schedule_own_store(const void *object, uint64_t *value) {
    if (self < 0) return false;
    for (unsigned index = actors[self].late_count; index != 0; index--) {
        if (actors[self].late[index - 1].object != object) continue;
        *value = actors[self].late[index - 1].value;
        return true;
    }
    return false;
}

void schedule_drain(void) {
    if (self >= 0) drain((unsigned)self);
}

void schedule_fence(void) {
    if (self >= 0 && drain((unsigned)self)) schedule_point(true);
}

void schedule_drain_all(void) {
    if (self < 0) return;
    for (unsigned index = 0; index < playing->threads; index++) {
        if ((int)index != self && drain(index)) schedule_point(true);
    }
}

bool schedule_membarrier(void) {
    if (!grants_membarrier) return false;
    schedule_fence();
    schedule_drain_all();
    return true;
}

// MARK: Locks and memory

void schedule_lock(pthread_mutex_t *mutex) {
    if (self < 0) {
        pthread_mutex_lock(mutex);
        return;
    }
    schedule_drain();
    while (pthread_mutex_trylock(mutex) != 0) {
        actors[self].seen_writes = writes;
        schedule_wait();
    }
    schedule_point(false);
}

/// A plain store, because the contract of a lock promises no more. (In glibc it is also a full fence.)
void schedule_unlock(pthread_mutex_t *mutex) {
    struct actor *actor = self < 0 ? NULL : &actors[self];
    if (actor == NULL || actor->late_count == 0) {
        pthread_mutex_unlock(mutex);
        schedule_point(true);
        return;
    }
    if (actor->late_count == MOST_LATE) schedule_finding("a store buffer is full");
    actor->late[actor->late_count++] = (struct late_store){.object = mutex};
    schedule_point(false);
}

void schedule_free(void *memory) {
    if (memory == NULL) return;
    if (freed_count == MOST_FREED) schedule_finding("the schedule frees too much");
    for (unsigned index = 0; index < freed_count; index++) {
        if (freed[index] == memory) schedule_finding("memory was freed twice");
    }
    memset(memory, POISON, malloc_usable_size(memory));
    freed[freed_count++] = memory;
}

static void free_freed(void) {
    while (freed_count != 0) free(freed[--freed_count]);
}

// MARK: Actors

int schedule_key_create(pthread_key_t *key, void (*function)(void *value)) {
    if (destructor != NULL) abort();  // The library has a second key.
    destructor = function;
    *key = 0;
    return 0;
}

int schedule_setspecific(pthread_key_t key, const void *value) {
    (void)key;
    specific = (void *)value;
    return 0;
}

/// Calls the destructors of thread-locals. The last to run are the thread's last words.
static void destroy_specific(void) {
    for (unsigned round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        void *value = specific;
        specific = NULL;
        if (value != NULL) destructor(value);
    }
    if (playing->last_words[self] != NULL) playing->last_words[self]();
}

/// Ends the calling thread's part of the schedule.
static void end(struct actor *actor) {
    destroy_specific();
    drain((unsigned)self);
    actor->state = ENDED;
    writes += 1;
    const int next = next_actor(self);
    bool all_ended = true;
    for (unsigned index = 0; index < playing->threads; index++) all_ended &= actors[index].state == ENDED;
    if (next < 0 && !all_ended) schedule_finding("the threads that are left wait for each other");
    self = -1;
    sem_post(next < 0 ? &main_baton : &batons[next]);
}

void schedule_exit(void) { longjmp(end_of_body, 1); }

/// Plays the part of one thread in each schedule.
static void *play_part(void *argument) {
    struct actor *actor = argument;
    const int part = (int)(actor - actors);
    while (true) {
        await(&batons[part]);
        library_begin_thread();
        specific = NULL;
        if (begins_with_records && !is_successor((unsigned)part)) {
            library_make_record();
            sem_post(&main_baton);
            await(&batons[part]);
        }
        self = part;
        if (setjmp(end_of_body) == 0) playing->bodies[part]();
        end(actor);
    }
}

void schedule_succession(void) { has_successor = true; }

static void start_threads(void) {
    for (; threads_started < playing->threads; threads_started++) {
        pthread_t thread;
        sem_init(&batons[threads_started], 0, 0);
        if (pthread_create(&thread, NULL, play_part, &actors[threads_started]) != 0) abort();
    }
}

static void play(void) {
    writes = 0;
    points = preemptions = delays = path_position = 0;
    has_successor = false;
    playing->set();
    for (unsigned index = 0; index < playing->threads; index++) {
        actors[index] = (struct actor){.state = READY};
        if (!begins_with_records || is_successor(index)) continue;
        sem_post(&batons[index]);
        await(&main_baton);
    }
    sem_post(&batons[next_actor(-1)]);
    await(&main_baton);
    playing->strike();
    free_freed();
}

static void prepare(const struct scene *scene, struct search search) {
    static bool prepared;
    playing = scene;
    preemption_bound = search.preemptions;
    delay_bound = search.delays;
    grants_membarrier = search.membarrier;
    is_weak = search.weak;
    begins_with_records = search.records;
    library_choose(search.membarrier);
    path_length = 0;
    if (!prepared) {
        prepared = true;
        sem_init(&main_baton, 0, 0);
        // Passing the baton is faster on one processor. Threads inherit it.
        cpu_set_t processors;
        CPU_ZERO(&processors);
        CPU_SET(sched_getcpu(), &processors);
        (void)sched_setaffinity(0, sizeof processors, &processors);
        signal(SIGSEGV, crashed);
        signal(SIGBUS, crashed);
    }
    start_threads();
}

struct tally schedules_explore(const struct scene *scene, struct search search) {
    struct tally tally = {0};
    prepare(scene, search);
    do {
        play();
        tally.schedules += 1;
        if (points > tally.longest) tally.longest = points;
    } while (advance());
    return tally;
}

void schedules_replay(const struct scene *scene, struct search search, const char *text) {
    prepare(scene, search);
    replaying = true;
    unsigned position, chosen;
    int length;
    for (; sscanf(text, "%u:%u%n", &position, &chosen, &length) == 2; text += length + (text[length] == ',')) {
        if (position < MOST_POINTS) path[position].chosen = chosen;
    }
    play();
}
