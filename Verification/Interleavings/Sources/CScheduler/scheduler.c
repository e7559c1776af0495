#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "CScheduler.h"

enum {
    MOST_STRANDS = 32,
    MOST_POINTS = 20000,
    MOST_SECONDS = 20,
    LAST_PASS = PTHREAD_DESTRUCTOR_ITERATIONS,
};

/// Threads that run no strand: the main thread, and all unknown ones, which must not use the library.
enum { MAIN = -1, UNKNOWN = -2 };

enum state { FREE, READY, WAITING_FOR_WORD, WAITING_FOR_SECTION };

typedef struct job job;

/// A strand, and the thread that it runs on. The thread is reused for strands of later schedules.
struct strand {
    pthread_t thread;
    sem_t baton;
    bool has_thread;
    enum state state;
    /// The condition that it waits for.
    const uint32_t *word;
    uint32_t value;
    unsigned long seen_sections;
    /// Its work: a job, or a body if there is no job.
    job *job;
    void (*body)(void *context);
    void *context;
    unsigned pass;
};

/// A point at which more than one strand could go on.
struct choice {
    unsigned chosen;
    unsigned options;
};

static const struct schedule_scene *playing;
static struct strand strands[MOST_STRANDS];
static unsigned strand_count;
static sem_t main_baton;
static pthread_key_t end_key;
/// The strand that this thread runs; negative if it runs none.
static _Thread_local int self = UNKNOWN;

static unsigned long sections_ended;
static unsigned points, preemptions;

/// The path. Choices beyond `path_length` are not made yet.
static struct choice path[MOST_POINTS];
static unsigned path_length, path_position;
/// Whether the path was given. Then it is followed, regardless of the options.
static bool replaying;
/// Whether the strand that has the baton keeps it.
static bool is_held;
/// Whether the first option is always taken. This is so for the strands that are left after the check of a scene.
static bool draining;

// MARK: Findings

void schedule_finding(const char *what) {
    printf("interleavings: %s: %s\n", playing->name, what);
    printf("    the same schedule again: --replay %s %u ", playing->name, playing->bound);
    bool any = false;
    for (unsigned index = 0; index < path_position; index++) {
        if (path[index].chosen == 0) continue;
        printf("%s%u:%u", any ? "," : "", index, path[index].chosen);
        any = true;
    }
    printf("%s\n", any ? "" : "none");
    fflush(stdout);
    _exit(1);
}

static void crashed(int number) {
    schedule_finding(number == SIGALRM ? "a thread waits for something that the schedule does not know"
                                       : "the process crashed");
}

// MARK: Choices

static bool may_run(const struct strand *strand) {
    switch (strand->state) {
        case FREE:
            return false;
        case READY:
            return true;
        case WAITING_FOR_WORD:
            return __atomic_load_n(strand->word, __ATOMIC_ACQUIRE) == strand->value;
        case WAITING_FOR_SECTION:
            return strand->seen_sections != sections_ended;
    }
    return false;
}

/// The option that the path takes.
static unsigned choose(unsigned options) {
    if (options < 2 || draining) return 0;
    if (path_position == MOST_POINTS) schedule_finding("the schedule has too many choices");
    if (replaying) {
        path[path_position].options = options;
        return path[path_position++].chosen % options;
    }
    if (path_position == path_length) path[path_length++] = (struct choice){.chosen = 0, .options = options};
    const struct choice *choice = &path[path_position++];
    if (choice->options != options)
        schedule_finding("the schedule is not the same the second time: the harness is wrong");
    return choice->chosen;
}

/// The strand that runs next; negative if none can. The current strand is the first option if it can go on.
static int next_strand(int current) {
    const bool current_can = current >= 0 && strands[current].state == READY;
    int options[MOST_STRANDS];
    unsigned count = 0;
    if (current_can) options[count++] = current;
    if (!current_can || preemptions < playing->bound) {
        for (unsigned index = 0; index < strand_count; index++) {
            if (may_run(&strands[index]) && !(current_can && (int)index == current)) options[count++] = (int)index;
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

static void wait_for(sem_t *baton) {
    while (sem_wait(baton) != 0) continue;
}

static void hand_on(int next) {
    if (next == self) return;
    const int me = self;
    sem_post(&strands[next].baton);
    wait_for(&strands[me].baton);
}

/// Whether the calling thread runs a strand.
static bool runs_strand(void) {
    if (self == UNKNOWN) schedule_finding("the library runs on a thread that the schedule does not know");
    return self >= 0;
}

void schedule_point(void) {
    if (!runs_strand() || is_held) return;
    if (++points == MOST_POINTS) schedule_finding("the schedule does not end");
    hand_on(next_strand(self));
}

void schedule_hold(void) { is_held = true; }

void schedule_let_go(void) { is_held = false; }

/// Passes the baton on until the calling strand may go on. The strand's state has the condition.
static void wait_in_line(void) {
    struct strand *strand = &strands[self];
    if (is_held) schedule_finding("a step that nobody may interrupt waits for another thread");
    const int next = next_strand(self);
    if (next < 0) schedule_finding("all threads wait for each other");
    hand_on(next);
    strand->state = READY;
}

void schedule_wait_until(const uint32_t *word, uint32_t value) {
    if (!runs_strand()) return;
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) {
        strands[self].state = WAITING_FOR_WORD;
        strands[self].word = word;
        strands[self].value = value;
        wait_in_line();
    }
}

void schedule_wait_for_section(void) {
    if (!runs_strand()) return;
    strands[self].state = WAITING_FOR_SECTION;
    strands[self].seen_sections = sections_ended;
    wait_in_line();
}

void schedule_about_to_sleep(void) {
    if (playing->tasks_may_block || !runs_strand() || strands[self].job == NULL) return;
    schedule_finding("a task blocks its thread");
}

void schedule_section_ended(void) { sections_ended += 1; }

// MARK: Strands

typedef void run_job(job *job, void *_Nullable identity, uintptr_t implementation) __attribute__((swiftcall));
static run_job *run;

/// Ends the calling strand and passes the baton on.
static void end_strand(void) {
    strands[self].state = FREE;
    const int next = next_strand(-1);
    bool is_any_left = false;
    for (unsigned index = 0; index < strand_count; index++) is_any_left |= strands[index].state != FREE;
    if (next < 0 && is_any_left) schedule_finding("the threads that are left wait for each other");
    sem_post(next < 0 ? &main_baton : &strands[next].baton);
}

static void *strands_of_a_thread(void *argument) {
    struct strand *strand = argument;
    self = (int)(strand - strands);
    pthread_setspecific(end_key, strand);
    while (true) {
        wait_for(&strand->baton);
        if (strand->job != NULL) {
            // On the default executor.
            run(strand->job, NULL, 0);
        } else {
            strand->body(strand->context);
        }
        end_strand();
    }
    return NULL;
}

/// A destructor of a thread-local, the last to run. The thread keeps the baton until then, because the library has a destructor, too.
static void end_thread(void *argument) {
    struct strand *strand = argument;
    if (++strand->pass != LAST_PASS) {
        pthread_setspecific(end_key, strand);
        return;
    }
    strand->has_thread = false;
    end_strand();
}

void schedule_park(void) {
    if (!runs_strand()) abort();
    pthread_detach(pthread_self());
    pthread_exit(NULL);
}

static struct strand *add_strand(void) {
    unsigned index = 0;
    while (index < strand_count && strands[index].state != FREE) index += 1;
    if (index == MOST_STRANDS) schedule_finding("the schedule has too many threads and tasks");
    struct strand *strand = &strands[index];
    if (index == strand_count) {
        strand_count += 1;
        sem_init(&strand->baton, 0, 0);
    }
    strand->state = READY;
    strand->pass = 0;
    strand->job = NULL;
    return strand;
}

static void start_thread(struct strand *strand) {
    if (strand->has_thread) return;
    strand->has_thread = true;
    if (pthread_create(&strand->thread, NULL, strands_of_a_thread, strand) != 0) abort();
}

void schedule_add_thread(void (*body)(void *context), void *context) {
    struct strand *strand = add_strand();
    strand->body = body;
    strand->context = context;
    start_thread(strand);
}

// MARK: Tasks

typedef void enqueue(job *job) __attribute__((swiftcall));
typedef void enqueue_hook(job *job, enqueue *original) __attribute__((swiftcall));

static __attribute__((swiftcall)) void add_job(job *job, enqueue *original) {
    (void)original;
    struct strand *strand = add_strand();
    strand->job = job;
    start_thread(strand);
}

void schedules_take_over_tasks(void) {
    self = MAIN;
    // Functions of the Swift runtime. It has no header for them.
    enqueue_hook **hook = (enqueue_hook **)dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
    run = (run_job *)dlsym(RTLD_DEFAULT, "swift_job_run");
    if (hook == NULL || run == NULL) {
        fputs("interleavings: this Swift runtime does not let its tasks be scheduled\n", stderr);
        exit(2);
    }
    *hook = add_job;
}

// MARK: Schedules

static void run_strands(void) {
    const int first = next_strand(-1);
    if (first < 0) return;
    sem_post(&strands[first].baton);
    wait_for(&main_baton);
}

static void play(void) {
    points = preemptions = path_position = 0;
    alarm(MOST_SECONDS);
    playing->set();
    run_strands();
    playing->check();
    // Tasks that the check has started, or that end because of objects that it dropped.
    draining = true;
    run_strands();
    draining = false;
    playing->strike();
}

static void prepare(const struct schedule_scene *scene) {
    static bool is_prepared;
    playing = scene;
    path_length = 0;
    if (!is_prepared) {
        is_prepared = true;
        sem_init(&main_baton, 0, 0);
        // Passing the baton is faster on one processor.
        cpu_set_t processors;
        CPU_ZERO(&processors);
        CPU_SET(sched_getcpu(), &processors);
        (void)sched_setaffinity(0, sizeof processors, &processors);
        // After the library's key, so that the library's destructor runs first in each round.
        if (pthread_key_create(&end_key, end_thread) != 0) abort();
        const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGALRM};
        for (unsigned index = 0; index < sizeof signals / sizeof signals[0]; index++) signal(signals[index], crashed);
    }
}

struct schedule_tally schedules_explore(const struct schedule_scene *scene) {
    struct schedule_tally tally = {.is_complete = false};
    prepare(scene);
    do {
        play();
        // The first run also initializes the state of the process, so it may have other points. It is repeated.
        if (tally.schedules++ == 0) {
            path_length = 0;
            play();
        }
        if (points > tally.longest) tally.longest = points;
        tally.is_complete = !advance();
    } while (!tally.is_complete && tally.schedules < scene->limit);
    alarm(0);
    return tally;
}

void schedules_replay(const struct schedule_scene *scene, const char *text) {
    prepare(scene);
    // A first run initializes the state of the process, as in `schedules_explore`.
    play();
    memset(path, 0, sizeof path);
    replaying = true;
    unsigned position, chosen;
    int length;
    for (; sscanf(text, "%u:%u%n", &position, &chosen, &length) == 2; text += length + (text[length] == ',')) {
        if (position < MOST_POINTS) path[position].chosen = chosen;
    }
    play();
}
