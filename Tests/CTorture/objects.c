// Objects that show whether they are alive, and the nursery that recycles them.
//
// The registry promises that an object is not released while the section of a reader that found it lasts, nor while a thread borrows it.
// To detect a violation, a released object is marked dead and its memory goes to the end of a queue, from which it is reused after
// many others. A reader that still uses it finds it dead or, much later, reused with another version. It never reads freed memory,
// which would only be detected by a sanitizer.
#include "objects.h"

#include <pthread.h>
#include <stdlib.h>

static const uint64_t TORTURE_LIVE = UINT64_C(0x11FE11FE11FE11FE);
static const uint64_t TORTURE_DEAD = UINT64_C(0xDEADDEADDEADDEAD);

enum {
    /// Dead objects per thread in the quarantine before the first of them is reused.
    AGE = 256,
    /// Every n-th release calls back into a registry.
    REENTRY = 16,
};

struct torture_nursery {
    pthread_mutex_t lock;
    // Guarded by the lock.
    struct torture_object *oldest;
    struct torture_object *youngest;
    struct torture_object *all;
    size_t quarantined;
    size_t quarantine;
    uint64_t version;

    _Atomic(hop_registry *) reentered;
    _Atomic uint64_t made;
    _Atomic uint64_t releases;
    _Atomic uint64_t deaths;
    _Atomic uint64_t resurrected;
    _Atomic uint64_t twice;
};

static void add(_Atomic uint64_t *counter) { atomic_fetch_add_explicit(counter, 1, memory_order_relaxed); }

static uint64_t value(const _Atomic uint64_t *counter) { return atomic_load_explicit(counter, memory_order_acquire); }

struct torture_nursery *torture_nursery_make(unsigned threads) {
    struct torture_nursery *nursery = calloc(1, sizeof *nursery);
    if (nursery == NULL || pthread_mutex_init(&nursery->lock, NULL) != 0) abort();
    nursery->quarantine = (size_t)threads * AGE;
    return nursery;
}

void torture_nursery_reenter(struct torture_nursery *nursery, hop_registry *registry) {
    atomic_store_explicit(&nursery->reentered, registry, memory_order_release);
}

void torture_nursery_end(struct torture_nursery *nursery, struct torture_report *report) {
    report->pushes = value(&nursery->made);
    report->releases = value(&nursery->releases);
    report->leaked = report->pushes - value(&nursery->deaths);
    report->resurrected = value(&nursery->resurrected);
    report->twice = value(&nursery->twice);
    // A thread may still borrow leaked objects, so the memory must stay.
    if (report->leaked != 0) return;
    for (struct torture_object *object = nursery->all, *next; object != NULL; object = next) {
        next = object->next;
        free(object);
    }
    pthread_mutex_destroy(&nursery->lock);
    free(nursery);
}

struct torture_object *torture_object_make(struct torture_nursery *nursery, uint64_t stamp) {
    pthread_mutex_lock(&nursery->lock);
    struct torture_object *object = NULL;
    if (nursery->quarantined > nursery->quarantine) {
        object = nursery->oldest;
        nursery->oldest = object->younger;
        nursery->quarantined -= 1;
    } else {
        object = calloc(1, sizeof *object);
        if (object == NULL) abort();
        object->nursery = nursery;
        object->next = nursery->all;
        nursery->all = object;
    }
    const uint64_t version = ++nursery->version;
    pthread_mutex_unlock(&nursery->lock);
    object->stamp = stamp;
    object->version = version;
    atomic_store_explicit(&object->references, 1, memory_order_relaxed);
    atomic_store_explicit(&object->registered, true, memory_order_relaxed);
    atomic_store_explicit(&object->state, TORTURE_LIVE, memory_order_relaxed);
    add(&nursery->made);
    return object;
}

/// Acts like the deinitializer of a service: looks up, registers and removes.
static void reenter(hop_registry *registry, struct torture_nursery *nursery, uint64_t version) {
    const hop_key key = {.type = (uintptr_t)(version % 61 + 1) * 16, .discriminator = 0};
    (void)hop_contains(registry, key);
    // Stamp zero, so that its own release does not call back.
    struct torture_object *object = torture_object_make(nursery, 0);
    hop_push(registry, key, object, NULL);
    hop_remove(registry, key, object, torture_object_release);
}

void torture_object_release(const void *payload) {
    struct torture_object *object = (struct torture_object *)payload;
    struct torture_nursery *nursery = object->nursery;
    if (!atomic_exchange_explicit(&object->registered, false, memory_order_relaxed)) {
        add(&nursery->twice);
        return;
    }
    add(&nursery->releases);
    if (object->stamp != 0 && object->version % REENTRY == 0) {
        hop_registry *registry = atomic_load_explicit(&nursery->reentered, memory_order_acquire);
        if (registry != NULL) reenter(registry, nursery, object->version);
    }
    // The last step: once all objects are dead, no thread is in this function.
    torture_object_drop(object);
}

void torture_object_retain(const void *payload) {
    struct torture_object *object = (struct torture_object *)payload;
    if (atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed) == 0)
        add(&object->nursery->resurrected);
}

void torture_object_drop(const void *payload) {
    struct torture_object *object = (struct torture_object *)payload;
    struct torture_nursery *nursery = object->nursery;
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) != 1) return;
    if (atomic_exchange_explicit(&object->state, TORTURE_DEAD, memory_order_relaxed) != TORTURE_LIVE) {
        add(&nursery->twice);
        return;
    }
    object->stamp = TORTURE_DEAD;
    object->version = TORTURE_DEAD;
    object->younger = NULL;
    pthread_mutex_lock(&nursery->lock);
    if (nursery->quarantined++ == 0) {
        nursery->oldest = object;
    } else {
        nursery->youngest->younger = object;
    }
    nursery->youngest = object;
    pthread_mutex_unlock(&nursery->lock);
    // Release: pairs with the acquire in torture_nursery_end, which frees dead objects.
    atomic_fetch_add_explicit(&nursery->deaths, 1, memory_order_release);
}

void torture_object_inspect(const struct torture_object *object, uint64_t stamp, unsigned rounds,
                            struct torture_report *report) {
    // Volatile, so that each access is performed. Not atomic, so that ThreadSanitizer checks it.
    const volatile uint64_t *seen_stamp = &object->stamp;
    const volatile uint64_t *seen_version = &object->version;
    const uint64_t version = *seen_version;
    for (unsigned round = 0; round < rounds; round++) {
        if (atomic_load_explicit(&object->state, memory_order_relaxed) != TORTURE_LIVE) {
            report->dead += 1;
        } else if (*seen_stamp != stamp || *seen_version != version) {
            report->foreign += 1;
        }
    }
}
