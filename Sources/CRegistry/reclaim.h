// Read sections, thread records, and the reclamation of unlinked memory. The essay is in reclaim.c.
//
// Four more functions of reclaim.c are public: hop_section_begin, hop_section_end, hop_borrow_end and hop_wait_for_reads.
#ifndef HOP_RECLAIM_H
#define HOP_RECLAIM_H

#include <stdatomic.h>

#if !__has_include(<ck_spinlock.h>)
#error "Hopoate needs Concurrency Kit. Debian, Ubuntu: apt-get install libck-dev. macOS: brew install concurrencykit."
#endif
#include <ck_spinlock.h>

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

/// The protections that were open when some garbage was reclaimed. Story K in reclaim.c.
struct hop_protections;

/// A piece of garbage: an object that no new reader can find, and the function that reclaims it.
struct hop_garbage {
    /// Reclaims the object. Called once, with this piece, outside every lock and every short read section. It passes its payloads to
    /// `hop_release_payload`.
    void (*dispose)(const struct hop_garbage *garbage, struct hop_protections *protections);
    /// The object. Only `dispose` knows its type.
    void *object;
    /// The end (exclusive) of a chain of nodes; else NULL.
    void *_Nullable until;
    /// The callback for each payload, if the object has any.
    hop_release _Nullable release;
};

/// A borrowed section as writers see it: the thread reads one registry, or protects one payload.
struct hop_section {
    /// Odd while the section is open.
    _Atomic uint64_t sequence;
    /// The registry that it reads, or HOP_ALL_REGISTRIES, or the payload that it protects. Only compared. Changes only while
    /// `sequence` is even.
    _Atomic(const hop_registry *) registry;
    /// The number of borrowed sections of the thread that were open when it began. Only the owner uses it.
    uint32_t depth;
    /// Why the end of the section has to take the slow path: HOP_HANDED, HOP_FENCED, both, or usually zero.
    _Atomic uint8_t at_end;
};

enum {
    /// Garbage was deferred, or the record is on loan.
    HOP_HANDED = 1,
    /// The end needs a fence, because the system refuses membarrier. The same in all sections of the process.
    HOP_FENCED = 2,
};

/// In place of a registry: a section that may read any registry, or garbage that waits for all sections.
#define HOP_ALL_REGISTRIES ((const hop_registry *)1)

enum {
    /// The number of payloads that a thread can protect at once.
    HOP_PROTECTED = 2,
};

enum {
    /// The number of sections that a thread can announce at once: those that protect payloads, four that read registries, and one
    /// for all further registries.
    HOP_SECTIONS = HOP_PROTECTED + 5,
};

/// A thread's record. A record passes from one thread to the next in a way that ThreadSanitizer does not see (story I). So the
/// fields that only the owner uses are accessed with HOP_OWN_LOAD and HOP_OWN_STORE, and all others are atomic.
struct hop_thread {
    /// Odd while a short section of this thread is open.
    _Alignas(HOP_CACHE_LINE) _Atomic uint64_t reads;
    /// The number of open borrowed sections of this thread. Only the owner uses it.
    uint32_t depth;
    /// The index in `sections` of the innermost announced one, if any is open. Only the owner uses it.
    uint32_t innermost;
    /// The announced sections, a stack. The first one is the outermost.
    struct hop_section sections[HOP_SECTIONS];
    /// The address of `hop_thread_record` in the thread that has the record, or had it on loan last; NULL while the record is
    /// free. Under threads_lock, except while the record is on loan.
    _Atomic(const void *) owner;
    /// Zero unless the record is on loan to threads that are ending. Odd if another thread may take it once it is idle. Story F.
    _Atomic uint64_t loan;
    /// In the list of records in use: the record that was linked before this one. Story H.
    _Atomic(struct hop_thread *) next;
    /// In the same list, the record that was linked after this one; among the free records, the next one. Under threads_lock.
    _Atomic(struct hop_thread *) previous;
};

/// The calling thread's record, if its sections may begin on the fast path; else NULL. It is NULL before the thread's first use,
/// and for ever if readers need fences although the system might have granted membarrier: so the fast path need not ask.
/// Initial-exec TLS: one load without a call. It takes a few bytes of the static TLS that libc reserves.
extern _Thread_local struct hop_thread *_Nullable hop_thread_record __attribute__((tls_model("initial-exec")));

/// Enters a short read section on a thread that has no record, or that needs a fence. Gives it a free record or a new one if it
/// has none.
///
/// Context:    Any thread for which `hop_thread_record` is NULL, outside short read sections.
/// Requires:   As `hop_section_begin`.
/// Ownership:  The record is the thread's until it exits. If the thread is exiting already, it has the record for this section.
/// Ordering:   Full fence, in addition to that of `hop_section_begin`.
/// Complexity: Constant; for a thread that is ending, linear in the number of threads. Allocates if no record is free.
hop_thread *hop_short_begin_slow(void);

/// Enters a borrowed read section on a thread that has no record, or that needs a fence. The section may nest in another one.
///
/// Context:    As `hop_short_begin_slow`.
/// Requires:   `registry` is not NULL. `hop_borrow_end` follows on this thread.
/// Ownership:  As `hop_short_begin_slow`.
/// Ordering:   As `hop_short_begin_slow`.
/// Complexity: As `hop_short_begin_slow`.
hop_thread *hop_borrowed_begin_slow(const hop_registry *registry);

/// Enters a borrowed read section on a thread that is in one already.
///
/// Context:    A thread that is in a borrowed section, outside short read sections.
/// Requires:   As `hop_borrowed_begin`.
/// Ownership:  None passes.
/// Ordering:   As `hop_borrowed_begin`; none if an enclosing section reads the registry already.
/// Complexity: Wait-free. It compares the registry with those of the enclosing announced sections, at most five.
void hop_borrowed_begin_nested(hop_thread *thread, const hop_registry *registry);

/// Follows the announcement of a section. The compiler must not move the loads of the section before it. On systems without
/// membarrier, the processor must not either; where it might have been granted, the slow path has the fence for that.
static inline void hop_announced(void) {
#if HOP_MAY_HAVE_MEMBARRIER
    atomic_signal_fence(memory_order_seq_cst);  // Story A. Pairs with hop_fence_readers.
#else
    atomic_thread_fence(memory_order_seq_cst);  // Story A. Pairs with hop_fence_readers.
#endif
}

/// `hop_section_begin` for a thread that has a record, inline.
static inline void hop_short_begin(hop_thread *thread) {
    const uint64_t sequence = atomic_load_explicit(&thread->reads, memory_order_relaxed);
    atomic_store_explicit(&thread->reads, sequence + 1, memory_order_relaxed);
    hop_announced();
}

/// Announces a borrowed section to writers.
static inline void hop_section_announce(struct hop_section *section, const hop_registry *registry) {
    // Release, both: pair with the acquires in hop_section_on. A writer that sees the new sequence sees the new registry, and
    // one that sees the new registry sees the end of the previous section.
    atomic_store_explicit(&section->registry, registry, memory_order_release);
    const uint64_t sequence = atomic_load_explicit(&section->sequence, memory_order_relaxed);
    atomic_store_explicit(&section->sequence, sequence + 1, memory_order_release);
    hop_announced();
}

/// Enters a borrowed read section on a thread that is in none, and has a record.
///
/// Context:    A thread that is in no borrowed section, outside short read sections.
/// Requires:   `thread` is the caller's record. The section reads `registry`, which is not NULL. `hop_borrow_end` follows on
///             this thread.
/// Ownership:  None passes.
/// Ordering:   As `hop_section_begin`. Pairs with `hop_retire`.
/// Complexity: Wait-free.
static inline void hop_borrowed_begin(hop_thread *thread, const hop_registry *registry) {
    HOP_OWN_STORE(thread->depth, 1);
    hop_section_announce(&thread->sections[0], registry);
}

/// Reclaims garbage as soon as no read section can hold it: here, or at the end of the last borrowed section that may.
///
/// Context:    Any thread, outside short read sections and without any lock held.
/// Requires:   The garbage was unlinked from `registry` before, so only sections that read this registry can hold it. Not NULL.
/// Ownership:  The pieces are copied; their objects pass to their `dispose`.
/// Ordering:   Begins as `hop_wait_for_reads`, so that the unlinking is visible before it looks for readers.
/// Complexity: As `hop_wait_for_reads`. A second membarrier call if it defers the garbage.
void hop_retire(const hop_registry *registry, const struct hop_garbage *garbage, size_t count);

/// Releases a payload as soon as no thread protects it: here, or at the end of the last protection.
///
/// Context:    As `hop_retire`, from a `dispose`.
/// Requires:   The short sections that may hold the payload have ended, and so have the borrowed sections of its registry. Both is so
///             when `dispose` is called. `protections` is its argument; NULL if no thread can protect the payload.
/// Ownership:  The payload passes to `release`.
/// Ordering:   As `hop_retire`.
/// Complexity: The first two calls for a batch of garbage look at every thread, and the second one sorts the protections that are open. Each
///             further call takes logarithmic time in their number, plus linear time in the number of those of the payload.
void hop_release_payload(struct hop_protections *_Nullable protections, const void *payload, hop_release release);

/// Reclaims deferred garbage whose borrowed sections have ended since.
///
/// Context:    As `hop_retire`.
/// Requires:   Nothing else.
/// Ownership:  None passes.
/// Ordering:   As `hop_retire`.
/// Complexity: One load if no garbage is deferred. Otherwise linear in the number of queues: each registry and each protected payload with
///             deferred garbage has one.
void hop_reclaim(void);

/// Whether readers execute fences, because the system does not grant membarrier.
bool hop_readers_fence(void);

/// The number of thread records that were ever made.
size_t hop_thread_records(void);

/// The number of thread records in use, at which a writer looks.
size_t hop_thread_records_in_use(void);

/// The number of pieces of garbage that are deferred and not reclaimed yet.
size_t hop_deferred_pieces(void);

#pragma clang assume_nonnull end

#endif
