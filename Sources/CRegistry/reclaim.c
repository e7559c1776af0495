// When unlinked memory may be reclaimed. No other file uses Concurrency Kit.
//
// 1. What it is
//
// Readers find payloads without a lock. A writer that has unlinked a payload must not release it while a reader may still hold it.
// There are two ways to hold one, because their lengths differ by orders of magnitude:
//
//   section   A few nanoseconds without user code: look up, take a reference or borrow, leave. (It is a read-side critical section,
//             in the terms of read-copy-update.) Writers wait until it has ended.
//   borrow    User code uses one payload, for any time. It may wait for a lock that a writer's caller holds, so a writer that
//             waited for it could deadlock. Writers never wait for it. If a payload is borrowed, the thread that ends its last borrow
//             releases it.
//
//   thread record (one for each thread, in a slab of 64)      writer that unlinked a payload P, outside its lock
//   +---------------------------------------------------+
//   | section     active: 1 while a section is open     | <--- 1. waits for the sections that may have found P
//   |             epoch: that of the slab at its begin  |      2. frees the nodes and tables that it has unlinked
//   | borrows[0]  payload: borrowed now                 | <--- 3. is it P, in any record? If not: releases P here
//   |             mark: the retirement of that payload  | <--- 4. else: marks the places that hold P
//   | borrows[1]  ...                                   | <--- 5. and unmarks those that hold it no longer
//   +---------------------------------------------------+
//                          |
//                          v
//   retirement of P:  payload, release, the number of marks
//
// Sections are those of epoch-based reclamation (K. Fraser, Practical Lock-Freedom, 2004), and writers wait with ck_epoch of Concurrency
// Kit. A section announces itself (`active`), and then notes the current epoch. A writer looks at all sections, and waits for those that
// have noted an earlier epoch. Then it advances the epoch, and looks again: the sections that were open before have an earlier epoch now.
// (If a look finds no open section, the writer need not advance the epoch.) So it does not wait for later sections of the same threads,
// however quickly they follow.
//
// ck_epoch never lets go of a record. With one domain of epochs, each removal would walk the records of all threads that there ever were.
// Therefore the records are in slabs. Each slab has a domain of its own, and a writer passes over the slabs of which no thread has a record.
//
// Sections do not call ck_epoch_begin and ck_epoch_end. Their fences are needed only where membarrier is refused, they read `active` as
// plain memory, which ThreadSanitizer reports, and ck_epoch_begin of version 0.7.1 lacks a fence on arm64: its loads of the section may
// overtake that of the epoch.
//
// A borrow is a hazard pointer (M. Michael, Hazard Pointers, 2004). The thread stores the address of the payload in a place of its record.
// It does so before it leaves the section in which it has found the payload. A record has four places. A thread that uses more payloads at
// once takes references to the others.
//
// With hazard pointers alone, somebody would have to look at the places again and again until the payload is free. Instead, the place has
// a mark. The end of a borrow looks at the mark of its own place only, which costs one load, and the last one releases the payload. The
// mark belongs to the place and not to the thread, so that the end of an inner borrow does no work because of an outer one.
//
// 2. Who writes what
//
//   section.active, .epoch  the thread that owns the record; in the late record, any thread that is exiting (story E)
//   the rest of section     any thread, under threads_lock: it is registered once, and then recycled for one thread after the other
//   borrows[].payload       the thread that owns the record
//   borrows[].mark          any thread, under retired_lock
//   in_use, registered      any thread, under threads_lock. The lock also guards the list of slabs. Writers walk the slabs without it.
//                           Slabs are never freed.
//   domain.epoch            any writer
//   retirements             any thread, under retired_lock
//
// If a thread needs both locks, it takes retired_lock first.
//
// 3. Invariants
//
//   1. A payload is released only after all sections have ended that may have found it, and while no place holds it.
//   2. Nodes and tables are freed after the grace period, and never deferred: a borrow does not use them.
//   3. A place gets a payload only inside the section that has found it. So after the grace period no place gets a removed payload any
//      more. (Unless it is pushed again. Then the new borrow defers the first release, too.)
//   4. While retired_lock is free, a place is marked only if its owner still borrows that payload, or is about to take the lock. So a
//      place has at most one mark, and the marks of a retirement are exactly the borrows that it waits for.
//   5. A release is user code. It runs outside every lock and every section.
//   6. A retirement has a mark, and a record has four places. So the borrows that are open bound the memory.
//   7. A record counts in `in_use` from before the first section of its owner begins until its last borrow has ended. So a writer looks at
//      the first slab and at those of live threads.
//
// 4. The races
//
//   Story A, the missed reader. A reader announces itself (store) and then loads a payload. A writer unlinks the payload
//   (store) and then looks for announced readers (load). If both stores stayed in store buffers while both loads were
//   satisfied, the writer would free a payload that the reader holds. Therefore each side needs a full fence between its two
//   steps. But sections begin all the time, and removals are rare. So the fence is asymmetric if the system grants membarrier
//   (Linux): the reader has none, and only the compiler must keep its steps in order (hop_announced). The writer unlinks, then
//   calls membarrier (hop_fence_readers), then looks. membarrier makes every running thread of the process execute a full
//   fence. A thread that does not run has executed one when it was preempted. Let F be the fence of one reader:
//     - If a section was announced before F, the writer sees the announcement when it looks.
//     - If it is announced after F, its loads come after F, too, and find the payload unlinked.
//     If a reader is preempted after its announcement, it has not noted the epoch yet. Writers see that of an earlier section of this
//   record, and wait until the reader goes on. It notes the epoch with an acquire load: if another writer has advanced the epoch
//   meanwhile, the section sees what that writer had unlinked.
//     If the system refuses membarrier, each reader executes a fence of its own (on the slow path, because hop_thread_record is
//   NULL then, so the fast path does not ask), and so does the writer. Both sides must agree, so the choice is made once, before
//   the first section. The child of a fork makes it again while it has one thread.
//     The system may withdraw membarrier, for example by a seccomp filter that is installed later. The readers cannot follow:
//   one that has decided to have no fence may be preempted before it announces itself, for any time. So each writer waits a
//   millisecond in place of the call: a store stays in a store buffer for nanoseconds, or until its thread is preempted. The
//   machine ensures this, the language does not.
//
//   Story B, the borrow that comes late. A reader finds a payload in a section. It stores the payload in a place and then leaves the
//   section. A writer has unlinked the payload, and looks for sections. If it finds this one open, it waits for its end. Then it sees the
//   place, because the end is stored with release. The same holds if it finds that the section has ended, or that the thread has noted a
//   newer epoch in its next section: it notes the epoch with release, too. If the section begins later, it does not find the payload any
//   more (story A). So the writer looks at the places after the grace period, and needs no further fence.
//     One look serves all payloads of a removal, also those that are released long after it: none of them gets a borrow that the look has
//   missed (invariant 3). So the places are collected in a sorted array, in which each payload is searched. Without that, each payload
//   would look at each thread. A borrow of the array may have ended when its payload is found, so it is checked again.
//
//   Story C, the missed mark. The owner ends a borrow (clears the place) and then loads the mark. A writer marks the place (store) and then
//   checks whether it still holds the payload (load). If both loads could overtake the stores, each side would leave the release to the
//   other. So both sides need a full fence between the store and the load. The owner executes none: the membarrier of the writer is a fence
//   on the owner's thread, too. (Without membarrier, HOP_FENCED in place of the mark leads the owner to a fence of its own.) The call of
//   story A does not help, because it came before the mark. So a writer that has marked a place of another thread calls membarrier a
//   second time. It holds retired_lock meanwhile, so an owner that has seen the mark waits until the marks are right (invariant 4).
//
//   Story D, the thread that ends inside. A thread that exits in a borrow (pthread_exit, cancellation) never reaches its end. The destructor
//   of its record ends all its borrows, and then returns the record.
//
//   Story E, the late destructors. Destructors of other thread-locals may use the registry after ours has returned the thread's record. The
//   system runs only a few rounds of destructors. So a thread that got a second record might never run our destructor again, and would keep
//   the record for ever. Therefore such threads share the late record, in the first slab, which writers never pass over. Its `active` is
//   its lock: a section begins when a thread exchanges 0 for 1, and the usual end of a section unlocks it. These threads borrow nothing: they
//   take references. Only their reads are not wait-free. If a signal handler looked up while its thread holds the late record, it would wait
//   for ever, so handlers must not look up.
//
//   Story F, the record that passes on. While a writer walks the records, a thread ends, and another one takes its record. If the writer
//   sees the record as free, or passes over its slab, the sections and borrows of the first thread have ended before. They happen before the
//   release of the payload, because the writer's loads of `in_use` and of the places are acquires, and ck_epoch ends its look with a full
//   fence. Story H covers the second thread. The second thread may own a place by the time at which the writer marks it. This does no harm:
//   the writer looks again before it leaves retired_lock. But if the second thread wrote the marks when it takes the record, it might
//   overwrite a mark that the writer has just made.
//
//   Story G, the order that ThreadSanitizer must not see. Two threads may have the same record, one after the other. The order comes from
//   threads_lock, but it does not order the code of their users. If ThreadSanitizer saw the lock, it would assume such an order, and would
//   not report a race in a service that both threads use. Therefore the lock, the exchange of the late record and the list of slabs use the
//   atomics of Concurrency Kit, which are inline assembly. A thread that takes a record only counts itself, without an acquire.
//     ThreadSanitizer has to see that reads happen before the reclamation of the objects they may have found. It does not see how ck_epoch
//   waits for sections, so annotations tell it. It sees the writers' acquire loads of the places.
//
//   Story H, the thread that no writer knows. A writer that counts no record of another thread calls no membarrier, so that processes with
//   one thread do not pay for it. Meanwhile a new thread takes a record (store) and then loads a payload. The writer has unlinked that
//   payload (store) and counts the records (load). Here both sides have full fences: the writer in hop_fence_readers before it counts, the new
//   thread on the slow path of its first section. So either the writer finds the record, or the thread's sections find the payload unlinked.
//   A section with the late record has a fence on that path, too.
//     A writer that no longer counts a thread that has ended needs no fence of that thread: its sections have ended before, and the writer
//   acquires that with the count.
//
//   Story I, the fork. In the child only the forking thread exists. The other threads will never leave their sections, end their borrows,
//   nor return their records. The child's fork handler does it for them. The forking thread holds both locks across the fork, so the child
//   finds the marks, the slabs and the records in a consistent state. If a lost thread had the last borrow of a removed payload, the handler
//   does not release that payload, because a release is user code. The next removal of the child releases it. If a lost thread was just
//   about to release a payload itself, the child never releases it. Everything that takes part in a fork is set up when the library is
//   loaded. Otherwise a fork in the middle of a thread's first use would make the child set it up a second time, and its first fork would
//   then take the locks twice.
//
//   Story J, the weak processor. The protocol uses the C11 memory model: publications are release stores, reads are acquire loads, fences are
//   sequentially consistent. Only membarrier is unknown to the language. With the compiler fences of the readers it is what a proposal for
//   C++ calls a heavy fence that pairs with light ones (D. Goldblatt, Asymmetric Fences, P1202, 2019).
//
//   Story K, the epoch of another writer. Writer 1 has looked at the sections before the fence of writer 2, so it may have missed one that has
//   found the payload of writer 2. Now it advances the epoch. If writer 2 relied on this advance and left, it would release the payload too
//   early. The look for the next advance begins after this one, and therefore after the fence of writer 2. So writer 2 leaves only when others
//   have advanced the epoch several times (ck_epoch waits for three), or after a second look of its own.
#include "reclaim.h"

#include <ck_pr.h>
#include <ck_queue.h>
#include <ck_spinlock.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <unistd.h>
#endif

#include "memory.h"
#include "sanitizer.h"
#include "waiting.h"

// The number of records in a slab. Proofs of this code choose fewer.
#if !defined(HOP_SLAB)
#define HOP_SLAB 64
#endif

/// Records that are allocated at once, with an epoch domain of their own. Writers pass over a slab of which no thread has a record.
struct hop_slab {
    ck_epoch_t domain;
    /// The number of records that threads have, without the late record.
    _Atomic size_t in_use;
    /// The number of records in the domain: the first ones of the array.
    _Atomic size_t registered;
    CK_STAILQ_ENTRY(hop_slab) next;
    struct hop_thread records[HOP_SLAB];
};

/// Its first record is the late record.
static struct hop_slab first_slab;
static struct hop_thread *const late_record = &first_slab.records[0];

/// Held to take and return records, and to append slabs. ThreadSanitizer does not see it, on purpose: story G.
static ck_spinlock_fas_t threads_lock = CK_SPINLOCK_FAS_INITIALIZER;
/// Appended to under threads_lock; walked without it. Slabs are never freed.
static CK_STAILQ_HEAD(, hop_slab) slabs = CK_STAILQ_HEAD_INITIALIZER(slabs);

_Thread_local struct hop_thread *_Nullable hop_thread_record __attribute__((tls_model("initial-exec")));

/// The calling thread's record, if it has one of its own.
static _Thread_local struct hop_thread *_Nullable own_record __attribute__((tls_model("initial-exec")));
/// Whether the calling thread uses the late record: it is ending, or its exit cannot be observed. Story E.
static _Thread_local bool is_late __attribute__((tls_model("initial-exec")));

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_exit_key;

// MARK: Fences

/// Whether the system has granted membarrier, so that readers need no fences. Set before the first record is made, and again
/// in the child of a fork. Story A.
static _Atomic bool asymmetric_fences;

#if HOP_MAY_HAVE_MEMBARRIER
// From linux/membarrier.h, which older systems lack.
enum { HOP_MEMBARRIER_PRIVATE_EXPEDITED = 1 << 3, HOP_MEMBARRIER_REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

static bool hop_membarrier_is_granted(void) {
    return syscall(__NR_membarrier, HOP_MEMBARRIER_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/// Executes a full fence on this thread and, if sections begin without a fence, also on all other threads.
static void hop_fence_all_threads(void) {
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load_explicit(&asymmetric_fences, memory_order_relaxed)) return;
    if (syscall(__NR_membarrier, HOP_MEMBARRIER_PRIVATE_EXPEDITED, 0, 0) != 0) {
        hop_wait_for_store_buffers();  // The system has withdrawn membarrier.
        atomic_thread_fence(memory_order_seq_cst);
    }
}
#else
static bool hop_membarrier_is_granted(void) { return false; }
static void hop_fence_all_threads(void) { atomic_thread_fence(memory_order_seq_cst); }
#endif

bool hop_readers_fence(void) { return !atomic_load_explicit(&asymmetric_fences, memory_order_relaxed); }

/// What `mark` has to be while the payload of a place is not retired: HOP_FENCED if the end of a borrow needs a fence; else NULL.
static struct hop_retirement *_Nullable hop_no_mark(void) {
    return HOP_MAY_HAVE_MEMBARRIER && hop_readers_fence() ? HOP_FENCED : NULL;
}

// MARK: Slabs and records

/// The lock is held for a few stores only, so back-off is enough.
static void hop_threads_lock(void) {
    unsigned rounds = 0;
    while (!ck_spinlock_fas_trylock(&threads_lock)) hop_wait_a_little(&rounds);
}

static void hop_threads_unlock(void) { ck_spinlock_fas_unlock(&threads_lock); }

/// The retirement with which a place is marked; NULL if there is none.
static struct hop_retirement *_Nullable hop_place_retirement(const hop_borrow *place) {
    struct hop_retirement *mark = atomic_load_explicit(&place->mark, memory_order_relaxed);
    return mark == HOP_FENCED ? NULL : mark;
}

/// Makes the ends of borrows take the slow path, if readers need fences. Only for a new record, or in the child of a fork: later, a writer
/// may be about to mark a place (story F).
static void hop_thread_set_marks(struct hop_thread *thread) {
    for (hop_borrow *place = thread->borrows; place != thread->borrows + HOP_BORROWS; place++) {
        if (hop_place_retirement(place) == NULL)
            atomic_store_explicit(&place->mark, hop_no_mark(), memory_order_relaxed);
    }
}

/// The next slab of which threads have records; after NULL, the first slab, since it has the late record.
static struct hop_slab *_Nullable hop_slab_next(struct hop_slab *_Nullable slab) {
    if (slab == NULL) return CK_STAILQ_FIRST(&slabs);
    do {
        slab = CK_STAILQ_NEXT(slab, next);
        // Acquire: pairs with the release in hop_record_return_locked. All sections and borrows of a slab that is passed over have ended.
    } while (slab != NULL && atomic_load_explicit(&slab->in_use, memory_order_acquire) == 0);
    return slab;
}

/// The record after the last one of a slab.
static struct hop_thread *hop_slab_end(struct hop_slab *slab) {
    return slab->records + atomic_load_explicit(&slab->registered, memory_order_relaxed);
}

/// Takes a record of a slab that no thread has, if there is one.
static struct hop_thread *_Nullable hop_record_take_locked(struct hop_slab *slab) {
    struct hop_thread *thread = (struct hop_thread *)ck_epoch_recycle(&slab->domain, &hop_thread_record);
    const size_t registered = atomic_load_explicit(&slab->registered, memory_order_relaxed);
    if (thread == NULL && registered != HOP_SLAB) {
        thread = &slab->records[registered];
        hop_thread_set_marks(thread);
        ck_epoch_register(&slab->domain, &thread->section, &hop_thread_record);
        atomic_store_explicit(&slab->registered, registered + 1, memory_order_relaxed);
    }
    if (thread == NULL) return NULL;
    atomic_fetch_add_explicit(&slab->in_use, 1, memory_order_relaxed);
    return thread;
}

static struct hop_slab *hop_slab_make(void) {
    HOP_TSAN_IGNORE_BEGIN();
    struct hop_slab *slab = hop_allocate_aligned(sizeof *slab, "the records of threads");
    HOP_TSAN_IGNORE_END();
    ck_epoch_init(&slab->domain);
    return slab;
}

/// Its accesses to the end of the list are plain ones, under a lock that ThreadSanitizer does not see (story G).
static void hop_slab_append_locked(struct hop_slab *slab) {
    HOP_TSAN_IGNORE_BEGIN();
    HOP_TSAN_IGNORE_READS_BEGIN();
    CK_STAILQ_INSERT_TAIL(&slabs, slab, next);
    HOP_TSAN_IGNORE_READS_END();
    HOP_TSAN_IGNORE_END();
}

/// Makes the late record available, as the first record of the first slab.
static void hop_first_slab_set_up(void) {
    ck_epoch_init(&first_slab.domain);
    ck_epoch_register(&first_slab.domain, &late_record->section, NULL);
    // It borrows nothing. Its first place is never free, so the fast path need not ask which record it has.
    atomic_store_explicit(&late_record->borrows[0].payload, &first_slab, memory_order_relaxed);
    atomic_store_explicit(&first_slab.registered, 1, memory_order_relaxed);
    hop_slab_append_locked(&first_slab);
}

/// Takes a record of the first slab that has a free one, or of a new slab. So the live threads stay in few slabs.
static struct hop_thread *hop_record_take(void) {
    struct hop_thread *thread = NULL;
    struct hop_slab *slab, *spare = NULL;
    hop_threads_lock();
    while (true) {
        CK_STAILQ_FOREACH(slab, &slabs, next) {
            if ((thread = hop_record_take_locked(slab)) != NULL) break;
        }
        if (thread != NULL) break;
        if (spare != NULL) {
            hop_slab_append_locked(spare);
            spare = NULL;
        } else {
            hop_threads_unlock();
            spare = hop_slab_make();
            hop_threads_lock();
        }
    }
    hop_threads_unlock();
    free(spare);  // If another thread has returned a record meanwhile.
    return thread;
}

static void hop_record_return_locked(struct hop_thread *thread) {
    struct hop_slab *slab = (struct hop_slab *)thread->section.global;  // Its first field.
    ck_epoch_unregister(&thread->section);
    // Release: pairs with the acquires in hop_slab_next and hop_thread_records_in_use.
    atomic_fetch_sub_explicit(&slab->in_use, 1, memory_order_release);
}

/// Makes a record available to other threads. The sections and borrows of its thread must have ended.
static void hop_record_return(struct hop_thread *thread) {
    HOP_TSAN_RELEASE(&slabs);
    hop_threads_lock();
    hop_record_return_locked(thread);
    hop_threads_unlock();
}

size_t hop_thread_records_in_use(void) {
    size_t records = 0;
    for (struct hop_slab *slab = NULL; (slab = hop_slab_next(slab)) != NULL;) {
        // Acquire: a thread that is not counted any more has ended its sections (story H).
        records += atomic_load_explicit(&slab->in_use, memory_order_acquire);
    }
    return records;
}

size_t hop_thread_records(void) {
    size_t records = 0;
    struct hop_slab *slab;
    CK_STAILQ_FOREACH(slab, &slabs, next) {
        records += atomic_load_explicit(&slab->registered, memory_order_relaxed) - (slab == &first_slab);
    }
    return records;
}

// MARK: Threads that begin and end

/// The destructor of a thread's record: ends its borrows and frees the record for another thread.
static void hop_thread_exit(void *record) {
    struct hop_thread *thread = record;
    hop_thread_record = NULL;
    own_record = NULL;
    is_late = true;
    for (hop_borrow *place = thread->borrows; place != thread->borrows + HOP_BORROWS; place++) {
        if (!hop_place_is_free(place)) hop_borrow_end(place);  // Story D.
    }
    hop_record_return(thread);
}

static void hop_fork_prepare(void);
static void hop_fork_parent(void);
static void hop_fork_child(void);

static void hop_start(void) {
    // Lets tests and benchmarks choose the way without membarrier.
    const char *wish = getenv("HOPOATE_MEMBARRIER");
    const bool is_unwanted = wish != NULL && strcmp(wish, "off") == 0;
    atomic_store_explicit(&asymmetric_fences, !is_unwanted && hop_membarrier_is_granted(), memory_order_relaxed);
    hop_first_slab_set_up();
    if (pthread_atfork(hop_fork_prepare, hop_fork_parent, hop_fork_child) != 0) {
        hop_fail("could not prepare for fork (pthread_atfork failed)");
    }
    if (pthread_key_create(&thread_exit_key, hop_thread_exit) != 0) {
        hop_fail("the process has no thread-specific key left (pthread_key_create failed)");
    }
}

/// Runs at load, when the process usually has one thread: then no fork can interrupt it, and registering for membarrier need
/// not involve other threads. Constructors of other libraries may have called it before, by using a registry.
__attribute__((constructor)) static void hop_load(void) { pthread_once(&once, hop_start); }

/// Returns a record that is the thread's from now on; NULL if the thread uses the late record.
static struct hop_thread *_Nullable hop_thread_first_use(void) {
    pthread_once(&once, hop_start);
    if (is_late) return NULL;
    struct hop_thread *thread = hop_record_take();
    if (pthread_setspecific(thread_exit_key, thread) != 0) {  // Out of memory.
        hop_record_return(thread);
        is_late = true;
        return NULL;
    }
    own_record = thread;
    if (!HOP_MAY_HAVE_MEMBARRIER || !hop_readers_fence()) hop_thread_record = thread;
    return thread;
}

// MARK: Sections

hop_thread *hop_section_begin_slow(void) {
    struct hop_thread *thread = own_record != NULL ? own_record : hop_thread_first_use();
    if (thread == NULL) {
        // `active` is the lock of the late record, and the usual end of a section unlocks it.
        thread = late_record;
        unsigned rounds = 0;
        while (!ck_pr_cas_uint(&thread->section.active, 0, 1)) hop_wait_a_little(&rounds);
    }
    hop_section_enter(thread);
    atomic_thread_fence(memory_order_seq_cst);  // Stories A and H. Pairs with hop_fence_readers.
    return thread;
}

hop_thread *hop_section_begin(void) {
    hop_thread *thread = hop_thread_record;
    if (__builtin_expect(thread == NULL, 0)) return hop_section_begin_slow();
    hop_section_enter(thread);
    return thread;
}

void hop_section_end(hop_thread *thread) { hop_section_leave(thread); }

/// Orders the stores that unlinked an object before the loads that look for its readers. A section that this thread does not see
/// afterwards has seen the unlinking. Calls membarrier only if another thread has a record.
static void hop_fence_readers(void) {
    atomic_thread_fence(memory_order_seq_cst);  // Story H. Pairs with the fence of a thread's first section.
    if (hop_thread_records_in_use() == (own_record != NULL)) return;
    hop_fence_all_threads();  // Story A. Pairs with hop_announced and with the fences on the slow path.
}

/// A section lasts nanoseconds, so a thread that is still in one was preempted.
static void hop_wait_for_section(ck_epoch_t *domain, ck_epoch_record_t *section, void *rounds) {
    (void)domain;
    (void)section;
    hop_wait_a_little(rounds);
}

void hop_wait_for_reads(void) {
    hop_fence_readers();
    for (struct hop_slab *slab = NULL; (slab = hop_slab_next(slab)) != NULL;) {
        unsigned rounds = 0;
        ck_epoch_synchronize_wait(&slab->domain, hop_wait_for_section, &rounds);
#if defined(HOP_THREAD_SANITIZER)
        for (struct hop_thread *thread = slab->records; thread != hop_slab_end(slab); thread++) {
            HOP_TSAN_ACQUIRE(HOP_TSAN_SECTIONS(thread));
        }
#endif
    }
    HOP_TSAN_ACQUIRE(&slabs);
}

// MARK: Borrows

/// A payload that was removed while threads borrowed it. The end of the last borrow releases it.
struct hop_retirement {
    const void *payload;
    hop_release release;
    /// The number of places that are marked with it.
    size_t marks;
    /// The number of removals of the payload.
    size_t removals;
    /// The next one in a list of those that are due.
    struct hop_retirement *_Nullable next;
};

/// Guards marks and retirements.
static pthread_mutex_t retired_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic size_t deferred_releases;
/// In the child of a fork: retirements without marks, because the threads that borrowed the payloads do not exist in the child. The next
/// removal releases these payloads. Written under retired_lock.
static _Atomic(struct hop_retirement *) orphans;

size_t hop_deferred_releases(void) { return atomic_load_explicit(&deferred_releases, memory_order_relaxed); }

/// Whether a place holds a payload.
static bool hop_place_holds(const hop_borrow *place, const void *payload) {
    // Acquire: pairs with the release in hop_borrow_end. Borrows that have ended happen before the release of their payload.
    return atomic_load_explicit(&place->payload, memory_order_acquire) == payload;
}

/// Removes the mark of a place, if it has one.
///
/// Returns: the retirement, if no place is marked with it any more.
static struct hop_retirement *_Nullable hop_unmark_locked(hop_borrow *place) {
    struct hop_retirement *retirement = hop_place_retirement(place);
    if (retirement == NULL) return NULL;
    atomic_store_explicit(&place->mark, hop_no_mark(), memory_order_relaxed);
    return --retirement->marks == 0 ? retirement : NULL;
}

/// Counts the releases of retirements that are due: of a list, which may be empty. Under the lock, so that the child of a fork counts only
/// those that it will release.
static void hop_count_due_locked(const struct hop_retirement *_Nullable due) {
    for (; due != NULL; due = due->next) {
        atomic_fetch_sub_explicit(&deferred_releases, due->removals, memory_order_relaxed);
    }
}

/// Releases payloads that nobody borrows any more. The list may be empty.
static void hop_finish(struct hop_retirement *_Nullable due) {
    for (struct hop_retirement *next; due != NULL; due = next) {
        next = due->next;
        for (; due->removals != 0; due->removals--) due->release(due->payload);
        free(due);
    }
}

hop_borrow *hop_section_borrow_slow(hop_thread *thread, const void *payload) {
    if (thread == late_record) return NULL;
    for (hop_borrow *place = thread->borrows; place != thread->borrows + HOP_BORROWS; place++) {
        if (hop_place_is_free(place)) return hop_borrow_in(place, thread, payload);
    }
    return NULL;
}

hop_borrow *hop_section_borrow(hop_thread *thread, const void *payload) {
    hop_borrow *first = &thread->borrows[0];
    if (__builtin_expect(!hop_place_is_free(first), 0)) return hop_section_borrow_slow(thread, payload);
    return hop_borrow_in(first, thread, payload);
}

static __attribute__((noinline, cold)) void hop_borrow_end_slow(hop_borrow *place) {
    if (atomic_load_explicit(&place->mark, memory_order_relaxed) == HOP_FENCED) {
        atomic_thread_fence(memory_order_seq_cst);  // Story C. Pairs with hop_fence_all_threads.
        if (atomic_load_explicit(&place->mark, memory_order_relaxed) == HOP_FENCED) return;
    }
    pthread_mutex_lock(&retired_lock);
    struct hop_retirement *due = hop_unmark_locked(place);
    hop_count_due_locked(due);
    pthread_mutex_unlock(&retired_lock);
    hop_finish(due);
}

void hop_borrow_end(hop_borrow *place) {
    // Release: pairs with the acquires in hop_place_holds and hop_look_for_borrows.
    atomic_store_explicit(&place->payload, NULL, memory_order_release);
    hop_announced();  // Story C. Pairs with hop_fence_all_threads.
    if (__builtin_expect(atomic_load_explicit(&place->mark, memory_order_relaxed) != NULL, 0))
        hop_borrow_end_slow(place);
}

// MARK: Looking for borrows

/// A place that held a payload when a writer looked at it.
struct hop_open_borrow {
    const void *payload;
    hop_borrow *place;
    /// Whether it is in the record of the calling thread.
    bool is_own;
};

static int hop_compare_open_borrows(const void *one, const void *other) {
    const uintptr_t left = (uintptr_t)((const struct hop_open_borrow *)one)->payload;
    const uintptr_t right = (uintptr_t)((const struct hop_open_borrow *)other)->payload;
    return (left > right) - (left < right);
}

static __attribute__((noinline)) void hop_look_add(struct hop_look *look, size_t *capacity,
                                                   struct hop_open_borrow open) {
    if (look->count == *capacity) {
        *capacity = *capacity * 2 + HOP_BORROWS;
        struct hop_open_borrow *larger = hop_allocate(*capacity * sizeof *larger, "a look for borrows");
        if (look->count != 0) memcpy(larger, look->open, look->count * sizeof *larger);
        free(look->open);
        look->open = larger;
    }
    look->open[look->count++] = open;
}

/// Looks for borrows of one payload, or of any if it is NULL.
static inline __attribute__((always_inline)) struct hop_look hop_look_for(const void *_Nullable only) {
    struct hop_look look = {NULL, 0};
    size_t capacity = 0;
    for (struct hop_slab *slab = NULL; (slab = hop_slab_next(slab)) != NULL;) {
        struct hop_thread *end = hop_slab_end(slab);
        for (struct hop_thread *thread = slab->records + (slab == &first_slab); thread != end; thread++) {
            for (hop_borrow *place = thread->borrows; place != thread->borrows + HOP_BORROWS; place++) {
                // Acquire: as in hop_place_holds.
                const void *payload = atomic_load_explicit(&place->payload, memory_order_acquire);
                if (__builtin_expect(only == NULL ? payload == NULL : payload != only, 1)) continue;
                hop_look_add(&look, &capacity, (struct hop_open_borrow){payload, place, thread == own_record});
            }
        }
    }
    HOP_TSAN_ACQUIRE(&slabs);
    return look;
}

struct hop_look hop_look_for_borrows(void) {
    struct hop_look look = hop_look_for(NULL);
    if (look.count > 1) qsort(look.open, look.count, sizeof *look.open, hop_compare_open_borrows);
    return look;
}

/// The first borrow of a payload, or the place in the array where it would be.
static const struct hop_open_borrow *hop_look_find(const struct hop_look *look, const void *payload) {
    const struct hop_open_borrow *open = look->open;
    for (size_t count = look->count; count != 0;) {
        const size_t half = count / 2;
        const bool is_below = (uintptr_t)open[half].payload < (uintptr_t)payload;
        if (is_below) open += half + 1;
        count = is_below ? count - half - 1 : half;
    }
    return open;
}

// MARK: Retirement

/// Marks the places that hold a payload. If one of them is marked already, the payload was removed, pushed again and removed again in one
/// borrow; then all are marked with the older retirement, and the new one is freed.
///
/// Returns: the retirement with which they are marked.
static struct hop_retirement *hop_mark_locked(struct hop_retirement *retirement, const struct hop_open_borrow *first,
                                              const struct hop_open_borrow *end, bool *others_marked) {
    const void *payload = retirement->payload;
    for (const struct hop_open_borrow *open = first; open != end; open++) {
        struct hop_retirement *older = hop_place_holds(open->place, payload) ? hop_place_retirement(open->place) : NULL;
        if (older == NULL) continue;
        older->removals += 1;
        free(retirement);
        retirement = older;
        break;
    }
    for (const struct hop_open_borrow *open = first; open != end; open++) {
        if (!hop_place_holds(open->place, payload) || hop_place_retirement(open->place) != NULL) continue;
        atomic_store_explicit(&open->place->mark, retirement, memory_order_relaxed);
        retirement->marks += 1;
        *others_marked |= !open->is_own;
    }
    return retirement;
}

/// Retires a payload that was borrowed when the writer looked: from `first` to `end`.
static __attribute__((noinline)) void hop_retire_borrowed(const struct hop_open_borrow *first,
                                                          const struct hop_open_borrow *end, hop_release release) {
    const void *payload = first->payload;
    struct hop_retirement *retirement = hop_allocate(sizeof *retirement, "a deferred release");
    *retirement = (struct hop_retirement){.payload = payload, .release = release, .removals = 1};
    bool others_marked = false;
    pthread_mutex_lock(&retired_lock);
    atomic_fetch_add_explicit(&deferred_releases, 1, memory_order_relaxed);
    retirement = hop_mark_locked(retirement, first, end, &others_marked);
    if (others_marked) {
        hop_fence_all_threads();  // Story C. Pairs with hop_announced in hop_borrow_end.
        for (const struct hop_open_borrow *open = first; open != end; open++) {
            if (hop_place_retirement(open->place) != retirement || hop_place_holds(open->place, payload)) continue;
            (void)hop_unmark_locked(open->place);
        }
    }
    struct hop_retirement *due = retirement->marks == 0 ? retirement : NULL;
    hop_count_due_locked(due);
    pthread_mutex_unlock(&retired_lock);
    hop_finish(due);
}

void hop_retire_seen(const struct hop_look *look, const void *payload, hop_release release) {
    const struct hop_open_borrow *first = hop_look_find(look, payload);
    const struct hop_open_borrow *end = first;
    while (end != look->open + look->count && end->payload == payload) end++;
    if (__builtin_expect(first == end, 1)) {
        release(payload);
    } else {
        hop_retire_borrowed(first, end, release);
    }
}

/// Releases the payloads of `orphans`.
static __attribute__((noinline, cold)) void hop_finish_orphans(void) {
    pthread_mutex_lock(&retired_lock);
    struct hop_retirement *due = atomic_load_explicit(&orphans, memory_order_relaxed);
    atomic_store_explicit(&orphans, NULL, memory_order_relaxed);
    hop_count_due_locked(due);
    pthread_mutex_unlock(&retired_lock);
    hop_finish(due);
}

void hop_look_end(struct hop_look *look) {
    if (__builtin_expect(look->count != 0, 0)) free(look->open);
    if (__builtin_expect(atomic_load_explicit(&orphans, memory_order_relaxed) != NULL, 0)) hop_finish_orphans();
}

void hop_retire(const void *payload, hop_release release) {
    __builtin_assume(payload != NULL);  // So the inlined walk makes one comparison per place.
    struct hop_look look = hop_look_for(payload);
    hop_retire_seen(&look, payload, release);
    hop_look_end(&look);
}

// MARK: Fork

static void hop_fork_prepare(void) {
    pthread_mutex_lock(&retired_lock);
    hop_threads_lock();
}

static void hop_fork_parent(void) {
    hop_threads_unlock();
    pthread_mutex_unlock(&retired_lock);
}

/// Ends the borrows of a thread that does not exist in the child. Retirements that lose their last mark become orphans.
static void hop_fork_end_borrows(struct hop_thread *thread) {
    for (hop_borrow *place = thread->borrows; place != thread->borrows + HOP_BORROWS; place++) {
        atomic_store_explicit(&place->payload, NULL, memory_order_relaxed);
        struct hop_retirement *due = hop_unmark_locked(place);
        if (due == NULL) continue;
        due->next = atomic_load_explicit(&orphans, memory_order_relaxed);
        atomic_store_explicit(&orphans, due, memory_order_relaxed);
    }
}

/// Story I.
static void hop_fork_child(void) {
    // The child registers for membarrier again, because not every system lets it inherit the registration.
    if (!hop_readers_fence() && !hop_membarrier_is_granted()) {
        atomic_store_explicit(&asymmetric_fences, false, memory_order_relaxed);
        // The only thread: so all later sections begin on the slow path, and all borrows end there.
        hop_thread_record = NULL;
    }
    struct hop_slab *slab;
    CK_STAILQ_FOREACH(slab, &slabs, next) {
        for (struct hop_thread *thread = slab->records + (slab == &first_slab); thread != hop_slab_end(slab);
             thread++) {
            const void *owner = ck_epoch_record_ct(&thread->section);
            if (owner != NULL && owner != &hop_thread_record) {
                hop_fork_end_borrows(thread);
                hop_record_return_locked(thread);
            }
            hop_thread_set_marks(thread);
        }
    }
    ck_pr_store_uint(&late_record->section.active, 0);
    hop_fork_parent();
}
