// What the facade needs of C besides the registry.
//
// The contracts are stated as in CRegistry.h.
#ifndef CSUPPORT_H
#define CSUPPORT_H

#include <stdbool.h>

#pragma clang assume_nonnull begin

#if defined(__cplusplus)
extern "C" {
#endif

/// Whether the calling thread has used up nearly all of its stack: less than a quarter is left, or less than 256 KiB if that
/// is less, but in any case no more than half.
///
/// Context:    Any thread.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   None.
/// Complexity: One load and one comparison; asks the system on the thread's first use.
bool hop_stack_is_low(void);

#if defined(__cplusplus)
}
#endif

#pragma clang assume_nonnull end

#endif
