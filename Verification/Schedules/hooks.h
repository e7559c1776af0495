// Included before each source of the library: every step on shared memory becomes a schedule point. A point comes after its
// step. So code that follows a load without a further step, such as reading a node, may find everything changed.
#ifndef HOOKS_H
#define HOOKS_H

#include <ck_epoch.h>
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
// A thread loads its own late stores.
#define HOOK_LOAD(type, object, load)                                   \
    ({                                                                  \
        type hook_value;                                                \
        uint64_t hook_word;                                             \
        if (schedule_own_store((const void *)(object), &hook_word)) {   \
            memcpy((void *)&hook_value, &hook_word, sizeof hook_value); \
        } else {                                                        \
            hook_value = (load);                                        \
        }                                                               \
        schedule_point(false);                                          \
        hook_value;                                                     \
    })
#define HOOK_STORE(type, object, value, is_release)                                 \
    ({                                                                              \
        type hook_value = (value);                                                  \
        uint64_t hook_word = 0;                                                     \
        memcpy(&hook_word, (const void *)&hook_value, sizeof hook_value);           \
        schedule_store((void *)(object), hook_word, sizeof hook_value, is_release); \
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
#define atomic_load_explicit(object, order) HOOK_LOAD(HOOK_TYPE(object), object, __c11_atomic_load(object, order))
#define atomic_store_explicit(object, value, order) \
    HOOK_STORE(HOOK_TYPE(object), object, value, (order) != memory_order_relaxed)
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

// The fields of Concurrency Kit, which are not of an atomic type.
#define HOOK_PLAIN(object) (*(volatile __typeof__(*(object)) *)(object))
#define __atomic_load_n(object, order) HOOK_LOAD(__typeof__(*(object)), object, HOOK_PLAIN(object))
#define __atomic_store_n(object, value, order) \
    HOOK_STORE(__typeof__(*(object)), object, value, (order) != __ATOMIC_RELAXED)

// The list of slabs: the macros of ck_queue.h use these.
#undef ck_pr_load_ptr
#define ck_pr_load_ptr(object) HOOK_LOAD(__typeof__(*(object)), object, HOOK_PLAIN(object))
#undef ck_pr_store_ptr
#define ck_pr_store_ptr(object, value) HOOK_STORE(__typeof__(*(object)), object, value, false)
#undef ck_pr_fence_store
#define ck_pr_fence_store() schedule_release_fence()

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
#define ck_pr_cas_uint(target, before, after)                           \
    ({                                                                  \
        schedule_drain();                                               \
        const bool hook_done = (ck_pr_cas_uint)(target, before, after); \
        schedule_point(hook_done);                                      \
        hook_done;                                                      \
    })

#include <ck_spinlock.h>

// Records of an epoch domain are taken and returned under the lock of the library, each in one step.
#define ck_epoch_recycle(domain, owner) HOOK((ck_epoch_recycle)(domain, owner), true)
#define ck_epoch_register(domain, record, owner) HOOK(((ck_epoch_register)(domain, record, owner), true), true)
#define ck_epoch_unregister(record) HOOK(((ck_epoch_unregister)(record), true), true)

/// Whether a section of a record was open when it was looked at. The record may be free.
static inline bool hook_is_open(ck_epoch_record_t *record) {
    // The state is loaded in the same step as `active`, which is 0 whenever a record becomes free, or ceases to be.
    return (HOOK_PLAIN(&record->state) & 1) == 0 && __atomic_load_n(&record->active, __ATOMIC_RELAXED) != 0;
}

/// The steps of ck_epoch_synchronize_wait, version 0.7.1. The compiled function has no schedule points, and its loop would never end.
static inline void hook_synchronize(ck_epoch_t *domain, ck_epoch_wait_cb_t *wait, void *context) {
    schedule_fence();
    unsigned seen = __atomic_load_n(&domain->epoch, __ATOMIC_RELAXED);
    const unsigned first = seen, goal = first + 3;
    for (unsigned looks = 0; looks < 2; looks++) {
        bool is_any_open = false;
        for (ck_stack_entry_t *entry = CK_STACK_FIRST(&domain->records); entry != NULL;) {
            ck_epoch_record_t *record = (ck_epoch_record_t *)entry;  // Its first field.
            const bool is_open = hook_is_open(record);
            is_any_open |= is_open;
            if (!is_open || __atomic_load_n(&record->epoch, __ATOMIC_RELAXED) == seen) {
                entry = CK_STACK_NEXT(entry);
                continue;
            }
            const unsigned now = __atomic_load_n(&domain->epoch, __ATOMIC_RELAXED);
            if (now == seen) {
                // Another thread may have written one of these words since this thread loaded it. Then no later write would wake this thread.
                if (HOOK_PLAIN(&record->active) == 0 || HOOK_PLAIN(&record->epoch) == seen ||
                    HOOK_PLAIN(&domain->epoch) != seen)
                    schedule_look_again();
                wait(domain, record, context);
                continue;  // With the same record. That one was open is not forgotten.
            }
            seen = now;
            if (goal > first && seen >= goal) {
                schedule_fence();
                return;
            }
            schedule_look_again();
            wait(domain, record, context);
            entry = CK_STACK_FIRST(&domain->records);
            is_any_open = false;
        }
        if (!is_any_open) break;
        schedule_drain();
        const bool is_advanced = (ck_pr_cas_uint_value)(&domain->epoch, seen, seen + 1, &seen);
        seen += is_advanced;
        schedule_point(is_advanced);
    }
    schedule_fence();
}
#define ck_epoch_synchronize_wait hook_synchronize

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
