// Runs threads and the jobs of tasks one at a time, and tries one schedule after the other.
//
// A strand is a thread of a scene, or a job of a task (what it does between two suspensions). Each runs on a thread of its own,
// with thread-locals, but only the one that has the baton runs. At each schedule point it may be made to hand the baton on.
// A path of choices decides which strand goes on; all paths are walked, depth first, that interrupt a strand which could go on
// at most `bound` times (M. Musuvathi, S. Qadeer, Iterative Context Bounding for Systematic Testing of Multithreaded Programs,
// 2007).
#ifndef CSCHEDULER_H
#define CSCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: For the program

struct schedule_scene {
    const char *name;
    /// How often a strand is interrupted, at most.
    unsigned bound;
    /// How many schedules are walked, at most.
    unsigned long limit;
    /// Makes what is there before the strands start, and adds the strands. Runs on the main thread, as do the others.
    void (*set)(void);
    /// Checks what has to hold when all strands have ended.
    void (*check)(void);
    /// Checks what has to hold when everything is gone.
    void (*strike)(void);
};

struct schedule_tally {
    unsigned long schedules;
    /// Points of the longest schedule.
    unsigned longest;
    /// Whether all schedules within the bound were walked.
    bool is_complete;
};

/// Makes the jobs of tasks strands, from now on. Called once, before the first task starts.
void schedules_take_over_tasks(void);

/// Walks the schedules of a scene. A finding ends the process with status 1.
struct schedule_tally schedules_explore(const struct schedule_scene *scene);

/// Walks the one schedule that a finding has printed.
void schedules_replay(const struct schedule_scene *scene, const char *path);

/// Adds a thread to the scene that is being set.
void schedule_add_thread(void (*body)(void *context), void *context);

/// Says what was found, and how to see it again; ends the process with status 1.
_Noreturn void schedule_finding(const char *what);

/// Ends the calling strand here and now: nothing of its stack is unwound. Its thread ends.
_Noreturn void schedule_park(void);

/// Makes the calling strand go on, whatever it comes to, until `schedule_let_go`.
void schedule_hold(void);

/// Ends `schedule_hold`.
void schedule_let_go(void);

// MARK: For the hooks; on the main thread they do nothing

/// After each step on what threads share: another strand may go on here.
void schedule_point(void);

/// Lets others go on until the word has the value.
void schedule_wait_until(const uint32_t *word, uint32_t value);

/// Lets others go on until a read section has ended.
void schedule_wait_for_section(void);

/// Says that a read section has ended.
void schedule_section_ended(void);

#pragma clang assume_nonnull end

#endif
