// Included before each source of the library: every step on shared memory becomes a schedule point. A point comes after its
// step. So code that follows a load without a further step, such as reading a node, may find everything changed.
#ifndef HOOKS_H
#define HOOKS_H

#include <ck_pr.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "scheduler.h"

#define HOOK(step, wrote)                 \
    ({                                    \
        schedule_drain();                 \
        __auto_type hook_result = (step); \
        schedule_point(wrote);            \
        hook_result;                      \
    })
#define HOOK_TYPE(object) __typeof__(__c11_atomic_load(object, __ATOMIC_RELAXED))

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_weak_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_thread_fence
#define atomic_load_explicit(object, order)                             \
    ({                                                                  \
        HOOK_TYPE(object) hook_value;                                   \
        uint64_t hook_word;                                             \
        if (schedule_own_store((const void *)(object), &hook_word)) {   \
            memcpy((void *)&hook_value, &hook_word, sizeof hook_value); \
        } else {                                                        \
            hook_value = __c11_atomic_load(object, order);              \
        }                                                               \
        schedule_point(false);                                          \
        hook_value;                                                     \
    })
#define atomic_store_explicit(object, value, order)                                                      \
    ({                                                                                                   \
        HOOK_TYPE(object) hook_value = (value);                                                          \
        uint64_t hook_word = 0;                                                                          \
        memcpy(&hook_word, (const void *)&hook_value, sizeof hook_value);                                \
        schedule_store((void *)(object), hook_word, sizeof hook_value, (order) != memory_order_relaxed); \
    })
#define atomic_fetch_add_explicit(object, value, order) HOOK(__c11_atomic_fetch_add(object, value, order), true)
#define atomic_fetch_sub_explicit(object, value, order) HOOK(__c11_atomic_fetch_sub(object, value, order), true)
#define atomic_exchange_explicit(object, value, order) HOOK(__c11_atomic_exchange(object, value, order), true)
#define atomic_compare_exchange_strong_explicit(object, expected, value, then, otherwise) \
    HOOK(__c11_atomic_compare_exchange_strong(object, expected, value, then, otherwise), true)
#define atomic_compare_exchange_weak_explicit atomic_compare_exchange_strong_explicit
#define atomic_thread_fence(order)                                \
    ((order) == memory_order_seq_cst   ? schedule_fence()         \
     : (order) == memory_order_release ? schedule_release_fence() \
                                       : (void)0)
#undef ck_pr_fence_unlock
#define ck_pr_fence_unlock() schedule_release_fence()

// Before ck_spinlock.h, so that its inline functions have points too.
#undef ck_pr_store_uint
#define ck_pr_store_uint(target, value) schedule_store((void *)(target), (unsigned)(value), sizeof(unsigned), false)
// If it finds the value that it stores (a lock that is held), it changes nothing.
#define ck_pr_fas_uint(target, value)                                \
    ({                                                               \
        schedule_drain();                                            \
        const unsigned hook_found = (ck_pr_fas_uint)(target, value); \
        schedule_point(hook_found != (unsigned)(value));             \
        hook_found;                                                  \
    })
// If it fails, the word has changed since it was loaded, perhaps for the last time. So the next wait is none.
#define ck_pr_cas_64(target, before, after)                           \
    ({                                                                \
        schedule_drain();                                             \
        const bool hook_done = (ck_pr_cas_64)(target, before, after); \
        schedule_point(hook_done);                                    \
        if (!hook_done) schedule_look_again();                        \
        hook_done;                                                    \
    })

#include <ck_spinlock.h>

// The only system call is membarrier.
#include <unistd.h>
#define syscall(number, ...) (schedule_membarrier() ? 0 : -1)

#define pthread_mutex_lock schedule_lock
#define pthread_mutex_unlock schedule_unlock
#define pthread_key_create schedule_key_create
#define pthread_setspecific schedule_setspecific
#define free schedule_free

// Instead of waiting.h.
#define HOP_WAITING_H
static inline void hop_wait_a_little(unsigned *rounds) {
    (void)rounds;
    schedule_wait();
}
static inline void hop_wait_for_store_buffers(void) { schedule_drain_all(); }

#endif
