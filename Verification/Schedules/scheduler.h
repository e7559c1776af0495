// Runs threads one at a time, and tries one schedule after the other.
//
// Threads are real ones, with thread-locals and destructors, but only the one that has the baton runs. At each schedule
// point it may be made to hand it on. Which one goes on is decided by a path of choices; all paths are walked, depth
// first, that take the processor from a thread which could go on at most `bound` times (M. Musuvathi, S. Qadeer, Iterative
// Context Bounding for Systematic Testing of Multithreaded Programs, 2007).
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { MOST_THREADS = 4 };

/// What a schedule is made of.
struct scene {
    const char *name;
    /// How often a thread is interrupted, where nothing else is asked for.
    unsigned bound;
    /// What is there before the threads start. Runs on the main thread, as does `strike`.
    void (*set)(void);
    unsigned threads;
    void (*bodies[MOST_THREADS])(void);
    /// What the threads do in the last pass of the destructors of their thread-locals.
    void (*last_words[MOST_THREADS])(void);
    /// What has to hold when all threads have ended; and takes everything down.
    void (*strike)(void);
};

struct tally {
    unsigned long schedules;
    /// Points of the longest schedule.
    unsigned longest;
};

/// Walks all schedules of a scene with so many preemptions. A finding ends the process with status 1.
struct tally schedules_explore(const struct scene *scene, unsigned bound);

/// Walks the one schedule that a finding has printed.
void schedules_replay(const struct scene *scene, unsigned bound, const char *path);

/// Says what was found, and how to see it again; and ends the process with status 1.
_Noreturn void schedule_finding(const char *what);

// What the library's source calls, through hooks.h. On threads that are none of a scene's they do nothing, or the usual.

/// After each step on shared memory. `wrote`: those that wait may look again.
void schedule_point(bool wrote);

/// In a loop that waits: not to be run again until somebody wrote.
void schedule_wait(void);

void schedule_lock(pthread_mutex_t *mutex);
void schedule_unlock(pthread_mutex_t *mutex);

/// Frees memory at the end of the schedule, and makes it unusable now.
void schedule_free(void *memory);

#endif
