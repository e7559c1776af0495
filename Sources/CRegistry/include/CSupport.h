// What the Swift half needs of C besides the registry: a lock, a published word, a sleeper, words of the thread and of the process.
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

/// Whether the calling thread has used up nearly all of its stack: less than a quarter is left, or less than 256 KiB if that
/// is less, but in any case no more than half.
///
/// Context:    Any thread.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   None.
/// Complexity: One load and one comparison; asks the system on the thread's first use.
bool hop_stack_is_low(void);

// MARK: A lock and a published word

/// Takes a lock: a word that is zero while nobody holds it. For sections that run no user code.
///
/// Context:    Any thread that does not hold it.
/// Requires:   No user code before `hop_lock_release`; only `hop_word_store`, and `hop_wait_for_reads` of CRegistry.h.
/// Ownership:  The caller holds it.
/// Ordering:   Acquire; pairs with the release in `hop_lock_release`.
/// Complexity: One exchange where it is free; else spins, then yields the processor, then sleeps.
void hop_lock_acquire(uint32_t *lock);

/// Gives the lock back.
///
/// Context:    The thread that holds it.
/// Requires:   It is held.
/// Ownership:  The caller no longer holds it.
/// Ordering:   Release.
/// Complexity: One store.
void hop_lock_release(uint32_t *lock);

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

/// Adds one to a number that other threads add to.
///
/// Context:    Any.
/// Requires:   The word is aligned and alive.
/// Ownership:  None passes.
/// Ordering:   Acquire and release.
/// Complexity: One exchange.
/// Returns:    The number before.
uint32_t hop_word_increment(uint32_t *word);

// MARK: Sleeping until something has happened

/// One thread that sleeps until another one wakes it.
typedef struct hop_sleeper hop_sleeper;

/// Makes a sleeper that has not been woken.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  The caller's, until `hop_sleeper_destroy`.
/// Ordering:   None.
/// Complexity: One small allocation.
hop_sleeper *hop_sleeper_make(void);

/// Sleeps until `hop_sleeper_wake` was called, which may have been before.
///
/// Context:    Any thread outside short read sections; no cancellation point.
/// Requires:   Only one thread sleeps here.
/// Ownership:  None passes.
/// Ordering:   Acquire; pairs with the release in `hop_sleeper_wake`.
/// Complexity: As long as it takes, without using the processor.
void hop_sleeper_sleep(hop_sleeper *sleeper);

/// Ends the sleep.
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
/// Requires:   Nobody sleeps there, and nobody wakes it.
/// Ownership:  Ends.
/// Ordering:   All uses must already happen before this call.
/// Complexity: Constant.
void hop_sleeper_destroy(hop_sleeper *sleeper);

// MARK: What ThreadSanitizer does not see

/// Hides what the calling thread reads from ThreadSanitizer, until `hop_reads_show`. Without that sanitizer it does nothing.
///
/// Context:    Any thread; not nested.
/// Requires:   The reads in between are ordered in a way that the sanitizer is not told of.
/// Ownership:  None passes.
/// Ordering:   None.
/// Complexity: Constant.
void hop_reads_hide(void);

/// Ends what `hop_reads_hide` began.
///
/// Context:    The thread that called `hop_reads_hide`.
/// Requires:   That call.
/// Ownership:  None passes.
/// Ordering:   None.
/// Complexity: Constant.
void hop_reads_show(void);

// MARK: A word for each thread

/// What the calling thread is in the middle of; NULL at first. Not to be touched but through the functions below.
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
/// Requires:   What it points to lives until it is set to something else.
/// Ownership:  None passes.
/// Ordering:   None.
/// Complexity: One store.
static inline void hop_thread_word_store(void *_Nullable word) { hop_thread_word = word; }

// MARK: What everybody shares
//
// One word for the process: zero at first; then the address of what everybody shares, once somebody has asked for it; and
// one, for ever, from the moment at which somebody may share something else. Written at most twice, so every core keeps it
// in its cache.

/// See above. Not to be touched but through the functions below.
extern uintptr_t hop_shared_word;

/// Whether `hop_shared_override` was ever called in this process.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Relaxed. Who was given something else raised the flag itself, or was started by one that did.
/// Complexity: One load of a line that nobody writes.
static inline bool hop_shared_is_overridden(void) { return __atomic_load_n(&hop_shared_word, __ATOMIC_RELAXED) == 1; }

/// What everybody shares; NULL while it is unknown and once it is overridden.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes; what is shared lives for ever.
/// Ordering:   Acquire; pairs with the release in `hop_shared_publish`.
/// Complexity: One load of a line that nobody writes.
static inline const void *_Nullable hop_shared(void) {
    const uintptr_t word = __atomic_load_n(&hop_shared_word, __ATOMIC_ACQUIRE);
    return word > 1 ? (const void *)word : NULL;
}

/// Says what everybody shares. Does nothing where that is known or overridden.
///
/// Context:    Any.
/// Requires:   The same address in every call, of something that lives for ever.
/// Ownership:  None passes.
/// Ordering:   Release.
/// Complexity: One exchange.
void hop_shared_publish(const void *shared);

/// Says that from now on somebody may share something else. For ever.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Relaxed; see `hop_shared_is_overridden`.
/// Complexity: One load; the first time one store.
void hop_shared_override(void);

// MARK: Who is watching
//
// A counter of the installs, the instruments and the creations in tasks that are active in this process. Registering and resolving
// look at it first, and skip the task-local read while it is zero, which it mostly is. The counter is raised before the observed
// code begins, on the same thread or before the task starts. So a relaxed load sees it.

/// See above. Not to be touched but through the functions below.
extern uint32_t hop_watchers;

/// Whether anybody is watching.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Relaxed.
/// Complexity: One load of a line that is hardly ever written.
static inline bool hop_is_watched(void) { return __atomic_load_n(&hop_watchers, __ATOMIC_RELAXED) != 0; }

/// Adds one who watches.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Relaxed.
/// Complexity: One exchange.
void hop_watch_begin(void);

/// Takes one who watches away.
///
/// Context:    Any.
/// Requires:   A `hop_watch_begin` for each.
/// Ownership:  None passes.
/// Ordering:   Relaxed.
/// Complexity: One exchange.
void hop_watch_end(void);

#if defined(__cplusplus)
}
#endif

#pragma clang assume_nonnull end

#endif
