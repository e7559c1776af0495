// CRegistry: stacks of opaque pointers by key, read without locks.
//
// This header is the whole interface between C and Swift. It passes words in both directions; a callback releases the
// payloads that were removed. It shows nothing of Concurrency Kit, so modules that import it see nothing of it either.
//
// Every function states, in this order:
//   Context     where it may be called
//   Requires    what the caller guarantees
//   Ownership   who owns the objects afterwards
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
/// As an argument, NULL means the process-wide default registry. That one exists from the start and is never destroyed.
typedef struct hop_registry hop_registry;

/// The key of a payload: the identity of a type, and a discriminator that tells registrations of one type apart (zero if
/// there is only one kind). `type` is never zero.
typedef struct hop_key {
    uintptr_t type;
    uintptr_t discriminator;
} hop_key;

/// A payload and its key.
typedef struct hop_entry {
    hop_key key;
    const void *payload;
} hop_entry;

/// The calling thread's record for reclamation. Payloads that the thread found in a read section stay alive until the
/// section ends.
typedef struct hop_thread hop_thread;

/// The result of a lookup, and the read section that keeps it alive.
typedef struct hop_found {
    /// The newest payload of the key; NULL if there is none.
    const void *_Nullable payload;
    /// The argument for the matching `_end`, which must be called even if no payload was found.
    hop_thread *thread;
} hop_found;

/// A borrow of one payload: a hazard pointer. It takes the place of a reference, which all threads would count at one address.
typedef struct hop_borrow hop_borrow;

/// The result of a lookup that borrows. Both pointers are NULL if nothing is borrowed; then nothing has to be ended.
typedef struct hop_borrowed {
    const void *_Nullable payload;
    /// The argument for `hop_borrow_end`.
    hop_borrow *_Nullable borrow;
} hop_borrowed;

/// Releases a payload that has left its registry. Each payload always has the same function.
/// Called exactly once for each removal, outside every lock and every read section. It may call anything in this header.
typedef void (*hop_release)(const void *payload);

/// Makes a payload outlive the read section in which it was found, for example by taking a reference.
/// Called inside a read section: it must be brief, must not block, and must not call anything in this header.
typedef void (*hop_retain)(const void *payload);

/// Notes the number of a payload. A registry numbers its payloads in the order in which they are pushed.
/// Called under the lock of the registry, before the payload can be found: it must be brief, must not block, and must not call anything
/// in this header.
typedef void (*hop_note_number)(const void *payload, size_t number);

// MARK: Reading
//
// A read section is a read-side critical section: the time between a begin and its end, in which the payloads that the
// thread finds are not released. It lasts nanoseconds and runs no user code, because writers wait for it. User code may use a payload that
// the thread borrows, for any time: writers do not wait for a borrow, it only defers the release of its payload.

/// Enters a read section and looks up the newest payload of a key.
///
/// Context:    Any thread, outside read sections. Not in a signal handler.
/// Requires:   `hop_section_end` or `hop_section_borrow` follows on the same thread within nanoseconds, because writers wait for it. No
///             user code runs in between.
/// Ownership:  The payload stays the registry's. It is valid until the section ends.
/// Ordering:   Acquire: everything that happened before the payload was pushed is visible.
/// Complexity: Wait-free, and usually one probe. Allocates only on the thread's first use. Writes no shared cache line. Threads whose
///             thread-local destructors run wait for each other.
hop_found hop_read_begin(const hop_registry *_Nullable registry, hop_key key);

/// Looks up the newest payload of a key in a read section that is open.
///
/// Context:    Inside a read section.
/// Requires:   No other thread can destroy the registry before the section ends. No user code runs before that.
/// Ownership:  The payload stays the registry's. It is valid until the section ends.
/// Ordering:   Acquire, as `hop_read_begin`.
/// Complexity: As `hop_read_begin`, without the section.
/// Returns:    The payload; NULL if there is none.
const void *_Nullable hop_find(const hop_registry *_Nullable registry, hop_key key);

/// Enters a read section without a lookup. Ends with `hop_section_end`.
///
/// Context:    As `hop_read_begin`.
/// Requires:   As `hop_read_begin`.
/// Ownership:  As `hop_read_begin`, for the objects that the caller reads.
/// Ordering:   Pairs with `hop_wait_for_reads`: a wait that does not find the section has made everything before it visible to
///             the loads in the section.
/// Complexity: As `hop_read_begin`.
hop_thread *hop_section_begin(void);

/// Leaves the read section that `hop_read_begin` or `hop_section_begin` entered.
///
/// Context:    The thread that entered it.
/// Requires:   `thread` is from the matching begin.
/// Ownership:  After the return, objects that were found in the section may be gone, unless the caller retained them inside.
/// Ordering:   Release: all uses in the section happen before the release callbacks of the payloads found there.
/// Complexity: Wait-free, one store.
void hop_section_end(hop_thread *thread);

/// Leaves a read section, and borrows a payload that was found in it, so that user code may use it.
///
/// Context:    As `hop_section_end`.
/// Requires:   `thread` is from the matching begin, and `payload` was found in the section. `hop_borrow_end` follows on this thread, in
///             any order with respect to other borrows. The registry is not destroyed before.
/// Ownership:  The payload stays the registry's. It is valid until `hop_borrow_end`. If it is removed before, only its own release is
///             deferred until then.
/// Ordering:   As `hop_section_end`.
/// Complexity: Wait-free.
/// Returns:    The borrow; NULL if the thread borrows four payloads already, or if its thread-local destructors run. Then the section is
///             still open, and the caller takes a reference and calls `hop_section_end`.
hop_borrow *_Nullable hop_section_borrow(hop_thread *thread, const void *payload);

/// Looks up the newest payload of a key, and borrows it. The same as `hop_read_begin` and `hop_section_borrow`, in one call.
///
/// Context:    Any thread, outside read sections. Not in a signal handler.
/// Requires:   As `hop_section_borrow`, if something is borrowed.
/// Ownership:  As `hop_section_borrow`.
/// Ordering:   Acquire, as `hop_read_begin`.
/// Complexity: Wait-free, as `hop_read_begin`. Writers never wait for a borrow.
/// Returns:    The payload and its borrow. Nothing if the key has no payload, or if the thread can borrow nothing: see
///             `hop_section_borrow`.
hop_borrowed hop_borrow_begin(const hop_registry *_Nullable registry, hop_key key);

/// Ends a borrow. If the payload was removed meanwhile, and this is its last borrow, releases it here.
///
/// Context:    The thread that began it, outside read sections. May call a release callback.
/// Requires:   `borrow` is from `hop_section_borrow` or `hop_borrow_begin`, and was not ended.
/// Ownership:  After the return, the payload may be gone.
/// Ordering:   Release: all uses of the payload happen before its release callback.
/// Complexity: Wait-free, one store and one load, if the payload was not removed. Otherwise constant, with a lock, plus the release.
void hop_borrow_end(hop_borrow *borrow);

/// Whether a key has a payload.
///
/// Context:    As `hop_read_begin`.
/// Requires:   Nothing else.
/// Ownership:  None passes.
/// Ordering:   Acquire.
/// Complexity: As `hop_read_begin` and `hop_section_end` together.
bool hop_contains(const hop_registry *_Nullable registry, hop_key key);

/// Copies the stack of a key, newest first, as it was at one moment.
///
/// Context:    As `hop_read_begin`.
/// Requires:   `buffer` has room for `capacity` payloads; it may be NULL if `capacity` is zero.
/// Ownership:  `retain` is called for each payload that is stored; the caller owns these references.
/// Ordering:   Acquire. The copy is a snapshot: at some single moment during the call the stack was exactly this.
/// Complexity: Linear in the height of the stack.
/// Returns:    The height of the stack. If it exceeds `capacity`, nothing was stored or retained: call again with more room.
size_t hop_copy_stack(const hop_registry *_Nullable registry, hop_key key, hop_retain retain,
                      const void *_Nullable *_Nullable buffer, size_t capacity);

/// Copies the keys that have a payload, in no order. For diagnostics.
///
/// Context:    As `hop_read_begin`. Not for hot paths: it walks the whole table inside a read section.
/// Requires:   `buffer` has room for `capacity` keys; it may be NULL if `capacity` is zero.
/// Ownership:  Keys are plain words.
/// Ordering:   Each key had a payload at some moment during the call; the moments may differ.
/// Complexity: Linear in the size of the table.
/// Returns:    The number of keys. If it exceeds `capacity`, only the first `capacity` were stored.
size_t hop_copy_keys(const hop_registry *_Nullable registry, hop_key *_Nullable buffer, size_t capacity);

/// Copies at most `capacity` of the keys that have a payload, in no order. It looks at no more than 16 slots of the table for
/// each key that there is room for. For diagnostics that have to be cheap.
///
/// Context:    As `hop_copy_keys`.
/// Requires:   `buffer` has room for `capacity` keys.
/// Ownership:  Keys are plain words.
/// Ordering:   As `hop_copy_keys`.
/// Complexity: Linear in `capacity`, independent of the size of the table.
/// Returns:    The number of keys that were stored. `complete` is set to whether these are all.
size_t hop_copy_first_keys(const hop_registry *_Nullable registry, hop_key *buffer, size_t capacity, bool *complete);

// MARK: Writing
//
// The lock of a registry serialises its writers. A writer that unlinked a payload then waits, outside the lock, for a grace
// period: until all read sections that were open have ended. It waits for nothing else. Then it calls the release callback, before it
// returns. If a thread borrows the payload, the end of its last borrow calls the release callback instead. Borrows of other payloads defer
// nothing.

/// Makes an empty registry.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  The caller's, until `hop_registry_destroy`.
/// Ordering:   None.
/// Complexity: One small allocation.
hop_registry *hop_registry_make(void);

/// Makes the empty registry of a child, with as many scope slots as `hop_scope_reserve` has reserved in the parent by now.
///
/// Context:    Any.
/// Requires:   The parent is not destroyed during the call. It need not outlive the child.
/// Ownership:  As `hop_registry_make`. `release` gets the payloads of scope slots.
/// Ordering:   None.
/// Complexity: One allocation. Linear in the number of slots up to 32, and in that number divided by 32 beyond. Writes nothing of the
///             parent.
hop_registry *hop_registry_make_child(const hop_registry *_Nullable parent, hop_release release);

/// The registry of names. There is one in the process, so all copies of the library in it agree on a name.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  It exists from the start and must not be destroyed.
/// Ordering:   None. Its lock is held across a fork, like the one of the default registry.
/// Complexity: Constant.
hop_registry *hop_names(void);

/// Destroys a registry and releases all its payloads.
///
/// Context:    Any, outside read sections. Calls release callbacks.
/// Requires:   It is neither the default registry nor the registry of names. No other call on it runs or follows, and no thread reads or
///             borrows payloads that it holds. Payloads that were removed before may still be borrowed.
/// Ownership:  All payloads pass to `release`.
/// Ordering:   All earlier uses of the registry must happen before this call.
/// Complexity: Linear in the size of the table, and in the number of payloads and scope slots. Never waits for readers.
void hop_registry_destroy(hop_registry *registry, hop_release release);

/// Pushes a payload onto the stack of a key.
///
/// Context:    Any thread, outside read sections.
/// Requires:   The payload's lowest bit is clear, and it is in no stack of this key yet.
/// Ownership:  The registry owns the payload until it passes it to a release callback.
/// Ordering:   Release: pairs with the acquire of the reads. Readers see the payload at once and complete.
/// Complexity: Amortised constant. Never waits for readers: a full table is replaced, and freed by a later removal.
/// Returns:    Whether it was pushed. A sealed registry accepts no payload, and the payload stays the caller's. `note` is called if it
///             was pushed, and is NULL if the caller needs no number.
bool hop_push(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_note_number _Nullable note);

/// Returns the newest payload of a key, after pushing the given one if the key had none. Also in a sealed registry.
///
/// Context:    As `hop_push`.
/// Requires:   As `hop_push`.
/// Ownership:  The registry owns the payload if it was pushed; else it stays the caller's. `retain` is called for the result;
///             the caller owns this reference.
/// Ordering:   As `hop_push` and `hop_read_begin`.
/// Complexity: As `hop_push`.
/// Returns:    The newest payload of the key: `payload` if there was none. `is_due` is set to whether the caller should look for payloads to
///             remove, with `hop_remove_entries`; it may be NULL.
const void *hop_find_or_push(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_retain retain,
                             bool *_Nullable is_due);

/// Removes a payload from the stack of a key, at any depth.
///
/// Context:    Any thread, outside read sections. Calls release callbacks.
/// Requires:   Nothing else. A payload that is not in the stack is only compared, never dereferenced.
/// Ownership:  The payload passes to `release`: before the return, or at the end of its last borrow if a thread borrows it.
/// Ordering:   No read that begins after the return finds it.
/// Complexity: Amortised linear in the depth of the payload. Waits as `hop_wait_for_reads`, and calls membarrier a second time if another
///             thread borrows the payload.
/// Returns:    Whether it was there.
bool hop_remove(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_release release);

/// Removes the payload with a number from the stack of a key, at any depth. Does nothing if that is not the given payload; NULL stands for
/// any.
///
/// Context:    As `hop_remove`.
/// Requires:   As `hop_remove`. No other payload of the registry ever has the number.
/// Ownership:  As `hop_remove`.
/// Ordering:   As `hop_remove`.
/// Complexity: Amortised logarithmic in the height of the stack. Waits as `hop_remove`.
/// Returns:    Whether it was there.
bool hop_remove_numbered(hop_registry *_Nullable registry, hop_key key, size_t number, const void *_Nullable payload,
                         hop_release release);

/// Removes several payloads, with one grace period. Ignores those that are not the only ones of their keys. It is due again after
/// `hop_find_or_push` has pushed `additions` more payloads; at first, after it has pushed 16.
///
/// Context:    As `hop_remove`.
/// Requires:   As `hop_remove`.
/// Ownership:  As `hop_remove`.
/// Ordering:   As `hop_remove`. The payloads are removed one after the other.
/// Complexity: Linear in the number of payloads. Waits as `hop_remove`.
void hop_remove_entries(hop_registry *_Nullable registry, const hop_entry *_Nullable entries, size_t count,
                        size_t additions, hop_release release);

/// Replaces the whole stack of a key with one payload, atomically.
///
/// Context:    As `hop_remove`.
/// Requires:   As `hop_push`.
/// Ownership:  As `hop_push` for the new payload, as `hop_remove` for those it replaces.
/// Ordering:   Every read finds the old stack or the new one, never an empty key in between.
/// Complexity: Linear in the height of the old stack, plus the number of threads. While borrows are open, times the logarithm of
///             their number. Waits as `hop_remove`, unless the key was empty.
/// Returns:    Whether it replaced the stack, as `hop_push`.
bool hop_replace(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_note_number _Nullable note,
                 hop_release release);

/// Replaces the whole stacks of several keys, in one step. Also in a sealed registry.
///
/// The entries of a key become its new stack: the last one is the newest. They are numbered in the order of all entries.
///
/// Context:    As `hop_remove`.
/// Requires:   As `hop_push`.
/// Ownership:  As `hop_replace`, for each entry.
/// Ordering:   Every read finds the state from before the call or that after it. So if a read finds a new payload, each read that follows
///             it finds the new payloads of the other keys.
/// Complexity: Linear in the size of the table, in the number of entries, and in the height of the old stacks, plus the number of threads.
///             While borrows are open, times the logarithm of their number. Waits as `hop_remove`.
void hop_replace_entries(hop_registry *_Nullable registry, const hop_entry *entries, size_t count,
                         hop_note_number _Nullable note, hop_release release);

/// Removes all payloads from a registry, atomically.
///
/// Context:    As `hop_remove`.
/// Requires:   Nothing else.
/// Ownership:  As `hop_remove`.
/// Ordering:   Every read finds the contents from before the call or none of them. Scope slots are emptied one after the other.
/// Complexity: Linear in the size of the table and the number of scope slots, plus the number of threads. While borrows are open, times
///             the logarithm of their number. Waits as `hop_remove`.
void hop_remove_all(hop_registry *_Nullable registry, hop_release release);

/// Returns the next number of a registry: 0, then 1, and so on. It is from the same sequence as those of the payloads, so the owner can
/// compare other events with them.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Relaxed. If one call happens before another, it returns the smaller number. So does a push.
/// Complexity: One atomic addition, on a cache line that writers write anyway.
size_t hop_next_number(hop_registry *_Nullable registry);

/// Makes a registry refuse every later `hop_push` and `hop_replace`.
///
/// Context:    Any thread.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Every accepted push happens before the seal. No push is accepted after the return.
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

/// The object that is attached to a registry; NULL if there is none.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  Stays with the caller that attached it, who releases it after `hop_registry_destroy`, or never.
/// Ordering:   Acquire; pairs with the release in `hop_attach`.
/// Complexity: One load.
const void *_Nullable hop_attachment(const hop_registry *_Nullable registry);

/// Attaches an object to a registry, unless one is attached already.
///
/// Context:    Any.
/// Requires:   `attachment` is not NULL.
/// Ownership:  See `hop_attachment`.
/// Ordering:   Release.
/// Complexity: One compare-and-exchange.
/// Returns:    The attached object: the argument, or the one that was attached first.
const void *hop_attach(hop_registry *_Nullable registry, const void *attachment);

/// Returns the 32 mark bits of a registry. The caller defines the meaning of each bit. A new registry has no bit set.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Acquire; pairs with the release in `hop_marks_set`.
/// Complexity: One load.
uint32_t hop_marks(const hop_registry *_Nullable registry);

/// The marks of a registry, loaded after everything that the thread has done before.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   A full fence, then acquire. Pairs with the fence in `hop_marks_set`: of a thread that writes a word and then calls this
///             function, and one that sets a bit and then reads the word, at least one sees what the other has written.
/// Complexity: One fence and one load.
uint32_t hop_marks_after_fence(const hop_registry *_Nullable registry);

/// Sets bits in the marks of a registry.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Release, then a full fence. Pairs with the fence in `hop_marks_after_fence`.
/// Complexity: One atomic operation and one fence.
void hop_marks_set(hop_registry *_Nullable registry, uint32_t bits);

/// Clears bits in the marks of a registry.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Release.
/// Complexity: One atomic operation.
void hop_marks_clear(hop_registry *_Nullable registry, uint32_t bits);

/// Increments the pins of a registry: a count that the caller defines. A new registry has no pin.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Acquire and release.
/// Complexity: One atomic operation.
/// Returns:    The number of pins before.
uint32_t hop_pin(hop_registry *_Nullable registry);

/// Decrements the pins of a registry.
///
/// Context:    Any.
/// Requires:   `hop_pin` was called for it.
/// Ownership:  None passes.
/// Ordering:   Acquire and release.
/// Complexity: One atomic operation.
/// Returns:    The number of pins afterwards.
uint32_t hop_unpin(hop_registry *_Nullable registry);

/// Waits for a grace period: until every read section that was open at the call has ended.
/// For callers that publish data of their own to readers inside `hop_read_begin` and `hop_section_end`.
///
/// Context:    Any thread, outside read sections.
/// Requires:   The data to reclaim was made unreachable before.
/// Ownership:  None passes.
/// Ordering:   Those sections happen before the return.
/// Complexity: Nanoseconds for each live thread that has used the library, plus the length of the longest section. On systems
///             that grant membarrier, one call of it, which interrupts the processors that run other threads of the process;
///             none if no other live thread has used the library.
void hop_wait_for_reads(void);

// MARK: Scope slots
//
// A child registry finds some payloads by an index instead of a key: those of its instances of services that a parent has
// registered. Each index is reserved in the parent. A slot belongs to the first key that fills it, and keeps that key. Other keys
// with the same index use the table: indices of different ancestors may be equal, and indices are used again.
//
// The first 32 slots are made with the registry. Of the others, 32 are made when one of them is filled for the first time.

/// The greatest number of scope slots of a registry.
#define HOP_MOST_SCOPE_SLOTS 1024

/// Reserves the next index of scope slots. Children that are made later have a slot at this index.
///
/// Context:    Any thread.
/// Requires:   Nothing.
/// Ownership:  The index stays reserved until the registry ends.
/// Ordering:   Relaxed: a child that misses it uses its table.
/// Complexity: One compare-and-exchange.
/// Returns:    The index; `HOP_MOST_SCOPE_SLOTS` if there is none left.
size_t hop_scope_reserve(hop_registry *_Nullable registry);

/// Loads the payload of a scope slot.
///
/// Context:    Inside a read section of the calling thread.
/// Requires:   `key` is not zero.
/// Ownership:  The payload is valid until that section ends.
/// Ordering:   Acquire: pairs with the release in `hop_scope_fill`.
/// Complexity: Three loads; two more for a slot beyond the first 32.
/// Returns:    The payload; NULL if the slot is empty, belongs to another key, or does not exist.
const void *_Nullable hop_scope_find(const hop_registry *_Nullable registry, size_t index, uintptr_t key);

/// Whether a payload of a key is in a scope slot, or could be. For one key and one registry, the result never changes from false to
/// true, and not to false once `hop_scope_fill` has filled the slot.
///
/// Context:    Any thread.
/// Requires:   `key` is not zero.
/// Ownership:  None passes.
/// Ordering:   Relaxed.
/// Complexity: Two loads.
bool hop_scope_has_slot(const hop_registry *_Nullable registry, size_t index, uintptr_t key);

/// Fills a scope slot, if it is empty and belongs to no other key. Also in a sealed registry.
///
/// Context:    Any thread.
/// Requires:   `key` and `payload` are not zero. While a payload of a key is in a slot, no other object has the key.
/// Ownership:  If the slot was filled, the registry owns the payload until it passes it to the release callback.
/// Ordering:   Release: readers see the payload complete.
/// Complexity: Two compare-and-exchanges. One allocation if it is the first slot of its 32. Never waits.
/// Returns:    Whether it was filled. If not, the slot has a payload of this key, belongs to another key, or does not exist.
bool hop_scope_fill(hop_registry *_Nullable registry, size_t index, uintptr_t key, const void *payload);

// MARK: For snapshots, tests and benchmarks

/// Counts of thread records, deferred releases and slots.
typedef struct hop_statistics {
    /// Thread records ever made. Records are recycled, so this is the largest number of threads that used the library at once.
    size_t thread_records;
    /// Thread records in use: one for each live thread that has used the library.
    size_t records_in_use;
    /// Releases that wait for the ends of borrows.
    size_t deferred;
    /// Slots in the registry's table.
    size_t capacity;
    /// Scope slots of the registry.
    size_t scope_slots;
    /// Whether readers execute fences, because the system does not grant membarrier, or because the environment variable
    /// HOPOATE_MEMBARRIER was "off" when the process started.
    bool reader_fences;
} hop_statistics;

/// Reads the statistics.
///
/// Context:    Any thread, outside read sections. For tests and snapshots.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   Each number was right at some moment during the call; the moments may differ.
/// Complexity: Linear in the number of threads.
hop_statistics hop_statistics_read(const hop_registry *_Nullable registry);

#if defined(__cplusplus)
}
#endif

#pragma clang assume_nonnull end

#endif
