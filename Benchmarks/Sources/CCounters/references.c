// The hooks of the Swift runtime: variables through which it calls retain and release if a flag is set.
#include <stdatomic.h>
#include <stddef.h>

#include "thread.h"

_Thread_local counters counters_of_thread __attribute__((tls_model("initial-exec")));

counters counters_read(void) { return counters_of_thread; }

static _Atomic(const void *) watched;

void counters_watch(const void *object) { atomic_store_explicit(&watched, object, memory_order_relaxed); }

static void count_retains(const void *object, uint64_t count) {
    if (object == NULL) return;
    if (object == atomic_load_explicit(&watched, memory_order_relaxed)) {
        counters_of_thread.watched_retains += count;
    } else {
        counters_of_thread.other_retains += count;
    }
}

static void count_releases(const void *object, uint64_t count) {
    if (object == NULL) return;
    if (object == atomic_load_explicit(&watched, memory_order_relaxed)) {
        counters_of_thread.watched_releases += count;
    } else {
        counters_of_thread.other_releases += count;
    }
}

// Weak: these are null in a runtime without the hooks.
extern void *(*_swift_retain)(void *)__attribute__((weak));
extern void *(*_swift_retain_n)(void *, uint32_t) __attribute__((weak));
extern void *(*_swift_tryRetain)(void *)__attribute__((weak));
extern void (*_swift_release)(void *) __attribute__((weak));
extern void (*_swift_release_n)(void *, uint32_t) __attribute__((weak));
extern _Atomic(bool) _swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly __attribute__((weak));

static void *(*runtime_retain)(void *);
static void *(*runtime_retain_n)(void *, uint32_t);
static void *(*runtime_try_retain)(void *);
static void (*runtime_release)(void *);
static void (*runtime_release_n)(void *, uint32_t);

static void *counted_retain(void *object) {
    count_retains(object, 1);
    return runtime_retain(object);
}

static void *counted_retain_n(void *object, uint32_t count) {
    count_retains(object, count);
    return runtime_retain_n(object, count);
}

static void *counted_try_retain(void *object) {
    count_retains(object, 1);
    return runtime_try_retain(object);
}

static void counted_release(void *object) {
    count_releases(object, 1);
    runtime_release(object);
}

static void counted_release_n(void *object, uint32_t count) {
    count_releases(object, count);
    runtime_release_n(object, count);
}

bool counters_count_references(bool on) {
    if (&_swift_retain == NULL || &_swift_retain_n == NULL || &_swift_tryRetain == NULL || &_swift_release == NULL ||
        &_swift_release_n == NULL) {
        return false;
    }
    if (runtime_retain == NULL) {
        runtime_retain = _swift_retain;
        runtime_retain_n = _swift_retain_n;
        runtime_try_retain = _swift_tryRetain;
        runtime_release = _swift_release;
        runtime_release_n = _swift_release_n;
    }
    _swift_retain = on ? counted_retain : runtime_retain;
    _swift_retain_n = on ? counted_retain_n : runtime_retain_n;
    _swift_tryRetain = on ? counted_try_retain : runtime_try_retain;
    _swift_release = on ? counted_release : runtime_release;
    _swift_release_n = on ? counted_release_n : runtime_release_n;
    // Runtimes without the flag always call through the variables.
    if (&_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly != NULL) {
        atomic_store(&_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly, on);
    }
    return true;
}
