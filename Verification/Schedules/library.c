// The library's own sources, with a schedule point after each step on shared memory.
#include "library.h"

#include "hooks.h"
#include "memory.c"
#include "reclaim.c"
#include "registry.c"
#include "table.c"

void library_choose(bool membarrier) { asymmetric_fences = membarrier; }

bool library_is_apart(void) { return HOP_SLAB == 1; }

void library_begin_thread(void) {
    hop_thread_record = NULL;
    own_record = NULL;
    is_late = false;
}

void library_make_record(void) { hop_section_end(hop_section_begin()); }

size_t library_count(const hop_registry *registry) {
    const struct hop_table *table = hop_table_locked(registry);
    size_t count = 0;
    for (size_t index = 0; index <= table->mask; index++) count += hop_stack_height(table->slots[index].stack);
    return count;
}

/// Checks that no section and no borrow is open, and that no place has the mark of a retirement.
static void check_at_rest(const struct hop_thread *thread) {
    if (thread->section.active != 0) schedule_finding("a section is open although all threads have ended");
    const bool is_late_record = thread == late_record;
    for (unsigned index = 0; index < HOP_BORROWS; index++) {
        const void *empty = is_late_record && index == 0 ? &first_slab : NULL;
        if (thread->borrows[index].payload != empty) schedule_finding("a thread has ended with a borrow");
        if (thread->borrows[index].mark != (is_late_record ? NULL : hop_no_mark()))
            schedule_finding("a place has a mark although nothing is borrowed");
    }
    if (ck_epoch_record_ct(&thread->section) != NULL || (thread->section.state == 0) != is_late_record)
        schedule_finding("a thread has ended with its record");
}

// The library never frees its slabs, nor the records of a domain. The next schedule must not find them.
void library_forget(void) {
    if (orphans != NULL || hop_deferred_releases() != 0) schedule_finding("a release is deferred that nobody makes");
    for (struct hop_slab *slab = CK_STAILQ_FIRST(&slabs), *next; slab != NULL; slab = next) {
        next = CK_STAILQ_NEXT(slab, next);
        if (slab->in_use != 0) schedule_finding("a slab counts a record that no thread has");
        for (size_t index = 0; index < slab->registered; index++) check_at_rest(&slab->records[index]);
        if (slab->domain.n_free + (slab == &first_slab) != slab->registered) schedule_finding("a record was lost");
        if (slab != &first_slab) schedule_free(slab);
    }
    memset((void *)first_slab.records, 0, first_slab.registered * sizeof *first_slab.records);
    CK_STAILQ_INIT(&slabs);
    hop_first_slab_set_up();
}
