// The library's C sources as they are. The functions that the facade calls for what threads share get other names here, so
// that `hooks.c` can put a schedule point after each of them; what waits for read sections waits for the scheduler.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE  // As the sources have it that need it.
#endif
#include "CScheduler.h"

// Instead of waiting.h.
#define HOP_WAITING_H
static inline void hop_wait_a_little(unsigned *rounds) {
    (void)rounds;
    schedule_wait_for_section();
}

#include "renamed.h"

// The headers say what may be null in regions that end with them.
#pragma clang diagnostic ignored "-Wnullability-completeness"

#include "library/memory.c"
#include "library/primitives.c"
#include "library/reclaim.c"
#include "library/registry.c"
#include "library/stack.c"
#include "library/table.c"
