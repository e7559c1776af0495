#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "CRegistry.h"

/// Chooses how readers and writers order their steps: as on a system that grants membarrier, or as on one that refuses it.
void library_choose(bool membarrier);

/// Whether each thread record has a slab of its own.
bool library_is_apart(void);

/// Resets the thread-locals of the library to their values at the start of a thread.
void library_begin_thread(void);

/// Gives the calling thread its record.
void library_make_record(void);

/// The number of payloads that a registry holds.
size_t library_count(const hop_registry *registry);

/// Resets the library to its state at the start of the process. Remaining garbage is a finding, and so is a record that a thread
/// has not returned.
void library_forget(void);

#endif
