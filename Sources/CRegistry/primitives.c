// Words that the Swift code shares between threads: locks, published states, and the words of the process. They are written
// in C because Swift's Synchronization module requires newer systems than the rest of the package.
#include <stdatomic.h>

#include "CSupport.h"
#include "sanitizer.h"
#include "waiting.h"

void hop_lock_acquire(uint32_t *lock) {
    unsigned rounds = 0;
    // Acquire: pairs with the release in hop_lock_release. ThreadSanitizer knows both.
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0) {
        while (__atomic_load_n(lock, __ATOMIC_RELAXED) != 0) {
            // The holder runs a few instructions, or waits for reads. If that takes longer, a thread was preempted.
            hop_wait_a_little(&rounds);
        }
    }
}

void hop_lock_release(uint32_t *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

uint32_t hop_word_load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

void hop_word_store(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

uint32_t hop_word_increment(uint32_t *word) { return __atomic_fetch_add(word, 1, __ATOMIC_ACQ_REL); }

void hop_reads_hide(void) { HOP_TSAN_IGNORE_READS_BEGIN(); }

void hop_reads_show(void) { HOP_TSAN_IGNORE_READS_END(); }

_Thread_local void *hop_thread_word;

uintptr_t hop_shared_word = HOP_SHARED_UNKNOWN;

/// One override in the word.
enum { HOP_OVERRIDE = 2 };

void hop_shared_publish(const void *shared) {
    uintptr_t unknown = HOP_SHARED_UNKNOWN;
    // A load first: while there are overrides, a failed exchange would take the cache line from the other cores.
    if (__atomic_load_n(&hop_shared_word, __ATOMIC_RELAXED) != unknown) return;
    __atomic_compare_exchange_n(&hop_shared_word, &unknown, (uintptr_t)shared, false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
}

void hop_shared_override_begin(void) {
    uintptr_t word = __atomic_load_n(&hop_shared_word, __ATOMIC_RELAXED), next;
    do {
        next = ((word & 1) != 0 ? word : HOP_SHARED_UNKNOWN) + HOP_OVERRIDE;
    } while (!__atomic_compare_exchange_n(&hop_shared_word, &word, next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void hop_shared_override_end(void) { __atomic_fetch_sub(&hop_shared_word, HOP_OVERRIDE, __ATOMIC_RELAXED); }

// On a cache line of its own, so that writing it does not evict the word above, which is almost only read.
_Alignas(64) uint32_t hop_watchers;

void hop_watch_begin(void) { __atomic_fetch_add(&hop_watchers, 1, __ATOMIC_RELAXED); }

void hop_watch_end(void) { __atomic_fetch_sub(&hop_watchers, 1, __ATOMIC_RELAXED); }
