// Allocation that traps if it fails. A registration must not be visible in part, and a container that silently lost one would
// be wrong from then on. So the process traps, with a one-line message that says why.
#include "memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CRegistry.h"

/// The number of allocations that succeed before one fails; negative if none fails. Only tests set it.
static _Atomic long successes_left = -1;

void hop_fail_allocation_after(long successes) {
    atomic_store_explicit(&successes_left, successes, memory_order_relaxed);
}

static bool hop_injected_failure(void) {
    if (__builtin_expect(atomic_load_explicit(&successes_left, memory_order_relaxed) < 0, 1)) return false;
    return atomic_fetch_sub_explicit(&successes_left, 1, memory_order_relaxed) == 0;
}

static _Noreturn void hop_fail_allocation(size_t size, const char *what) {
    char line[128];
    snprintf(line, sizeof line, "out of memory: could not allocate %zu bytes for %s", size, what);
    hop_fail(line);
}

void *hop_allocate(size_t size, const char *what) {
    void *memory = hop_injected_failure() ? NULL : malloc(size);
    if (memory == NULL) hop_fail_allocation(size, what);
    return memory;
}

void *hop_allocate_aligned(size_t size, const char *what) {
    void *memory = NULL;
    if (hop_injected_failure() || posix_memalign(&memory, HOP_CACHE_LINE, size) != 0) hop_fail_allocation(size, what);
    return memset(memory, 0, size);
}

void hop_fail(const char *what) {
    fprintf(stderr, "Hopoate: %s\n", what);
    abort();
}
