// Words that the Swift code shares between threads: locks, published states, and the words of the process. They are written
// in C because Swift's Synchronization module requires newer systems than the rest of the package.
#include <pthread.h>
#include <stdatomic.h>

#include "CSupport.h"
#include "memory.h"
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

// MARK: The locks of the process
//
// If a fork happened while another thread holds one of them, the child would wait for that thread for ever. So all are held across the
// fork. The thread that forks takes them in the order of the enumeration.
//
// Invariant: if a thread takes one of them while it holds another one, it takes the later one. So no thread waits for the forking one
// while the forking one waits for it. There is one such case: a name that ends under the lock of the waits or of the groups, with the
// chain of services that it belongs to, is removed from the list of names.
//
// No thread holds one of them together with a lock of registry.c or reclaim.c, so the order between the three fork handlers does not
// matter: the critical sections call no function of a registry, and a registry runs nothing of Swift under its locks. A thread may take
// one of them while it holds the lock of an object. The forking thread never waits for those. In the child they stay as they were: so
// the child must not use an object that another thread was changing.
//
// The thread that forks holds none of them, because their critical sections run no code of users.

struct hop_process_word hop_process_words[HOP_PROCESS_LOCKS];

static void hop_process_lock_all(void) {
    for (unsigned lock = 0; lock < HOP_PROCESS_LOCKS; lock++) hop_lock_acquire(&hop_process_words[lock].word);
}

static void hop_process_unlock_all(void) {
    for (unsigned lock = HOP_PROCESS_LOCKS; lock-- > 0;) hop_lock_release(&hop_process_words[lock].word);
}

__attribute__((constructor)) static void hop_process_start(void) {
    if (pthread_atfork(hop_process_lock_all, hop_process_unlock_all, hop_process_unlock_all) != 0) {
        hop_fail("could not prepare for fork (pthread_atfork failed)");
    }
}

static uintptr_t last_number;

// Atomic, and not under a lock, so a fork cannot interrupt it. A child continues with the numbers of its parent: the two share nothing.
uintptr_t hop_unique_number(void) { return __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED); }

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
