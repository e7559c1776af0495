// The counters of the calling thread.
#ifndef CCOUNTERS_THREAD_H
#define CCOUNTERS_THREAD_H

#include "CCounters.h"

/// Initial-exec: one load, and above all no allocation at a thread's first use, which would count itself for ever.
extern _Thread_local counters counters_of_thread __attribute__((tls_model("initial-exec")));

#endif
