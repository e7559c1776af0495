// The counters of the calling thread.
#ifndef CCOUNTERS_THREAD_H
#define CCOUNTERS_THREAD_H

#include "CCounters.h"

/// Initial-exec: access is one load. Above all, the first use on a thread does not allocate, which would count itself
/// recursively.
extern _Thread_local counters counters_of_thread __attribute__((tls_model("initial-exec")));

#endif
