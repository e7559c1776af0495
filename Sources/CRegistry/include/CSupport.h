// What Swift needs of C besides the registry: a lock, published words, a sleeper, and words of the thread and of the process.
//
// The contracts are stated as in CRegistry.h.
#ifndef CSUPPORT_H
#define CSUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

#if defined(__cplusplus)
extern "C" {
#endif

// MARK: The stack of the thread

/// Whether the calling thread is close to the end of its stack: less than a quarter is left. That reserve is at most 256 KiB
/// and at least 48 KiB, but never more than half of the stack.
///
/// Context:    Any thread.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   None.
/// Complexity: One load and one comparison; a system call on the thread's first use.
bool hop_stack_is_low(void);

// MARK: A lock and a published word

/// Takes a lock: a word that is zero while the lock is free. For critical sections that run no user code.
///
/// Context:    Any thread that does not hold it.
/// Requires:   Until `hop_lock_release` the caller runs no user code, and calls only `hop_word_store`, and `hop_wait_for_reads`,
///             `hop_attachment` and `hop_attach` of CRegistry.h.
/// Ownership:  The caller holds it.
/// Ordering:   Acquire; pairs with the release in `hop_lock_release`.
/// Complexity: One exchange if it is free; else spins, then yields the processor, then sleeps.
void hop_lock_acquire(uint32_t *lock);

/// Releases the lock.
///
/// Context:    The thread that holds it.
/// Requires:   It is held.
/// Ownership:  The caller no longer holds it.
/// Ordering:   Release.
/// Complexity: One store.
void hop_lock_release(uint32_t *lock);

/// The locks that the whole process shares, in the order of the fork: see primitives.c.
typedef enum hop_process_lock {
    HOP_LOCK_DEFAULT_STATE,
    HOP_LOCK_DEFAULT_INDICES,
    HOP_LOCK_RECORDERS,
    HOP_LOCK_WAITS,
    HOP_LOCK_GROUPS,
    HOP_LOCK_NAMES,
    HOP_PROCESS_LOCKS,
} hop_process_lock;

/// A lock on a cache line of its own.
struct hop_process_word {
    _Alignas(64) uint32_t word;
};

/// See above. Use it only through the function below.
extern struct hop_process_word hop_process_words[HOP_PROCESS_LOCKS];

/// The word of a lock that the process shares, for `hop_lock_acquire`. The child of a fork finds it free.
///
/// Context:    Any.
/// Requires:   A caller that takes it holds no lock after it in the enumeration, and no lock of a registry. Under it, nothing is called
///             that takes a lock of a registry.
/// Ownership:  None passes; the word lives for ever.
/// Ordering:   None.
/// Complexity: Constant.
static inline uint32_t *hop_process_lock_word(hop_process_lock lock) { return &hop_process_words[lock].word; }

/// A number that this function returns once per process, beginning with 1.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Relaxed.
/// Complexity: One atomic addition.
uintptr_t hop_unique_number(void);

/// Loads a word that other threads may store to.
///
/// Context:    Any.
/// Requires:   The word is aligned and alive.
/// Ownership:  None passes.
/// Ordering:   Acquire; pairs with the release in `hop_word_store`.
/// Complexity: One load.
uint32_t hop_word_load(const uint32_t *word);

/// Stores a word that other threads may load.
///
/// Context:    Any.
/// Requires:   The word is aligned and alive.
/// Ownership:  None passes.
/// Ordering:   Release.
/// Complexity: One store.
void hop_word_store(uint32_t *word, uint32_t value);

/// Adds one to a word, atomically.
///
/// Context:    Any.
/// Requires:   The word is aligned and alive.
/// Ownership:  None passes.
/// Ordering:   Acquire and release.
/// Complexity: One atomic addition.
/// Returns:    The number before.
uint32_t hop_word_increment(uint32_t *word);

// MARK: A sleeper

/// A one-shot event: one thread sleeps until another one wakes it.
typedef struct hop_sleeper hop_sleeper;

/// Makes a sleeper that has not been woken.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  The caller's, until `hop_sleeper_destroy`.
/// Ordering:   None.
/// Complexity: One small allocation.
hop_sleeper *hop_sleeper_make(void);

/// Blocks until `hop_sleeper_wake` is called. Returns at once if it was called before.
///
/// Context:    Any thread outside read sections. Not a cancellation point.
/// Requires:   Only one thread sleeps here.
/// Ownership:  None passes.
/// Ordering:   Acquire; pairs with the release in `hop_sleeper_wake`.
/// Complexity: Unbounded, but uses no processor time.
void hop_sleeper_sleep(hop_sleeper *sleeper);

/// Wakes the thread that sleeps, or the one that will.
///
/// Context:    Any thread.
/// Requires:   The sleeper is alive until this returns.
/// Ownership:  None passes.
/// Ordering:   Release.
/// Complexity: Constant.
void hop_sleeper_wake(hop_sleeper *sleeper);

/// Frees a sleeper.
///
/// Context:    Any.
/// Requires:   No thread sleeps there, and no thread wakes it.
/// Ownership:  Ends.
/// Ordering:   All uses must happen before this call.
/// Complexity: Constant.
void hop_sleeper_destroy(hop_sleeper *sleeper);

// MARK: Reads that ThreadSanitizer must not report

/// Hides the calling thread's reads from ThreadSanitizer, until `hop_reads_show`. Without that sanitizer it does nothing.
///
/// Context:    Any thread; not nested.
/// Requires:   The hidden reads are ordered in a way that the sanitizer cannot see.
/// Ownership:  None passes.
/// Ordering:   None.
/// Complexity: Constant.
void hop_reads_hide(void);

/// Shows reads to ThreadSanitizer again, after `hop_reads_hide`.
///
/// Context:    The thread that called `hop_reads_hide`.
/// Requires:   That call.
/// Ownership:  None passes.
/// Ordering:   None.
/// Complexity: Constant.
void hop_reads_show(void);

// MARK: A word for each thread

/// The innermost frame of the calling thread; NULL if there is none. Use it only through the functions below.
extern _Thread_local void *_Nullable hop_thread_word;

/// The word of the calling thread.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   None: no other thread sees it.
/// Complexity: One load.
static inline void *_Nullable hop_thread_word_load(void) { return hop_thread_word; }

/// Sets the word of the calling thread.
///
/// Context:    Any.
/// Requires:   The object that it points to lives until the word is set again.
/// Ownership:  None passes.
/// Ordering:   None.
/// Complexity: One store.
static inline void hop_thread_word_store(void *_Nullable word) { hop_thread_word = word; }

// MARK: The object that the process shares
//
// One word for the process, in one of two states:
//
//   even   the address of the shared object, which is not zero
//   odd    twice the number of overrides, plus one. The shared object is not known, or some code may see another object in its
//          place. So no caller may take the shared one without a closer look.
//
// Invariant: while code under an override runs, that code loads an odd word. The override is counted before the code begins, on the
// same thread or before its task starts, and until the code has ended. The end of the override happens after every load of that
// code. So each load comes after the increment and before the decrement in the order in which the word changes, and in between the
// count is at least one: every change is one atomic operation, and the object is published only when the count is zero. Relaxed
// order suffices, because there is one word. With the count in one word and the address in another, the end of one override could hide the begin of the next.
//
// A process without overrides writes the word once, so every core keeps it in its cache.

/// The word while the shared object is not known and there is no override.
#define HOP_SHARED_UNKNOWN ((uintptr_t)1)

/// See above. Use it only through the functions below.
extern uintptr_t hop_shared_word;

/// Whether there may be an override in this process: there is one, or the shared object is not published.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Relaxed; see the invariant.
/// Complexity: One load; the cache line is written by overrides only.
static inline bool hop_shared_may_be_overridden(void) {
    return (__atomic_load_n(&hop_shared_word, __ATOMIC_RELAXED) & 1) != 0;
}

/// The shared object; NULL while it is not published, or overridden.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes; the object lives for ever.
/// Ordering:   Acquire; pairs with the release in `hop_shared_publish`.
/// Complexity: One load; the cache line is written by overrides only.
static inline const void *_Nullable hop_shared(void) {
    const uintptr_t word = __atomic_load_n(&hop_shared_word, __ATOMIC_ACQUIRE);
    if ((word & 1) != 0) return NULL;
    __builtin_assume(word != 0);  // Saves the caller a comparison.
    return (const void *)word;
}

/// Publishes the shared object. Does nothing if it is published or overridden. After the last override it is unknown again.
///
/// Context:    Any.
/// Requires:   The same address in every call, of an object that lives for ever.
/// Ownership:  None passes.
/// Ordering:   Release.
/// Complexity: One load; at most one compare-and-exchange.
void hop_shared_publish(const void *shared);

/// Counts an override of the shared object.
///
/// Context:    Any.
/// Requires:   `hop_shared_override_end` follows, on any thread.
/// Ownership:  None passes.
/// Ordering:   Relaxed; see the invariant.
/// Complexity: Lock-free. One load and one compare-and-exchange, repeated if another thread changes the word at the same time.
void hop_shared_override_begin(void);

/// Ends an override of the shared object.
///
/// Context:    Any.
/// Requires:   `hop_shared_override_begin` was called. All code under the override has ended, and its end happens before this call.
/// Ownership:  None passes.
/// Ordering:   Relaxed; see the invariant.
/// Complexity: One atomic subtraction.
void hop_shared_override_end(void);

// MARK: Watchers
//
// The number of watchers in this process: module installations, instruments, and creations in tasks. Registering and resolving
// load it first, and skip a task-local read while it is zero, which is the usual case. A watcher is counted before the watched
// code begins, on the same thread or before the task starts. So a relaxed load sees it.

/// See above. Use it only through the functions below.
extern uint32_t hop_watchers;

/// Whether there is a watcher.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Relaxed.
/// Complexity: One load; the cache line is hardly ever written.
static inline bool hop_is_watched(void) { return __atomic_load_n(&hop_watchers, __ATOMIC_RELAXED) != 0; }

/// Adds a watcher.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Relaxed.
/// Complexity: One atomic addition.
void hop_watch_begin(void);

/// Removes a watcher.
///
/// Context:    Any.
/// Requires:   A `hop_watch_begin` for each call.
/// Ownership:  None passes.
/// Ordering:   Relaxed.
/// Complexity: One atomic subtraction.
void hop_watch_end(void);

#if defined(__cplusplus)
}
#endif

#pragma clang assume_nonnull end

#endif
