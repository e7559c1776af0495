// schedules [--more N] [SCENE ...]          all schedules of all scenes, or of these, with N more preemptions than usual
// schedules --replay SCENE BOUND PATH       the schedule that a finding has printed
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

static void explore(const struct scene *scene, unsigned more) {
    const unsigned bound = scene->bound + more;
    const double begun = seconds();
    const struct tally tally = schedules_explore(scene, bound);
    printf("%-24s %8u %8u %12lu %8u %9.1f\n", scene->name, scene->threads, bound, tally.schedules, tally.longest,
           seconds() - begun);
    fflush(stdout);
}

int main(int count, char **arguments) {
    if (count == 5 && strcmp(arguments[1], "--replay") == 0) {
        schedules_replay(scene_named(arguments[2]), (unsigned)atoi(arguments[3]), arguments[4]);
        puts("schedules: nothing was found in it");
        return 0;
    }
    unsigned more = 0;
    int next = 1;
    if (count > 2 && strcmp(arguments[1], "--more") == 0) {
        more = (unsigned)atoi(arguments[2]);
        next = 3;
    }
    printf("%-24s %8s %8s %12s %8s %9s\n", "scene", "threads", "bound", "schedules", "points", "seconds");
    for (int index = next; index < count; index++) explore(scene_named(arguments[index]), more);
    for (unsigned index = 0; next == count && index < scene_count; index++) explore(&scenes[index], more);
    return 0;
}
