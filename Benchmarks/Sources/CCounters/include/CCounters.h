// CCounters: how often the calling thread allocated, retained and released.
//
// Allocations are counted where the program meets the C library: this target defines malloc and its family, counts, and
// passes on to the ones of glibc. Retains and releases are counted through the hooks that the Swift runtime keeps for
// instruments. Both work by what others promise only loosely, so nothing here is to be believed without a positive
// control in the same run.
#ifndef CCOUNTERS_H
#define CCOUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// What a thread did so far, or between two readings.
typedef struct counters {
    /// Calls of malloc, calloc, realloc, posix_memalign, aligned_alloc and memalign.
    uint64_t allocations;
    /// References taken, by object: on the watched one, and on all others.
    uint64_t watched_retains;
    uint64_t other_retains;
    /// References given back, by object.
    uint64_t watched_releases;
    uint64_t other_releases;
} counters;

/// Whether this platform can count allocations.
bool counters_count_allocations(void);

/// Starts or stops counting retains and releases, on all threads.
///
/// Context:    While it counts, everything is slower, and nothing but what is to be counted should run: the runtime of
///             Swift 6.3 crashes then when it retains a string that is small enough to have no object.
/// Returns:    Whether this Swift runtime has the hooks.
bool counters_count_references(bool on);

/// Makes an object the watched one, for all threads; NULL ends that.
void counters_watch(const void *_Nullable object);

/// What the calling thread did so far.
counters counters_read(void);

/// How many cores this process may use, which may be fewer than the machine has.
long counters_usable_cores(void);

#pragma clang assume_nonnull end

#endif
