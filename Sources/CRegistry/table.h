// WHERE: key -> slot. An open-addressing table that only grows; what replaces the hash table replaces these two files.
//
// Readers probe without a lock, while one writer (who holds the registry's lock) adds keys in place. A key never leaves its
// slot and never changes; only the stack in the slot does. A full table is replaced by a new one into which the keys are
// copied that still have a stack; the old one does not change any more, so a reader that still probes it sees the state
// at the moment of its replacement, and that moment lies within the read.
//
//   slots   | type  disc  stack | 0     0     0     | type  disc  stack | ...   32 bytes each, never across a cache line
//             ^ stored last: a slot whose type is visible is whole
#ifndef HOP_TABLE_H
#define HOP_TABLE_H

#include <stdatomic.h>

#include "CRegistry.h"
#include "memory.h"

#pragma clang assume_nonnull begin

/// A key and its stack.
struct hop_slot {
    /// Zero while the slot is free. Stored with release, once.
    _Atomic uintptr_t type;
    /// Written before `type`, once.
    uintptr_t discriminator;
    /// A stack as registry.c encodes it; zero is the empty one.
    _Atomic uintptr_t stack;
    /// Keeps slots from straddling cache lines.
    uintptr_t padding;
};

struct hop_table {
    /// One less than the number of slots, which is a power of two.
    size_t mask;
    /// How far the hash is shifted right to give the index of a slot.
    unsigned shift;
    /// Slots that have a key. The writer's.
    size_t used;
    _Alignas(HOP_CACHE_LINE) struct hop_slot slots[];
};

/// The slot at which the search for a key begins. Multiplication spreads the low bits, in which aligned addresses differ,
/// over the high ones, which are taken (Knuth, The Art of Computer Programming 6.4).
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
/// Complexity: One probe almost always: at most half of the slots have a key.
static inline struct hop_slot *_Nullable hop_table_find(const struct hop_table *table, hop_key key) {
    for (size_t index = hop_table_home(table, key);; index = (index + 1) & table->mask) {
        const struct hop_slot *slot = &table->slots[index];
        const uintptr_t type = atomic_load_explicit(&slot->type, memory_order_acquire);
        if (type == key.type && slot->discriminator == key.discriminator) return (struct hop_slot *)slot;
        if (type == 0) return NULL;
    }
}

/// The table of a registry that holds nothing. Never written, shared by all, never freed.
extern const struct hop_table hop_empty_table;

/// Whether one more key would leave the table too full.
static inline bool hop_table_is_full(const struct hop_table *table) { return (table->used + 1) * 2 > table->mask + 1; }

/// Makes a table with the keys of another one that still have a stack, and room for more.
///
/// Context:    With the registry's lock held.
/// Requires:   Nothing.
/// Ownership:  The caller's, until it is published.
/// Ordering:   None; the caller publishes it with release.
/// Complexity: Linear in the number of slots.
struct hop_table *hop_table_grown_locked(const struct hop_table *table);

/// Adds a key with its stack.
///
/// Context:    With the registry's lock held, or on a table not yet published.
/// Requires:   The key is not there, and the table is not full.
/// Ownership:  None passes.
/// Ordering:   Release on the key, which is stored last.
/// Complexity: As `hop_table_find`.
void hop_table_add_locked(struct hop_table *table, hop_key key, uintptr_t stack);

#pragma clang assume_nonnull end

#endif
