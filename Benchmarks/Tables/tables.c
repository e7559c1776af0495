// Lookups in the table of the library, beside those in the tables of Concurrency Kit: 100 keys, all found.
//
//   tables NAME COUNT     looks keys up COUNT times in one table, for a tool that counts instructions
//   tables                prints the time of a lookup in each, the least of 15 runs
#include <ck_hs.h>
#include <ck_ht.h>
#include <ck_rhs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CRegistry.h"

enum { KEYS = 100, RUNS = 15 };

/// What the tables that hold objects have to hold: a key of two words, and a stack.
struct entry {
    hop_key key;
    const void *payload;
};

static struct entry entries[KEYS];

// MARK: The tables

static hop_registry *registry;
static ck_ht_t direct_map;
static ck_hs_t direct_set;
static ck_hs_t object_set;
static ck_rhs_t robin_hood_set;

static void *allocate(size_t size) { return malloc(size); }

static void *resize(void *block, size_t old, size_t size, bool defer) {
    (void)old;
    (void)defer;
    return realloc(block, size);
}

static void deallocate(void *block, size_t size, bool defer) {
    (void)size;
    (void)defer;
    free(block);
}

static struct ck_malloc allocator = {.malloc = allocate, .realloc = resize, .free = deallocate};

/// The same hash as that of the library.
static unsigned long hash_of(uintptr_t type) { return (unsigned long)(type * UINT64_C(0x9E3779B97F4A7C15)) >> 20; }

static unsigned long hash_address(const void *address, unsigned long seed) {
    (void)seed;
    return hash_of((uintptr_t)address);
}

static unsigned long hash_entry(const void *entry, unsigned long seed) {
    (void)seed;
    return hash_of(((const struct entry *)entry)->key.type);
}

static bool are_equal(const void *one, const void *other) {
    const hop_key *left = &((const struct entry *)one)->key;
    const hop_key *right = &((const struct entry *)other)->key;
    return left->type == right->type && left->discriminator == right->discriminator;
}

static void hash_map_key(ck_ht_hash_t *hash, const void *key, size_t length, uint64_t seed) {
    (void)length;
    (void)seed;
    hash->value = hash_of((uintptr_t) * (void *const *)key);
}

static void make_tables(void) {
    registry = hop_registry_make();
    ck_ht_init(&direct_map, CK_HT_MODE_DIRECT, hash_map_key, &allocator, 256, 1);
    ck_hs_init(&direct_set, CK_HS_MODE_SPMC | CK_HS_MODE_DIRECT, hash_address, NULL, &allocator, 256, 1);
    ck_hs_init(&object_set, CK_HS_MODE_SPMC | CK_HS_MODE_OBJECT, hash_entry, are_equal, &allocator, 256, 1);
    ck_rhs_init(&robin_hood_set, CK_RHS_MODE_SPMC | CK_RHS_MODE_OBJECT, hash_entry, are_equal, &allocator, 256, 1);
    for (size_t index = 0; index < KEYS; index++) {
        struct entry *entry = &entries[index];
        // Addresses, as those of types are.
        const uintptr_t type = (uintptr_t)aligned_alloc(16, 96 + index % 5 * 16);
        *entry = (struct entry){.key = {.type = type}, .payload = aligned_alloc(16, 64)};
        hop_push(registry, entry->key, entry->payload, NULL);
        ck_ht_entry_t map_entry;
        ck_ht_hash_t hash = {.value = hash_of(type)};
        ck_ht_entry_set_direct(&map_entry, hash, type, (uintptr_t)entry->payload);
        ck_ht_put_spmc(&direct_map, hash, &map_entry);
        ck_hs_put(&direct_set, hash_of(type), (void *)type);
        ck_hs_put(&object_set, hash_of(type), entry);
        ck_rhs_put(&robin_hood_set, hash_of(type), entry);
    }
}

// MARK: Lookups

#define LOOKUP static __attribute__((noinline)) const void *

LOOKUP find_in_registry(hop_key key) { return hop_find(registry, key); }

LOOKUP find_in_direct_map(hop_key key) {
    ck_ht_entry_t entry;
    const ck_ht_hash_t hash = {.value = hash_of(key.type)};
    ck_ht_entry_key_set_direct(&entry, key.type);
    return ck_ht_get_spmc(&direct_map, hash, &entry) ? (const void *)ck_ht_entry_value_direct(&entry) : NULL;
}

/// Finds the key only: the set has no room for a payload.
LOOKUP find_in_direct_set(hop_key key) { return ck_hs_get(&direct_set, hash_of(key.type), (void *)key.type); }

LOOKUP find_in_object_set(hop_key key) {
    const struct entry wanted = {.key = key};
    const struct entry *entry = ck_hs_get(&object_set, hash_of(key.type), &wanted);
    return entry == NULL ? NULL : __atomic_load_n(&entry->payload, __ATOMIC_ACQUIRE);
}

LOOKUP find_in_robin_hood_set(hop_key key) {
    const struct entry wanted = {.key = key};
    const struct entry *entry = ck_rhs_get(&robin_hood_set, hash_of(key.type), &wanted);
    return entry == NULL ? NULL : __atomic_load_n(&entry->payload, __ATOMIC_ACQUIRE);
}

struct table {
    const char *name;
    const void *(*find)(hop_key key);
};

static const struct table tables[] = {
    {"hop_find", find_in_registry}, {"ck_ht", find_in_direct_map},      {"ck_hs-direct", find_in_direct_set},
    {"ck_hs", find_in_object_set},  {"ck_rhs", find_in_robin_hood_set},
};
enum { TABLES = sizeof tables / sizeof *tables };

static volatile uintptr_t sink;

static void look_up(const struct table *table, long count) {
    for (long index = 0; index < count; index++) sink += (uintptr_t)table->find(entries[index % KEYS].key);
}

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void measure(const struct table *table) {
    enum { COUNT = 200000 };
    double least = 0;
    for (int run = 0; run < RUNS; run++) {
        const double begin = nanoseconds();
        look_up(table, COUNT);
        const double each = (nanoseconds() - begin) / COUNT;
        if (run == 0 || each < least) least = each;
    }
    printf("%-14s %.1f ns\n", table->name, least);
}

int main(int count, char **arguments) {
    make_tables();
    for (size_t index = 0; index < KEYS * TABLES; index++) {
        const struct entry *entry = &entries[index / TABLES];
        const struct table *table = &tables[index % TABLES];
        const bool has_payload = table->find != find_in_direct_set;
        if (table->find(entry->key) != (has_payload ? entry->payload : (const void *)entry->key.type)) {
            fprintf(stderr, "%s does not find a key\n", table->name);
            return 1;
        }
    }
    for (size_t index = 0; index < TABLES; index++) {
        if (count < 2) measure(&tables[index]);
        if (count == 3 && strcmp(arguments[1], tables[index].name) == 0) look_up(&tables[index], atol(arguments[2]));
    }
    return 0;
}
