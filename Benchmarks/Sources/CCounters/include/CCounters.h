// CCounters: counts the allocations, allocated bytes, retains and releases of the calling thread.
//
// Allocations are counted by interposition: this target defines malloc and its family, counts each call, and forwards it to
// glibc. Retains and releases are counted through the hooks that the Swift runtime offers to instruments. Neither mechanism is a
// guaranteed interface, so every run needs a positive control.
#ifndef CCOUNTERS_H
#define CCOUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The counts of a thread so far, or between two readings.
typedef struct counters {
    /// Calls of malloc, calloc, realloc, posix_memalign, aligned_alloc and memalign.
    uint64_t allocations;
    /// The bytes that these calls ask for.
    uint64_t bytes;
    /// Retains, by object: of the watched object and of all others.
    uint64_t watched_retains;
    uint64_t other_retains;
    /// Releases, by object.
    uint64_t watched_releases;
    uint64_t other_releases;
} counters;

/// Returns whether this platform can count allocations.
bool counters_count_allocations(void);

/// Starts or stops counting retains and releases, on all threads.
///
/// Context:    Everything is slower while it counts. Run nothing but the code to count: the runtime of Swift 6.3 crashes
///             then when it retains a string that is small enough to have no object.
/// Returns:    Whether this Swift runtime has the hooks.
bool counters_count_references(bool on);

/// Sets the watched object for all threads. NULL clears it.
void counters_watch(const void *_Nullable object);

/// Returns the counts of the calling thread so far.
counters counters_read(void);

/// Returns the number of cores that this process may use, which may be fewer than the machine has.
long counters_usable_cores(void);

#pragma clang assume_nonnull end

#endif
