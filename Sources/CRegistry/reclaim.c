// WHEN unlinked memory may be disposed of. No other file uses Concurrency Kit.
//
// 1. What it is
//
// Readers find payloads without a lock, so a writer that has unlinked one must not release it while a reader may still
// hold it. There are two kinds of read section, because they may last for very different times:
//
//   short     a few nanoseconds, no user code inside: look up, take a reference, leave. Writers WAIT for these.
//   borrowed  user code runs inside, for as long as it likes, and may itself wait for a lock that a writer's caller
//             holds. Writers never wait for these; they only LOOK at them, and hand the disposal over.
//
//   thread record (one for each thread, its own cache lines)      writer that unlinked garbage from R, outside its lock
//   +------------------------------------------------------+
//   | reads        odd while a short section runs          | <--- 1. waits where it is odd, until it changes
//   | sections[0]  the outermost borrowed section:         |
//   |   registry   the one that it reads                   |
//   |   sequence   odd while it runs                       | <--- 2. looks: none odd with the name R? dispose here. Else:
//   |   handed     "something was handed over to you"      | <--- 3. links a batch (garbage + the odd sequences seen)
//   | sections[1]  the next one that reads another registry|         to the queue of R, and raises `handed` in those
//   | ...          and so on                               |         sections
//   | next         the record linked before this one       |
//   +------------------------------------------------------+
//
// Both kinds are seen as a sequence number, as in sequence locks: a section is over when its number has changed. That is
// exact. A writer waits for the short sections that it finds running, and not for later ones of the same threads, however
// quickly they follow; this is the grace period of read-copy-update, without a global epoch (M. Desnoyers et al., User-Level
// Implementations of Read-Copy Update, 2012). A release comes with the end of the last borrowed section that began before
// the unlinking. And a recycled record cannot be mistaken for its former owner, because the numbers only grow.
//
// A borrowed section names the registry that it reads, so that a section puts off the releases of this registry and of no
// other. Sections nest. One that reads a registry which a section around it reads already is part of that section: it is
// counted and nothing else. One that reads another registry announces itself in the next place of the record, with a number,
// a name and a flag of its own, and is over at its own end. A thread that nests more registries than its record has places
// announces one section for all of them (story G).
//
// 2. Who writes what
//
//   reads, depth, innermost  the thread that owns the record
//   sections                 the same, but for `handed`: raised by writers under deferred_lock, cleared by the owner under
//                            deferred_lock
//   loan                     the borrower of a record that goes from section to section: story F
//   owner, next, previous    under threads_lock, as the two lists: that of the records that somebody has, which writers walk
//                            without the lock, and that of the free ones. Records are recycled, never freed.
//   the queues of batches    under deferred_lock
//
// 3. Invariants
//
//   1. Garbage is disposed of only after every short section that began before its unlinking has ended, and every borrowed
//      section that reads the registry it was unlinked from.
//   2. Garbage is disposed of outside every lock and every short section, on the thread that unlinked it, on the one whose
//      borrowed section was the last in the way, or on one that writes after that section has ended. In a borrowed section
//      it is disposed of only where the thread itself writes there, or ends a section inside it: user code, like all that
//      runs there.
//   3. A batch that is linked will be disposed of by whoever comes first: the last of the sections it waits for, or the
//      next writer, of whichever registry.
//   4. The sets of sections that the batches of one queue wait for are nested, older in newer: a section that still blocks
//      an older batch also began before the newer one, and reads the same registry. So batches with sets of the same size
//      wait for the same sections and are merged: a queue has never more batches than there are sections that read its
//      registry, plus one. A queue without a batch is freed. So there are never more queues than announced sections, plus
//      the one of story G, and never more batches than twice that, however much garbage there is, and of however many
//      registries.
//   5. Sections of a thread end in reverse order of their begin. So where a section does not run, none that nests in it
//      does, and a look at the outermost one is enough for most threads.
//   6. A registry is only ever a name here: it is compared, never touched, and may be destroyed while garbage of it waits.
//      A later registry at the same address shares the queue, which does no harm: no section of the former one is left,
//      because that is what its destruction requires, so its batches wait for nothing any more and the sets stay nested.
//   7. A record is linked before the first section of its owner begins, and unlinked after the last one has ended. So a
//      writer looks at as many records as there are threads, and not at those of threads that have been.
//
// 4. The races
//
//   Story A, the missed reader. A reader announces itself (store) and then loads a payload; a writer unlinks the payload
//   (store) and then looks for announced readers (load). If both loads could be satisfied before the stores were visible,
//   the writer would free what the reader holds. Each side therefore has a full fence between its two steps: the reader's
//   is in hop_short_begin and in hop_section_announce (the outermost borrowed section, and every one inside it that reads
//   another registry), the writer's in hop_wait_for_reads and in hop_retire. The name of a section is stored before its
//   number, so who sees the number sees the name, or a later one; and a later name tells that the section is over. The record
//   is linked before the fence as well, so a writer that does not find it has nothing to wait for.
//
//   Story B, the missed hand-over. The last section in the way ends (stores its sequence) and then looks whether something
//   was handed over (loads `handed`); a writer raises `handed` (store) and then looks again whether the section still
//   runs (loads the sequence). If both loads could overtake the stores, each would believe that the other does the
//   disposal. Both sides need a full fence again, but this race is possible only when something *is* handed over, which
//   is rare, while sections end all the time. So the fence is asymmetric where the system offers it (membarrier on
//   Linux): the writer makes every running thread of the process pass through a fence, and the reader needs none. Where
//   the system does not, the reader pays for its own. (The same trick would also save the fence at the begin, but then
//   every removal would interrupt every core; measured, not worth it: 10 microseconds each with one busy reader.)
//   The system may take membarrier back (a seccomp filter that is installed later). Then the writer switches the readers to
//   fences of their own, for ever, and waits a millisecond before it looks again, so that the ends under way, which had no
//   fence, have reached the memory: a store stays in a processor's buffer for nanoseconds, or until its thread loses the
//   processor. That is a matter of the machine, not of the language; where it took longer, the release would come with the
//   next write instead of the section's end, and still exactly once.
//
//   Story C, the weak processor. All of this is C11: publications are release stores, reads are acquire loads, fences are
//   sequentially consistent.
//
//   Story D, the thread that ends inside. A thread that exits in borrowed sections (pthread_exit, cancellation) will never
//   end them; its destructor does, the innermost first.
//
//   Story E, the fork. In the child only the forking thread is left. Whoever else was in a section will never leave it, and
//   whoever else had a record will never give it back; the child's handler does both for them. deferred_lock is held across
//   the fork, so that the child finds the batches whole. All that takes part in a fork is set up at load: from the middle of
//   a thread's first use, the child would set it up a second time, and lock twice at its own first fork.
//
//   Story F, the last words. Destructors of other thread-locals may use the registry after ours has given the record back.
//   The system runs destructors a few times only, so a thread that took a record again might never be asked to give it
//   back. It no longer has one, therefore: each of its sections takes one out on loan. A borrowed section gives it back at
//   its end, on the slow path, to which `handed` sends it. A short section has no slow path at its end; so it says at its
//   begin, as soon as the record is announced, that whoever sees it idle may take it. `loan` is odd from then on. Who sees
//   an odd number, then no section, and can exchange that very number, is the only one that has the record: the number
//   only grows, so that a loan in between would have changed it. The last that the former borrower does with the record
//   is to end its section. In the child of a fork the loans of lost threads end like their other records; its own go on.
//
//   Story G, the thread that reads too many registries. Its last place is a section that may read any registry, and garbage
//   that such a section may hold goes to a queue of its own, where every batch waits for the outermost sections of all
//   threads, whatever they read. With these sets invariant 4 holds there too. In the queue of its registry, the batch would
//   wait for that section as well, and so would one of every other registry: there could be as many queues as registries.
//   Where such a section begins between the two looks of hop_hand_over, it began after the unlinking.
//
//   Story H, the record that moves. A writer stands on a record while its owner ends: the record is unlinked, and perhaps
//   linked again in front for the next thread. Its `next` stays as it is until then, so the writer goes on. Nothing is
//   missed: let X be a record that stays linked during the walk. Unlinking another record leads around that one, to all
//   that it led to. Linking one in front makes it lead to the head, from which X is reached. So from whichever record X was
//   reachable, it stays so. What the writer may see is a record twice, or new ones, and that does no harm where it only
//   waits and looks. Where it notes the sections (hop_hand_over), a section that is noted twice would give two different
//   sets the same size (invariant 4), so there it holds threads_lock. A record that is unlinked during the walk needs no
//   look: its sections have ended before, and with the pointer that leads around it the writer acquires that.
//
//   Story I, the order that ThreadSanitizer must not see. Two threads one after the other may have the same record. They
//   use it one after the other because of threads_lock, but nothing orders what their users do; if ThreadSanitizer saw the
//   lock, it would believe so, and would not report a race in a service that both use. Therefore the lock is of Concurrency
//   Kit, whose atomics are inline assembly, and the links are stored and loaded with fences, all of which it does not see.
//   What it has to see is that reads happen before the disposal of what they may have found: the acquire of `reads` and of
//   `sequence` by writers says that of threads that are there, and an annotation of those that have ended.
#include "reclaim.h"

#include <ck_spinlock.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "memory.h"
#include "sanitizer.h"
#include "waiting.h"

/// Taken to link and to unlink records. ThreadSanitizer does not see it, on purpose: story I.
static ck_spinlock_fas_t threads_lock = CK_SPINLOCK_FAS_INITIALIZER;
/// The records that somebody has. Written under threads_lock; walked without it.
static _Atomic(struct hop_thread *) threads_in_use;
/// The records that nobody has. Under threads_lock.
static _Atomic(struct hop_thread *) threads_free;
static _Atomic size_t thread_records;

_Thread_local struct hop_thread *_Nullable hop_thread_record __attribute__((tls_model("initial-exec")));

// MARK: Thread records

/// The calling thread is ending, or cannot be told when it ends: it takes records out on loan. Story F.
static _Thread_local bool takes_loans __attribute__((tls_model("initial-exec")));
/// Whether a record was ever lent.
static _Atomic bool loans_exist;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_exit_key;
/// Whether writers can make all threads pass through a fence. Raised before the first record is made; story B.
static _Atomic bool asymmetric_fences;

#if defined(__linux__) && defined(__NR_membarrier)
// From linux/membarrier.h, which older systems lack.
enum { HOP_MEMBARRIER_PRIVATE_EXPEDITED = 1 << 3, HOP_MEMBARRIER_REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

static bool hop_asymmetric_fences_start(void) {
    return syscall(__NR_membarrier, HOP_MEMBARRIER_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/// The system has taken back what it had granted. From now on each end of a section has a fence of its own; what is left are
/// the ends under way, whose stores reach the memory in nanoseconds, or where their threads lose the processor. Story B.
static void hop_asymmetric_fences_end(void) {
    enum { ROUNDS = 1020 };  // Of hop_wait_a_little: about a millisecond, once in a process.
    atomic_store_explicit(&asymmetric_fences, false, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    for (unsigned rounds = 0; rounds < ROUNDS;) hop_wait_a_little(&rounds);
}

/// Every running thread of the process, this one first, passes through a full fence before this returns. See story B.
static void hop_fence_all_threads(void) {
    if (atomic_load_explicit(&asymmetric_fences, memory_order_relaxed) &&
        syscall(__NR_membarrier, HOP_MEMBARRIER_PRIVATE_EXPEDITED, 0, 0) != 0) {
        hop_asymmetric_fences_end();
    }
    atomic_thread_fence(memory_order_seq_cst);
}
#else
static bool hop_asymmetric_fences_start(void) { return false; }
static void hop_fence_all_threads(void) { atomic_thread_fence(memory_order_seq_cst); }
#endif

static void hop_borrowed_over(struct hop_thread *thread);

// MARK: The list of records

/// A lock of instructions, not of time: what is done under it is a few stores.
static void hop_threads_lock(void) {
    unsigned rounds = 0;
    while (!ck_spinlock_fas_trylock(&threads_lock)) hop_wait_a_little(&rounds);
}

static void hop_threads_unlock(void) { ck_spinlock_fas_unlock(&threads_lock); }

/// The record that a pointer points to, whole. Fences rather than orders of the load and the store: story I.
static struct hop_thread *_Nullable hop_thread_load(const _Atomic(struct hop_thread *) *link) {
    struct hop_thread *thread = atomic_load_explicit(link, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);  // Pairs with the release in hop_thread_store.
    return thread;
}

static void hop_thread_store(_Atomic(struct hop_thread *) *link, struct hop_thread *_Nullable thread) {
    atomic_thread_fence(memory_order_release);  // Pairs with the acquire in hop_thread_load.
    atomic_store_explicit(link, thread, memory_order_relaxed);
}

static void hop_thread_link_locked(struct hop_thread *thread) {
    struct hop_thread *head = atomic_load_explicit(&threads_in_use, memory_order_relaxed);
    atomic_store_explicit(&thread->owner, &hop_thread_record, memory_order_relaxed);
    hop_thread_store(&thread->next, head);
    atomic_store_explicit(&thread->previous, NULL, memory_order_relaxed);
    if (head != NULL) atomic_store_explicit(&head->previous, thread, memory_order_relaxed);
    hop_thread_store(&threads_in_use, thread);
}

/// Writers may stand on it, and go on from there: its `next` stays as it is. Story H.
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

/// The first record that somebody has.
static struct hop_thread *_Nullable hop_threads(void) { return hop_thread_load(&threads_in_use); }

/// The one behind it.
static struct hop_thread *_Nullable hop_thread_next(struct hop_thread *thread) {
    return hop_thread_load(&thread->next);
}

/// Makes a record available to other threads. All sections of its thread are over.
static void hop_thread_disown(struct hop_thread *thread) {
    HOP_TSAN_RELEASE(&threads_in_use);
    hop_threads_lock();
    hop_thread_unlink_locked(thread);
    hop_threads_unlock();
}

/// A record that nobody has: recycled, or made.
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

/// Runs when a thread ends: gives its record to the next one.
static void hop_thread_exit(void *record) {
    struct hop_thread *thread = record;
    while (HOP_OWN_LOAD(thread->depth) != 0) hop_borrowed_over(thread);  // Story D.
    hop_thread_record = NULL;
    takes_loans = true;
    hop_thread_disown(thread);
}

static void hop_fork_prepare(void);
static void hop_fork_parent(void);
static void hop_fork_child(void);

static void hop_start(void) {
    atomic_store_explicit(&asymmetric_fences, hop_asymmetric_fences_start(), memory_order_relaxed);
    if (pthread_atfork(hop_fork_prepare, hop_fork_parent, hop_fork_child) != 0) {
        hop_fail("could not prepare for fork (pthread_atfork failed)");
    }
    if (pthread_key_create(&thread_exit_key, hop_thread_exit) != 0) {
        hop_fail("the process has no thread-specific key left (pthread_key_create failed)");
    }
}

/// When the process loads this and has one thread, so that no fork can fall into the middle of it, and the system need not
/// make other threads take part. Constructors of others may have come here before.
__attribute__((constructor)) static void hop_load(void) { pthread_once(&once, hop_start); }

/// A record that is on loan, and idle. Its number is even on return: nobody else takes it. Story F.
static struct hop_thread *_Nullable hop_loan_renew(void) {
    for (struct hop_thread *thread = hop_threads(); thread != NULL; thread = hop_thread_next(thread)) {
        // Acquire: pairs with the release in hop_loan_offer. The section that began before that is seen, or a later state.
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

/// A record for one section.
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

/// From now on, whoever sees the record idle may take it. Nothing is done where it is not on loan.
static void hop_loan_offer(struct hop_thread *thread) {
    const uint64_t loan = atomic_load_explicit(&thread->loan, memory_order_relaxed);
    // Release: pairs with the acquires in hop_loan_renew.
    if (loan != 0) atomic_store_explicit(&thread->loan, loan + 1, memory_order_release);
}

/// The thread's own record, from now on, or one for this section.
static struct hop_thread *hop_thread_first_use(void) {
    pthread_once(&once, hop_start);
    if (takes_loans) return hop_loan_take();
    struct hop_thread *thread = hop_thread_find();
    if (pthread_setspecific(thread_exit_key, thread) != 0) {  // For want of memory.
        hop_thread_disown(thread);
        takes_loans = true;
        return hop_loan_take();
    }
    hop_thread_record = thread;
    return thread;
}

hop_thread *hop_short_begin_slow(void) {
    hop_thread *thread = hop_thread_first_use();
    hop_short_begin(thread);
    hop_loan_offer(thread);
    return thread;
}

hop_thread *hop_borrowed_begin_slow(const hop_registry *registry) {
    hop_thread *thread = hop_thread_first_use();
    const bool is_on_loan = atomic_load_explicit(&thread->loan, memory_order_relaxed) != 0;
    // Sends the end of the section to hop_borrow_end_slow.
    if (is_on_loan) atomic_store_explicit(&thread->sections[0].handed, true, memory_order_relaxed);
    hop_borrowed_begin(thread, registry);
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

void hop_wait_for_reads(void) {
    atomic_thread_fence(memory_order_seq_cst);  // Story A. Pairs with the fence in hop_short_begin.
    for (struct hop_thread *thread = hop_threads(); thread != NULL; thread = hop_thread_next(thread)) {
        // Acquire: pairs with the release in hop_section_end.
        const uint64_t sequence = atomic_load_explicit(&thread->reads, memory_order_acquire);
        if ((sequence & 1) == 0) continue;
        // It lasts nanoseconds, so whoever is still in it has lost its processor. Sections that begin later do not matter.
        unsigned rounds = 0;
        while (atomic_load_explicit(&thread->reads, memory_order_acquire) == sequence) hop_wait_a_little(&rounds);
    }
    HOP_TSAN_ACQUIRE(&threads_in_use);
}

// MARK: Borrowed sections

static __attribute__((noinline, cold)) void hop_section_end_slow(struct hop_thread *thread,
                                                                 struct hop_section *section);

void hop_borrowed_begin_nested(hop_thread *thread, const hop_registry *registry) {
    const uint32_t depth = HOP_OWN_LOAD(thread->depth);
    const uint32_t innermost = HOP_OWN_LOAD(thread->innermost);
    HOP_OWN_STORE(thread->depth, depth + 1);
    for (uint32_t index = 0; index <= innermost; index++) {
        const hop_registry *read = atomic_load_explicit(&thread->sections[index].registry, memory_order_relaxed);
        // Sections end in reverse order, so this one ends after the new one.
        if (read == registry || read == HOP_ALL_REGISTRIES) return;
    }
    struct hop_section *section = &thread->sections[innermost + 1];
    HOP_OWN_STORE(thread->innermost, innermost + 1);
    HOP_OWN_STORE(section->depth, depth);
    hop_section_announce(section, innermost + 1 == HOP_SECTIONS - 1 ? HOP_ALL_REGISTRIES : registry);
}

/// The thread reads the registry of a section no longer.
static inline void hop_section_over(struct hop_thread *thread, struct hop_section *section) {
    const uint64_t sequence = atomic_load_explicit(&section->sequence, memory_order_relaxed);
    // Release: pairs with the acquires in hop_section_on and hop_still_runs.
    atomic_store_explicit(&section->sequence, sequence + 1, memory_order_release);
    if (__builtin_expect(atomic_load_explicit(&asymmetric_fences, memory_order_relaxed), 1)) {
        atomic_signal_fence(memory_order_seq_cst);  // Story B. Pairs with hop_fence_all_threads.
    } else {
        atomic_thread_fence(memory_order_seq_cst);
    }
    if (__builtin_expect(atomic_load_explicit(&section->handed, memory_order_relaxed), 0)) {
        hop_section_end_slow(thread, section);
    }
}

/// The innermost announced section of a thread is over, with all that nest in it.
static void hop_borrowed_over(struct hop_thread *thread) {
    const uint32_t innermost = HOP_OWN_LOAD(thread->innermost);
    struct hop_section *section = &thread->sections[innermost];
    // Before the section ends: what is disposed of then may begin another one.
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

// MARK: Hand-over

/// A borrowed section that was running when a batch was handed over.
struct hop_obstacle {
    const struct hop_section *section;
    uint64_t sequence;
};

/// Garbage of one registry that waits for borrowed sections.
struct hop_batch {
    /// Of those that wait, the one before this one in age. Of those that are ready, the one after it.
    struct hop_batch *_Nullable next;
    struct hop_garbage *garbage;
    size_t garbage_count;
    size_t garbage_capacity;
    size_t obstacle_count;
    struct hop_obstacle obstacles[];
};

/// The batches of one registry, or of HOP_ALL_REGISTRIES.
struct hop_queue {
    /// Only compared: it may have been destroyed, and another one may have its address.
    const hop_registry *registry;
    /// From the newest batch to the oldest.
    struct hop_batch *_Nullable newest;
    struct hop_queue *_Nullable next;
};

static pthread_mutex_t deferred_lock = PTHREAD_MUTEX_INITIALIZER;
/// Those that have batches. Under deferred_lock.
static struct hop_queue *deferred;
/// Pieces in all the batches. Written under deferred_lock, looked at without it.
static _Atomic size_t deferred_pieces;

static bool hop_still_runs(const struct hop_obstacle *obstacle) {
    return atomic_load_explicit(&obstacle->section->sequence, memory_order_acquire) == obstacle->sequence;
}

static void hop_batch_append_locked(struct hop_batch *batch, const struct hop_garbage *garbage, size_t count) {
    const size_t total = batch->garbage_count + count;
    if (total > batch->garbage_capacity) {
        const size_t capacity = total * 2;
        struct hop_garbage *larger = hop_allocate(capacity * sizeof *larger, "deferred releases");
        if (batch->garbage_count != 0) memcpy(larger, batch->garbage, batch->garbage_count * sizeof *larger);
        free(batch->garbage);
        batch->garbage = larger;
        batch->garbage_capacity = capacity;
    }
    memcpy(batch->garbage + batch->garbage_count, garbage, count * sizeof *garbage);
    batch->garbage_count = total;
}

static void hop_batch_free(struct hop_batch *batch) {
    free(batch->garbage);
    free(batch);
}

static struct hop_queue *hop_queue_locked(const hop_registry *registry) {
    for (struct hop_queue *queue = deferred; queue != NULL; queue = queue->next) {
        if (queue->registry == registry) return queue;
    }
    struct hop_queue *queue = hop_allocate(sizeof *queue, "deferred releases");
    *queue = (struct hop_queue){.registry = registry, .newest = NULL, .next = deferred};
    deferred = queue;
    return queue;
}

/// Forgets the obstacles that are gone, merges batches that wait for the same ones (invariant 4), and takes out those that
/// wait for nothing any more. Since the sets are nested, these are the oldest.
///
/// Looks from the newest to the oldest: sections end in the meantime, and this way the older set, which is the smaller, is
/// also the one that is looked at later, so that what is seen is nested too. The other way round, a section that ends
/// between the two looks would make a newer batch seem ready before an older one, or give two different sets the same size.
///
/// Returns: the batches to dispose of, oldest first; and behind them those in `ready`.
static struct hop_batch *_Nullable hop_queue_collect_locked(struct hop_queue *queue,
                                                            struct hop_batch *_Nullable ready) {
    struct hop_batch **link = &queue->newest;
    struct hop_batch **newer_link = NULL;
    struct hop_batch *batch;
    for (; (batch = *link) != NULL; link = &batch->next) {
        size_t kept = 0;
        for (size_t index = 0; index < batch->obstacle_count; index++) {
            if (hop_still_runs(&batch->obstacles[index])) batch->obstacles[kept++] = batch->obstacles[index];
        }
        batch->obstacle_count = kept;
        if (kept == 0) break;
        if (newer_link != NULL && (*newer_link)->obstacle_count == kept) {
            struct hop_batch *newer = *newer_link;
            hop_batch_append_locked(batch, newer->garbage, newer->garbage_count);
            *newer_link = batch;
            hop_batch_free(newer);
        } else {
            newer_link = link;
        }
    }
    *link = NULL;
    for (struct hop_batch *older; batch != NULL; batch = older) {
        older = batch->next;
        batch->next = ready;
        ready = batch;
        atomic_fetch_sub_explicit(&deferred_pieces, batch->garbage_count, memory_order_relaxed);
    }
    return ready;
}

/// Collects from all queues, and frees those that are left without a batch.
static struct hop_batch *_Nullable hop_collect_locked(void) {
    struct hop_batch *ready = NULL;
    for (struct hop_queue **link = &deferred; *link != NULL;) {
        struct hop_queue *queue = *link;
        ready = hop_queue_collect_locked(queue, ready);
        if (queue->newest != NULL) {
            link = &queue->next;
        } else {
            *link = queue->next;
            free(queue);
        }
    }
    return ready;
}

static void hop_dispose(const struct hop_garbage *garbage, size_t count) {
    for (size_t index = 0; index < count; index++) garbage[index].dispose(&garbage[index]);
}

static void hop_dispose_batches(struct hop_batch *_Nullable ready) {
    while (ready != NULL) {
        struct hop_batch *next = ready->next;
        hop_dispose(ready->garbage, ready->garbage_count);
        hop_batch_free(ready);
        ready = next;
    }
}

static void hop_section_end_slow(struct hop_thread *thread, struct hop_section *section) {
    pthread_mutex_lock(&deferred_lock);
    atomic_store_explicit(&section->handed, false, memory_order_relaxed);
    struct hop_batch *ready = hop_collect_locked();
    pthread_mutex_unlock(&deferred_lock);
    hop_loan_offer(thread);
    hop_dispose_batches(ready);
}

void hop_reclaim(void) {
    if (__builtin_expect(atomic_load_explicit(&deferred_pieces, memory_order_relaxed) == 0, 1)) return;
    pthread_mutex_lock(&deferred_lock);
    struct hop_batch *ready = hop_collect_locked();
    pthread_mutex_unlock(&deferred_lock);
    hop_dispose_batches(ready);
}

/// The outermost borrowed section of a thread that may hold what was unlinked from a registry, and its number.
static struct hop_section *_Nullable hop_section_on(struct hop_thread *thread, const hop_registry *registry,
                                                    uint64_t *sequence) {
    for (uint32_t index = 0; index < HOP_SECTIONS; index++) {
        struct hop_section *section = &thread->sections[index];
        // Acquire, both: pair with the releases in hop_section_announce and hop_section_over. Sections that ended happen
        // before the disposal. A name that is newer than the number tells of the end of the section, too.
        *sequence = atomic_load_explicit(&section->sequence, memory_order_acquire);
        // What nests in a section that does not run began after this look.
        if ((*sequence & 1) == 0) return NULL;
        const hop_registry *read = atomic_load_explicit(&section->registry, memory_order_acquire);
        if (read == registry || read == HOP_ALL_REGISTRIES || registry == HOP_ALL_REGISTRIES) return section;
    }
    return NULL;
}

static bool hop_any_borrowed(const hop_registry *registry) {
    uint64_t sequence;
    for (struct hop_thread *thread = hop_threads(); thread != NULL; thread = hop_thread_next(thread)) {
        if (hop_section_on(thread, registry, &sequence) != NULL) return true;
    }
    return false;
}

/// An empty batch with room for a section of each thread. Takes threads_lock: then no record comes or goes.
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

/// Links garbage that running borrowed sections may hold, and tells them.
static __attribute__((noinline)) void hop_hand_over(const hop_registry *registry, const struct hop_garbage *garbage,
                                                    size_t count) {
    // The sections are looked at under the lock: that is what makes the sets nested (invariant 4). Threads that join, and
    // sections that begin, after the next lines are of no concern: the unlinking came first.
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
        // Where it was raised before, its owner will come for the lock, and will find this batch too.
        if (atomic_load_explicit(&section->handed, memory_order_relaxed)) continue;
        atomic_store_explicit(&section->handed, true, memory_order_relaxed);
        others_told |= thread != hop_thread_record;
    }
    hop_threads_unlock();
    hop_batch_append_locked(batch, garbage, count);
    struct hop_queue *queue = hop_queue_locked(registry);
    batch->next = queue->newest;
    queue->newest = batch;
    atomic_fetch_add_explicit(&deferred_pieces, count, memory_order_relaxed);
    if (others_told) hop_fence_all_threads();  // Story B. Pairs with the fence in hop_section_over.
    struct hop_batch *ready = hop_collect_locked();
    pthread_mutex_unlock(&deferred_lock);
    hop_dispose_batches(ready);
}

void hop_retire(const hop_registry *registry, const struct hop_garbage *garbage, size_t count) {
    hop_wait_for_reads();
    atomic_thread_fence(memory_order_seq_cst);  // Story A. Pairs with the fence in hop_section_announce.
    if (__builtin_expect(hop_any_borrowed(registry), 0)) {
        hop_hand_over(registry, garbage, count);
    } else {
        hop_dispose(garbage, count);
        hop_reclaim();
    }
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

/// Story E. What the sections of the lost threads stood in the way of goes with the child's next write.
static void hop_fork_child(void) {
    // The child asks for membarrier again, because not every system hands the grant down.
    if (atomic_load_explicit(&asymmetric_fences, memory_order_relaxed)) {
        atomic_store_explicit(&asymmetric_fences, hop_asymmetric_fences_start(), memory_order_relaxed);
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
            atomic_store_explicit(&section->handed, false, memory_order_relaxed);
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
