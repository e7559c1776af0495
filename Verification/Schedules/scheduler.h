// Runs threads one at a time, and tries one schedule after the other.
//
// Threads are real, with thread-locals, but only the thread that has the baton runs. At each schedule point the scheduler may pass
// the baton to another thread. A path of choices decides which one runs next. The search is depth first over all paths with at most
// `bound` preemptions, that is, switches away from a thread that could go on (M. Musuvathi, S. Qadeer, Iterative Context Bounding for
// Systematic Testing of Multithreaded Programs, 2007).
//
// Starting a thread takes the system longer than a schedule. So the same threads play all schedules. At the end of each one, the
// scheduler calls the destructor of the library's thread-local in rounds, as pthread does.
//
// Each thread has a store buffer, as on x86 (TSO). A store may be late: then it stays in the buffer, and all later stores of the
// thread stay behind it. The thread itself sees them at once. They reach memory when the thread executes a locked instruction or a
// full fence, when any thread calls membarrier, or at a point that the path chooses. A path has at most `delays` stores that are
// late although the buffer was empty. The others cost nothing.
//
// With `weak`, stores to different words reach memory in any order, as on arm64 (partial store order): a store may overtake the late
// ones, unless it is a release store or comes after a release fence.
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_THREADS = 4 };

/// A small program of a few threads, and its conditions.
struct scene {
    const char *name;
    /// The usual number of preemptions, and the one with a late store.
    unsigned bound, late_bound;
    /// Makes the state before the threads start. Runs on the main thread, like `strike`.
    void (*set)(void);
    unsigned threads;
    void (*bodies[MOST_THREADS])(void);
    /// The work of the threads in the last round of the destructors of their thread-locals.
    void (*last_words[MOST_THREADS])(void);
    /// Checks the conditions when all threads have ended, and frees everything.
    void (*strike)(void);
};

/// The schedules of a search.
struct search {
    /// The largest number of preemptions, and of late stores.
    unsigned preemptions, delays;
    /// Whether stores may overtake each other.
    bool weak;
    /// Whether the system grants membarrier, so that readers need no fences.
    bool membarrier;
    /// Whether the threads have used the library before, so that they have records.
    bool records;
};

struct tally {
    unsigned long schedules;
    /// Points of the longest schedule.
    unsigned longest;
};

/// Runs all schedules of a scene within these bounds. A finding exits with status 1.
struct tally schedules_explore(const struct scene *scene, struct search search);

/// Runs the schedule that a finding has printed.
void schedules_replay(const struct scene *scene, struct search search, const char *path);

/// The last thread begins when the first one has ended, and without a record. Called by `set`.
void schedule_succession(void);

/// Prints a finding and the arguments that replay it, and exits with status 1.
_Noreturn void schedule_finding(const char *what);

// The functions that the library's source calls through hooks.h. On threads outside a scene they do nothing, or call the original
// function.

/// Called after each step on shared memory. If it `wrote`, waiting threads may check again.
void schedule_point(bool wrote);

/// Called in a loop that waits: the thread does not run again until another thread wrote.
void schedule_wait(void);

/// The next wait of the calling thread is none: what it waits for may have been written before its last step.
void schedule_look_again(void);

/// A plain, relaxed or release store, which may be late.
void schedule_store(void *object, uint64_t value, size_t size, bool is_release);

/// A release fence.
void schedule_release_fence(void);

/// Whether the calling thread's own buffer has a store to `object`, and the value of the newest one.
bool schedule_own_store(const void *object, uint64_t *value);

/// Empties the calling thread's buffer, without a schedule point. Before a read-modify-write.
void schedule_drain(void);

/// A full fence.
void schedule_fence(void);

/// membarrier: a full fence of this thread, then of each other one. Returns false if the system refuses it.
bool schedule_membarrier(void);

/// Waits until the stores that are in the buffers of other threads now have reached memory. Not a fence of this thread.
void schedule_drain_all(void);

/// Ends the body of the calling thread at once, as pthread_exit does.
_Noreturn void schedule_exit(void);

/// The key of the library's thread-local with a destructor. There is one.
int schedule_key_create(pthread_key_t *key, void (*destructor)(void *value));
int schedule_setspecific(pthread_key_t key, const void *value);

void schedule_lock(pthread_mutex_t *mutex);
void schedule_unlock(pthread_mutex_t *mutex);

/// Makes memory unusable now, and frees it at the end of the schedule.
void schedule_free(void *memory);

#endif
