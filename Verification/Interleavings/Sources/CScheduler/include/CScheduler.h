// Runs threads and the jobs of tasks one at a time, and tries one schedule after the other.
//
// A strand is a thread of a scene, or a job of a task (its work between two suspensions). Each strand runs on its own thread, with
// thread-locals, but only the strand that has the baton runs. At each schedule point the scheduler may pass the baton to another
// strand. A path of choices decides which strand runs next. The search is depth first over all paths with at most `bound`
// preemptions, that is, switches away from a strand that could go on (M. Musuvathi, S. Qadeer, Iterative Context Bounding for
// Systematic Testing of Multithreaded Programs, 2007).
#ifndef CSCHEDULER_H
#define CSCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: For the program

struct schedule_scene {
    const char *name;
    /// The largest number of preemptions.
    unsigned bound;
    /// The largest number of schedules to run.
    unsigned long limit;
    /// Whether a task may block its thread, because its factories resolve services without `await`.
    bool tasks_may_block;
    /// Makes the state before the strands start, and adds the strands. Runs on the main thread, like the other two functions.
    void (*set)(void);
    /// Checks the conditions when all strands have ended.
    void (*check)(void);
    /// Checks the conditions when everything was freed.
    void (*strike)(void);
};

struct schedule_tally {
    unsigned long schedules;
    /// Points of the longest schedule.
    unsigned longest;
    /// Whether all schedules within the bound were run.
    bool is_complete;
};

/// Turns the jobs of all later tasks into strands. Called once, before the first task starts.
void schedules_take_over_tasks(void);

/// Runs the schedules of a scene. A finding exits with status 1.
struct schedule_tally schedules_explore(const struct schedule_scene *scene);

/// Runs the schedule that a finding has printed.
void schedules_replay(const struct schedule_scene *scene, const char *path);

/// Adds a thread to the scene that is being set.
void schedule_add_thread(void (*body)(void *context), void *context);

/// Prints a finding and the arguments that replay it, and exits with status 1.
_Noreturn void schedule_finding(const char *what);

/// Ends the calling strand and its thread without unwinding the stack.
_Noreturn void schedule_park(void);

/// Suppresses the calling strand's schedule points until `schedule_let_go`.
void schedule_hold(void);

/// Ends `schedule_hold`.
void schedule_let_go(void);

// MARK: For the hooks. On the main thread they do nothing

/// Called after each step on shared memory: another strand may run here.
void schedule_point(void);

/// Called before a thread sleeps. Reports a job of a task that does, unless the scene permits it.
void schedule_about_to_sleep(void);

/// Lets other strands run until the word has the value.
void schedule_wait_until(const uint32_t *word, uint32_t value);

/// Lets other strands run until a read section has ended.
void schedule_wait_for_section(void);

/// Reports the end of a read section.
void schedule_section_ended(void);

#pragma clang assume_nonnull end

#endif
