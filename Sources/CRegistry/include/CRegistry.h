// CRegistry: stacks of opaque pointers by key, read without locks.
//
// This is the whole seam between C and Swift. Words go in, words come out, and a callback lets go of what was
// removed. Nothing of Concurrency Kit is visible here, so nothing of it reaches the modules that import this one.
//
// Every function states, in this order:
//   Context     where it may be called
//   Requires    what the caller guarantees
//   Ownership   who owns what afterwards
//   Ordering    what another thread may rely on
//   Complexity  what it costs
#ifndef CREGISTRY_H
#define CREGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CSupport.h"

#pragma clang assume_nonnull begin

#if defined(__cplusplus)
extern "C" {
#endif

/// A table from keys to newest-first stacks of opaque pointers ("payloads").
/// Wherever one is expected, NULL means the process-wide default registry, which exists from the start and never ends.
typedef struct hop_registry hop_registry;

/// What a payload is registered under: the identity of a type, and a word that tells registrations of one type apart
/// (zero where there is nothing to tell apart). `type` is never zero.
typedef struct hop_key {
    uintptr_t type;
    uintptr_t discriminator;
} hop_key;

/// The calling thread's part in reclamation. While it is inside a read section, nothing that it found there goes away.
typedef struct hop_thread hop_thread;

/// What a lookup found, and the section that keeps it alive.
typedef struct hop_found {
    /// The newest payload of the key; NULL where there is none.
    const void *_Nullable payload;
    /// To be handed to the matching `_end`, also where nothing was found.
    hop_thread *thread;
} hop_found;

/// Lets go of a payload that has left its registry.
/// Called exactly once for each payload, outside every lock and every short read section; may call anything in this header.
/// Inside a borrowed section only where the calling thread itself writes, destroys, or ends a section there.
typedef void (*hop_release)(const void *payload);

/// Makes a payload outlive the read section in which it was found (by taking a reference, say).
/// Called inside a short read section: must be brief, must not block and must not call anything in this header.
typedef void (*hop_retain)(const void *payload);

// MARK: Reading

/// Enters a short read section and looks the newest payload of a key up.
///
/// Context:    Any thread, outside short read sections; inside borrowed ones it is fine.
/// Requires:   `hop_section_end` follows on the same thread within nanoseconds: writers wait for it. No user code between.
/// Ownership:  The payload stays the registry's. It is valid until `hop_section_end`.
/// Ordering:   Acquire: what happened before the payload was pushed is visible.
/// Complexity: Wait-free. One probe almost always. Allocates on the thread's first use only; writes to no shared line.
hop_found hop_read_begin(const hop_registry *_Nullable registry, hop_key key);

/// Enters a short read section without looking anything up. Ends with `hop_section_end`.
///
/// Context:    As `hop_read_begin`.
/// Requires:   As `hop_read_begin`.
/// Ownership:  As `hop_read_begin`, for what the caller reads.
/// Ordering:   Full fence: loads after it are not satisfied before it. Pairs with `hop_wait_for_reads`.
/// Complexity: As `hop_read_begin`.
hop_thread *hop_section_begin(void);

/// Leaves the short read section that `hop_read_begin` or `hop_section_begin` entered.
///
/// Context:    The thread that entered it.
/// Requires:   `thread` is from the matching begin.
/// Ownership:  What was found in the section may be gone on return, unless it was retained inside.
/// Ordering:   Release: all uses in the section happen before the release callback of what was found there.
/// Complexity: Wait-free, one store.
void hop_section_end(hop_thread *thread);

/// Enters a borrowed read section, in which user code may run, and looks the newest payload of a key up.
///
/// Context:    Any thread, outside short read sections. Borrowed sections nest, also those of different registries.
/// Requires:   `hop_borrow_end` follows on the same thread, in reverse order of entry. In the section the caller uses only
///             payloads of this registry, and of those that sections around it read.
/// Ownership:  The payload stays the registry's. It is valid until the section ends.
/// Ordering:   Acquire, as `hop_read_begin`.
/// Complexity: Wait-free, as `hop_read_begin`; inside a section of another registry with another fence. No writer ever waits
///             for a borrowed section. Removals from this registry are put off until its end; removals from others are not,
///             unless the thread is in sections of more than four registries at once: then all removals are.
hop_found hop_borrow_begin(const hop_registry *_Nullable registry, hop_key key);

/// Leaves the innermost borrowed read section. Where it was the outermost one of its registry, and the last one that some
/// removal had to spare, the removed payloads are released here.
///
/// Context:    The thread that entered it. May call release callbacks.
/// Requires:   `thread` is from the matching `hop_borrow_begin`.
/// Ownership:  As `hop_section_end`.
/// Ordering:   Release, as `hop_section_end`.
/// Complexity: Wait-free, one store, where nothing was handed over; else linear in what is released.
void hop_borrow_end(hop_thread *thread);

/// Whether a key has a payload.
///
/// Context:    As `hop_read_begin`.
/// Requires:   Nothing else.
/// Ownership:  None passes.
/// Ordering:   Acquire.
/// Complexity: As `hop_read_begin` and `hop_section_end` together.
bool hop_contains(const hop_registry *_Nullable registry, hop_key key);

/// Copies the stack of a key, newest first, as it stood at one moment.
///
/// Context:    As `hop_read_begin`.
/// Requires:   `buffer` has room for `capacity` payloads; it may be NULL where `capacity` is zero.
/// Ownership:  `retain` is called for each payload that is stored; the caller owns what it took.
/// Ordering:   Acquire. The copy is a snapshot: some single moment during the call had exactly this stack.
/// Complexity: Linear in the height of the stack.
/// Returns:    The height of the stack. Where it exceeds `capacity`, nothing was stored nor retained: ask again with room.
size_t hop_copy_stack(const hop_registry *_Nullable registry, hop_key key, hop_retain retain,
                      const void *_Nullable *_Nullable buffer, size_t capacity);

/// Copies the keys that have a payload, in no order. For diagnostics.
///
/// Context:    As `hop_read_begin`; not for hot paths: it walks the whole table inside a short read section.
/// Requires:   `buffer` has room for `capacity` keys; it may be NULL where `capacity` is zero.
/// Ownership:  Keys are plain words.
/// Ordering:   Each key is as of some moment during the call; together they need not be one moment's.
/// Complexity: Linear in the size of the table.
/// Returns:    How many keys there are. Where they exceed `capacity`, the first `capacity` were stored.
size_t hop_copy_keys(const hop_registry *_Nullable registry, hop_key *_Nullable buffer, size_t capacity);

/// Copies some of the keys that have a payload, in no order: as many as there is room for, and as are found in so many times
/// sixteen slots. For diagnostics that have to be cheap.
///
/// Context:    As `hop_copy_keys`.
/// Requires:   `buffer` has room for `capacity` keys.
/// Ownership:  Keys are plain words.
/// Ordering:   As `hop_copy_keys`.
/// Complexity: Linear in `capacity`, whatever the registry holds.
/// Returns:    How many were stored. `complete` says whether these are all.
size_t hop_copy_first_keys(const hop_registry *_Nullable registry, hop_key *buffer, size_t capacity, bool *complete);

/// How many payloads a registry holds.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Relaxed: exact where no writer is at work.
/// Complexity: One load.
size_t hop_count(const hop_registry *_Nullable registry);

// MARK: Writing
//
// Writers of one registry take turns on its lock. A writer that unlinked something waits, outside the lock, for the short
// read sections under way, and for nothing else. Then it calls the release callback; where a borrowed section of this
// registry that began before the unlinking still runs (on whichever thread), it hands the release over to the last of them
// instead. Borrowed sections of other registries put nothing off.

/// Makes an empty registry.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  The caller's, until `hop_registry_destroy`.
/// Ordering:   None.
/// Complexity: One small allocation.
hop_registry *hop_registry_make(void);

/// The registry of names: one for the process, so that all copies of the library in a process agree on a name.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  It exists from the start and never ends; not to be destroyed.
/// Ordering:   None. Its lock is held across a fork, as the default registry's.
/// Complexity: Constant.
hop_registry *hop_names(void);

/// Ends a registry and releases all that it holds.
///
/// Context:    Any, also inside a borrowed section of another registry. Calls release callbacks.
/// Requires:   Not the default registry nor that of names; no other call on it runs, no section on it is open, none follows.
/// Ownership:  All payloads pass to `release`.
/// Ordering:   All earlier uses of the registry must already happen before this call.
/// Complexity: Linear in what it holds. Waits for nobody.
void hop_registry_destroy(hop_registry *registry, hop_release release);

/// Puts a payload on top of the stack of a key.
///
/// Context:    Any thread, outside short read sections. May call release callbacks of earlier removals that were put off.
/// Requires:   The payload's lowest bit is clear, and it is in no stack of this key yet.
/// Ownership:  The registry owns the payload until it passes it to a release callback.
/// Ordering:   Release: pairs with the acquire of the reads. Readers see it at once and whole.
/// Complexity: Constant, amortised over the growth of the table; where that is replaced, waits as `hop_remove` does.
/// Returns:    Whether it was put there: a sealed registry takes nothing, and the payload stays the caller's.
bool hop_push(hop_registry *_Nullable registry, hop_key key, const void *payload);

/// Puts a payload on the stack of a key where that is empty; else finds the newest one. Also in a sealed registry.
///
/// Context:    As `hop_push`.
/// Requires:   As `hop_push`.
/// Ownership:  The registry owns the payload where it was put there; else it stays the caller's. `retain` is called for what
///             is returned; the caller owns what it took.
/// Ordering:   As `hop_push` and `hop_read_begin`.
/// Complexity: As `hop_push`.
/// Returns:    The newest payload of the key, which is the new one where there was none.
const void *hop_find_or_push(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_retain retain);

/// Takes a payload out of the stack of a key, at whatever depth it is.
///
/// Context:    Any thread, outside short read sections. Calls release callbacks.
/// Requires:   Nothing else: a payload that is not there is left alone (it is compared, never touched).
/// Ownership:  The payload passes to `release`, now or, past running borrowed sections of this registry, later.
/// Ordering:   No read that begins after the return finds it.
/// Complexity: Linear in the depth of the payload. Waits for the short read sections under way.
/// Returns:    Whether it was there.
bool hop_remove(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_release release);

/// Replaces the whole stack of a key by one payload, in one step.
///
/// Context:    As `hop_remove`.
/// Requires:   As `hop_push`.
/// Ownership:  As `hop_push` for the new payload, as `hop_remove` for those it replaces.
/// Ordering:   Every read finds the old stack or the new one, never neither.
/// Complexity: Linear in the height of the old stack. Waits for the short read sections under way.
/// Returns:    Whether it did, as `hop_push`.
bool hop_replace(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_release release);

/// Empties a registry, in one step.
///
/// Context:    As `hop_remove`.
/// Requires:   Nothing else.
/// Ownership:  As `hop_remove`.
/// Ordering:   Every read finds all that was there, or nothing.
/// Complexity: Linear in the size of the table. Waits for the short read sections under way.
void hop_remove_all(hop_registry *_Nullable registry, hop_release release);

/// Closes a registry for `hop_push` and `hop_replace`, for ever.
///
/// Context:    Any thread.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   A push that was accepted happened before; none is accepted after the return.
/// Complexity: Constant; takes the writers' lock.
void hop_seal(hop_registry *_Nullable registry);

/// Whether a registry is sealed.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Acquire; pairs with `hop_seal`.
/// Complexity: One load.
bool hop_is_sealed(const hop_registry *_Nullable registry);

/// What was attached to a registry; NULL where nothing was.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  Stays with whoever attached it, who lets go of it after `hop_registry_destroy`, or never.
/// Ordering:   Acquire; pairs with the release in `hop_attach`.
/// Complexity: One load.
const void *_Nullable hop_attachment(const hop_registry *_Nullable registry);

/// Attaches something to a registry, once.
///
/// Context:    Any.
/// Requires:   `attachment` is not NULL.
/// Ownership:  See `hop_attachment`.
/// Ordering:   Release.
/// Complexity: One exchange.
/// Returns:    What is attached now: the argument, or what somebody else had attached before.
const void *hop_attach(hop_registry *_Nullable registry, const void *attachment);

/// Waits until every short read section that was under way at the call has ended.
/// For those who publish something of their own to readers inside `hop_read_begin` and `hop_section_end`.
///
/// Context:    Any thread, outside short read sections.
/// Requires:   What is to be reclaimed was made unreachable before.
/// Ownership:  None passes.
/// Ordering:   Those sections happen before the return.
/// Complexity: Nanoseconds for each thread that is alive and has resolved, plus the length of the longest section.
void hop_wait_for_reads(void);

// MARK: For tests and benchmarks

/// What the process holds at the moment.
typedef struct hop_statistics {
    /// Thread records ever made. They are recycled: this is the largest number of threads that used the library at once, and
    /// of sections that ending threads had open at once.
    size_t thread_records;
    /// Thread records that a removal looks at: of the threads that are alive and have used the library, and one for each
    /// section that threads had open at once while they were ending.
    size_t records_in_use;
    /// Pieces of garbage handed over to running borrowed sections and not yet released.
    size_t deferred;
    /// Slots in the registry's table.
    size_t capacity;
} hop_statistics;

/// Reads the statistics.
///
/// Context:    Any thread, outside short read sections. For tests.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Each number is as of some moment during the call.
/// Complexity: Linear in the number of threads.
hop_statistics hop_statistics_read(const hop_registry *_Nullable registry);

/// Makes the allocation after the next `successes` ones fail, as if memory had run out. A negative number ends that.
///
/// Context:    For tests.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Relaxed.
/// Complexity: One store.
void hop_fail_allocation_after(long successes);

#if defined(__cplusplus)
}
#endif

#pragma clang assume_nonnull end

#endif
