#define _GNU_SOURCE 1
#include "scheduler.h"

#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_POINTS = 20000, MOST_FREED = 4096, POISON = 0xDB, LAST_PASS = PTHREAD_DESTRUCTOR_ITERATIONS };

enum state { READY, WAITING, ENDED };

struct actor {
    pthread_t thread;
    sem_t baton;
    enum state state;
    /// The number of writes at its last step, so that it does not wait for a write that has happened since.
    unsigned long seen_writes;
    unsigned pass;
};

/// A point at which more than one thread could go on.
struct choice {
    unsigned chosen;
    unsigned options;
};

static const struct scene *playing;
static struct actor actors[MOST_THREADS];
static sem_t main_baton;
static pthread_key_t end_key;
static _Thread_local int self = -1;

static unsigned long writes;
static unsigned points, preemptions, preemption_bound;

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
    printf("    the same schedule again: --replay %s %u ", playing->name, preemption_bound);
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

static bool may_run(unsigned index) {
    const struct actor *actor = &actors[index];
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

/// The thread that runs next; -1 if none can. The calling thread is the first option if it can go on.
static int next_actor(int current) {
    const bool current_can = current >= 0 && actors[current].state == READY;
    int options[MOST_THREADS];
    unsigned count = 0;
    if (current_can) options[count++] = current;
    if (!current_can || preemptions < preemption_bound) {
        for (unsigned index = 0; index < playing->threads; index++) {
            if (may_run(index) && !(current_can && (int)index == current)) options[count++] = (int)index;
        }
    }
    if (count == 0) return -1;
    const int next = options[choose(count)];
    if (current_can && next != current) preemptions += 1;
    return next;
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

static void hand_on(int next) {
    if (next == self) return;
    const int me = self;
    sem_post(&actors[next].baton);
    while (sem_wait(&actors[me].baton) != 0) continue;
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

void schedule_lock(pthread_mutex_t *mutex) {
    if (self < 0) {
        pthread_mutex_lock(mutex);
        return;
    }
    while (pthread_mutex_trylock(mutex) != 0) {
        actors[self].seen_writes = writes;
        schedule_wait();
    }
    schedule_point(false);
}

void schedule_unlock(pthread_mutex_t *mutex) {
    pthread_mutex_unlock(mutex);
    schedule_point(true);
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

/// A destructor of a thread-local, the last to run. The thread keeps the baton until then, because the library has a destructor, too.
static void end(void *argument) {
    struct actor *actor = argument;
    if (++actor->pass != LAST_PASS) {
        pthread_setspecific(end_key, actor);
        return;
    }
    if (playing->last_words[self] != NULL) playing->last_words[self]();
    actor->state = ENDED;
    writes += 1;
    const int next = next_actor(self);
    bool all_ended = true;
    for (unsigned index = 0; index < playing->threads; index++) all_ended &= actors[index].state == ENDED;
    if (next < 0 && !all_ended) schedule_finding("the threads that are left wait for each other");
    self = -1;
    sem_post(next < 0 ? &main_baton : &actors[next].baton);
}

static void *begin(void *argument) {
    struct actor *actor = argument;
    while (sem_wait(&actor->baton) != 0) continue;
    self = (int)(actor - actors);
    pthread_setspecific(end_key, actor);
    playing->bodies[self]();
    return NULL;
}

static void play(void) {
    writes = 0;
    points = preemptions = path_position = 0;
    playing->set();
    for (unsigned index = 0; index < playing->threads; index++) {
        struct actor *actor = &actors[index];
        *actor = (struct actor){.state = READY};
        sem_init(&actor->baton, 0, 0);
        if (pthread_create(&actor->thread, NULL, begin, actor) != 0) abort();
    }
    sem_post(&actors[next_actor(-1)].baton);
    while (sem_wait(&main_baton) != 0) continue;
    for (unsigned index = 0; index < playing->threads; index++) pthread_join(actors[index].thread, NULL);
    playing->strike();
    free_freed();
}

static void prepare(const struct scene *scene, unsigned bound) {
    static bool prepared;
    playing = scene;
    preemption_bound = bound;
    path_length = 0;
    if (prepared) return;
    prepared = true;
    sem_init(&main_baton, 0, 0);
    // Passing the baton is faster on one processor.
    cpu_set_t processors;
    CPU_ZERO(&processors);
    CPU_SET(sched_getcpu(), &processors);
    (void)sched_setaffinity(0, sizeof processors, &processors);
    // After the library's key, so that the library's destructor runs first in each round.
    if (pthread_key_create(&end_key, end) != 0) abort();
    signal(SIGSEGV, crashed);
    signal(SIGBUS, crashed);
}

struct tally schedules_explore(const struct scene *scene, unsigned bound) {
    struct tally tally = {0};
    prepare(scene, bound);
    do {
        play();
        tally.schedules += 1;
        if (points > tally.longest) tally.longest = points;
    } while (advance());
    return tally;
}

void schedules_replay(const struct scene *scene, unsigned bound, const char *text) {
    prepare(scene, bound);
    replaying = true;
    unsigned position, chosen;
    int length;
    for (; sscanf(text, "%u:%u%n", &position, &chosen, &length) == 2; text += length + (text[length] == ',')) {
        if (position < MOST_POINTS) path[position].chosen = chosen;
    }
    play();
}
