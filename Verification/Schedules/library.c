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
    takes_loans = false;
}

void library_make_record(void) { hop_section_end(hop_section_begin()); }

// The library never frees its thread records. The next schedule must not find them.
void library_forget(void) {
    if (deferred != NULL || ready_batches != NULL || hop_deferred_pieces() != 0)
        schedule_finding("garbage is left that nobody disposes of");
    for (struct hop_thread *thread = threads_in_use, *next; thread != NULL; thread = next) {
        next = thread->next;
        const bool is_lent_for_ever = (thread->loan & 1) == 0;
        bool runs = (thread->reads & 1) != 0 || thread->depth != 0 || thread->innermost != 0;
        for (unsigned index = 0; index < HOP_SECTIONS; index++) runs |= (thread->sections[index].sequence & 1) != 0;
        // Only records on loan may be left in this list.
        if (runs || is_lent_for_ever) schedule_finding("a thread has ended with its record");
        schedule_free(thread);
    }
    for (struct hop_thread *thread = threads_free, *next; thread != NULL; thread = next) {
        next = thread->previous;
        schedule_free(thread);
    }
    threads_in_use = NULL;
    threads_free = NULL;
    thread_records = 0;
    loans_exist = false;
}
