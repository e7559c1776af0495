// WHEN: read sections, thread records, and the release of what was unlinked. The essay is in reclaim.c.
//
// The rest of this module's part in reclamation is public: hop_section_begin, hop_section_end, hop_borrow_end and
// hop_wait_for_reads.
#ifndef HOP_RECLAIM_H
#define HOP_RECLAIM_H

#include <stdatomic.h>

#if !__has_include(<ck_spinlock.h>)
#error "Hopoate needs Concurrency Kit. Debian, Ubuntu: apt-get install libck-dev. macOS: brew install concurrencykit."
#endif
#include <ck_spinlock.h>

// Concurrency Kit writes the memory model of the machine that it was built for into ck_md.h. With the headers of another
// architecture (a cross-compilation that finds the host's) fences would be missing, and nothing else would tell.
#if (defined(__x86_64__) && !defined(CK_MD_TSO)) || (defined(__aarch64__) && !defined(CK_MD_RMO))
#error "These headers of Concurrency Kit (ck_md.h) are for another processor architecture."
#endif

#include "CRegistry.h"
#include "memory.h"
#include "sanitizer.h"

#pragma clang assume_nonnull begin

/// A piece of garbage: something that no reader can find any more, and how to dispose of it.
struct hop_garbage {
    /// Called once with this very piece, outside every lock and section.
    void (*dispose)(const struct hop_garbage *garbage);
    /// What to dispose of; the meaning is `dispose`'s.
    void *object;
    /// Where to stop, for pieces that are chains; else NULL.
    void *_Nullable until;
    /// What to call for each payload, where there are any.
    hop_release _Nullable release;
};

/// A borrowed section as writers see it: the time during which a thread reads one registry.
struct hop_section {
    /// Odd while it runs.
    _Atomic uint64_t sequence;
    /// The registry that it reads, or HOP_ALL_REGISTRIES. Changes only while the sequence is even.
    _Atomic(const hop_registry *) registry;
    /// How many borrowed sections of the thread were open when it began. The owner's alone.
    uint32_t depth;
    /// Whether garbage waits for it.
    _Atomic bool handed;
};

/// The name of a section that may read any registry, and of garbage that waits for all sections.
#define HOP_ALL_REGISTRIES ((const hop_registry *)1)

enum {
    /// The sections that a thread can announce at once: the outermost one, three inside it that read other registries, and
    /// one for all registries beyond these.
    HOP_SECTIONS = 5,
};

/// What is the owner's alone is read and written with HOP_OWN_LOAD and HOP_OWN_STORE, and all else is atomic, since a record
/// passes from a thread to the next one in a way that ThreadSanitizer does not see (story I).
struct hop_thread {
    /// Odd while a short section of this thread runs.
    _Alignas(HOP_CACHE_LINE) _Atomic uint64_t reads;
    /// How many borrowed sections of this thread are open. The owner's alone.
    uint32_t depth;
    /// Which one of `sections` is the innermost that runs, if any does. The owner's alone.
    uint32_t innermost;
    /// A stack: the first one is the outermost.
    struct hop_section sections[HOP_SECTIONS];
    /// Where the thread that has the record, or had it on loan last, keeps its `hop_thread_record`; NULL while nobody has
    /// it. Under threads_lock.
    _Atomic(const void *) owner;
    /// Zero, unless the record is lent to threads that are ending. Odd where it may be lent again once it is idle. Story F.
    _Atomic uint64_t loan;
    /// In the list of records that somebody has: the one that was linked before this one. Story H.
    _Atomic(struct hop_thread *) next;
    /// There, the one that was linked after this one; among the free records, the next one. Under threads_lock.
    _Atomic(struct hop_thread *) previous;
};

/// The calling thread's record. Initial-exec: one load, no call; a few bytes of the static TLS that libc keeps in reserve.
extern _Thread_local struct hop_thread *_Nullable hop_thread_record __attribute__((tls_model("initial-exec")));

/// Enters a short read section on a thread that has no record: finds it one, or makes one.
///
/// Context:    Any thread that has none, outside short read sections.
/// Requires:   As `hop_section_begin`.
/// Ownership:  The record is the thread's until it exits; where it is exiting already, for this section.
/// Ordering:   As `hop_section_begin`.
/// Complexity: Constant; for a thread that is ending, linear in the number of threads. Allocates where no record is free.
hop_thread *hop_short_begin_slow(void);

/// Enters a borrowed read section on a thread that has no record.
///
/// Context:    As `hop_short_begin_slow`.
/// Requires:   As `hop_borrowed_begin`.
/// Ownership:  As `hop_short_begin_slow`.
/// Ordering:   As `hop_borrowed_begin`.
/// Complexity: As `hop_short_begin_slow`.
hop_thread *hop_borrowed_begin_slow(const hop_registry *registry);

/// Enters a borrowed read section on a thread that is in one.
///
/// Context:    A thread that is in a borrowed section, outside short read sections.
/// Requires:   As `hop_borrowed_begin`.
/// Ownership:  None passes.
/// Ordering:   As `hop_borrowed_begin`; nothing where a section around it reads the registry already.
/// Complexity: Wait-free: one look at each section around it that reads another registry, four at most.
void hop_borrowed_begin_nested(hop_thread *thread, const hop_registry *registry);

/// Enters a short read section; `hop_section_begin`, inline, for a thread that has a record.
static inline void hop_short_begin(hop_thread *thread) {
    const uint64_t sequence = atomic_load_explicit(&thread->reads, memory_order_relaxed);
    atomic_store_explicit(&thread->reads, sequence + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);  // Story A. Pairs with the fence in hop_wait_for_reads.
}

/// Announces a section that does not run yet.
static inline void hop_section_announce(struct hop_section *section, const hop_registry *registry) {
    // Release, both: pair with the acquires in hop_section_on. The name is there before the number, and whoever sees the
    // name of this section has seen the end of the one before.
    atomic_store_explicit(&section->registry, registry, memory_order_release);
    const uint64_t sequence = atomic_load_explicit(&section->sequence, memory_order_relaxed);
    atomic_store_explicit(&section->sequence, sequence + 1, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);  // Story A. Pairs with the fence in hop_retire.
}

/// Enters a borrowed read section on a thread that is in none.
///
/// Context:    A thread that is in no borrowed section, outside short read sections.
/// Requires:   `thread` is the caller's. `registry` is the one that the section reads, and not NULL. `hop_borrow_end`
///             follows on this thread.
/// Ownership:  None passes.
/// Ordering:   Full fence: no load after it is satisfied before it. Pairs with the fence in `hop_retire`.
/// Complexity: Wait-free.
static inline void hop_borrowed_begin(hop_thread *thread, const hop_registry *registry) {
    HOP_OWN_STORE(thread->depth, 1);
    hop_section_announce(&thread->sections[0], registry);
}

/// Disposes of garbage as soon as no read section can hold it: here, or in the borrowed section that has to be spared.
///
/// Context:    Any thread, outside short read sections and without any lock held.
/// Requires:   The garbage was unlinked from `registry` before; only sections that read this one can hold it. Not NULL.
/// Ownership:  The pieces are copied; what they point to passes to their `dispose`.
/// Ordering:   Full fence first, so that the unlinking comes before the look at the readers.
/// Complexity: Waits for the short read sections under way; linear in the number of threads that are alive.
void hop_retire(const hop_registry *registry, const struct hop_garbage *garbage, size_t count);

/// Disposes of what was handed over to borrowed sections that have ended since.
///
/// Context:    As `hop_retire`.
/// Requires:   Nothing else.
/// Ownership:  None passes.
/// Ordering:   As `hop_retire`.
/// Complexity: One load where nothing was handed over.
void hop_reclaim(void);

/// How many thread records were ever made.
size_t hop_thread_records(void);

/// How many thread records a writer looks at: those that somebody has.
size_t hop_thread_records_in_use(void);

/// How many pieces of garbage are handed over and not yet disposed of.
size_t hop_deferred_pieces(void);

#pragma clang assume_nonnull end

#endif
