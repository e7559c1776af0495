#ifndef FACADE_CEXECUTOR_H
#define FACADE_CEXECUTOR_H

#include <stdint.h>

/// Passes every job of the global executor and of the main executor to a function, instead of running it on threads.
void facade_executor_install(void (*_Nonnull enqueue)(void *_Nonnull job));

/// Runs a job of the global executor on the calling thread, until it ends or suspends.
void facade_executor_run(void *_Nonnull job);

/// Runs a function on a new thread, and waits until that thread ends.
void facade_thread_run(void (*_Nonnull body)(void *_Nullable context), void *_Nullable context);

/// Ends the calling thread at once.
_Noreturn void facade_thread_exit(void);

/// Prints a line if a signal is about to kill the process. `line` must stay valid.
void facade_signals_report(const char *_Nonnull line);

#endif
