// Two threads that ThreadSanitizer sees as unordered.
#ifndef UNORDERED_H
#define UNORDERED_H

#include <stdbool.h>

#pragma clang assume_nonnull begin

/// When the threads run their function.
enum unordered_form {
    /// Both concurrently.
    UNORDERED_PARALLEL,
    /// The second one after the first one has ended.
    UNORDERED_SEQUENTIAL,
    /// As `UNORDERED_SEQUENTIAL`, but while the threads end: in the second pass of the destructors of their thread-specific values, so
    /// those that a library has set before have run.
    UNORDERED_LATE,
} __attribute__((enum_extensibility(closed)));

/// Runs a function on two threads, and returns when both have ended. Each thread calls `begin` before.
void unordered_run(enum unordered_form form, void (*begin)(void), void (*body)(void));

#pragma clang assume_nonnull end

#endif
