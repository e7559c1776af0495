// Counts the instructions between two calls, under valgrind's callgrind, and runs threads.
#ifndef CSCALING_H
#define CSCALING_H

#include <stdbool.h>

#pragma clang assume_nonnull begin

/// Whether the process runs under valgrind, so that something is counted.
bool sca_counts(void);

/// Sets all counts to zero.
void sca_begin(void);

/// Writes the counts to a file, which names the label, and sets them to zero.
void sca_end(const char *label);

/// Threads that do nothing but live until they are told to end.
typedef struct sca_threads sca_threads;

/// Starts threads that call `body` once, and returns when all of them have. Ends the process if the system refuses one.
sca_threads *sca_threads_start(unsigned count, void (*body)(unsigned number, void *context), void *context);

/// Ends the threads and waits for them.
void sca_threads_end(sca_threads *threads);

#pragma clang assume_nonnull end

#endif
