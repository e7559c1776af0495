// The three words that the facade shares between threads: a lock, a flag and a published word. They are here because Swift's
// own (the Synchronization module) ask for newer systems than the rest of the package does.
#include <sched.h>
#include <stdatomic.h>

#include "CRegistry.h"

void hop_lock_acquire(uint32_t *lock) {
    enum { SPINS = 100 };
    unsigned rounds = 0;
    // Acquire: pairs with the release in hop_lock_release. ThreadSanitizer knows both.
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0) {
        while (__atomic_load_n(lock, __ATOMIC_RELAXED) != 0) {
            // The holder is in a few instructions; if it takes longer, it has lost its processor.
            if (++rounds > SPINS) sched_yield();
        }
    }
}

void hop_lock_release(uint32_t *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

uint32_t hop_word_load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

void hop_word_store(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

uint32_t hop_override_flag;

void hop_override_raise(void) {
    if (!hop_override_raised()) __atomic_store_n(&hop_override_flag, 1, __ATOMIC_RELAXED);
}
