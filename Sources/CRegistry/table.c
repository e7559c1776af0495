// The functions of the table that only writers call. The essay is in table.h.
#include "table.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(HOP_CACHE_LINE % sizeof(struct hop_slot) == 0, "a slot must not straddle cache lines");

/// The number of slots of the smallest table that is allocated.
enum { HOP_SMALLEST_TABLE = 16 };

// Two free slots and no key, so every search ends at the first probe. `used` claims one key: then the table counts as full
// (keys may take at most half of the slots), and the first push replaces it.
const struct hop_table hop_empty_table = {.mask = 1, .shift = 63, .used = 1, .slots = {{0}, {0}}};

struct hop_table *hop_table_grown_locked(const struct hop_table *table, size_t more) {
    size_t live = 0;
    for (size_t index = 0; index <= table->mask; index++) {
        live += atomic_load_explicit(&table->slots[index].stack, memory_order_relaxed) != 0;
    }
    size_t capacity = HOP_SMALLEST_TABLE;
    unsigned bits = (unsigned)__builtin_ctzl(HOP_SMALLEST_TABLE);
    // At most a quarter full, so that the number of keys can double before the next growth.
    while (capacity < (live + more) * 4) {
        capacity *= 2;
        bits += 1;
    }
    struct hop_table *grown =
        hop_allocate_aligned(sizeof *grown + capacity * sizeof grown->slots[0], "a table of registrations");
    grown->mask = capacity - 1;
    grown->shift = 64 - bits;
    // One inside the allocation of its registry stays there to the end.
    grown->replaced = table == &hop_empty_table || table->is_inside ? NULL : (struct hop_table *)table;
    for (size_t index = 0; index <= table->mask; index++) {
        const struct hop_slot *slot = &table->slots[index];
        const uintptr_t stack = atomic_load_explicit(&slot->stack, memory_order_relaxed);
        if (stack == 0) continue;
        const hop_key key = {atomic_load_explicit(&slot->type, memory_order_relaxed), slot->discriminator};
        hop_table_add_locked(grown, key, stack, slot->number);
    }
    return grown;
}

void hop_table_start(struct hop_table *table) {
    memset(table, 0, sizeof *table + HOP_FIRST_TABLE * sizeof table->slots[0]);
    table->mask = HOP_FIRST_TABLE - 1;
    table->shift = 64 - (unsigned)__builtin_ctzl(HOP_FIRST_TABLE);
    table->is_inside = true;
}

void hop_table_free(struct hop_table *table) {
    if (!table->is_inside) free(table);
}

void hop_table_add_locked(struct hop_table *table, hop_key key, uintptr_t stack, size_t number) {
    size_t index = hop_table_home(table, key);
    while (atomic_load_explicit(&table->slots[index].type, memory_order_relaxed) != 0)
        index = (index + 1) & table->mask;
    struct hop_slot *slot = &table->slots[index];
    slot->discriminator = key.discriminator;
    slot->number = number;
    atomic_store_explicit(&slot->stack, stack, memory_order_relaxed);
    atomic_store_explicit(&slot->type, key.type, memory_order_release);
    table->used += 1;
}
