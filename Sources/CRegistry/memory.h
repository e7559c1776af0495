// Allocation that traps if it fails.
#ifndef HOP_MEMORY_H
#define HOP_MEMORY_H

#include <stddef.h>

#pragma clang assume_nonnull begin

/// The size of a cache line in bytes. Fields that different threads write are at least this far apart.
#define HOP_CACHE_LINE 64

/// Allocates memory, or traps with a one-line message that names `what`.
///
/// Context:    Any thread; may be called with a lock held.
/// Requires:   `size` is not zero.
/// Ownership:  The caller frees it with `free`.
/// Ordering:   None.
/// Complexity: Constant. The memory is not zeroed: calloc takes the slow path of glibc's allocator.
void *hop_allocate(size_t size, const char *what);

/// As `hop_allocate`, but zeroed and aligned to a cache line. This takes several times as long.
void *hop_allocate_aligned(size_t size, const char *what);

/// Makes the allocation after the next `successes` ones fail, as if memory had run out. A negative number stops this. Only for tests, which
/// declare it themselves.
///
/// Context:    Any thread.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Relaxed.
/// Complexity: One store.
void hop_fail_allocation_after(long successes);

/// Traps with a one-line message.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   None.
/// Complexity: Does not return.
_Noreturn void hop_fail(const char *what);

#pragma clang assume_nonnull end

#endif
