// Counts the instructions between two calls, under valgrind's callgrind, and runs threads.
#ifndef CSCALING_H
#define CSCALING_H

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// Whether the process runs under valgrind, so that instructions are counted.
bool sca_counts(void);

/// Sets all counts to zero.
void sca_begin(void);

/// Writes the counts to a file with the label, and sets them to zero.
void sca_end(const char *label);

/// The number of bytes that the program has allocated and not freed; zero if the C library does not tell.
size_t sca_heap(void);

/// Threads that stay alive without work until they are told to end.
typedef struct sca_threads sca_threads;

/// Starts threads that call `body` once, and returns when all of them have called it. Traps if the system refuses a thread.
sca_threads *sca_threads_start(unsigned count, void (*body)(unsigned number, void *context), void *context);

/// Ends the threads and waits for them.
void sca_threads_end(sca_threads *threads);

/// Blocks the calling thread in the middle of its `body`, until the threads are resumed. `sca_threads_start` returns when all threads
/// have called `body` or have paused. Each pauses at most once.
void sca_threads_pause(void);

/// Resumes the threads that have paused, and returns when all of them have returned from `body`.
void sca_threads_resume(sca_threads *threads);

#pragma clang assume_nonnull end

#endif
