// Runs threads one at a time, and tries one schedule after the other.
//
// Threads are real, with thread-locals and destructors, but only the thread that has the baton runs. At each schedule point the
// scheduler may pass the baton to another thread. A path of choices decides which one runs next. The search is depth first over
// all paths with at most `bound` preemptions, that is, switches away from a thread that could go on (M. Musuvathi, S. Qadeer,
// Iterative Context Bounding for Systematic Testing of Multithreaded Programs, 2007).
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { MOST_THREADS = 4 };

/// A small program of a few threads, and its conditions.
struct scene {
    const char *name;
    /// The default number of preemptions.
    unsigned bound;
    /// Makes the state before the threads start. Runs on the main thread, like `strike`.
    void (*set)(void);
    unsigned threads;
    void (*bodies[MOST_THREADS])(void);
    /// The work of the threads in the last round of the destructors of their thread-locals.
    void (*last_words[MOST_THREADS])(void);
    /// Checks the conditions when all threads have ended, and frees everything.
    void (*strike)(void);
};

struct tally {
    unsigned long schedules;
    /// Points of the longest schedule.
    unsigned longest;
};

/// Runs all schedules of a scene with at most `bound` preemptions. A finding exits with status 1.
struct tally schedules_explore(const struct scene *scene, unsigned bound);

/// Runs the schedule that a finding has printed.
void schedules_replay(const struct scene *scene, unsigned bound, const char *path);

/// Prints a finding and the arguments that replay it, and exits with status 1.
_Noreturn void schedule_finding(const char *what);

// The functions that the library's source calls through hooks.h. On threads outside a scene they do nothing, or call the original
// function.

/// Called after each step on shared memory. If it `wrote`, waiting threads may check again.
void schedule_point(bool wrote);

/// Called in a loop that waits: the thread does not run again until another thread wrote.
void schedule_wait(void);

void schedule_lock(pthread_mutex_t *mutex);
void schedule_unlock(pthread_mutex_t *mutex);

/// Makes memory unusable now, and frees it at the end of the schedule.
void schedule_free(void *memory);

#endif
