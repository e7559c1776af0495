// The registry: a table of keys, a newest-first stack for each, and the writers' lock.
//
// 1. What it is
//
//   hop_registry                    hop_table (table.h)                 stacks
//   +---------------------+        +--------------------------+
//   | table  -------------------->  | type disc stack --------------->  payload                          (height 1)
//   +---------------------+        | type disc stack=0        |        (empty: the key keeps its slot)
//   | lock, count         |        | type disc stack --------------->  node -> node -> node -> end      (height 3)
//   +---------------------+        +--------------------------+          |       |       |
//                                                                      payload payload payload
//
// A stack is one word. It is zero if the stack is empty. It is the payload itself if the height is one: this is the usual
// case, and it saves readers a load and writers an allocation. Otherwise it is a node, marked by the lowest bit.
//
// Nodes are immutable once published, and the versions of a stack share them, as in a persistent list. A push puts a node in
// front; a removal from the depth copies the nodes above. So a stack changes with one store, and a reader that has loaded
// the word has a snapshot of the whole stack.
//
// A child registry also has an array of scope slots, one word of key and one payload each. The index of a slot is dense in the
// parent, so a payload is found there by one load, without a hash. A slot belongs to the first key that fills it. And its first table
// lies in the allocation of the registry, since most children get a few registrations and end soon.
//
// 2. Who writes what
//
//   table, slots, count   the writer that holds the registry's lock
//   nodes                 no thread, after publication
//   scope slots           any thread, by compare-and-exchange: first the key, once; then the payload
//
// 3. Invariants
//
//   1. Every change of a key is one release store to its slot (or to `table`, if it changes all keys at once). This store is
//      the linearization point of the write. The linearization point of a read is its acquire load of the slot.
//   2. A table is never written after it was replaced (table.h).
//   3. Unlinked memory is passed to hop_retire after the lock was released. No callback is called under the lock.
//   4. A payload is in at most one current stack. When a node is copied, the payload belongs to the copy.
//   5. A replaced table is garbage, but no writer waits for its readers. It stays linked from its successor until a removal
//      retires garbage of its own, or until the registry is destroyed. Without removals no key loses its stack, so each
//      table has twice the slots of the one that it replaces, and all replaced ones together are smaller than the current one.
//   6. The key of a scope slot never changes once it is set. So a payload that a reader finds behind its own key is of this key.
//
// 4. The races
//
//   Story A, the stale table. A reader loads the table. A writer replaces the table and pushes to the new one. The reader
//   finds the stack from before the push. This is correct: it is the state at the replacement, because the old table does
//   not change any more (invariant 2), and the replacement happened during the read.
//
//   Story B, the torn stack. Suppose that writers changed lists in place. A reader walks a list while one writer removes
//   behind it and then another one before it. It would see a stack that never existed. With immutable nodes it sees the
//   version that it loaded (invariant 1).
//
//   Story C, the half-written key. A reader could match the type of a slot before the discriminator and the stack are
//   written. Therefore the type is stored last, with release, and loaded with acquire (table.h).
//
//   Story D, two keys for one scope slot. Thread 1 has set its key and is about to store its payload. Thread 2 finds another key
//   than its own, and so neither reads nor fills the slot (invariant 6). If both have the same key, one of the two payloads gets in.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "CRegistry.h"
#include "memory.h"
#include "reclaim.h"
#include "table.h"

/// A place for one payload of a child registry.
struct hop_scope_slot {
    /// Zero until the slot is filled for the first time.
    _Atomic uintptr_t key;
    /// NULL if the slot is empty. Stored with release, after the key.
    _Atomic(const void *) payload;
};

struct hop_registry {
    /// The only field that lookups read, besides the number of scope slots.
    _Atomic(const struct hop_table *) table;
    /// The number of scope slots. Constant.
    size_t scope_slots;
    /// The number of scope slots that a child gets.
    _Atomic size_t scope_slots_of_children;
    /// Keeps the fields that writers write off the cache line of `table`, however the registry is aligned.
    char padding[HOP_CACHE_LINE - 3 * sizeof(void *)];
    /// Serialises writers.
    pthread_mutex_t lock;
    _Atomic size_t count;
    /// The number that `hop_next_number` returns next.
    _Atomic size_t next_number;
    /// Whether pushes are refused. Written under the lock.
    _Atomic bool sealed;
    /// An object that the owner keeps with the registry; set once.
    _Atomic(const void *) attachment;
    /// The first table of a child, inside this allocation; NULL if there is none, or if it was in use before. Under the lock.
    struct hop_table *_Nullable unused_table;
    /// Releases the payloads of scope slots. Constant.
    hop_release scope_release;
    struct hop_scope_slot scope[];
};

/// In static storage, so that no call has to make it.
static hop_registry default_registry = {.table = &hop_empty_table, .lock = PTHREAD_MUTEX_INITIALIZER};
static hop_registry names = {.table = &hop_empty_table, .lock = PTHREAD_MUTEX_INITIALIZER};

static inline hop_registry *hop_or_default(const hop_registry *_Nullable registry) {
    return registry == NULL ? &default_registry : (hop_registry *)registry;
}

// MARK: Stacks

struct hop_node {
    const void *payload;
    const struct hop_node *_Nullable next;
};

static inline const struct hop_node *_Nullable hop_stack_node(uintptr_t stack) {
    return (stack & 1) != 0 ? (const struct hop_node *)(stack & ~(uintptr_t)1) : NULL;
}

static inline const void *_Nullable hop_stack_newest(uintptr_t stack) {
    const struct hop_node *node = hop_stack_node(stack);
    return __builtin_expect(node == NULL, 1) ? (const void *)stack : node->payload;
}

static size_t hop_stack_height(uintptr_t stack) {
    if (stack == 0) return 0;
    const struct hop_node *node = hop_stack_node(stack);
    if (node == NULL) return 1;
    size_t height = 0;
    for (; node != NULL; node = node->next) height++;
    return height;
}

static const struct hop_node *hop_node_make(const void *payload, const struct hop_node *_Nullable next) {
    struct hop_node *node = hop_allocate(sizeof *node, "a registration");
    node->payload = payload;
    node->next = next;
    return node;
}

static uintptr_t hop_stack_of_node(const struct hop_node *node) { return (uintptr_t)node | 1; }

static uintptr_t hop_stack_pushed(uintptr_t stack, const void *payload) {
    if (stack == 0) return (uintptr_t)payload;
    const struct hop_node *below = hop_stack_node(stack);
    if (below == NULL) below = hop_node_make((const void *)stack, NULL);
    return hop_stack_of_node(hop_node_make(payload, below));
}

/// Whether the stack has the payload. If so, sets `rest` to the stack without it. The nodes of the old stack before
/// `copied_until` have become garbage.
static bool hop_stack_without(uintptr_t stack, const void *payload, uintptr_t *rest,
                              const struct hop_node *_Nullable *_Nonnull copied_until) {
    *copied_until = NULL;
    if (stack == (uintptr_t)payload) {
        *rest = 0;
        return true;
    }
    const struct hop_node *top = hop_stack_node(stack);
    const struct hop_node *found = top;
    while (found != NULL && found->payload != payload) found = found->next;
    if (found == NULL) return false;
    // Copies the nodes above in order, and shares the ones below.
    const struct hop_node *head = found->next;
    struct hop_node *last = NULL;
    for (const struct hop_node *node = top; node != found; node = node->next) {
        struct hop_node *copy = (struct hop_node *)hop_node_make(node->payload, found->next);
        if (last == NULL) {
            head = copy;
        } else {
            last->next = copy;
        }
        last = copy;
    }
    *copied_until = found->next;
    *rest = head == NULL ? 0 : hop_stack_of_node(head);
    return true;
}

// MARK: Garbage

/// Whether a thread may still protect a payload. Story K in reclaim.c.
enum hop_protection { HOP_UNPROTECTED, HOP_MAYBE_PROTECTED };

/// One look for all payloads of a piece of garbage: while no section is open, none of them is protected.
static enum hop_protection hop_current_protection(void) {
    return __builtin_expect(hop_any_section(), 0) ? HOP_MAYBE_PROTECTED : HOP_UNPROTECTED;
}

static void hop_release_payload(const void *payload, hop_release release, enum hop_protection protection) {
    if (__builtin_expect(protection == HOP_UNPROTECTED, 1)) {
        release(payload);
    } else {
        hop_retire_payload(payload, release);
    }
}

static void hop_dispose_payload(const struct hop_garbage *garbage) {
    hop_retire_payload(garbage->object, garbage->release);
}

/// Frees replaced tables without their stacks, which belong to the current table.
static void hop_dispose_replaced(const struct hop_garbage *garbage) {
    for (struct hop_table *table = garbage->object, *older; table != NULL; table = older) {
        older = table->replaced;
        hop_table_free(table);
    }
}

/// Frees nodes without their payloads, which are removed separately or belong to copies.
static void hop_dispose_nodes(const struct hop_garbage *garbage) {
    for (const struct hop_node *node = garbage->object, *next; node != garbage->until; node = next) {
        next = node->next;
        free((void *)node);
    }
}

/// Frees a stack and releases all its payloads.
static void hop_release_stack(uintptr_t stack, hop_release release, enum hop_protection protection) {
    const struct hop_node *node = hop_stack_node(stack);
    if (node == NULL) {
        hop_release_payload((const void *)stack, release, protection);
        return;
    }
    for (const struct hop_node *next; node != NULL; node = next) {
        next = node->next;
        const void *payload = node->payload;
        free((void *)node);
        hop_release_payload(payload, release, protection);
    }
}

static void hop_dispose_stack(const struct hop_garbage *garbage) {
    hop_release_stack((uintptr_t)garbage->object, garbage->release, hop_current_protection());
}

/// Frees a table that left its registry as a whole, with all its stacks, and the tables that it has replaced.
static void hop_release_table(struct hop_table *table, hop_release release, enum hop_protection protection) {
    for (size_t index = 0; index <= table->mask; index++) {
        const uintptr_t stack = atomic_load_explicit(&table->slots[index].stack, memory_order_relaxed);
        if (stack != 0) hop_release_stack(stack, release, protection);
    }
    hop_dispose_replaced(&(struct hop_garbage){.object = table});
}

static void hop_dispose_table(const struct hop_garbage *garbage) {
    hop_release_table(garbage->object, garbage->release, hop_current_protection());
}

/// Frees an array of stacks, and releases all their payloads.
static void hop_dispose_stacks(const struct hop_garbage *garbage) {
    const enum hop_protection protection = hop_current_protection();
    uintptr_t *stacks = garbage->object;
    for (uintptr_t *stack = stacks; stack != garbage->until; stack++) {
        hop_release_stack(*stack, garbage->release, protection);
    }
    free(stacks);
}

// MARK: Reading

static inline const void *_Nullable hop_newest(const hop_registry *_Nullable registry, hop_key key) {
    // Acquire: pairs with the release in hop_store_table_locked.
    const struct hop_table *table = atomic_load_explicit(&hop_or_default(registry)->table, memory_order_acquire);
    const struct hop_slot *slot = hop_table_find(table, key);
    // Acquire: pairs with the release in hop_store_stack_locked.
    return slot == NULL ? NULL : hop_stack_newest(atomic_load_explicit(&slot->stack, memory_order_acquire));
}

// The thread's first use. These are tail calls, so the usual path saves no registers for them.

static __attribute__((noinline, cold)) hop_found hop_read_begin_slow(const hop_registry *registry, hop_key key) {
    hop_thread *thread = hop_short_begin_slow();
    return (hop_found){.payload = hop_newest(registry, key), .thread = thread};
}

static __attribute__((noinline, cold)) hop_found hop_borrow_begin_slow(const hop_registry *registry, hop_key key) {
    hop_thread *thread = hop_borrowed_begin_slow(hop_or_default(registry));
    return (hop_found){.payload = hop_newest(registry, key), .thread = thread};
}

static __attribute__((noinline)) hop_found hop_borrow_begin_nested(const hop_registry *registry, hop_key key) {
    hop_thread *thread = hop_thread_record;
    hop_borrowed_begin_nested(thread, hop_or_default(registry));
    return (hop_found){.payload = hop_newest(registry, key), .thread = thread};
}

hop_found hop_read_begin(const hop_registry *registry, hop_key key) {
    hop_thread *thread = hop_thread_record;
    if (__builtin_expect(thread == NULL, 0)) return hop_read_begin_slow(registry, key);
    hop_short_begin(thread);
    return (hop_found){.payload = hop_newest(registry, key), .thread = thread};
}

const void *hop_find(const hop_registry *registry, hop_key key) { return hop_newest(registry, key); }

hop_found hop_borrow_begin(const hop_registry *registry, hop_key key) {
    hop_thread *thread = hop_thread_record;
    if (__builtin_expect(thread == NULL, 0)) return hop_borrow_begin_slow(registry, key);
    if (__builtin_expect(HOP_OWN_LOAD(thread->depth) != 0, 0)) return hop_borrow_begin_nested(registry, key);
    registry = hop_or_default(registry);
    hop_borrowed_begin(thread, registry);
    return (hop_found){.payload = hop_newest(registry, key), .thread = thread};
}

bool hop_contains(const hop_registry *registry, hop_key key) {
    const hop_found found = hop_read_begin(registry, key);
    hop_section_end(found.thread);
    return found.payload != NULL;
}

size_t hop_copy_stack(const hop_registry *registry, hop_key key, hop_retain retain, const void **buffer,
                      size_t capacity) {
    hop_thread *thread = hop_section_begin();
    const struct hop_table *table = atomic_load_explicit(&hop_or_default(registry)->table, memory_order_acquire);
    const struct hop_slot *slot = hop_table_find(table, key);
    const uintptr_t stack = slot == NULL ? 0 : atomic_load_explicit(&slot->stack, memory_order_acquire);
    const size_t height = hop_stack_height(stack);
    if (height != 0 && height <= capacity) {
        const struct hop_node *node = hop_stack_node(stack);
        if (node == NULL) {
            retain((const void *)stack);
            buffer[0] = (const void *)stack;
        }
        for (size_t index = 0; node != NULL; node = node->next, index++) {
            retain(node->payload);
            buffer[index] = node->payload;
        }
    }
    hop_section_end(thread);
    return height;
}

size_t hop_copy_keys(const hop_registry *registry, hop_key *buffer, size_t capacity) {
    hop_thread *thread = hop_section_begin();
    const struct hop_table *table = atomic_load_explicit(&hop_or_default(registry)->table, memory_order_acquire);
    size_t count = 0;
    for (size_t index = 0; index <= table->mask; index++) {
        const struct hop_slot *slot = &table->slots[index];
        const uintptr_t type = atomic_load_explicit(&slot->type, memory_order_acquire);
        if (type == 0 || atomic_load_explicit(&slot->stack, memory_order_acquire) == 0) continue;
        if (count < capacity) buffer[count] = (hop_key){type, slot->discriminator};
        count++;
    }
    hop_section_end(thread);
    return count;
}

size_t hop_copy_first_keys(const hop_registry *registry, hop_key *buffer, size_t capacity, bool *complete) {
    hop_thread *thread = hop_section_begin();
    const struct hop_table *table = atomic_load_explicit(&hop_or_default(registry)->table, memory_order_acquire);
    size_t count = 0;
    size_t index = 0;
    // The bound on slots matters for a table from which nearly everything was removed: it is full of free slots.
    for (; index <= table->mask && index / 16 < capacity && count < capacity; index++) {
        const struct hop_slot *slot = &table->slots[index];
        const uintptr_t type = atomic_load_explicit(&slot->type, memory_order_acquire);
        if (type == 0 || atomic_load_explicit(&slot->stack, memory_order_acquire) == 0) continue;
        buffer[count++] = (hop_key){type, slot->discriminator};
    }
    *complete = index > table->mask;
    hop_section_end(thread);
    return count;
}

size_t hop_count(const hop_registry *registry) {
    return atomic_load_explicit(&hop_or_default(registry)->count, memory_order_relaxed);
}

// MARK: Writing

static const struct hop_table *hop_table_locked(const hop_registry *registry) {
    return atomic_load_explicit(&registry->table, memory_order_relaxed);
}

static void hop_store_table_locked(hop_registry *registry, const struct hop_table *table) {
    atomic_store_explicit(&registry->table, table, memory_order_release);
}

static void hop_store_stack_locked(struct hop_slot *slot, uintptr_t stack) {
    atomic_store_explicit(&slot->stack, stack, memory_order_release);
}

static bool hop_is_sealed_locked(const hop_registry *registry) {
    return atomic_load_explicit(&registry->sealed, memory_order_relaxed);
}

static void hop_count_add_locked(hop_registry *registry, size_t difference) {
    const size_t count = atomic_load_explicit(&registry->count, memory_order_relaxed);
    atomic_store_explicit(&registry->count, count + difference, memory_order_relaxed);
}

/// Adds a key that the table lacks. If that replaces the table, the new one keeps the old one (invariant 5).
static void hop_add_key_locked(hop_registry *registry, hop_key key, uintptr_t stack) {
    const struct hop_table *table = hop_table_locked(registry);
    if (!hop_table_is_full(table)) {
        hop_table_add_locked((struct hop_table *)table, key, stack);
        return;
    }
    struct hop_table *grown = registry->unused_table;
    if (grown != NULL) {
        registry->unused_table = NULL;
        hop_table_start(grown);
    } else {
        grown = hop_table_grown_locked(table);
    }
    hop_table_add_locked(grown, key, stack);
    hop_store_table_locked(registry, grown);
}

/// Appends the replaced tables to garbage for which the caller waits anyway. The table is not the empty one.
static size_t hop_take_replaced_locked(hop_registry *registry, struct hop_garbage *garbage, size_t count) {
    struct hop_table *table = (struct hop_table *)hop_table_locked(registry);
    if (__builtin_expect(table->replaced == NULL, 1)) return count;
    garbage[count] = (struct hop_garbage){.dispose = hop_dispose_replaced, .object = table->replaced};
    table->replaced = NULL;
    return count + 1;
}

// If a fork happened while another thread writes to one of the two static registries, the child could never take its lock. So
// their locks are held across the fork. (No other code holds both at once.) This file keeps no list of the other registries:
// if another thread was writing to one of them at the fork, the child cannot write to it. Reading it is safe.
static void hop_static_lock(void) {
    pthread_mutex_lock(&default_registry.lock);
    pthread_mutex_lock(&names.lock);
}

static void hop_static_unlock(void) {
    pthread_mutex_unlock(&names.lock);
    pthread_mutex_unlock(&default_registry.lock);
}

__attribute__((constructor)) static void hop_registry_start(void) {
    if (pthread_atfork(hop_static_lock, hop_static_unlock, hop_static_unlock) != 0) {
        hop_fail("could not prepare for fork (pthread_atfork failed)");
    }
}

static hop_registry *hop_registry_make_with_scope(size_t slots, hop_release _Nullable release, size_t table_size) {
    const size_t table_offset = sizeof(hop_registry) + slots * sizeof(struct hop_scope_slot);
    hop_registry *registry = hop_allocate(table_offset + table_size, "a container");
    registry->unused_table = table_size == 0 ? NULL : hop_table_within((char *)registry + table_offset);
    registry->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    hop_store_table_locked(registry, &hop_empty_table);
    atomic_store_explicit(&registry->count, 0, memory_order_relaxed);
    atomic_store_explicit(&registry->next_number, 0, memory_order_relaxed);
    atomic_store_explicit(&registry->sealed, false, memory_order_relaxed);
    atomic_store_explicit(&registry->attachment, NULL, memory_order_relaxed);
    registry->scope_slots = slots;
    registry->scope_release = release;
    atomic_store_explicit(&registry->scope_slots_of_children, slots, memory_order_relaxed);
    for (size_t index = 0; index < slots; index++) {
        atomic_store_explicit(&registry->scope[index].key, 0, memory_order_relaxed);
        atomic_store_explicit(&registry->scope[index].payload, NULL, memory_order_relaxed);
    }
    return registry;
}

hop_registry *hop_registry_make(void) { return hop_registry_make_with_scope(0, NULL, 0); }

hop_registry *hop_registry_make_child(const hop_registry *parent, hop_release release) {
    const _Atomic size_t *slots = &hop_or_default(parent)->scope_slots_of_children;
    return hop_registry_make_with_scope(atomic_load_explicit(slots, memory_order_relaxed), release,
                                        HOP_FIRST_TABLE_SIZE);
}

hop_registry *hop_names(void) { return &names; }

void hop_registry_destroy(hop_registry *registry, hop_release release) {
    const struct hop_table *table = hop_table_locked(registry);
    pthread_mutex_destroy(&registry->lock);
    for (size_t index = 0; index < registry->scope_slots; index++) {
        const void *payload = atomic_load_explicit(&registry->scope[index].payload, memory_order_relaxed);
        if (payload != NULL) registry->scope_release(payload);
    }
    if (table != &hop_empty_table) {
        hop_release_table((struct hop_table *)table, release, HOP_UNPROTECTED);
    }
    free(registry);
    hop_reclaim();
}

bool hop_push(hop_registry *nullable_registry, hop_key key, const void *payload) {
    hop_registry *registry = hop_or_default(nullable_registry);
    pthread_mutex_lock(&registry->lock);
    if (hop_is_sealed_locked(registry)) {
        pthread_mutex_unlock(&registry->lock);
        return false;
    }
    struct hop_slot *slot = hop_table_find(hop_table_locked(registry), key);
    if (slot == NULL) {
        hop_add_key_locked(registry, key, hop_stack_pushed(0, payload));
    } else {
        const uintptr_t stack = atomic_load_explicit(&slot->stack, memory_order_relaxed);
        hop_store_stack_locked(slot, hop_stack_pushed(stack, payload));
    }
    hop_count_add_locked(registry, 1);
    pthread_mutex_unlock(&registry->lock);
    hop_reclaim();
    return true;
}

const void *hop_find_or_push(hop_registry *nullable_registry, hop_key key, const void *payload, hop_retain retain) {
    hop_registry *registry = hop_or_default(nullable_registry);
    pthread_mutex_lock(&registry->lock);
    struct hop_slot *slot = hop_table_find(hop_table_locked(registry), key);
    const uintptr_t stack = slot == NULL ? 0 : atomic_load_explicit(&slot->stack, memory_order_relaxed);
    // Retained under the lock: until the lock is released, no thread unlinks the payload, so none releases it.
    const void *newest = stack == 0 ? payload : hop_stack_newest(stack);
    retain(newest);
    if (stack == 0) {
        const uintptr_t pushed = hop_stack_pushed(0, payload);
        if (slot == NULL) {
            hop_add_key_locked(registry, key, pushed);
        } else {
            hop_store_stack_locked(slot, pushed);
        }
        hop_count_add_locked(registry, 1);
    }
    pthread_mutex_unlock(&registry->lock);
    return newest;
}

bool hop_remove(hop_registry *nullable_registry, hop_key key, const void *payload, hop_release release) {
    hop_registry *registry = hop_or_default(nullable_registry);
    struct hop_garbage garbage[3];
    size_t count = 0;
    pthread_mutex_lock(&registry->lock);
    struct hop_slot *slot = hop_table_find(hop_table_locked(registry), key);
    const uintptr_t stack = slot == NULL ? 0 : atomic_load_explicit(&slot->stack, memory_order_relaxed);
    uintptr_t rest;
    const struct hop_node *copied_until;
    if (stack != 0 && hop_stack_without(stack, payload, &rest, &copied_until)) {
        hop_store_stack_locked(slot, rest);
        hop_count_add_locked(registry, (size_t)-1);
        if (hop_stack_node(stack) != NULL) {
            garbage[count++] = (struct hop_garbage){
                .dispose = hop_dispose_nodes, .object = (void *)hop_stack_node(stack), .until = (void *)copied_until};
        }
        garbage[count++] =
            (struct hop_garbage){.dispose = hop_dispose_payload, .object = (void *)payload, .release = release};
        count = hop_take_replaced_locked(registry, garbage, count);
    }
    pthread_mutex_unlock(&registry->lock);
    if (count != 0) {
        hop_retire(registry, garbage, count);
    } else {
        hop_reclaim();
    }
    return count != 0;
}

bool hop_replace(hop_registry *nullable_registry, hop_key key, const void *payload, hop_release release) {
    hop_registry *registry = hop_or_default(nullable_registry);
    struct hop_garbage garbage[2];
    size_t count = 0;
    pthread_mutex_lock(&registry->lock);
    if (hop_is_sealed_locked(registry)) {
        pthread_mutex_unlock(&registry->lock);
        return false;
    }
    struct hop_slot *slot = hop_table_find(hop_table_locked(registry), key);
    if (slot == NULL) {
        hop_add_key_locked(registry, key, hop_stack_pushed(0, payload));
        hop_count_add_locked(registry, 1);
    } else {
        const uintptr_t stack = atomic_load_explicit(&slot->stack, memory_order_relaxed);
        hop_store_stack_locked(slot, hop_stack_pushed(0, payload));
        hop_count_add_locked(registry, 1 - hop_stack_height(stack));
        if (stack != 0) {
            garbage[count++] =
                (struct hop_garbage){.dispose = hop_dispose_stack, .object = (void *)stack, .release = release};
            count = hop_take_replaced_locked(registry, garbage, count);
        }
    }
    pthread_mutex_unlock(&registry->lock);
    if (count != 0) {
        hop_retire(registry, garbage, count);
    } else {
        hop_reclaim();
    }
    return true;
}

/// Empties all scope slots. Returns the payloads as one piece of garbage; its object is NULL if there were none.
static struct hop_garbage hop_empty_scope(hop_registry *registry) {
    struct hop_garbage garbage = {.dispose = hop_dispose_stacks, .release = registry->scope_release};
    uintptr_t *payloads = NULL;
    size_t count = 0;
    for (size_t index = 0; index < registry->scope_slots; index++) {
        struct hop_scope_slot *slot = &registry->scope[index];
        // Acquire: the payload is released here, after everything that the thread which filled the slot has done to it.
        const void *payload = atomic_exchange_explicit(&slot->payload, NULL, memory_order_acquire);
        if (payload == NULL) continue;
        if (payloads == NULL) payloads = hop_allocate(registry->scope_slots * sizeof *payloads, "a shutdown");
        payloads[count++] = (uintptr_t)payload;
    }
    garbage.object = payloads;
    garbage.until = payloads + count;
    return garbage;
}

/// Makes garbage of a table that has left its registry. A table inside the allocation of the registry stays there, as readers need it,
/// and only its stacks become garbage: they may be released later than the registry.
static struct hop_garbage hop_garbage_of_table(const struct hop_table *table, hop_release release) {
    if (!table->is_inside) {
        return (struct hop_garbage){.dispose = hop_dispose_table, .object = (void *)table, .release = release};
    }
    uintptr_t *stacks = hop_allocate((table->mask + 1) * sizeof *stacks, "a shutdown");
    size_t count = 0;
    for (size_t index = 0; index <= table->mask; index++) {
        const uintptr_t stack = atomic_load_explicit(&table->slots[index].stack, memory_order_relaxed);
        if (stack != 0) stacks[count++] = stack;
    }
    return (struct hop_garbage){
        .dispose = hop_dispose_stacks, .object = stacks, .until = stacks + count, .release = release};
}

void hop_remove_all(hop_registry *nullable_registry, hop_release release) {
    hop_registry *registry = hop_or_default(nullable_registry);
    struct hop_garbage garbage[2];
    size_t pieces = 0;
    pthread_mutex_lock(&registry->lock);
    const struct hop_table *table = hop_table_locked(registry);
    hop_store_table_locked(registry, &hop_empty_table);
    atomic_store_explicit(&registry->count, 0, memory_order_relaxed);
    pthread_mutex_unlock(&registry->lock);
    if (table != &hop_empty_table) {
        garbage[pieces++] = hop_garbage_of_table(table, release);
    }
    const struct hop_garbage scope = hop_empty_scope(registry);
    if (scope.object != NULL) garbage[pieces++] = scope;
    if (pieces != 0) {
        hop_retire(registry, garbage, pieces);
    } else {
        hop_reclaim();
    }
}

// MARK: Scope slots

size_t hop_scope_reserve(hop_registry *nullable_registry) {
    _Atomic size_t *slots = &hop_or_default(nullable_registry)->scope_slots_of_children;
    // Relaxed: a child that has one slot too few keeps payloads in its table.
    size_t index = atomic_load_explicit(slots, memory_order_relaxed);
    do {
        if (index >= HOP_MOST_SCOPE_SLOTS) return HOP_MOST_SCOPE_SLOTS;
    } while (
        !atomic_compare_exchange_weak_explicit(slots, &index, index + 1, memory_order_relaxed, memory_order_relaxed));
    return index;
}

const void *hop_scope_find(const hop_registry *nullable_registry, size_t index, uintptr_t key) {
    const hop_registry *registry = hop_or_default(nullable_registry);
    if (index >= registry->scope_slots) return NULL;
    const struct hop_scope_slot *slot = &registry->scope[index];
    // Acquire: pairs with the release in hop_scope_fill.
    const void *payload = atomic_load_explicit(&slot->payload, memory_order_acquire);
    // The key was stored before the payload.
    return payload != NULL && atomic_load_explicit(&slot->key, memory_order_relaxed) == key ? payload : NULL;
}

bool hop_scope_has_slot(const hop_registry *nullable_registry, size_t index, uintptr_t key) {
    const hop_registry *registry = hop_or_default(nullable_registry);
    if (index >= registry->scope_slots) return false;
    const uintptr_t owner = atomic_load_explicit(&registry->scope[index].key, memory_order_relaxed);
    return owner == 0 || owner == key;
}

bool hop_scope_fill(hop_registry *nullable_registry, size_t index, uintptr_t key, const void *payload) {
    hop_registry *registry = hop_or_default(nullable_registry);
    if (index >= registry->scope_slots) return false;
    struct hop_scope_slot *slot = &registry->scope[index];
    uintptr_t owner = atomic_load_explicit(&slot->key, memory_order_relaxed);
    if (owner == 0 &&
        atomic_compare_exchange_strong_explicit(&slot->key, &owner, key, memory_order_relaxed, memory_order_relaxed)) {
        owner = key;
    }
    if (owner != key) return false;
    const void *empty = NULL;
    // Release: pairs with the acquire in hop_scope_find, also for the key.
    return atomic_compare_exchange_strong_explicit(&slot->payload, &empty, payload, memory_order_release,
                                                   memory_order_relaxed);
}

size_t hop_next_number(hop_registry *registry) {
    return atomic_fetch_add_explicit(&hop_or_default(registry)->next_number, 1, memory_order_relaxed);
}

// MARK: Seal and attachment

void hop_seal(hop_registry *nullable_registry) {
    hop_registry *registry = hop_or_default(nullable_registry);
    pthread_mutex_lock(&registry->lock);
    // Release: pairs with the acquire in hop_is_sealed. Writers read it under the lock.
    atomic_store_explicit(&registry->sealed, true, memory_order_release);
    pthread_mutex_unlock(&registry->lock);
}

bool hop_is_sealed(const hop_registry *registry) {
    return atomic_load_explicit(&hop_or_default(registry)->sealed, memory_order_acquire);
}

const void *hop_attachment(const hop_registry *registry) {
    return atomic_load_explicit(&hop_or_default(registry)->attachment, memory_order_acquire);
}

const void *hop_attach(hop_registry *registry, const void *attachment) {
    const void *attached = NULL;
    const bool is_first = atomic_compare_exchange_strong_explicit(
        &hop_or_default(registry)->attachment, &attached, attachment, memory_order_acq_rel, memory_order_acquire);
    return is_first ? attachment : attached;
}

// MARK: Statistics

hop_statistics hop_statistics_read(const hop_registry *registry) {
    hop_thread *thread = hop_section_begin();
    const struct hop_table *table = atomic_load_explicit(&hop_or_default(registry)->table, memory_order_acquire);
    const size_t capacity = table == &hop_empty_table ? 0 : table->mask + 1;
    hop_section_end(thread);
    return (hop_statistics){.thread_records = hop_thread_records(),
                            .records_in_use = hop_thread_records_in_use(),
                            .deferred = hop_deferred_pieces(),
                            .capacity = capacity,
                            .scope_slots = hop_or_default(registry)->scope_slots,
                            .reader_fences = hop_readers_fence()};
}
