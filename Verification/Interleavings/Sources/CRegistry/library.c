// The library's C sources, unchanged. Functions that work on shared memory, and that the Swift code calls, get other names here, so
// that `hooks.c` can add a schedule point to each. A wait for read sections waits for the scheduler instead.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE  // Like the sources that need it.
#endif
#include "CScheduler.h"

// Instead of waiting.h.
#define HOP_WAITING_H
static inline void hop_wait_a_little(unsigned *rounds) {
    (void)rounds;
    schedule_wait_for_section();
}
// Steps are sequentially consistent here, so no store is late.
static inline void hop_wait_for_store_buffers(void) {}

#include "renamed.h"

// The headers state nullability in regions that end with each header.
#pragma clang diagnostic ignored "-Wnullability-completeness"

#include "library/memory.c"
#include "library/primitives.c"
#include "library/reclaim.c"
#include "library/registry.c"
#include "library/stack.c"
#include "library/table.c"
