// Objects that show whether they are alive. See objects.c.
#ifndef TORTURE_OBJECTS_H
#define TORTURE_OBJECTS_H

#include <stdatomic.h>

#include "CTorture.h"

#pragma clang assume_nonnull begin

struct torture_nursery;

struct torture_object {
    /// TORTURE_LIVE or TORTURE_DEAD. Atomic, so that looking at a dead one is defined.
    _Atomic uint64_t state;
    /// The registry's one, and those that readers took.
    _Atomic uint32_t references;
    /// Whether a registry owns it.
    _Atomic bool registered;
    /// Of the key that it is registered under. Plain: ThreadSanitizer reports a registry that does not order its release
    /// after the reads, or the reads after its publication.
    uint64_t stamp;
    /// No two lives have the same one. Plain, as above.
    uint64_t version;
    struct torture_nursery *nursery;
    /// In the quarantine.
    struct torture_object *_Nullable younger;
    /// All that were ever allocated.
    struct torture_object *_Nullable next;
};

struct torture_nursery *torture_nursery_make(unsigned threads);

/// Lets releases call back into a registry; NULL ends that.
void torture_nursery_reenter(struct torture_nursery *nursery, hop_registry *_Nullable registry);

/// Waits until all objects are dead, for some seconds at most, and writes the account. Frees the nursery if they are.
void torture_nursery_end(struct torture_nursery *nursery, struct torture_report *report);

/// An object in its next life, with the one reference that the registry is going to own.
struct torture_object *torture_object_make(struct torture_nursery *nursery, uint64_t stamp);

/// The release callback.
void torture_object_release(const void *payload);

/// The retain callback.
void torture_object_retain(const void *payload);

/// Gives back what `torture_object_retain` took.
void torture_object_drop(const void *payload);

/// Looks several times whether an object is alive and the same, and notes what is wrong.
void torture_object_inspect(const struct torture_object *object, uint64_t stamp, unsigned rounds,
                            struct torture_report *report);

#pragma clang assume_nonnull end

#endif
