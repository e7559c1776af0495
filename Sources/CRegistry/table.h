// The table from keys to slots: open addressing, linear probing, keys are never removed. All knowledge of hashing is in
// table.h and table.c.
//
// Readers probe without a lock while one writer, which holds the registry's lock, adds keys in place. A key never leaves its
// slot and never changes; only the stack in the slot does. A full table is replaced by a new one, which gets the keys that
// still have a stack. The old table does not change any more. So a reader that still probes it sees the state at the
// replacement, and the replacement happened during the read. The new table keeps the old one until a grace period ends that
// a removal needs anyway (registry.c).
//
//   slots   | type  disc  stack  number | 0     0     0      0      | ...   32 bytes each, never across a cache line
//             ^ stored last: if a reader sees the type, it sees the whole slot
#ifndef HOP_TABLE_H
#define HOP_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "CRegistry.h"
#include "memory.h"

#pragma clang assume_nonnull begin

/// A key with its stack.
struct hop_slot {
    /// Zero while the slot is free. Stored with release, once.
    _Atomic uintptr_t type;
    /// Written before `type`, once.
    uintptr_t discriminator;
    /// A stack in the encoding of registry.c; zero if it is empty.
    _Atomic uintptr_t stack;
    /// The number of the payload, if it is the only one of the stack. Only writers use it.
    size_t number;
};

struct hop_table {
    /// The number of slots, a power of two, minus one.
    size_t mask;
    /// The shift to the right that turns a hash into the index of a slot.
    unsigned shift;
    /// The number of slots that have a key. Only writers use it.
    size_t used;
    /// The table that this one has replaced, which links to older ones. Only writers use it.
    struct hop_table *_Nullable replaced;
    /// Whether it lies inside the allocation of its registry. Constant.
    bool is_inside;
    _Alignas(HOP_CACHE_LINE) struct hop_slot slots[];
};

/// The slot at which the search for a key begins. Aligned addresses differ in their low bits. The multiplication spreads these
/// over the high bits, of which the index is made (Knuth, The Art of Computer Programming 6.4).
static inline size_t hop_table_home(const struct hop_table *table, hop_key key) {
    const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15);
    const uint64_t mixed = (uint64_t)key.type ^ ((uint64_t)key.discriminator << 32 | (uint64_t)key.discriminator >> 32);
    return (size_t)((mixed * golden) >> table->shift);
}

/// Finds the slot of a key.
///
/// Context:    Inside a read section, or with the registry's lock held.
/// Requires:   The table has at least one free slot.
/// Ownership:  None passes.
/// Ordering:   Acquire on the key; pairs with the release in `hop_table_add_locked`.
/// Complexity: Usually one probe: at most half of the slots have a key.
static inline struct hop_slot *_Nullable hop_table_find(const struct hop_table *table, hop_key key) {
    for (size_t index = hop_table_home(table, key);; index = (index + 1) & table->mask) {
        const struct hop_slot *slot = &table->slots[index];
        const uintptr_t type = atomic_load_explicit(&slot->type, memory_order_acquire);
        if (type == key.type && slot->discriminator == key.discriminator) return (struct hop_slot *)slot;
        if (type == 0) return NULL;
    }
}

/// The table of every empty registry. Never written, never freed.
extern const struct hop_table hop_empty_table;

/// Whether one more key would fill more than half of the table.
static inline bool hop_table_is_full(const struct hop_table *table) { return (table->used + 1) * 2 > table->mask + 1; }

/// Makes a table with room for `more` keys at least, and copies the keys of another one that still have a stack.
///
/// Context:    With the registry's lock held.
/// Requires:   `more` is not zero.
/// Ownership:  The caller's, until it is published.
/// Ordering:   None; the caller publishes it with release.
/// Complexity: Linear in the number of slots.
struct hop_table *hop_table_grown_locked(const struct hop_table *table, size_t more);

/// The number of slots of a table inside the allocation of its registry: enough for four keys.
enum { HOP_FIRST_TABLE = 8 };

/// The memory that such a table takes, with room to align it.
#define HOP_FIRST_TABLE_SIZE \
    (sizeof(struct hop_table) + HOP_FIRST_TABLE * sizeof(struct hop_slot) + _Alignof(struct hop_table) - 1)

/// Returns the address of a table in memory of `HOP_FIRST_TABLE_SIZE` bytes.
///
/// Context:    Any.
/// Requires:   Nothing.
/// Ownership:  None passes.
/// Ordering:   None.
/// Complexity: Constant.
static inline struct hop_table *hop_table_within(void *memory) {
    const uintptr_t alignment = _Alignof(struct hop_table);
    return (struct hop_table *)(((uintptr_t)memory + alignment - 1) & ~(alignment - 1));
}

/// Makes the memory of a table inside the allocation of its registry an empty table.
///
/// Context:    With the registry's lock held, once, before the table is published.
/// Requires:   The address is from `hop_table_within`.
/// Ownership:  The registry's.
/// Ordering:   None; the caller publishes it with release.
/// Complexity: Constant.
void hop_table_start(struct hop_table *table);

/// Frees a table, unless it lies inside the allocation of its registry.
///
/// Context:    Any.
/// Requires:   No reader uses it.
/// Ownership:  Passes to the callee.
/// Ordering:   None.
/// Complexity: Constant.
void hop_table_free(struct hop_table *table);

/// Adds a key with its stack.
///
/// Context:    With the registry's lock held, or on a table not yet published.
/// Requires:   The key is not there, and the table is not full.
/// Ownership:  None passes.
/// Ordering:   Release on the key, which is stored last.
/// Complexity: As `hop_table_find`.
void hop_table_add_locked(struct hop_table *table, hop_key key, uintptr_t stack, size_t number);

#pragma clang assume_nonnull end

#endif
