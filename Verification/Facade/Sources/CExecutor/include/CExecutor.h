#ifndef FACADE_CEXECUTOR_H
#define FACADE_CEXECUTOR_H

#include <stdint.h>

/// Sends every job of the global and of the main executor of this process to a function, instead of to threads.
void facade_executor_install(void (*_Nonnull enqueue)(void *_Nonnull job));

/// Runs a job of the global executor on this thread, until it ends or suspends.
void facade_executor_run(void *_Nonnull job);

/// Runs a function on a thread of its own, and waits until that thread ends.
void facade_thread_run(void (*_Nonnull body)(void *_Nullable context), void *_Nullable context);

/// Ends this thread, here and now.
_Noreturn void facade_thread_exit(void);

/// Prints a line when the process is about to die by a signal. `line` must stay valid.
void facade_signals_report(const char *_Nonnull line);

#endif
