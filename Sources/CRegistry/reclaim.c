// When unlinked memory may be reclaimed. No other file uses Concurrency Kit.
//
// 1. What it is
//
// Readers find payloads without a lock. A writer that has unlinked a payload must not release it while a reader may still hold
// it. A reader therefore works in a read section (a read-side critical section, in the terms of read-copy-update). There are
// two kinds, because their lengths differ by orders of magnitude:
//
//   short     A few nanoseconds without user code: look up, take a reference, leave. Writers wait until it has ended.
//   borrowed  User code runs inside, for any time. It may wait for a lock that a writer's caller holds, so a writer that
//             waited for it could deadlock. Writers never wait for it. They check whether one is open, and if so they defer
//             the reclamation to its end.
//
//   thread record (one for each thread, its own cache lines)      writer that unlinked garbage from R, outside its lock
//   +------------------------------------------------------+
//   | reads        odd while a short section is open       | <--- 1. if it is odd, waits until it changes
//   | sections[0]  the outermost borrowed section:         |
//   |   registry   the registry that it reads              |
//   |   sequence   odd while the section is open           | <--- 2. is one open that reads R? If none is: reclaim here.
//   |   at_end     "its end has to look for garbage"       | <--- 3. Else: links a batch (the garbage and the odd sequences
//   | sections[1]  the next one that reads another registry|         that it saw) to the queue of R, and raises HOP_HANDED
//   | ...          and so on                               |         in these sections
//   | next         the record linked before this one       |
//   +------------------------------------------------------+
//
// Writers see both kinds of section as a sequence number, as in a sequence lock: a section has ended if its number has
// changed. This has three consequences:
//
//   - A writer waits for exactly the short sections that are open when it looks, and not for later ones of the same threads,
//     however quickly they follow. This is the grace period of read-copy-update, without a global epoch (M. Desnoyers et al.,
//     User-Level Implementations of Read-Copy Update, 2012).
//   - A deferred payload is released when the last borrowed section ends that began before the unlinking.
//   - The sections of a recycled record cannot be mistaken for those of its former owner, because the numbers only grow.
//
// A borrowed section may also protect one payload, as a hazard pointer does (M. Michael, Hazard Pointers, 2004). It has the payload in
// place of a registry, and defers the release of that payload only (story K).
//
// A borrowed section states the registry that it reads, so it defers the releases of this registry only. Sections nest. If an
// enclosing section reads the same registry, the new section is part of that one, and only a counter changes. If none does, the
// new section is announced in the next entry of `sections`, with its own sequence, registry and flag. It blocks reclamation only
// until its own end. A thread that nests more registries than its record has entries announces one section for all further ones
// (story G).
//
// 2. Who writes what
//
//   reads, depth, innermost  the thread that owns the record
//   sections                 the same thread. Exception: HOP_HANDED is raised by writers and cleared by the owner, both under
//                            deferred_lock. The holder of a record on loan raises it, too, before it announces a section.
//   loan                     the thread that takes or returns a record on loan (story F)
//   owner, next, previous    any thread, under threads_lock; a thread that takes a record on loan writes `owner` without it.
//                            The lock also guards the two lists. Writers walk the list of the records in use without the
//                            lock. The other list has the free records. Records are recycled, never freed.
//   the queues of batches    any thread, under deferred_lock
//
// 3. Invariants
//
//   1. Garbage is reclaimed only after all sections have ended that began before it was unlinked: all short ones, and all
//      borrowed ones that read the registry it was unlinked from. A payload is released only after all sections have ended that
//      protect it.
//   2. Garbage is reclaimed outside every lock and every short section. One of three threads reclaims it: the thread that
//      unlinked it, the thread whose borrowed section was the last in the way, or a thread that writes after that section
//      has ended. It is reclaimed inside a borrowed section only if the thread itself writes there, or ends a nested section
//      there. That is safe: a release callback is user code, like everything that runs in a borrowed section.
//   3. A linked batch is reclaimed by the first of these two events: the end of the last section that it waits for, or the
//      next write after that end, to any registry. A release callback that blocks delays its thread and the batches of its own
//      registry, but no others: a thread takes the batches of a registry only when it reclaims them. The end of a section looks only at
//      the batches that may wait for it: those of its own registry or payload, and those of HOP_ALL_REGISTRIES. A write looks at all.
//   4. Each batch waits for a set of sections. In one queue these sets are nested, older in newer: a section that still blocks
//      an older batch also began before the newer one was unlinked, and it reads the same registry. So two batches with sets
//      of the same size wait for the same sections, and are merged. This bounds the memory, however much garbage there is,
//      and however many registries:
//        - Batches are merged when another one is added. So a queue has at most one batch more than there were open sections that
//          read its registry at that time.
//        - A queue without a batch is freed. So there are at most as many queues as announced sections, plus the one of
//          story G, and at most twice as many batches as were announced when they were added.
//   5. The sections of a thread end in the reverse order of their begin. So if a section is not open, none that nests in it
//      is. For most threads a writer looks at the outermost section only.
//   6. The address of a registry is only compared here, never dereferenced. The registry may be destroyed while its garbage is
//      deferred. A later registry at the same address shares the queue. This does no harm: destroying the former one required
//      that no section of it was open, so its batches wait for no section any more, and the sets stay nested.
//   7. A record is linked before the first section of its owner begins, and unlinked after the last one has ended. So a writer
//      looks at the records of the live threads, and at none of threads that have ended.
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
//   The announcement of a borrowed section has two stores, and a new thread links its record before. All of them are before F or
//   the loads are after it, so one call is enough for sections of both kinds, and for all pieces of garbage of one writer.
//     The registry of a section is stored before its sequence. So a writer that sees the sequence sees this registry or a
//   later one, and a later one means that the section has ended. The record is linked before the announcement as well, so a
//   writer that does not find it need not wait for it.
//     If the system refuses membarrier, each reader executes a fence of its own (on the slow path, because hop_thread_record is
//   NULL then, so the fast path does not ask), and so does the writer. Both sides must agree, so the choice is made once, before
//   the first section. The child of a fork makes it again while it has one thread.
//     The system may withdraw membarrier, for example by a seccomp filter that is installed later. The readers cannot follow:
//   one that has decided to have no fence may be preempted before it announces itself, for any time. So each writer waits a
//   millisecond in place of the call: a store stays in a store buffer for nanoseconds, or until its thread is preempted. The
//   machine ensures this, the language does not.
//
//   Story B, the missed hand-over. The last section in the way ends (stores its sequence) and then checks whether garbage was
//   deferred (loads `at_end`). A writer raises HOP_HANDED (store) and then checks again whether the section is open (loads the
//   sequence). If both loads could overtake the stores, each side would leave the reclamation to the other. So both sides need a
//   full fence between the store and the load. The reader executes none: the membarrier of the writer is a fence on the reader's
//   thread, too. (Without membarrier, HOP_FENCED leads the reader to a fence of its own.) The call of story A does not help,
//   because it came before HOP_HANDED was raised. So a writer that defers garbage calls membarrier a second time.
//
//   Story C, the weak processor. The protocol uses the C11 memory model: publications are release stores, reads are acquire
//   loads, fences are sequentially consistent. The one exception is membarrier, which the language does not know. With the
//   compiler fences of the readers it is what a proposal for C++ calls a heavy fence that pairs with light ones (D. Goldblatt,
//   Asymmetric Fences, P1202, 2019).
//
//   Story D, the thread that ends inside. A thread that exits in borrowed sections (pthread_exit, cancellation) never reaches
//   their ends. The destructor of its record ends them, the innermost first.
//
//   Story E, the fork. In the child only the forking thread exists. The other threads will never leave their sections, nor
//   return their records. The child's fork handler does both for them. deferred_lock is held across the fork, so that the
//   child finds the batches in a consistent state. Everything that takes part in a fork is set up when the library is loaded.
//   Otherwise a fork in the middle of a thread's first use would make the child set it up a second time, and its first fork
//   would then take the locks twice.
//
//   Story F, the late destructors. Destructors of other thread-locals may use the registry after ours has returned the
//   thread's record. The system runs only a few rounds of destructors. So a thread that got a second record might never run
//   our destructor again, and would keep the record for ever. Therefore it gets no second one: each of its sections takes a
//   record on loan.
//     A borrowed section returns the record at its end, on the slow path, to which HOP_HANDED leads. A short section has no slow
//   path at its end. So it offers the record at its begin, as soon as the section is announced: from then on `loan` is odd,
//   and any thread that finds the record idle may take it. A thread that loads an odd number, then finds `reads` even, then
//   exchanges exactly this number for the next one, is the only one that has the record: the numbers only grow, so a loan in
//   between would have changed the number. The former holder's last access is the store that ends its short section, or the
//   offer at the end of its borrowed one.
//     In the child of a fork, the loans of the lost threads end like their other records. The child's own loan goes on.
//
//   Story G, the thread that reads too many registries. The last entry of its record is a section that may read any registry.
//   Garbage that such a section may hold goes to a queue of its own, in which every batch waits for the outermost sections of
//   all threads, for any registry. With these sets invariant 4 holds there too. The queue of the garbage's own registry
//   would not do: a batch of each registry would wait for that section, so there could be as many queues as registries. If
//   such a section begins between the two walks of hop_hand_over, it began after the unlinking, and needs no attention.
//
//   Story H, the record that moves. A writer has reached a record while its owner ends. The record is unlinked, and perhaps
//   linked again at the front, for the next thread. Its `next` does not change before that, so the writer can go on.
//     It misses no record. Let X be a record that stays linked during the whole walk. Unlinking another record makes
//   its predecessor point to its successor, so all records behind it stay reachable. Linking a record at the front makes it
//   point to the head, from which X is reachable. So X stays reachable from every record from which it was reachable.
//     The writer may see a record twice, or new ones. This does no harm if it only waits or looks. But hop_hand_over collects
//   sections, and a section that is collected twice would give two different sets the same size (invariant 4). So it holds
//   threads_lock. A record that is unlinked during the walk may be skipped: its sections have ended before, and the writer
//   acquires that with the pointer that leads around the record.
//
//   Story I, the order that ThreadSanitizer must not see. Two threads may have the same record, one after the other. The
//   order comes from threads_lock, but it does not order the code of their users. If ThreadSanitizer saw the lock, it would
//   assume such an order, and would not report a race in a service that both threads use. Therefore the lock is Concurrency
//   Kit's, whose atomics are inline assembly, and the links are loaded and stored with fences. ThreadSanitizer sees neither.
//     It has to see that reads happen before the reclamation of the objects they may have found. For live threads it sees this
//   in the writers' acquire loads of `reads` and `sequence`; for threads that have ended, an annotation tells it.
//
//   Story J, the thread that no writer knows. A writer that finds no record of another thread calls no membarrier, so that
//   processes with one thread do not pay for it. Meanwhile a new thread links its record (store) and then loads a payload. The
//   writer has unlinked that payload (store) and looks for records (load). Here both sides have full fences: the writer in
//   hop_fence_readers before it looks, the new thread on the slow path of its first section. So either the writer finds the
//   record, or the section finds the payload unlinked. A thread that takes over a record on loan has a fence on that path, too.
//     A writer that no longer finds the record of a thread that has ended needs no fence of that thread: its sections have ended
//   before, and the pointer that leads around the record was stored after that.
//
//   Story K, the protection that comes late. A reader finds a payload in a short section. It protects the payload (announces a
//   section on it) and then leaves the short section. A writer has unlinked the payload, and looks for short sections. If it finds
//   this one open, it waits for its end. Then it sees the announcement, because the end is stored with release. The same holds if it
//   finds that the section has ended. If the section begins later, it does not find the payload any more (story A). So the writer looks
//   for protections after it has waited, and needs no further fence. No protection of this payload begins after that.
//     The look belongs to the disposal of payloads (hop_dispose), which comes after the borrowed sections of their registry have
//   ended. A thread that disposes of a batch has taken it under deferred_lock, so it sees what the writer has seen. One look serves
//   all payloads of the batch, also those that are released long after it: none of them gets a protection that the look has missed.
//   So the protections are collected in a sorted array, in which each payload is searched. Without that, each payload would look at
//   each thread. (The first payload does, because most batches have only one.) A protection of the array may have ended when its
//   payload is found. That does no harm, as it is checked again.
//     If a thread protects a payload, the payload is handed over, as garbage of a registry with its address. The end of the
//   protection is the end of a borrowed section, so story B applies; the membarrier of that story serves all payloads of the batch.
//   No record is locked meanwhile, so two things may happen. If a record moves (story H), its section is found twice. If a section
//   has ended, its record may belong to another thread by then, and the next section of that thread takes the slow path at its end
//   without a need. Neither breaks invariant 4, because the queue of a payload has one batch.
#include "reclaim.h"

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

/// Held to link and unlink records. ThreadSanitizer does not see it, on purpose: story I.
static ck_spinlock_fas_t threads_lock = CK_SPINLOCK_FAS_INITIALIZER;
/// The records in use. Written under threads_lock; walked without it.
static _Atomic(struct hop_thread *) threads_in_use;
/// The free records. Under threads_lock.
static _Atomic(struct hop_thread *) threads_free;
static _Atomic size_t thread_records;

_Thread_local struct hop_thread *_Nullable hop_thread_record __attribute__((tls_model("initial-exec")));

// MARK: Thread records

/// The calling thread's record, if it has one and not only on loan.
static _Thread_local struct hop_thread *_Nullable own_record __attribute__((tls_model("initial-exec")));
/// Whether the calling thread takes records on loan: it is ending, or its exit cannot be observed. Story F.
static _Thread_local bool takes_loans __attribute__((tls_model("initial-exec")));
/// Whether a record was ever on loan.
static _Atomic bool loans_exist;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_exit_key;
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

static void hop_borrowed_over(struct hop_thread *thread);

// MARK: The list of records

/// The lock is held for a few stores only, so back-off is enough.
static void hop_threads_lock(void) {
    unsigned rounds = 0;
    while (!ck_spinlock_fas_trylock(&threads_lock)) hop_wait_a_little(&rounds);
}

static void hop_threads_unlock(void) { ck_spinlock_fas_unlock(&threads_lock); }

/// Loads a link with acquire order. A separate fence, so that ThreadSanitizer does not see the order: story I.
static struct hop_thread *_Nullable hop_thread_load(const _Atomic(struct hop_thread *) *link) {
    struct hop_thread *thread = atomic_load_explicit(link, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);  // Pairs with the release in hop_thread_store.
    return thread;
}

static void hop_thread_store(_Atomic(struct hop_thread *) *link, struct hop_thread *_Nullable thread) {
    atomic_thread_fence(memory_order_release);  // Pairs with the acquire in hop_thread_load.
    atomic_store_explicit(link, thread, memory_order_relaxed);
}

/// Makes the ends of sections take the slow path if readers need fences.
static void hop_thread_set_fences(struct hop_thread *thread) {
    if (!HOP_MAY_HAVE_MEMBARRIER || atomic_load_explicit(&asymmetric_fences, memory_order_relaxed)) return;
    for (uint32_t index = 0; index < HOP_SECTIONS; index++) {
        _Atomic uint8_t *at_end = &thread->sections[index].at_end;
        const uint8_t flags = atomic_load_explicit(at_end, memory_order_relaxed);
        atomic_store_explicit(at_end, flags | HOP_FENCED, memory_order_relaxed);
    }
}

static void hop_thread_link_locked(struct hop_thread *thread) {
    struct hop_thread *head = atomic_load_explicit(&threads_in_use, memory_order_relaxed);
    atomic_store_explicit(&thread->owner, &hop_thread_record, memory_order_relaxed);
    hop_thread_set_fences(thread);
    hop_thread_store(&thread->next, head);
    atomic_store_explicit(&thread->previous, NULL, memory_order_relaxed);
    if (head != NULL) atomic_store_explicit(&head->previous, thread, memory_order_relaxed);
    hop_thread_store(&threads_in_use, thread);
}

/// Leaves `next` unchanged, because writers that have reached the record go on from there. Story H.
static void hop_thread_unlink_locked(struct hop_thread *thread) {
    struct hop_thread *next = atomic_load_explicit(&thread->next, memory_order_relaxed);
    struct hop_thread *previous = atomic_load_explicit(&thread->previous, memory_order_relaxed);
    hop_thread_store(previous == NULL ? &threads_in_use : &previous->next, next);
    if (next != NULL) atomic_store_explicit(&next->previous, previous, memory_order_relaxed);
    atomic_store_explicit(&thread->owner, NULL, memory_order_relaxed);
    atomic_store_explicit(&thread->previous, atomic_load_explicit(&threads_free, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&threads_free, thread, memory_order_relaxed);
}

/// The first record in use.
static struct hop_thread *_Nullable hop_threads(void) { return hop_thread_load(&threads_in_use); }

/// The record after it.
static struct hop_thread *_Nullable hop_thread_next(struct hop_thread *thread) {
    return hop_thread_load(&thread->next);
}

/// Makes a record available to other threads. All sections of its thread must have ended.
static void hop_thread_disown(struct hop_thread *thread) {
    HOP_TSAN_RELEASE(&threads_in_use);
    hop_threads_lock();
    hop_thread_unlink_locked(thread);
    hop_threads_unlock();
}

/// Links a free record, or a new one, and returns it.
static struct hop_thread *hop_thread_find(void) {
    hop_threads_lock();
    struct hop_thread *thread = atomic_load_explicit(&threads_free, memory_order_relaxed);
    if (thread != NULL) {
        atomic_store_explicit(&threads_free, atomic_load_explicit(&thread->previous, memory_order_relaxed),
                              memory_order_relaxed);
    } else {
        hop_threads_unlock();
        HOP_TSAN_IGNORE_BEGIN();
        thread = hop_allocate_aligned(sizeof *thread, "a thread's record");
        HOP_TSAN_IGNORE_END();
        atomic_fetch_add_explicit(&thread_records, 1, memory_order_relaxed);
        hop_threads_lock();
    }
    hop_thread_link_locked(thread);
    hop_threads_unlock();
    return thread;
}

// MARK: Threads that begin and end

/// The destructor of a thread's record: ends its open sections and frees the record for another thread.
static void hop_thread_exit(void *record) {
    struct hop_thread *thread = record;
    while (HOP_OWN_LOAD(thread->depth) != 0) hop_borrowed_over(thread);  // Story D.
    hop_thread_record = NULL;
    own_record = NULL;
    takes_loans = true;
    hop_thread_disown(thread);
}

static void hop_fork_prepare(void);
static void hop_fork_parent(void);
static void hop_fork_child(void);

static void hop_start(void) {
    // Lets tests and benchmarks choose the way without membarrier.
    const char *wish = getenv("HOPOATE_MEMBARRIER");
    const bool is_unwanted = wish != NULL && strcmp(wish, "off") == 0;
    atomic_store_explicit(&asymmetric_fences, !is_unwanted && hop_membarrier_is_granted(), memory_order_relaxed);
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

/// Takes over an idle record that is on loan. Its number is even on return, so no other thread takes it. Story F.
static struct hop_thread *_Nullable hop_loan_renew(void) {
    for (struct hop_thread *thread = hop_threads(); thread != NULL; thread = hop_thread_next(thread)) {
        // Acquire: pairs with the release in hop_loan_offer. The load of `reads` sees the section that began before the offer,
        // or a later state.
        uint64_t loan = atomic_load_explicit(&thread->loan, memory_order_acquire);
        // Acquire: pairs with the release in hop_section_end.
        if ((loan & 1) == 0 || (atomic_load_explicit(&thread->reads, memory_order_acquire) & 1) != 0) continue;
        if (!atomic_compare_exchange_strong_explicit(&thread->loan, &loan, loan + 1, memory_order_acquire,
                                                     memory_order_relaxed))
            continue;
        atomic_store_explicit(&thread->owner, &hop_thread_record, memory_order_relaxed);
        return thread;
    }
    return NULL;
}

/// Returns a record on loan, for one section.
static struct hop_thread *hop_loan_take(void) {
    struct hop_thread *thread = NULL;
    if (atomic_load_explicit(&loans_exist, memory_order_relaxed)) thread = hop_loan_renew();
    if (thread == NULL) {
        thread = hop_thread_find();
        atomic_store_explicit(&thread->loan, 2, memory_order_relaxed);
        atomic_store_explicit(&loans_exist, true, memory_order_relaxed);
    }
    return thread;
}

/// Lets another thread take the record once it is idle. Does nothing if it is not on loan.
static void hop_loan_offer(struct hop_thread *thread) {
    const uint64_t loan = atomic_load_explicit(&thread->loan, memory_order_relaxed);
    // Release: pairs with the acquires in hop_loan_renew.
    if (loan != 0) atomic_store_explicit(&thread->loan, loan + 1, memory_order_release);
}

/// Leads the end of a section to hop_section_end_slow.
static void hop_raise(struct hop_section *section) {
    const uint8_t flags = atomic_load_explicit(&section->at_end, memory_order_relaxed);
    atomic_store_explicit(&section->at_end, flags | HOP_HANDED, memory_order_relaxed);
}

/// Returns a record that is the thread's from now on, or one on loan for this section.
static struct hop_thread *hop_thread_first_use(void) {
    pthread_once(&once, hop_start);
    if (takes_loans) return hop_loan_take();
    struct hop_thread *thread = hop_thread_find();
    if (pthread_setspecific(thread_exit_key, thread) != 0) {  // Out of memory.
        hop_thread_disown(thread);
        takes_loans = true;
        return hop_loan_take();
    }
    own_record = thread;
    if (!HOP_MAY_HAVE_MEMBARRIER || atomic_load_explicit(&asymmetric_fences, memory_order_relaxed)) {
        hop_thread_record = thread;
    }
    return thread;
}

/// Begins a short section with a fence.
static inline void hop_short_begin_fenced(struct hop_thread *thread) {
    hop_short_begin(thread);
    atomic_thread_fence(memory_order_seq_cst);  // Stories A and J. Pairs with hop_fence_readers.
}

static __attribute__((noinline, cold)) struct hop_thread *hop_short_begin_first(void) {
    struct hop_thread *thread = hop_thread_first_use();
    hop_short_begin_fenced(thread);
    hop_loan_offer(thread);
    return thread;
}

hop_thread *hop_short_begin_slow(void) {
    struct hop_thread *thread = own_record;
    if (__builtin_expect(thread == NULL, 0)) return hop_short_begin_first();
    hop_short_begin_fenced(thread);
    return thread;
}

/// Begins a borrowed section with a fence.
static inline void hop_borrowed_begin_fenced(struct hop_thread *thread, const hop_registry *registry) {
    if (HOP_OWN_LOAD(thread->depth) != 0) {
        hop_borrowed_begin_nested(thread, registry);
    } else {
        hop_borrowed_begin(thread, registry);
    }
    atomic_thread_fence(memory_order_seq_cst);  // Stories A and J. Pairs with hop_fence_readers.
}

static __attribute__((noinline, cold)) struct hop_thread *hop_borrowed_begin_first(const hop_registry *registry) {
    struct hop_thread *thread = hop_thread_first_use();
    const bool is_on_loan = atomic_load_explicit(&thread->loan, memory_order_relaxed) != 0;
    if (is_on_loan) hop_raise(&thread->sections[0]);  // So that hop_section_end_handed returns the record.
    hop_borrowed_begin_fenced(thread, registry);
    return thread;
}

hop_thread *hop_borrowed_begin_slow(const hop_registry *registry) {
    struct hop_thread *thread = own_record;
    if (__builtin_expect(thread == NULL, 0)) return hop_borrowed_begin_first(registry);
    hop_borrowed_begin_fenced(thread, registry);
    return thread;
}

size_t hop_thread_records_in_use(void) {
    size_t records = 0;
    for (struct hop_thread *thread = hop_threads(); thread != NULL; thread = hop_thread_next(thread)) records++;
    return records;
}

size_t hop_thread_records(void) { return atomic_load_explicit(&thread_records, memory_order_relaxed); }

// MARK: Short sections

hop_thread *hop_section_begin(void) {
    hop_thread *thread = hop_thread_record;
    if (__builtin_expect(thread == NULL, 0)) return hop_short_begin_slow();
    hop_short_begin(thread);
    return thread;
}

void hop_section_end(hop_thread *thread) {
    const uint64_t sequence = atomic_load_explicit(&thread->reads, memory_order_relaxed);
    // Release: pairs with the acquires in hop_wait_for_reads and hop_loan_renew.
    atomic_store_explicit(&thread->reads, sequence + 1, memory_order_release);
}

/// Orders the stores that unlinked an object before the loads that look for its readers. A section that this thread does not see
/// afterwards has seen the unlinking. Calls membarrier only if another thread has a record.
static void hop_fence_readers(void) {
    atomic_thread_fence(memory_order_seq_cst);  // Story J. Pairs with the fence of a thread's first section.
    struct hop_thread *newest = hop_threads();
    if (newest == own_record && (newest == NULL || hop_thread_next(newest) == NULL)) return;
    hop_fence_all_threads();  // Story A. Pairs with hop_announced and with the fences on the slow path.
}

void hop_wait_for_reads(void) {
    hop_fence_readers();
    for (struct hop_thread *thread = hop_threads(); thread != NULL; thread = hop_thread_next(thread)) {
        // Acquire: pairs with the release in hop_section_end.
        const uint64_t sequence = atomic_load_explicit(&thread->reads, memory_order_acquire);
        if ((sequence & 1) == 0) continue;
        // A short section lasts nanoseconds, so a thread that is still in one was preempted. Later sections do not matter.
        unsigned rounds = 0;
        while (atomic_load_explicit(&thread->reads, memory_order_acquire) == sequence) hop_wait_a_little(&rounds);
    }
    HOP_TSAN_ACQUIRE(&threads_in_use);
}

// MARK: Borrowed sections

static __attribute__((noinline)) void hop_section_end_slow(struct hop_thread *thread, struct hop_section *section);

void hop_borrowed_begin_nested(hop_thread *thread, const hop_registry *registry) {
    const uint32_t depth = HOP_OWN_LOAD(thread->depth);
    const uint32_t innermost = HOP_OWN_LOAD(thread->innermost);
    HOP_OWN_STORE(thread->depth, depth + 1);
    for (uint32_t index = 0; index <= innermost; index++) {
        const hop_registry *read = atomic_load_explicit(&thread->sections[index].registry, memory_order_relaxed);
        // Sections end in reverse order, so this one protects the new one to its end.
        if (read == registry || read == HOP_ALL_REGISTRIES) return;
    }
    struct hop_section *section = &thread->sections[innermost + 1];
    HOP_OWN_STORE(thread->innermost, innermost + 1);
    HOP_OWN_STORE(section->depth, depth);
    hop_section_announce(section, innermost + 1 == HOP_SECTIONS - 1 ? HOP_ALL_REGISTRIES : registry);
}

bool hop_protect(hop_thread *thread, const void *payload) {
    // Not for a record on loan, nor if readers need fences: such threads have no record here.
    if (__builtin_expect(thread != hop_thread_record, 0)) return false;
    const hop_registry *protected = (const hop_registry *)payload;  // Only compared.
    if (__builtin_expect(HOP_OWN_LOAD(thread->depth) == 0, 1)) {
        hop_borrowed_begin(thread, protected);
    } else {
        if (HOP_OWN_LOAD(thread->innermost) >= HOP_PROTECTED - 1) return false;  // The others are for registries.
        hop_borrowed_begin_nested(thread, protected);
    }
    hop_section_end(thread);  // Story K: after the announcement.
    return true;
}

/// Ends an announced section.
static inline void hop_section_over(struct hop_thread *thread, struct hop_section *section) {
    const uint64_t sequence = atomic_load_explicit(&section->sequence, memory_order_relaxed);
    // Release: pairs with the acquires in hop_section_on and hop_still_runs.
    atomic_store_explicit(&section->sequence, sequence + 1, memory_order_release);
    hop_announced();  // Story B. Pairs with hop_fence_all_threads.
    if (__builtin_expect(atomic_load_explicit(&section->at_end, memory_order_relaxed) != 0, 0)) {
        hop_section_end_slow(thread, section);
    }
}

/// Ends the innermost announced section of a thread, with all sections that are part of it.
static void hop_borrowed_over(struct hop_thread *thread) {
    const uint32_t innermost = HOP_OWN_LOAD(thread->innermost);
    struct hop_section *section = &thread->sections[innermost];
    // Before the section ends, because release callbacks at its end may begin another one.
    const uint32_t depth = HOP_OWN_LOAD(section->depth);
    HOP_OWN_STORE(thread->depth, depth);
    if (innermost != 0) HOP_OWN_STORE(thread->innermost, innermost - 1);
    hop_section_over(thread, section);
}

static __attribute__((noinline)) void hop_borrow_end_nested(struct hop_thread *thread) {
    const uint32_t innermost = HOP_OWN_LOAD(thread->innermost);
    const uint32_t base = HOP_OWN_LOAD(thread->sections[innermost].depth);
    if (HOP_OWN_LOAD(thread->depth) == base) hop_borrowed_over(thread);
}

void hop_borrow_end(hop_thread *thread) {
    const uint32_t depth = HOP_OWN_LOAD(thread->depth) - 1;
    HOP_OWN_STORE(thread->depth, depth);
    if (__builtin_expect(depth == 0, 1)) {
        hop_section_over(thread, &thread->sections[0]);
    } else {
        hop_borrow_end_nested(thread);
    }
}

// MARK: Deferred reclamation

/// A borrowed section that was open when a batch was deferred.
struct hop_obstacle {
    const struct hop_section *section;
    uint64_t sequence;
};

/// Garbage of one registry that is deferred because of borrowed sections.
struct hop_batch {
    /// In a queue, the next older batch. In a list of batches that are ready, the next newer one of the same queue.
    struct hop_batch *_Nullable next;
    /// If it is the oldest of its list of batches that are ready, the list of another queue.
    struct hop_batch *_Nullable next_ready;
    struct hop_garbage *garbage;
    size_t garbage_count;
    size_t garbage_capacity;
    size_t obstacle_count;
    struct hop_obstacle obstacles[];
};

/// The batches of one registry, of HOP_ALL_REGISTRIES, or of one payload.
struct hop_queue {
    /// Only compared. The registry may have been destroyed, and another one may have its address (invariant 6).
    const hop_registry *registry;
    /// The newest batch, which links to the older ones.
    struct hop_batch *_Nullable newest;
    /// The next one in the list of all queues, and the pointer that points to this one.
    struct hop_queue *_Nullable next;
    struct hop_queue *_Nullable *_Nonnull link;
    /// The same in the list of those with the same hash value.
    struct hop_queue *_Nullable next_alike;
    struct hop_queue *_Nullable *_Nonnull link_alike;
};

enum { HOP_QUEUE_LISTS = 256 };

/// An open section that hop_protections_collect has found.
struct hop_protection {
    /// The payload that the section protects, or the registry that it reads.
    const void *payload;
    struct hop_section *section;
    uint64_t sequence;
    bool is_own;
};

/// A protected payload. It is released when its last protection ends.
struct hop_protected {
    const void *payload;
    hop_release release;
    /// Its first protection. The others follow.
    const struct hop_protection *first;
};

/// The protections that were open when a batch of garbage was reclaimed, and the payloads of the batch that they protect. Story K.
struct hop_protections {
    /// Sorted by their payloads.
    struct hop_protection *_Nullable open;
    struct hop_protected *_Nullable deferred;
    size_t open_count;
    size_t deferred_count;
    size_t deferred_capacity;
    bool are_known;
    /// Whether a payload was looked for before they were collected.
    bool was_asked;
};

static pthread_mutex_t deferred_lock = PTHREAD_MUTEX_INITIALIZER;
/// The queues, each of which has a batch. Under deferred_lock.
static struct hop_queue *deferred;
/// The same queues, by the hash values of their registries. Under deferred_lock.
static struct hop_queue *deferred_alike[HOP_QUEUE_LISTS];
/// Batches that wait for no section any more: the oldest one of each queue. Under deferred_lock.
static struct hop_batch *ready_batches;
/// The number of pieces in all batches. Written under deferred_lock, read without it.
static _Atomic size_t deferred_pieces;

static bool hop_still_runs(const struct hop_obstacle *obstacle) {
    return atomic_load_explicit(&obstacle->section->sequence, memory_order_acquire) == obstacle->sequence;
}

/// Returns an array with room for a number of elements: the old one, which has `count` of them, or a copy of twice the needed size.
static void *hop_array_with_room(void *_Nullable array, size_t count, size_t needed, size_t *capacity, size_t size) {
    if (array != NULL && needed <= *capacity) return array;
    *capacity = needed * 2;
    void *larger = hop_allocate(*capacity * size, "deferred releases");
    if (array != NULL) memcpy(larger, array, count * size);
    free(array);
    return larger;
}

static void hop_batch_append_locked(struct hop_batch *batch, const struct hop_garbage *garbage, size_t count) {
    const size_t total = batch->garbage_count + count;
    batch->garbage = hop_array_with_room(batch->garbage, batch->garbage_count, total, &batch->garbage_capacity,
                                         sizeof *batch->garbage);
    memcpy(batch->garbage + batch->garbage_count, garbage, count * sizeof *garbage);
    batch->garbage_count = total;
}

static void hop_batch_free(struct hop_batch *batch) {
    free(batch->garbage);
    free(batch);
}

static struct hop_queue **hop_queues_alike(const hop_registry *registry) {
    return &deferred_alike[((uint64_t)(uintptr_t)registry * UINT64_C(0x9E3779B97F4A7C15)) >> 56];
}

static struct hop_queue *_Nullable hop_queue_find_locked(const hop_registry *registry) {
    struct hop_queue *queue = *hop_queues_alike(registry);
    while (queue != NULL && queue->registry != registry) queue = queue->next_alike;
    return queue;
}

static struct hop_queue *hop_queue_make_locked(const hop_registry *registry) {
    struct hop_queue **alike = hop_queues_alike(registry);
    struct hop_queue *queue = hop_allocate(sizeof *queue, "deferred releases");
    *queue = (struct hop_queue){
        .registry = registry, .next = deferred, .link = &deferred, .next_alike = *alike, .link_alike = alike};
    if (deferred != NULL) deferred->link = &queue->next;
    if (*alike != NULL) (*alike)->link_alike = &queue->next_alike;
    deferred = queue;
    *alike = queue;
    return queue;
}

static void hop_queue_free_locked(struct hop_queue *queue) {
    *queue->link = queue->next;
    if (queue->next != NULL) queue->next->link = queue->link;
    *queue->link_alike = queue->next_alike;
    if (queue->next_alike != NULL) queue->next_alike->link_alike = queue->link_alike;
    free(queue);
}

static struct hop_queue *hop_queue_locked(const hop_registry *registry) {
    struct hop_queue *queue = hop_queue_find_locked(registry);
    return queue != NULL ? queue : hop_queue_make_locked(registry);
}

/// Whether a batch waits for a section. Drops obstacles that have ended, until it finds one that has not.
static bool hop_batch_waits(struct hop_batch *batch) {
    size_t count = batch->obstacle_count;
    while (count != 0 && !hop_still_runs(&batch->obstacles[count - 1])) count--;
    batch->obstacle_count = count;
    return count != 0;
}

/// Moves the batches that wait for no section to `ready_batches`. Frees the queue if it is empty then.
///
/// These are the oldest ones, because the sets are nested: if all sections of a batch have ended, so have those of the older ones. So one
/// section that still runs is enough to know of each newer batch.
static void hop_queue_collect_locked(struct hop_queue *queue) {
    struct hop_batch **link = &queue->newest;
    while (*link != NULL && hop_batch_waits(*link)) link = &(*link)->next;
    struct hop_batch *batch = *link;
    if (batch == NULL) return;
    *link = NULL;
    struct hop_batch *ready = NULL;
    for (struct hop_batch *older; batch != NULL; batch = older) {
        older = batch->next;
        batch->next = ready;
        ready = batch;
    }
    ready->next_ready = ready_batches;
    ready_batches = ready;
    if (queue->newest == NULL) hop_queue_free_locked(queue);
}

/// Drops the obstacles that have ended, and merges batches that wait for the same ones (invariant 4).
///
/// The order is from the newest batch to the oldest. Sections may end during the walk. In this order the older set, which is
/// the smaller one, is also checked later, so the sets are nested as they were seen, too. In the other order, a section that
/// ends between two checks could give two different sets the same size.
static void hop_queue_merge_locked(struct hop_queue *queue) {
    struct hop_batch **newer_link = NULL;
    struct hop_batch *batch;
    for (struct hop_batch **link = &queue->newest; (batch = *link) != NULL; link = &batch->next) {
        size_t kept = 0;
        for (size_t index = 0; index < batch->obstacle_count; index++) {
            if (hop_still_runs(&batch->obstacles[index])) batch->obstacles[kept++] = batch->obstacles[index];
        }
        batch->obstacle_count = kept;
        if (newer_link != NULL && (*newer_link)->obstacle_count == kept) {
            struct hop_batch *newer = *newer_link;
            hop_batch_append_locked(batch, newer->garbage, newer->garbage_count);
            *newer_link = batch;
            hop_batch_free(newer);
        } else {
            newer_link = link;
        }
    }
}

static void hop_collect_locked(void) {
    for (struct hop_queue *queue = deferred, *next; queue != NULL; queue = next) {
        next = queue->next;
        hop_queue_collect_locked(queue);
    }
}

/// Collects the ready batches of the two queues that may wait for a section of a registry: its own, and that of HOP_ALL_REGISTRIES.
static void hop_collect_for_locked(const hop_registry *registry) {
    struct hop_queue *queue = hop_queue_find_locked(registry);
    if (queue != NULL) hop_queue_collect_locked(queue);
    queue = registry == HOP_ALL_REGISTRIES ? NULL : hop_queue_find_locked(HOP_ALL_REGISTRIES);
    if (queue != NULL) hop_queue_collect_locked(queue);
}

static void hop_protections_end(struct hop_protections *protections);

/// Disposes of a batch. `is_unprotected` tells that no borrowed section was open after the grace period.
static void hop_dispose(const struct hop_garbage *garbage, size_t count, bool is_unprotected) {
    struct hop_protections protections = {.are_known = is_unprotected};
    for (size_t index = 0; index < count; index++) garbage[index].dispose(&garbage[index], &protections);
    hop_protections_end(&protections);
}

/// Disposes of all batches that are ready. Called with deferred_lock held, and returns without it.
///
/// It takes the batches of one registry at a time. A release callback is user code and may block, and other threads can then take
/// the batches of the other registries (invariant 3).
static void hop_unlock_and_dispose(void) {
    struct hop_batch *batch;
    while ((batch = ready_batches) != NULL) {
        ready_batches = batch->next_ready;
        size_t pieces = 0;
        for (struct hop_batch *newer = batch; newer != NULL; newer = newer->next) pieces += newer->garbage_count;
        atomic_fetch_sub_explicit(&deferred_pieces, pieces, memory_order_relaxed);
        pthread_mutex_unlock(&deferred_lock);
        for (struct hop_batch *newer; batch != NULL; batch = newer) {
            newer = batch->next;
            hop_dispose(batch->garbage, batch->garbage_count, false);
            hop_batch_free(batch);
        }
        pthread_mutex_lock(&deferred_lock);
    }
    pthread_mutex_unlock(&deferred_lock);
}

static __attribute__((noinline, cold)) void hop_section_end_handed(struct hop_thread *thread,
                                                                   struct hop_section *section, uint8_t flags) {
    pthread_mutex_lock(&deferred_lock);
    atomic_store_explicit(&section->at_end, flags & HOP_FENCED, memory_order_relaxed);
    // Before the record is offered to another thread.
    hop_collect_for_locked(atomic_load_explicit(&section->registry, memory_order_relaxed));
    hop_loan_offer(thread);
    hop_unlock_and_dispose();
}

static void hop_section_end_slow(struct hop_thread *thread, struct hop_section *section) {
    uint8_t flags = atomic_load_explicit(&section->at_end, memory_order_relaxed);
    if ((flags & HOP_FENCED) != 0) {
        atomic_thread_fence(memory_order_seq_cst);  // Story B. Pairs with hop_fence_all_threads.
        flags = atomic_load_explicit(&section->at_end, memory_order_relaxed);
    }
    if ((flags & HOP_HANDED) != 0) hop_section_end_handed(thread, section, flags);
}

void hop_reclaim(void) {
    if (__builtin_expect(atomic_load_explicit(&deferred_pieces, memory_order_relaxed) == 0, 1)) return;
    pthread_mutex_lock(&deferred_lock);
    hop_collect_locked();
    hop_unlock_and_dispose();
}

/// Whether any borrowed section of a thread is open.
static bool hop_has_section(const struct hop_thread *thread) {
    // Acquire: as in hop_section_on. Invariant 5: if the outermost one is not open, none is.
    return (atomic_load_explicit(&thread->sections[0].sequence, memory_order_acquire) & 1) != 0;
}

/// The outermost open borrowed section of a thread that may hold objects of a registry, and its sequence; NULL if there is none.
static struct hop_section *_Nullable hop_section_on(struct hop_thread *thread, const hop_registry *registry,
                                                    uint64_t *sequence) {
    for (uint32_t index = 0; index < HOP_SECTIONS; index++) {
        struct hop_section *section = &thread->sections[index];
        // Acquire, both: pair with the releases in hop_section_announce and hop_section_over. Sections that have ended happen
        // before the reclamation. If the registry is newer than the sequence, the section has ended, too.
        *sequence = atomic_load_explicit(&section->sequence, memory_order_acquire);
        // Invariant 5: a section that nests in one that is not open can only begin after this load.
        if ((*sequence & 1) == 0) return NULL;
        const hop_registry *read = atomic_load_explicit(&section->registry, memory_order_acquire);
        if (read == registry || read == HOP_ALL_REGISTRIES || registry == HOP_ALL_REGISTRIES) return section;
    }
    return NULL;
}

/// Whether a borrowed section is open, and whether one may hold objects of a registry.
enum hop_look { HOP_NONE_OPEN, HOP_OTHERS_OPEN, HOP_BORROWED };

static enum hop_look hop_look_for_borrowed(const hop_registry *registry) {
    enum hop_look look = HOP_NONE_OPEN;
    uint64_t sequence;
    for (struct hop_thread *thread = hop_threads(); thread != NULL; thread = hop_thread_next(thread)) {
        if (!hop_has_section(thread)) continue;
        if (hop_section_on(thread, registry, &sequence) != NULL) return HOP_BORROWED;
        look = HOP_OTHERS_OPEN;
    }
    return look;
}

/// Makes an empty batch with room for one section of each thread. Returns with threads_lock held, so that no record is linked
/// or unlinked.
static struct hop_batch *hop_batch_make(void) {
    size_t capacity = 0;
    struct hop_batch *batch = NULL;
    while (true) {
        hop_threads_lock();
        const size_t records = hop_thread_records_in_use();
        if (batch != NULL && records <= capacity) return batch;
        hop_threads_unlock();
        free(batch);
        capacity = records;
        batch = hop_allocate(sizeof *batch + capacity * sizeof batch->obstacles[0], "deferred releases");
        *batch = (struct hop_batch){.garbage = NULL};
    }
}

/// Defers garbage that open borrowed sections may hold, and raises HOP_HANDED in them.
static __attribute__((noinline)) void hop_hand_over(const hop_registry *registry, const struct hop_garbage *garbage,
                                                    size_t count) {
    // The sections are collected under the lock, which makes the sets nested (invariant 4). Threads and sections that begin
    // later do not matter: the unlinking came first.
    pthread_mutex_lock(&deferred_lock);
    struct hop_batch *batch = hop_batch_make();
    uint64_t sequence;
    for (struct hop_thread *thread = hop_threads(); thread != NULL; thread = hop_thread_next(thread)) {
        if (hop_section_on(thread, registry, &sequence) == &thread->sections[HOP_SECTIONS - 1]) {
            registry = HOP_ALL_REGISTRIES;  // Story G.
        }
    }
    bool others_told = false;
    for (struct hop_thread *thread = hop_threads(); thread != NULL; thread = hop_thread_next(thread)) {
        struct hop_section *section = hop_section_on(thread, registry, &sequence);
        if (section == NULL || section == &thread->sections[HOP_SECTIONS - 1]) continue;
        batch->obstacles[batch->obstacle_count++] = (struct hop_obstacle){.section = section, .sequence = sequence};
        // If it was raised before, its owner will take the lock at the section's end, and find this batch too.
        if ((atomic_load_explicit(&section->at_end, memory_order_relaxed) & HOP_HANDED) != 0) continue;
        hop_raise(section);
        others_told |= thread != own_record;
    }
    hop_threads_unlock();
    hop_batch_append_locked(batch, garbage, count);
    struct hop_queue *queue = hop_queue_locked(registry);
    batch->next = queue->newest;
    queue->newest = batch;
    hop_queue_merge_locked(queue);
    atomic_fetch_add_explicit(&deferred_pieces, count, memory_order_relaxed);
    if (others_told) hop_fence_all_threads();  // Story B. Pairs with the fence in hop_section_over.
    hop_collect_locked();
    hop_unlock_and_dispose();
}

void hop_retire(const hop_registry *registry, const struct hop_garbage *garbage, size_t count) {
    hop_wait_for_reads();  // Its fence comes before the look for borrowed sections as well.
    const enum hop_look look = hop_look_for_borrowed(registry);
    if (__builtin_expect(look == HOP_BORROWED, 0)) {
        hop_hand_over(registry, garbage, count);
    } else {
        hop_dispose(garbage, count, look == HOP_NONE_OPEN);
        hop_reclaim();
    }
}

// MARK: Protections

static int hop_compare_protections(const void *one, const void *other) {
    const uintptr_t left = (uintptr_t)((const struct hop_protection *)one)->payload;
    const uintptr_t right = (uintptr_t)((const struct hop_protection *)other)->payload;
    return (left > right) - (left < right);
}

/// Whether a thread protects a payload.
static bool hop_is_protected(const void *payload) {
    for (struct hop_thread *thread = hop_threads(); thread != NULL; thread = hop_thread_next(thread)) {
        for (uint32_t index = 0; index < HOP_PROTECTED; index++) {
            const struct hop_section *section = &thread->sections[index];
            // Acquire, both: as in hop_section_on.
            if ((atomic_load_explicit(&section->sequence, memory_order_acquire) & 1) == 0) break;  // Invariant 5.
            if (atomic_load_explicit(&section->registry, memory_order_acquire) == payload) return true;
        }
    }
    return false;
}

/// Collects the sections that are open, as far as they may be protections.
static __attribute__((noinline)) void hop_protections_collect(struct hop_protections *protections) {
    protections->are_known = true;
    size_t capacity = 0;
    for (struct hop_thread *thread = hop_threads(); thread != NULL; thread = hop_thread_next(thread)) {
        for (uint32_t index = 0; index < HOP_PROTECTED; index++) {
            struct hop_section *section = &thread->sections[index];
            // Acquire, both: as in hop_section_on.
            const uint64_t sequence = atomic_load_explicit(&section->sequence, memory_order_acquire);
            if ((sequence & 1) == 0) break;  // Invariant 5.
            protections->open = hop_array_with_room(protections->open, protections->open_count,
                                                    protections->open_count + 1, &capacity, sizeof *protections->open);
            // The registry of a section that reads one has the address of no payload that is alive.
            protections->open[protections->open_count++] =
                (struct hop_protection){.payload = atomic_load_explicit(&section->registry, memory_order_acquire),
                                        .section = section,
                                        .sequence = sequence,
                                        .is_own = thread == own_record};
        }
    }
    if (protections->open_count > 1) {
        qsort(protections->open, protections->open_count, sizeof *protections->open, hop_compare_protections);
    }
}

/// The first protection of a payload; NULL if there is none.
static const struct hop_protection *_Nullable hop_protection_of(const struct hop_protections *protections,
                                                                const void *payload) {
    size_t low = 0;
    size_t high = protections->open_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uintptr_t)protections->open[middle].payload < (uintptr_t)payload) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < protections->open_count && protections->open[low].payload == payload ? &protections->open[low] : NULL;
}

static __attribute__((noinline)) void hop_protections_defer(struct hop_protections *protections,
                                                            struct hop_protected deferred) {
    protections->deferred =
        hop_array_with_room(protections->deferred, protections->deferred_count, protections->deferred_count + 1,
                            &protections->deferred_capacity, sizeof *protections->deferred);
    protections->deferred[protections->deferred_count++] = deferred;
}

/// The slow path of hop_release_payload, if sections are open.
static __attribute__((noinline)) void hop_release_payload_slow(struct hop_protections *protections, const void *payload,
                                                               hop_release release) {
    if (!protections->are_known) {
        // Most batches have one payload, which needs no array.
        const bool is_first = !protections->was_asked;
        protections->was_asked = true;
        if (is_first && !hop_is_protected(payload)) {
            release(payload);
            return;
        }
        hop_protections_collect(protections);
    }
    const struct hop_protection *first = hop_protection_of(protections, payload);
    if (first == NULL) {
        release(payload);
    } else {
        hop_protections_defer(protections, (struct hop_protected){payload, release, first});
    }
}

void hop_release_payload(struct hop_protections *protections, const void *payload, hop_release release) {
    if (__builtin_expect(protections == NULL || (protections->are_known && protections->open_count == 0), 1)) {
        release(payload);
    } else {
        hop_release_payload_slow(protections, payload, release);
    }
}

static void hop_dispose_unprotected(const struct hop_garbage *garbage, struct hop_protections *protections) {
    (void)protections;
    garbage->release(garbage->object);
}

/// Links a batch with a protected payload, in a queue of its own, and raises HOP_HANDED in the sections that protect it.
///
/// Returns: whether the flag was raised in a section of another thread.
static bool hop_hand_over_protected_locked(const struct hop_protections *protections,
                                           const struct hop_protected *deferred) {
    const struct hop_protection *end = deferred->first;
    while (end != protections->open + protections->open_count && end->payload == deferred->payload) end++;
    struct hop_batch *batch =
        hop_allocate(sizeof *batch + (size_t)(end - deferred->first) * sizeof batch->obstacles[0], "deferred releases");
    *batch = (struct hop_batch){.garbage = NULL};
    bool others_told = false;
    for (const struct hop_protection *protection = deferred->first; protection != end; protection++) {
        const struct hop_obstacle obstacle = {.section = protection->section, .sequence = protection->sequence};
        if (!hop_still_runs(&obstacle)) continue;
        batch->obstacles[batch->obstacle_count++] = obstacle;
        // As in hop_hand_over.
        if ((atomic_load_explicit(&protection->section->at_end, memory_order_relaxed) & HOP_HANDED) != 0) continue;
        hop_raise(protection->section);
        others_told |= !protection->is_own;
    }
    const struct hop_garbage piece = {
        .dispose = hop_dispose_unprotected, .object = (void *)deferred->payload, .release = deferred->release};
    hop_batch_append_locked(batch, &piece, 1);
    hop_queue_make_locked((const hop_registry *)deferred->payload)->newest = batch;
    atomic_fetch_add_explicit(&deferred_pieces, 1, memory_order_relaxed);
    return others_told;
}

/// Defers the releases of the payloads that are protected.
static __attribute__((noinline)) void hop_protections_hand_over(struct hop_protections *protections) {
    pthread_mutex_lock(&deferred_lock);
    bool others_told = false;
    for (size_t index = 0; index < protections->deferred_count; index++) {
        others_told |= hop_hand_over_protected_locked(protections, &protections->deferred[index]);
    }
    if (others_told) hop_fence_all_threads();  // Story B. Pairs with the fence in hop_section_over.
    hop_collect_locked();
    hop_unlock_and_dispose();
    free(protections->deferred);
}

static void hop_protections_end(struct hop_protections *protections) {
    if (__builtin_expect(protections->open_count == 0, 1)) return;
    if (protections->deferred_count != 0) hop_protections_hand_over(protections);
    free(protections->open);
}

// MARK: Fork

static void hop_fork_prepare(void) {
    pthread_mutex_lock(&deferred_lock);
    hop_threads_lock();
}

static void hop_fork_parent(void) {
    hop_threads_unlock();
    pthread_mutex_unlock(&deferred_lock);
}

/// Story E. Garbage that waited for sections of the lost threads is reclaimed by the child's next write.
static void hop_fork_child(void) {
    // The child registers for membarrier again, because not every system lets it inherit the registration.
    if (atomic_load_explicit(&asymmetric_fences, memory_order_relaxed) && !hop_membarrier_is_granted()) {
        atomic_store_explicit(&asymmetric_fences, false, memory_order_relaxed);
        // The only thread: so all later sections begin on the slow path, and all open ones end there.
        hop_thread_record = NULL;
        if (own_record != NULL) hop_thread_set_fences(own_record);
    }
    for (struct hop_thread *thread = hop_threads(), *next; thread != NULL; thread = next) {
        next = hop_thread_next(thread);
        if (atomic_load_explicit(&thread->owner, memory_order_relaxed) == &hop_thread_record) continue;
        const uint64_t reads = atomic_load_explicit(&thread->reads, memory_order_relaxed);
        if (reads & 1) atomic_store_explicit(&thread->reads, reads + 1, memory_order_relaxed);
        for (uint32_t index = 0; index < HOP_SECTIONS; index++) {
            struct hop_section *section = &thread->sections[index];
            const uint64_t sequence = atomic_load_explicit(&section->sequence, memory_order_relaxed);
            if (sequence & 1) atomic_store_explicit(&section->sequence, sequence + 1, memory_order_relaxed);
            atomic_store_explicit(&section->at_end, 0, memory_order_relaxed);
        }
        atomic_store_explicit(&thread->loan, 0, memory_order_relaxed);
        HOP_OWN_STORE(thread->depth, 0);
        HOP_OWN_STORE(thread->innermost, 0);
        hop_thread_unlink_locked(thread);
    }
    hop_threads_unlock();
    pthread_mutex_unlock(&deferred_lock);
}

size_t hop_deferred_pieces(void) { return atomic_load_explicit(&deferred_pieces, memory_order_relaxed); }
