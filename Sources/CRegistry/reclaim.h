// Read sections, borrows, thread records, and the reclamation of unlinked memory. The essay is in reclaim.c.
//
// Five more functions of reclaim.c are public: hop_section_begin, hop_section_end, hop_section_borrow, hop_borrow_end and
// hop_wait_for_reads.
#ifndef HOP_RECLAIM_H
#define HOP_RECLAIM_H

#include <stdatomic.h>

#if !__has_include(<ck_epoch.h>)
#error "Hopoate needs Concurrency Kit. Debian, Ubuntu: apt-get install libck-dev. macOS: brew install concurrencykit."
#endif
#include <ck_epoch.h>

// Concurrency Kit records the memory model of the machine that it was built for in ck_md.h. With the headers of another
// architecture (a cross-compilation that finds the host's), fences would be missing, and no other check would notice.
#if (defined(__x86_64__) && !defined(CK_MD_TSO)) || (defined(__aarch64__) && !defined(CK_MD_RMO))
#error "These headers of Concurrency Kit (ck_md.h) are for another processor architecture."
#endif

#include "CRegistry.h"
#include "memory.h"
#include "sanitizer.h"

// Whether the system may grant membarrier. If it does, readers need no fence: story A in reclaim.c.
#if defined(__linux__)
#include <sys/syscall.h>
#endif
#if defined(__NR_membarrier)
#define HOP_MAY_HAVE_MEMBARRIER 1
#else
#define HOP_MAY_HAVE_MEMBARRIER 0
#endif

#pragma clang assume_nonnull begin

/// A payload that was removed while threads borrowed it.
struct hop_retirement;

/// A place for one borrow: a hazard pointer, and its mark.
struct hop_borrow {
    /// The payload that the thread borrows; NULL if the place is free. Only the owner of the record writes it.
    _Atomic(const void *) payload;
    /// Why the end of the borrow has to take the slow path: the retirement of the payload, or HOP_FENCED; usually NULL. Written under
    /// retired_lock.
    _Atomic(struct hop_retirement *_Nullable) mark;
};

/// In place of a retirement: the end needs a fence, because the system refuses membarrier. The same for all places of the process.
#define HOP_FENCED ((struct hop_retirement *)1)

enum {
    /// The number of payloads that a thread can borrow at once.
    HOP_BORROWS = 4,
};

/// A thread's record. A record passes from one thread to the next in a way that ThreadSanitizer does not see (story G), so all fields that
/// are not Concurrency Kit's are atomic.
struct hop_thread {
    /// The section of this thread: `active` while it is open, and the epoch in which it began.
    ck_epoch_record_t section;
    /// One cache line.
    _Alignas(HOP_CACHE_LINE) struct hop_borrow borrows[HOP_BORROWS];
};

/// The calling thread's record, if its sections may begin on the fast path; else NULL. It is NULL before the thread's first use,
/// and for ever if readers need fences although the system might have granted membarrier: so the fast path need not ask.
/// Initial-exec TLS: one load without a call. It takes a few bytes of the static TLS that libc reserves.
extern _Thread_local struct hop_thread *_Nullable hop_thread_record __attribute__((tls_model("initial-exec")));

/// What ThreadSanitizer knows of the sections of a record. It does not see the loads of Concurrency Kit, and the late record passes from one
/// thread to the next. At the address of a word to which only Concurrency Kit stores, which ThreadSanitizer does not see.
#define HOP_TSAN_SECTIONS(thread) (&(thread)->section.n_peak)

/// Enters a read section on a thread that has no record, or that needs a fence. Gives it a free record or a new one if it has none.
///
/// Context:    Any thread for which `hop_thread_record` is NULL, outside read sections.
/// Requires:   As `hop_section_begin`.
/// Ownership:  The record is the thread's until it exits. A thread that is exiting gets the late record for this section (story E).
/// Ordering:   Full fence, in addition to that of `hop_section_begin`.
/// Complexity: Constant. Allocates if no record is free. Threads that are exiting wait for each other.
hop_thread *hop_section_begin_slow(void);

/// Borrows a payload in another place than the first one of the record, or with another record than that of the fast path.
///
/// Context:    As `hop_section_borrow`.
/// Requires:   As `hop_section_borrow`.
/// Ownership:  As `hop_section_borrow`.
/// Ordering:   As `hop_section_borrow`.
/// Complexity: Wait-free.
hop_borrow *_Nullable hop_section_borrow_slow(hop_thread *thread, const void *payload);

/// Follows the announcement of a section, or the end of a borrow. The compiler must not move the loads after it before the announcement.
/// On systems without membarrier, the processor must not either; where it might have been granted, the slow path has the fence for that.
static inline void hop_announced(void) {
#if HOP_MAY_HAVE_MEMBARRIER
    atomic_signal_fence(memory_order_seq_cst);  // Stories A and C. Pairs with hop_fence_all_threads.
#else
    atomic_thread_fence(memory_order_seq_cst);  // Stories A and C. Pairs with hop_fence_all_threads.
#endif
}

/// `hop_section_begin` for a thread that has a record, inline: ck_epoch_begin without its fence and without nesting. It reads `active`
/// as plain memory, which ThreadSanitizer reports, and on arm64 it lacks the order between the two loads.
static inline void hop_section_enter(hop_thread *thread) {
    __atomic_store_n(&thread->section.active, 1, __ATOMIC_RELAXED);
    // Acquire: pairs with the advance of the epoch. What the advancing writer has unlinked before is unlinked for this section, too.
    const unsigned epoch = __atomic_load_n(&thread->section.global->epoch, __ATOMIC_ACQUIRE);
    // Release: a writer that sees this epoch sees the end of the thread's previous section, and the borrow that began there (story B).
    __atomic_store_n(&thread->section.epoch, epoch, __ATOMIC_RELEASE);
    hop_announced();
}

/// `hop_section_end`, inline: ck_epoch_end, as a release store and not as a fence.
static inline void hop_section_leave(hop_thread *thread) {
    HOP_TSAN_RELEASE(HOP_TSAN_SECTIONS(thread));
    __atomic_store_n(&thread->section.active, 0, __ATOMIC_RELEASE);
}

static inline bool hop_place_is_free(const hop_borrow *place) {
    return atomic_load_explicit(&place->payload, memory_order_relaxed) == NULL;
}

/// Borrows a payload in a free place, and leaves the section in which it was found.
static inline hop_borrow *hop_borrow_in(hop_borrow *place, hop_thread *thread, const void *payload) {
    // Before the end of the section: story B. Release: a writer that finds the payload here sees the end of the previous borrow.
    atomic_store_explicit(&place->payload, payload, memory_order_release);
    hop_section_leave(thread);
    return place;
}

/// The borrows that are open after a grace period, sorted by their payloads, for a removal of many payloads.
struct hop_look {
    struct hop_open_borrow *_Nullable open;
    size_t count;
};

/// Looks for open borrows. Each later `hop_retire_seen` with the result needs no further look at the threads.
///
/// Context:    Any thread, outside read sections and without any lock held.
/// Requires:   The payloads were unlinked before, and then `hop_wait_for_reads` has returned. `hop_look_end` follows.
/// Ownership:  The caller's, until `hop_look_end`.
/// Ordering:   Acquire: borrows that are not found have ended before.
/// Complexity: Looks at every thread, and sorts the open borrows. Allocates if there are any.
struct hop_look hop_look_for_borrows(void);

/// Frees the result of `hop_look_for_borrows`. In the child of a fork, it also releases the payloads that only lost threads borrowed.
///
/// Context:    Any thread, outside read sections and without any lock held. May call release callbacks.
/// Requires:   `look` is from `hop_look_for_borrows`, and is not used afterwards.
/// Ownership:  The array is freed.
/// Ordering:   As `hop_retire_seen`, for the payloads that it releases.
/// Complexity: Constant, plus the releases.
void hop_look_end(struct hop_look *look);

/// Releases a payload: here, or at the end of its last borrow.
///
/// Context:    Any thread, outside read sections and without any lock held.
/// Requires:   The payload was unlinked before the grace period that `look` followed.
/// Ownership:  The payload passes to `release`.
/// Ordering:   All borrows of the payload happen before its release.
/// Complexity: Logarithmic in the number of open borrows; linear in the number of those of the payload. One membarrier call if another
///             thread borrows it.
void hop_retire_seen(const struct hop_look *look, const void *payload, hop_release release);

/// As `hop_look_for_borrows`, `hop_retire_seen` and `hop_look_end` for one payload.
///
/// Context:    As `hop_retire_seen`.
/// Requires:   The payload was unlinked before, and then `hop_wait_for_reads` has returned.
/// Ownership:  As `hop_retire_seen`.
/// Ordering:   As `hop_retire_seen`.
/// Complexity: Looks at every thread. If the payload is borrowed, as the three functions together.
void hop_retire(const void *payload, hop_release release);

/// Whether readers execute fences, because the system does not grant membarrier.
bool hop_readers_fence(void);

/// The number of thread records that were ever made.
size_t hop_thread_records(void);

/// The number of thread records in use, without the late record.
size_t hop_thread_records_in_use(void);

/// The number of releases that wait for borrows.
size_t hop_deferred_releases(void);

#pragma clang assume_nonnull end

#endif
