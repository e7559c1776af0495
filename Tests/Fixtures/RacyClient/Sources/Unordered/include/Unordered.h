// Two threads that ThreadSanitizer sees as unordered.
#ifndef UNORDERED_H
#define UNORDERED_H

#include <stdbool.h>

#pragma clang assume_nonnull begin

/// Runs a function on two threads, which are both started first. With `one_after_the_other`, the second thread runs it after the
/// first, otherwise both run it concurrently. Returns when both have ended.
void unordered_run(void (*body)(void), bool one_after_the_other);

#pragma clang assume_nonnull end

#endif
