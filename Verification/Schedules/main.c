// schedules [SCENE ...]                              all searches of all scenes, or of these
// schedules --search SEARCH [SCENE ...]              one search of them
// schedules --replay SCENE SEARCH PATH               the schedule that a finding has printed
//
// A search is five words: "x86" or "weak" (stores overtake each other), "membarrier" or "fences" (of a system that refuses it),
// "records" or "none" (the threads have at their begin), the number of preemptions, and that of late stores.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scenes.h"

static const struct scene *scene_named(const char *name) {
    for (unsigned index = 0; index < scene_count; index++) {
        if (strcmp(scenes[index].name, name) == 0) return &scenes[index];
    }
    fprintf(stderr, "schedules: there is no scene called %s\n", name);
    exit(2);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void explore(const struct scene *scene, struct search search) {
    const double begun = seconds();
    const struct tally tally = schedules_explore(scene, search);
    printf("%-20s %8u  %-4s  %-10s  %-8s %11u %7u %12lu %8u %9.1f\n", scene->name, scene->threads,
           search.weak ? "weak" : "x86", search.membarrier ? "membarrier" : "fences",
           search.records ? "records" : "none", search.preemptions, search.delays, tally.schedules, tally.longest,
           seconds() - begun);
    fflush(stdout);
}

/// Without late stores, neither the processor nor fences make a difference. The fast paths of readers need threads that have records;
/// their first sections need threads that have none.
static void explore_all(const struct scene *scene) {
    const unsigned late = scene->late_bound;
    explore(scene, (struct search){.preemptions = scene->bound, .delays = 0, .membarrier = true});
    explore(scene, (struct search){.preemptions = late, .delays = 1, .membarrier = true, .records = true});
    explore(scene, (struct search){.preemptions = late, .delays = 1, .membarrier = true, .weak = true});
    explore(scene, (struct search){.preemptions = late, .delays = 1, .weak = true});
}

static struct search parsed(char **arguments) {
    return (struct search){.weak = strcmp(arguments[0], "weak") == 0,
                           .membarrier = strcmp(arguments[1], "membarrier") == 0,
                           .records = strcmp(arguments[2], "records") == 0,
                           .preemptions = (unsigned)atoi(arguments[3]),
                           .delays = (unsigned)atoi(arguments[4])};
}

int main(int count, char **arguments) {
    if (count == 9 && strcmp(arguments[1], "--replay") == 0) {
        schedules_replay(scene_named(arguments[2]), parsed(arguments + 3), arguments[8]);
        puts("schedules: nothing was found in it");
        return 0;
    }
    const bool is_one = count >= 7 && strcmp(arguments[1], "--search") == 0;
    const struct search search = is_one ? parsed(arguments + 2) : (struct search){0};
    const int next = is_one ? 7 : 1;
    printf("%-20s %8s  %-4s  %-10s  %-8s %11s %7s %12s %8s %9s\n", "scene", "threads", "CPU", "system", "begin",
           "preemptions", "delays", "schedules", "points", "seconds");
    for (unsigned index = 0; index < (next == count ? scene_count : (unsigned)(count - next)); index++) {
        const struct scene *scene = next == count ? &scenes[index] : scene_named(arguments[next + (int)index]);
        if (is_one) {
            explore(scene, search);
        } else {
            explore_all(scene);
        }
    }
    return 0;
}
