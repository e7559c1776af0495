// Runs the load generators and the adverse events of the tests, without Swift. Prints a line for each, and exits with 1 if one fails.
#include <stdio.h>

#include "CTorture.h"

static bool has_failed;

static void check(const char *name, bool holds) {
    printf("%-52s %s\n", name, holds ? "passed" : "FAILED");
    fflush(stdout);
    has_failed |= !holds;
}

static bool is_clean(struct torture_report report) {
    return report.dead == 0 && report.foreign == 0 && report.resurrected == 0 && report.twice == 0 &&
           report.leaked == 0 && report.gaps == 0 && report.backwards == 0 && report.releases == report.pushes &&
           report.found > 0;
}

static void check_load(void) {
    static const unsigned threads[] = {1, 2, 4, 8}, keys[] = {1, 1000};
    char name[80];
    for (unsigned index = 0; index < sizeof threads / sizeof *threads; index++) {
        for (unsigned of_keys = 0; of_keys < sizeof keys / sizeof *keys; of_keys++) {
            const struct torture_plan plan = {
                .threads = threads[index], .keys = keys[of_keys], .milliseconds = 500, .seed = 1 + index};
            snprintf(name, sizeof name, "load: %u threads, %u keys", plan.threads, plan.keys);
            const struct torture_report report = torture_run(plan);
            check(name, is_clean(report) && report.removals > 0 && report.removals_while_borrowed > 0);
            snprintf(name, sizeof name, "replacing: %u threads, %u keys", plan.threads, plan.keys);
            check(name, is_clean(torture_replacing(plan)));
        }
    }
}

static void check_ends(enum torture_end end, const char *name) {
    enum { THREADS = 500, AT_ONCE = 8 };
    check(name, torture_ends(THREADS, AT_ONCE, end) == THREADS * torture_acts_of_an_end(end) &&
                    hop_statistics_read(NULL).deferred == 0);
}

static void check_forks(struct torture_forks forks, const char *name) {
    check(name, forks.children > 0 && forks.hung == 0 && forks.died == 0 && forks.wrong == 0 && forks.twice == 0 &&
                    forks.leaked == 0);
}

int main(void) {
    printf("readers %s\n", hop_statistics_read(NULL).reader_fences ? "have fences" : "have no fences");
    check_load();
    check_ends(TORTURE_CANCELLED_OUTSIDE, "threads that are cancelled");
    check_ends(TORTURE_CANCELLED_INSIDE, "threads that are cancelled while they borrow");
    check_ends(TORTURE_EXITS_OUTSIDE, "threads that exit");
    check_ends(TORTURE_HAUNTS_KEYS, "late destructors of keys");
    check_ends(TORTURE_HAUNTS_KEYS_ONLY, "late destructors, first use");
    check_ends(TORTURE_HAUNTS_LOCALS, "late destructors of thread-locals");
    check("a cancelled remover", torture_cancelled_remover_releases());
    check("a fork in a late destructor", torture_fork_with_a_last_word() == 0);
    check("a fork with deferred releases", torture_fork_with_deferred_releases() == 0);
    check_forks(torture_fork_under_load(50), "forks under load");
    check_forks(torture_fork_at_first_use(20), "forks at the first use");
    return has_failed;
}
