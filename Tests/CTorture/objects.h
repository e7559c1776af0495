// Objects that show whether they are alive. See objects.c.
#ifndef TORTURE_OBJECTS_H
#define TORTURE_OBJECTS_H

#include <stdatomic.h>

#include "CTorture.h"

#pragma clang assume_nonnull begin

struct torture_nursery;

struct torture_object {
    /// TORTURE_LIVE or TORTURE_DEAD. Atomic, so that reading a dead object is defined.
    _Atomic uint64_t state;
    /// The reference of the registry, and those of readers.
    _Atomic uint32_t references;
    /// Whether a registry owns the object.
    _Atomic bool registered;
    /// The stamp of its key. Not atomic, so that ThreadSanitizer reports a registry that does not order the release after the
    /// reads, or the reads after the publication.
    uint64_t stamp;
    /// Unique for each use of the memory. Not atomic, for the same reason.
    uint64_t version;
    struct torture_nursery *nursery;
    /// The next object in the quarantine.
    struct torture_object *_Nullable younger;
    /// The list of all allocated objects.
    struct torture_object *_Nullable next;
};

struct torture_nursery *torture_nursery_make(unsigned threads);

/// Lets releases call back into a registry. NULL ends that.
void torture_nursery_reenter(struct torture_nursery *nursery, hop_registry *_Nullable registry);

/// Writes the report. All threads that have used the objects have ended, so all objects must be dead. Frees the nursery if they are.
void torture_nursery_end(struct torture_nursery *nursery, struct torture_report *report);

/// Returns an object, new or reused, with one reference for the registry.
struct torture_object *torture_object_make(struct torture_nursery *nursery, uint64_t stamp);

/// The release callback.
void torture_object_release(const void *payload);

/// The retain callback.
void torture_object_retain(const void *payload);

/// Drops a reference of `torture_object_retain`.
void torture_object_drop(const void *payload);

/// Checks several times that an object is alive and unchanged, and reports violations.
void torture_object_inspect(const struct torture_object *object, uint64_t stamp, unsigned rounds,
                            struct torture_report *report);

#pragma clang assume_nonnull end

#endif
