// The library's own sources, with a schedule point after each step on shared memory.
#include "library.h"

#include "hooks.h"
#include "memory.c"
#include "reclaim.c"
#include "registry.c"
#include "table.c"

void library_choose(bool membarrier) { asymmetric_fences = membarrier; }

void library_begin_thread(void) {
    hop_thread_record = NULL;
    own_record = NULL;
    is_late = false;
}

void library_make_record(void) { hop_section_end(hop_section_begin()); }

/// Checks that no section and no borrow is open, and that no place has the mark of a retirement.
static void check_at_rest(const struct hop_thread *thread) {
    if ((thread->reads & 1) != 0) schedule_finding("a section is open although all threads have ended");
    if (thread == &hop_late_record) return;
    for (unsigned index = 0; index < HOP_BORROWS; index++) {
        if (thread->borrows[index].payload != NULL) schedule_finding("a thread has ended with a borrow");
        if (thread->borrows[index].mark != hop_no_mark())
            schedule_finding("a place has a mark although nothing is borrowed");
    }
}

// The library never frees its thread records. The next schedule must not find them.
void library_forget(void) {
    if (orphans != NULL || hop_deferred_releases() != 0) schedule_finding("a release is deferred that nobody makes");
    if (threads_in_use != &hop_late_record) schedule_finding("a thread has ended with its record");
    check_at_rest(&hop_late_record);
    size_t records = 0;
    for (struct hop_thread *thread = threads_free, *next; thread != NULL; thread = next) {
        next = thread->previous;
        check_at_rest(thread);
        schedule_free(thread);
        records += 1;
    }
    if (records != hop_thread_records()) schedule_finding("a record was lost");
    hop_late_record.reads = 0;
    hop_late_record.next = NULL;
    hop_late_record.previous = NULL;
    threads_free = NULL;
    thread_records = 0;
}
