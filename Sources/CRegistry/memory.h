// Allocation that cannot fail quietly.
#ifndef HOP_MEMORY_H
#define HOP_MEMORY_H

#include <stddef.h>

#pragma clang assume_nonnull begin

/// The size of a cache line, or a multiple: what two threads write is kept this far apart, in bytes.
#define HOP_CACHE_LINE 64

/// Allocates zeroed memory, aligned to a cache line, or ends the process with one line that names `what`.
///
/// Context:    Any thread; may be called with the writer's lock held.
/// Requires:   `size` is not zero.
/// Ownership:  The caller frees it with `free`.
/// Ordering:   None.
/// Complexity: Linear in `size`.
void *hop_allocate(size_t size, const char *what);

/// Ends the process with one line.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   None.
/// Complexity: Does not return.
_Noreturn void hop_fail(const char *what);

#pragma clang assume_nonnull end

#endif
