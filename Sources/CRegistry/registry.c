// The registry: a table of keys, a newest-first stack for each, and the writers' lock.
//
// 1. What it is
//
//   hop_registry                    hop_table (table.h)                 stacks
//   +---------------------+        +--------------------------+
//   | table  -------------------->  | type disc stack --------------->  payload                          (height 1)
//   +---------------------+        | type disc stack=0        |        (empty: the key keeps its slot)
//   | lock                |        | type disc stack --------------->  node -> node -> node -> end      (height 3)
//   +---------------------+        +--------------------------+          |       |       |
//                                                                      payload payload payload
//
// A stack is one word. It is zero if the stack is empty. It is the payload itself if the height is one: this is the usual
// case, and it saves readers a load and writers an allocation. Otherwise it is a node, marked by the lowest bit.
//
// The versions of a stack share nodes, as in a persistent list. A push puts a node in front. A removal from the depth leaves the
// node in the list, and writes the number of the next version into the node. Then it copies the newest node, because the newest node
// also has the version and the height of its stack:
//
//   before   [c version 0, height 3] -> [b] -> [a] -> end        after   [c version 1, height 2] -> [b] -> [a gone in 1] -> end
//
// So a stack changes with one store, and a reader that has loaded the word has a snapshot of the whole stack: the payloads of the
// nodes that are not marked with its version or an earlier one. If more removals than payloads have accumulated, the nodes with
// payloads are copied, and the others are dropped. So the work of a removal is amortised constant, besides finding the node.
//
// The payloads of a registry are numbered in the order in which they were pushed, so a stack is sorted. Each node has a link to a
// node further down besides that to the next one, of a length that makes a search by number take logarithmic time, and a push
// constant time (E. Myers, An Applicative Random-Access Stack, 1983).
//
// A child registry also has an array of scope slots, one word of key and one payload each. The index of a slot is dense in the
// parent, so a payload is found there by one load, without a hash. A slot belongs to the first key that fills it. Only the first slots
// lie in the allocation of the registry. The others come in chunks, which are made when a slot of them is filled. So a child costs no more
// if its parent has, or once had, hundreds of scoped registrations. The first table of a child also lies in the allocation of the registry,
// since most children get a few registrations and end soon.
//
// 2. Who writes what
//
//   table, slots          the writer that holds the registry's lock
//   nodes                 no thread, after publication; except for the mark, which the same writer sets once
//   scope slots           any thread, by compare-and-exchange: first the chunk, once; then the key, once; then the payload
//
// 3. Invariants
//
//   1. Every change of a key is one release store to its slot (or to `table`, if it changes several keys or all at once). This store
//      is the linearization point of the write. The linearization point of a read is its acquire load of the slot.
//   2. A table is never written after it was replaced (table.h).
//   3. Unlinked memory is freed and released after the lock was released. No callback is called under the lock.
//   4. A payload is in at most one current stack. When a node is copied, the payload belongs to the copy. The payload of a marked node
//      is not in the stack, and belongs to the removal.
//   5. A replaced table is garbage, but no push waits for its readers. It stays linked from its successor until a removal
//      retires garbage of its own, or until the registry is destroyed. Without removals no key loses its stack, so each
//      table has twice the slots of the one that it replaces, and all replaced ones together are smaller than the current one.
//   6. The newest node of a current stack has a payload, and states the number of the current version. Its number is that of the
//      removals from the depth since the nodes were last copied, and not greater than the height. So a stack has at most twice as
//      many nodes as payloads, plus one.
//   7. The key of a scope slot never changes once it is set. So a payload that a reader finds behind its own key is of this key. A chunk
//      stays until the registry ends. The slots of a chunk that is not there are empty.
//
// 4. The races
//
//   Story A, the stale table. A reader loads the table. A writer replaces the table and pushes to the new one. The reader
//   finds the stack from before the push. This is correct: it is the state at the replacement, because the old table does
//   not change any more (invariant 2), and the replacement happened during the read.
//
//   Story B, the torn stack. Suppose that writers unlinked nodes in place. A reader walks a list while one writer removes
//   behind it and then another one before it. It would see a stack that never existed. But nodes are marked instead, with the first
//   version that lacks them. The reader may see the mark of a later version than its own, and ignores it. It does not miss the
//   mark of its own version or of an earlier one: the mark was stored before the word that the reader has acquired. So it sees the
//   version that it loaded (invariant 1), and the payloads of that version live until its read section ends.
//
//   Story C, the half-written key. A reader could match the type of a slot before the discriminator and the stack are
//   written. Therefore the type is stored last, with release, and loaded with acquire (table.h).
//
//   Story D, two keys for one scope slot. Thread 1 has set its key and is about to store its payload. Thread 2 finds another key
//   than its own, and so neither reads nor fills the slot (invariant 7). If both have the same key, one of the two payloads gets in.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "CRegistry.h"
#include "memory.h"
#include "reclaim.h"
#include "table.h"

enum {
    /// The number of scope slots in the allocation of a child registry, and in a chunk.
    HOP_SCOPE_CHUNK = 32,
};

/// A place for one payload of a child registry.
struct hop_scope_slot {
    /// Zero until the slot is filled for the first time.
    _Atomic uintptr_t key;
    /// NULL if the slot is empty. Stored with release, after the key.
    _Atomic(const void *) payload;
};

struct hop_scope_chunk {
    struct hop_scope_slot slots[HOP_SCOPE_CHUNK];
};

struct hop_registry {
    /// The only field that lookups read, besides the number of scope slots.
    _Atomic(const struct hop_table *) table;
    /// The number of scope slots inside this allocation, and of all. Constant.
    size_t scope_slots_inside;
    size_t scope_slots;
    /// The number of scope slots that a child gets.
    _Atomic size_t scope_slots_of_children;
    /// Keeps the fields that writers write off the cache line of `table`, however the registry is aligned.
    char padding[HOP_CACHE_LINE - 4 * sizeof(void *)];
    /// Serialises writers.
    pthread_mutex_t lock;
    /// The number that `hop_next_number` returns next.
    _Atomic size_t next_number;
    /// Whether pushes are refused. Written under the lock.
    _Atomic bool sealed;
    /// Bits that belong to the owner.
    _Atomic uint32_t marks;
    /// A count that belongs to the owner.
    _Atomic uint32_t pins;
    /// The number of payloads that `hop_find_or_push` may push until `hop_remove_entries` is due. Under the lock.
    uint32_t additions_left;
    /// An object that the owner keeps with the registry; set once.
    _Atomic(const void *) attachment;
    /// The first table of a child, inside this allocation; NULL if there is none, or if it was in use before. Under the lock.
    struct hop_table *_Nullable unused_table;
    /// Releases the payloads of scope slots. Constant.
    hop_release scope_release;
    /// The scope slots that are inside, and behind them the addresses of the chunks.
    struct hop_scope_slot scope[];
};

/// In static storage, so that no call has to make it.
static hop_registry default_registry = {.table = &hop_empty_table, .lock = PTHREAD_MUTEX_INITIALIZER};
static hop_registry names = {.table = &hop_empty_table, .lock = PTHREAD_MUTEX_INITIALIZER};

static inline hop_registry *hop_or_default(const hop_registry *_Nullable registry) {
    return registry == NULL ? &default_registry : (hop_registry *)registry;
}

// MARK: Stacks

/// A payload of a stack, and the stack of which it is the newest one.
struct hop_node {
    const void *payload;
    /// The node below.
    const struct hop_node *_Nullable next;
    /// A node further down; NULL for the end of the stack.
    const struct hop_node *_Nullable jump;
    /// The number of the payload: greater than those of the nodes below.
    size_t number;
    /// The number of nodes from this one down, also of those without a payload.
    uint32_t length;
    /// The number of payloads from this one down, when the node was made.
    uint32_t height;
    /// The version of the stack, when the node was made.
    uint32_t version;
    /// The first version without the payload; zero while there is none.
    _Atomic uint32_t gone_in;
};

static inline const struct hop_node *_Nullable hop_stack_node(uintptr_t stack) {
    return (stack & 1) != 0 ? (const struct hop_node *)(stack & ~(uintptr_t)1) : NULL;
}

static uintptr_t hop_stack_of_node(const struct hop_node *node) { return (uintptr_t)node | 1; }

static inline const void *_Nullable hop_stack_newest(uintptr_t stack) {
    const struct hop_node *node = hop_stack_node(stack);
    return __builtin_expect(node == NULL, 1) ? (const void *)stack : node->payload;
}

static size_t hop_stack_height(uintptr_t stack) {
    const struct hop_node *node = hop_stack_node(stack);
    return node != NULL ? node->height : stack != 0;
}

/// Whether a version of the stack has the payload of a node.
static bool hop_node_is_in(const struct hop_node *node, uint32_t version) {
    // Relaxed: story B.
    const uint32_t gone_in = atomic_load_explicit(&node->gone_in, memory_order_relaxed);
    return gone_in == 0 || gone_in > version;
}

static uint32_t hop_node_length(const struct hop_node *_Nullable node) { return node == NULL ? 0 : node->length; }

static struct hop_node *hop_node_allocate(const void *payload, size_t number) {
    struct hop_node *node = hop_allocate(sizeof *node, "a registration");
    node->payload = payload;
    node->number = number;
    atomic_store_explicit(&node->gone_in, 0, memory_order_relaxed);
    return node;
}

/// Puts a new node on top of another one, or at the end of a stack.
static void hop_node_put(struct hop_node *node, const struct hop_node *_Nullable below) {
    node->next = below;
    node->jump = below;
    node->length = hop_node_length(below) + 1;
    node->height = below == NULL ? 1 : below->height + 1;
    node->version = below == NULL ? 0 : below->version;
    // Two jumps of one length become one of twice that length and one more. So there are few, and each length is followed by shorter ones.
    const struct hop_node *far = below == NULL ? NULL : below->jump;
    if (far != NULL && below->length - far->length == far->length - hop_node_length(far->jump)) node->jump = far->jump;
}

static const struct hop_node *hop_node_make(const void *payload, size_t number,
                                            const struct hop_node *_Nullable below) {
    struct hop_node *node = hop_node_allocate(payload, number);
    hop_node_put(node, below);
    return node;
}

/// Copies a node that becomes the newest one of a version.
static const struct hop_node *hop_node_copy(const struct hop_node *node, uint32_t height, uint32_t version) {
    struct hop_node *copy = hop_node_allocate(node->payload, node->number);
    copy->next = node->next;
    copy->jump = node->jump;
    copy->length = node->length;
    copy->height = height;
    copy->version = version;
    return copy;
}

/// The node of a payload, searched by its number; NULL if the stack does not have it.
static const struct hop_node *_Nullable hop_node_numbered(const struct hop_node *top, size_t number) {
    const struct hop_node *node = top;
    while (node != NULL && node->number > number) {
        const struct hop_node *jump = node->jump;
        node = jump != NULL && jump->number >= number ? jump : node->next;
    }
    return node != NULL && node->number == number && hop_node_is_in(node, top->version) ? node : NULL;
}

/// The node of a payload; NULL if the stack does not have it.
static const struct hop_node *_Nullable hop_node_with(const struct hop_node *top, const void *payload) {
    const struct hop_node *node = top;
    // A payload may have the address of one that was removed.
    while (node != NULL && (node->payload != payload || !hop_node_is_in(node, top->version))) node = node->next;
    return node;
}

/// A stack with its number, as a slot has them: that of the payload, if it is the only one.
struct hop_numbered_stack {
    uintptr_t stack;
    size_t number;
};

/// The number of the newest payload of a stack, which is not empty.
static size_t hop_newest_number(struct hop_numbered_stack stack) {
    const struct hop_node *node = hop_stack_node(stack.stack);
    return node == NULL ? stack.number : node->number;
}

static __attribute__((noinline)) struct hop_numbered_stack hop_stack_pushed_slow(struct hop_numbered_stack below,
                                                                                 const void *payload, size_t number) {
    const struct hop_node *node = hop_stack_node(below.stack);
    if (node == NULL) node = hop_node_make((const void *)below.stack, below.number, NULL);
    return (struct hop_numbered_stack){hop_stack_of_node(hop_node_make(payload, number, node)), 0};
}

static inline struct hop_numbered_stack hop_stack_pushed(struct hop_numbered_stack below, const void *payload,
                                                         size_t number) {
    if (__builtin_expect(below.stack != 0, 0)) return hop_stack_pushed_slow(below, payload, number);
    return (struct hop_numbered_stack){(uintptr_t)payload, number};
}

/// Copies the nodes of a stack that have a payload, except for one.
static struct hop_numbered_stack hop_stack_copied_without(const struct hop_node *top, const struct hop_node *removed) {
    // Nodes refer to older ones, so the copies get their places from the oldest one on. Until then, each refers to the newer one.
    const struct hop_node *copy = NULL;
    for (const struct hop_node *node = top; node != NULL; node = node->next) {
        if (node == removed || !hop_node_is_in(node, top->version)) continue;
        if (top->height == 2) return (struct hop_numbered_stack){(uintptr_t)node->payload, node->number};
        struct hop_node *older = hop_node_allocate(node->payload, node->number);
        older->next = copy;
        copy = older;
    }
    const struct hop_node *below = NULL;
    for (const struct hop_node *newer; copy != NULL; copy = newer) {
        newer = copy->next;
        hop_node_put((struct hop_node *)copy, below);
        below = copy;
    }
    return (struct hop_numbered_stack){below == NULL ? 0 : hop_stack_of_node(below), 0};
}

/// Removes the payload of a node from its stack. The nodes of the old stack before `kept` are no longer part of it.
static struct hop_numbered_stack hop_stack_without(const struct hop_node *top, const struct hop_node *removed,
                                                   const struct hop_node *_Nullable *_Nonnull kept) {
    const uint32_t height = top->height - 1;
    const uint32_t version = top->version + (removed != top);
    // Invariant 6.
    *kept = NULL;
    if (height < version || height == 0) return hop_stack_copied_without(top, removed);
    const struct hop_node *newest = top;
    while (newest == removed || !hop_node_is_in(newest, top->version)) newest = newest->next;
    // Without a removal from the depth since it was made, the node states the version and the height of the rest.
    if (newest->version == version) {
        *kept = newest;
        return (struct hop_numbered_stack){hop_stack_of_node(newest), 0};
    }
    // Not constant: the mark is the one field that changes after the publication.
    if (removed != top) atomic_store_explicit(&((struct hop_node *)removed)->gone_in, version, memory_order_relaxed);
    *kept = newest->next;
    return (struct hop_numbered_stack){hop_stack_of_node(hop_node_copy(newest, height, version)), 0};
}

// MARK: Freeing and releasing
//
// Nodes and tables are freed after the grace period, and then payloads are released. A registry that is destroyed has no readers, so it
// looks for no borrows: `look` is NULL.

/// Frees tables without their stacks: a table, and those that it has replaced.
static void hop_free_tables(struct hop_table *_Nullable table) {
    for (struct hop_table *older; table != NULL; table = older) {
        older = table->replaced;
        hop_table_free(table);
    }
}

/// Frees nodes without their payloads, which are removed separately or belong to copies.
static void hop_free_nodes(const struct hop_node *_Nullable node, const struct hop_node *_Nullable end) {
    for (const struct hop_node *next; node != end; node = next) {
        next = node->next;
        free((void *)node);
    }
}

static void hop_release_payload(const struct hop_look *_Nullable look, const void *payload, hop_release release) {
    if (look == NULL) {
        release(payload);
    } else {
        hop_retire_seen(look, payload, release);
    }
}

static void hop_retire_each(const struct hop_look *look, const void *const *payloads, size_t count,
                            hop_release release) {
    for (size_t index = 0; index < count; index++) hop_retire_seen(look, payloads[index], release);
}

/// Frees a stack and releases all its payloads.
static void hop_release_stack(const struct hop_look *_Nullable look, uintptr_t stack, hop_release release) {
    const struct hop_node *node = hop_stack_node(stack);
    if (node == NULL) {
        hop_release_payload(look, (const void *)stack, release);
        return;
    }
    const uint32_t version = node->version;
    for (const struct hop_node *next; node != NULL; node = next) {
        next = node->next;
        const void *payload = node->payload;
        const bool is_in = hop_node_is_in(node, version);
        free((void *)node);
        if (is_in) hop_release_payload(look, payload, release);
    }
}

/// Releases all stacks of a table that left its registry as a whole. Frees it, unless it is inside the registry, and the tables that it
/// has replaced.
static void hop_release_table(const struct hop_look *_Nullable look, struct hop_table *table, hop_release release) {
    for (size_t index = 0; index <= table->mask; index++) {
        const uintptr_t stack = atomic_load_explicit(&table->slots[index].stack, memory_order_relaxed);
        if (stack != 0) hop_release_stack(look, stack, release);
    }
    hop_free_tables(table);
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
    hop_thread *thread = hop_section_begin_slow();
    return (hop_found){.payload = hop_newest(registry, key), .thread = thread};
}

hop_found hop_read_begin(const hop_registry *registry, hop_key key) {
    hop_thread *thread = hop_thread_record;
    if (__builtin_expect(thread == NULL, 0)) return hop_read_begin_slow(registry, key);
    hop_section_enter(thread);
    return (hop_found){.payload = hop_newest(registry, key), .thread = thread};
}

const void *hop_find(const hop_registry *registry, hop_key key) { return hop_newest(registry, key); }

/// Leaves a section without a borrow if nothing was found, or if the thread can borrow nothing.
static __attribute__((noinline)) hop_borrowed hop_borrow_found_slow(hop_thread *thread, const void *_Nullable payload) {
    hop_borrow *borrow = payload == NULL ? NULL : hop_section_borrow_slow(thread, payload);
    if (borrow != NULL) return (hop_borrowed){.payload = payload, .borrow = borrow};
    hop_section_leave(thread);
    return (hop_borrowed){.payload = NULL, .borrow = NULL};
}

static __attribute__((noinline, cold)) hop_borrowed hop_borrow_begin_slow(const hop_registry *registry, hop_key key) {
    hop_thread *thread = hop_section_begin_slow();
    return hop_borrow_found_slow(thread, hop_newest(registry, key));
}

hop_borrowed hop_borrow_begin(const hop_registry *registry, hop_key key) {
    hop_thread *thread = hop_thread_record;
    if (__builtin_expect(thread == NULL, 0)) return hop_borrow_begin_slow(registry, key);
    hop_section_enter(thread);
    const void *payload = hop_newest(registry, key);
    if (__builtin_expect(payload == NULL || !hop_place_is_free(&thread->borrows[0]), 0)) {
        return hop_borrow_found_slow(thread, payload);
    }
    return (hop_borrowed){.payload = payload, .borrow = hop_borrow_in(&thread->borrows[0], thread, payload)};
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
        const struct hop_node *top = hop_stack_node(stack);
        if (top == NULL) {
            retain((const void *)stack);
            buffer[0] = (const void *)stack;
        }
        size_t index = 0;
        for (const struct hop_node *node = top; node != NULL; node = node->next) {
            if (!hop_node_is_in(node, top->version)) continue;
            retain(node->payload);
            buffer[index++] = node->payload;
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

// MARK: Writing

static const struct hop_table *hop_table_locked(const hop_registry *registry) {
    return atomic_load_explicit(&registry->table, memory_order_relaxed);
}

static void hop_store_table_locked(hop_registry *registry, const struct hop_table *table) {
    atomic_store_explicit(&registry->table, table, memory_order_release);
}

static struct hop_numbered_stack hop_stack_locked(const struct hop_slot *_Nullable slot) {
    if (slot == NULL) return (struct hop_numbered_stack){0, 0};
    return (struct hop_numbered_stack){atomic_load_explicit(&slot->stack, memory_order_relaxed), slot->number};
}

static void hop_store_stack_locked(struct hop_slot *slot, struct hop_numbered_stack stack) {
    slot->number = stack.number;
    atomic_store_explicit(&slot->stack, stack.stack, memory_order_release);
}

/// Gives a payload that is about to be pushed its number.
static size_t hop_number_locked(hop_registry *registry, const void *payload, hop_note_number _Nullable note) {
    const size_t number = hop_next_number(registry);
    if (note != NULL) note(payload, number);
    return number;
}

static bool hop_is_sealed_locked(const hop_registry *registry) {
    return atomic_load_explicit(&registry->sealed, memory_order_relaxed);
}

/// Adds a key that the table lacks. If that replaces the table, the new one keeps the old one (invariant 5).
static void hop_add_key_locked(hop_registry *registry, hop_key key, struct hop_numbered_stack stack) {
    const struct hop_table *table = hop_table_locked(registry);
    if (!hop_table_is_full(table)) {
        hop_table_add_locked((struct hop_table *)table, key, stack.stack, stack.number);
        return;
    }
    struct hop_table *grown = registry->unused_table;
    if (grown != NULL) {
        registry->unused_table = NULL;
        hop_table_start(grown);
    } else {
        grown = hop_table_grown_locked(table, 1);
    }
    hop_table_add_locked(grown, key, stack.stack, stack.number);
    hop_store_table_locked(registry, grown);
}

/// Takes the tables that the current one has replaced, for a caller that waits for readers anyway. The table is not the empty one.
static struct hop_table *_Nullable hop_take_replaced_locked(hop_registry *registry) {
    struct hop_table *table = (struct hop_table *)hop_table_locked(registry);
    struct hop_table *replaced = table->replaced;
    if (__builtin_expect(replaced != NULL, 0)) table->replaced = NULL;
    return replaced;
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

/// The number of chunks for a number of slots, of which the first ones are inside the registry.
static inline size_t hop_scope_chunk_count(size_t slots) {
    return __builtin_expect(slots <= HOP_SCOPE_CHUNK, 1) ? 0 : (slots - 1) / HOP_SCOPE_CHUNK;
}

/// The addresses of these chunks. Each is NULL until the chunk is made.
static inline _Atomic(struct hop_scope_chunk *) *hop_scope_chunks(const hop_registry *registry) {
    return (_Atomic(struct hop_scope_chunk *) *)&registry->scope[HOP_SCOPE_CHUNK];
}

static inline hop_registry *hop_registry_make_with_scope(size_t inside, size_t chunks, hop_release _Nullable release,
                                                         size_t table_size) {
    const size_t table_offset =
        sizeof(hop_registry) + inside * sizeof(struct hop_scope_slot) + chunks * sizeof(struct hop_scope_chunk *);
    hop_registry *registry = hop_allocate(table_offset + table_size, "a container");
    registry->unused_table = table_size == 0 ? NULL : hop_table_within((char *)registry + table_offset);
    registry->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    hop_store_table_locked(registry, &hop_empty_table);
    atomic_store_explicit(&registry->next_number, 0, memory_order_relaxed);
    atomic_store_explicit(&registry->sealed, false, memory_order_relaxed);
    atomic_store_explicit(&registry->marks, 0, memory_order_relaxed);
    atomic_store_explicit(&registry->pins, 0, memory_order_relaxed);
    registry->additions_left = 16;
    atomic_store_explicit(&registry->attachment, NULL, memory_order_relaxed);
    registry->scope_slots_inside = inside;
    registry->scope_slots = inside;
    registry->scope_release = release;
    atomic_store_explicit(&registry->scope_slots_of_children, inside, memory_order_relaxed);
    for (size_t index = 0; index < inside; index++) {
        atomic_store_explicit(&registry->scope[index].key, 0, memory_order_relaxed);
        atomic_store_explicit(&registry->scope[index].payload, NULL, memory_order_relaxed);
    }
    for (size_t index = 0; index < chunks; index++) {
        atomic_store_explicit(&hop_scope_chunks(registry)[index], NULL, memory_order_relaxed);
    }
    return registry;
}

hop_registry *hop_registry_make(void) { return hop_registry_make_with_scope(0, 0, NULL, 0); }

/// Makes the registry of a child with more slots than are inside.
static __attribute__((noinline)) hop_registry *hop_registry_make_child_slow(size_t slots, hop_release release) {
    hop_registry *registry =
        hop_registry_make_with_scope(HOP_SCOPE_CHUNK, hop_scope_chunk_count(slots), release, HOP_FIRST_TABLE_SIZE);
    registry->scope_slots = slots;
    atomic_store_explicit(&registry->scope_slots_of_children, slots, memory_order_relaxed);
    return registry;
}

hop_registry *hop_registry_make_child(const hop_registry *parent, hop_release release) {
    const size_t slots = atomic_load_explicit(&hop_or_default(parent)->scope_slots_of_children, memory_order_relaxed);
    if (__builtin_expect(slots > HOP_SCOPE_CHUNK, 0)) return hop_registry_make_child_slow(slots, release);
    return hop_registry_make_with_scope(slots, 0, release, HOP_FIRST_TABLE_SIZE);
}

hop_registry *hop_names(void) { return &names; }

static void hop_scope_release_all(struct hop_scope_slot *slots, size_t count, hop_release release) {
    for (size_t index = 0; index < count; index++) {
        const void *payload = atomic_load_explicit(&slots[index].payload, memory_order_relaxed);
        if (payload != NULL) release(payload);
    }
}

/// Releases the payloads of all scope slots, and frees the chunks.
static void hop_scope_destroy(hop_registry *registry) {
    hop_scope_release_all(registry->scope, registry->scope_slots_inside, registry->scope_release);
    const size_t chunks = hop_scope_chunk_count(registry->scope_slots);
    for (size_t index = 0; index < chunks; index++) {
        struct hop_scope_chunk *chunk = atomic_load_explicit(&hop_scope_chunks(registry)[index], memory_order_relaxed);
        if (chunk == NULL) continue;
        hop_scope_release_all(chunk->slots, HOP_SCOPE_CHUNK, registry->scope_release);
        free(chunk);
    }
}

void hop_registry_destroy(hop_registry *registry, hop_release release) {
    const struct hop_table *table = hop_table_locked(registry);
    pthread_mutex_destroy(&registry->lock);
    hop_scope_destroy(registry);
    if (table != &hop_empty_table) {
        hop_release_table(NULL, (struct hop_table *)table, release);
    }
    free(registry);
}

/// Stores the stack of a key, in its slot if it has one.
static void hop_put_locked(hop_registry *registry, struct hop_slot *_Nullable slot, hop_key key,
                           struct hop_numbered_stack stack) {
    if (slot == NULL) {
        hop_add_key_locked(registry, key, stack);
    } else {
        hop_store_stack_locked(slot, stack);
    }
}

bool hop_push(hop_registry *nullable_registry, hop_key key, const void *payload, hop_note_number note) {
    hop_registry *registry = hop_or_default(nullable_registry);
    pthread_mutex_lock(&registry->lock);
    if (hop_is_sealed_locked(registry)) {
        pthread_mutex_unlock(&registry->lock);
        return false;
    }
    const size_t number = hop_number_locked(registry, payload, note);
    struct hop_slot *slot = hop_table_find(hop_table_locked(registry), key);
    hop_put_locked(registry, slot, key, hop_stack_pushed(hop_stack_locked(slot), payload, number));
    pthread_mutex_unlock(&registry->lock);
    return true;
}

const void *hop_find_or_push(hop_registry *nullable_registry, hop_key key, const void *payload, hop_retain retain,
                             bool *is_due) {
    hop_registry *registry = hop_or_default(nullable_registry);
    pthread_mutex_lock(&registry->lock);
    struct hop_slot *slot = hop_table_find(hop_table_locked(registry), key);
    const struct hop_numbered_stack stack = hop_stack_locked(slot);
    // Retained under the lock: until the lock is released, no thread unlinks the payload, so none releases it.
    const void *newest = stack.stack == 0 ? payload : hop_stack_newest(stack.stack);
    retain(newest);
    if (stack.stack == 0) {
        const size_t number = hop_number_locked(registry, payload, NULL);
        hop_put_locked(registry, slot, key, hop_stack_pushed(stack, payload, number));
        if (registry->additions_left != 0) registry->additions_left -= 1;
    }
    if (is_due != NULL) *is_due = registry->additions_left == 0;
    pthread_mutex_unlock(&registry->lock);
    return newest;
}

/// Removes a payload from the stack of a slot: that of a node, or the only one if there is no node. Nothing if it is NULL. Called with the
/// lock held, and returns without it.
static inline __attribute__((always_inline)) bool hop_remove_and_unlock(hop_registry *registry, struct hop_slot *slot,
                                                                        const struct hop_node *_Nullable node,
                                                                        const void *_Nullable payload,
                                                                        hop_release release) {
    if (payload == NULL) {
        pthread_mutex_unlock(&registry->lock);
        return false;
    }
    struct hop_numbered_stack rest = {0, 0};
    const struct hop_node *top = NULL;
    const struct hop_node *kept = NULL;
    if (__builtin_expect(node != NULL, 0)) {
        top = hop_stack_node(hop_stack_locked(slot).stack);
        rest = hop_stack_without(top, node, &kept);
    }
    hop_store_stack_locked(slot, rest);
    struct hop_table *replaced = hop_take_replaced_locked(registry);
    pthread_mutex_unlock(&registry->lock);
    hop_wait_for_reads();
    hop_free_nodes(top, kept);
    hop_free_tables(replaced);
    hop_retire(payload, release);
    return true;
}

bool hop_remove(hop_registry *nullable_registry, hop_key key, const void *payload, hop_release release) {
    hop_registry *registry = hop_or_default(nullable_registry);
    pthread_mutex_lock(&registry->lock);
    struct hop_slot *slot = hop_table_find(hop_table_locked(registry), key);
    const uintptr_t stack = hop_stack_locked(slot).stack;
    const struct hop_node *top = hop_stack_node(stack);
    const struct hop_node *node = top == NULL ? NULL : hop_node_with(top, payload);
    const bool is_there = node != NULL || stack == (uintptr_t)payload;
    return hop_remove_and_unlock(registry, slot, node, is_there ? payload : NULL, release);
}

bool hop_remove_numbered(hop_registry *nullable_registry, hop_key key, size_t number, const void *payload,
                         hop_release release) {
    hop_registry *registry = hop_or_default(nullable_registry);
    pthread_mutex_lock(&registry->lock);
    struct hop_slot *slot = hop_table_find(hop_table_locked(registry), key);
    const struct hop_numbered_stack stack = hop_stack_locked(slot);
    const struct hop_node *top = hop_stack_node(stack.stack);
    const struct hop_node *node = NULL;
    const void *found = stack.number == number ? (const void *)stack.stack : NULL;
    if (__builtin_expect(top != NULL, 0)) {
        node = hop_node_numbered(top, number);
        found = node == NULL ? NULL : node->payload;
    }
    if (payload != NULL && payload != found) found = NULL;
    return hop_remove_and_unlock(registry, slot, node, found, release);
}

void hop_remove_entries(hop_registry *nullable_registry, const hop_entry *entries, size_t count, size_t additions,
                        hop_release release) {
    hop_registry *registry = hop_or_default(nullable_registry);
    const void **removed = count == 0 ? NULL : hop_allocate(count * sizeof *removed, "a removal");
    size_t removals = 0;
    struct hop_table *replaced = NULL;
    pthread_mutex_lock(&registry->lock);
    registry->additions_left = additions > UINT32_MAX ? UINT32_MAX : (uint32_t)additions;
    for (size_t index = 0; index < count; index++) {
        struct hop_slot *slot = hop_table_find(hop_table_locked(registry), entries[index].key);
        if (slot == NULL || hop_stack_locked(slot).stack != (uintptr_t)entries[index].payload) continue;
        removed[removals++] = entries[index].payload;
        hop_store_stack_locked(slot, (struct hop_numbered_stack){0, 0});
    }
    if (removals != 0) replaced = hop_take_replaced_locked(registry);
    pthread_mutex_unlock(&registry->lock);
    if (removals != 0) {
        hop_wait_for_reads();
        hop_free_tables(replaced);
        struct hop_look look = hop_look_for_borrows();
        hop_retire_each(&look, removed, removals, release);
        hop_look_end(&look);
    }
    free(removed);
}

bool hop_replace(hop_registry *nullable_registry, hop_key key, const void *payload, hop_note_number note,
                 hop_release release) {
    hop_registry *registry = hop_or_default(nullable_registry);
    struct hop_table *replaced = NULL;
    pthread_mutex_lock(&registry->lock);
    if (hop_is_sealed_locked(registry)) {
        pthread_mutex_unlock(&registry->lock);
        return false;
    }
    const size_t number = hop_number_locked(registry, payload, note);
    const struct hop_numbered_stack empty = {0, 0};
    struct hop_slot *slot = hop_table_find(hop_table_locked(registry), key);
    const uintptr_t stack = hop_stack_locked(slot).stack;
    hop_put_locked(registry, slot, key, hop_stack_pushed(empty, payload, number));
    if (stack != 0) replaced = hop_take_replaced_locked(registry);
    pthread_mutex_unlock(&registry->lock);
    if (stack != 0) {
        hop_wait_for_reads();
        hop_free_tables(replaced);
        struct hop_look look = hop_look_for_borrows();
        hop_release_stack(&look, stack, release);
        hop_look_end(&look);
    }
    return true;
}

void hop_replace_entries(hop_registry *nullable_registry, const hop_entry *entries, size_t count,
                         hop_note_number _Nullable note, hop_release release) {
    if (count == 0) return;
    hop_registry *registry = hop_or_default(nullable_registry);
    uintptr_t *stacks = hop_allocate(count * sizeof *stacks, "a change of registrations");
    pthread_mutex_lock(&registry->lock);
    // A reader sees the old table or the new one, so it sees all changes or none (invariants 1 and 2).
    struct hop_table *table = hop_table_grown_locked(hop_table_locked(registry), count);
    size_t first = 0;
    for (size_t index = 0; index < count; index++) {
        const hop_key key = entries[index].key;
        const void *payload = entries[index].payload;
        const size_t number = hop_number_locked(registry, payload, note);
        if (index == 0) first = number;
        struct hop_slot *slot = hop_table_find(table, key);
        struct hop_numbered_stack below = hop_stack_locked(slot);
        stacks[index] = 0;
        // The first entry of a key replaces the old stack, and later ones are put on top.
        if (below.stack != 0 && hop_newest_number(below) < first) {
            stacks[index] = below.stack;
            below = (struct hop_numbered_stack){0, 0};
        }
        const struct hop_numbered_stack stack = hop_stack_pushed(below, payload, number);
        if (slot == NULL) {
            hop_table_add_locked(table, key, stack.stack, stack.number);
        } else {
            hop_store_stack_locked(slot, stack);
        }
    }
    hop_store_table_locked(registry, table);
    struct hop_table *replaced = hop_take_replaced_locked(registry);
    pthread_mutex_unlock(&registry->lock);
    hop_wait_for_reads();
    hop_free_tables(replaced);
    struct hop_look look = hop_look_for_borrows();
    for (size_t index = 0; index < count; index++) {
        if (stacks[index] != 0) hop_release_stack(&look, stacks[index], release);
    }
    hop_look_end(&look);
    free(stacks);
}

/// Takes the payloads out of some scope slots, and stores them in an array.
///
/// Returns: the end of the stored ones.
static const void **hop_scope_take(struct hop_scope_slot *slots, size_t count, const void **payloads) {
    for (size_t index = 0; index < count; index++) {
        // Acquire: the payload is released here, after everything that the thread which filled the slot has done to it.
        const void *payload = atomic_exchange_explicit(&slots[index].payload, NULL, memory_order_acquire);
        if (payload != NULL) *payloads++ = payload;
    }
    return payloads;
}

/// Empties all scope slots.
///
/// Returns: an array of the payloads, which the caller frees. NULL if there are no slots.
static const void *_Nullable *_Nullable hop_empty_scope(hop_registry *registry, size_t *taken) {
    *taken = 0;
    if (registry->scope_slots == 0) return NULL;
    // A chunk that is made meanwhile has a slot that is filled after this one was emptied.
    struct hop_scope_chunk *made[HOP_MOST_SCOPE_SLOTS / HOP_SCOPE_CHUNK];
    const size_t chunks = hop_scope_chunk_count(registry->scope_slots);
    size_t count = 0;
    for (size_t index = 0; index < chunks; index++) {
        // Acquire: pairs with the release in hop_scope_make_chunk.
        struct hop_scope_chunk *chunk = atomic_load_explicit(&hop_scope_chunks(registry)[index], memory_order_acquire);
        if (chunk != NULL) made[count++] = chunk;
    }
    const size_t room = registry->scope_slots_inside + count * HOP_SCOPE_CHUNK;
    const void **payloads = hop_allocate(room * sizeof *payloads, "a shutdown");
    const void **end = hop_scope_take(registry->scope, registry->scope_slots_inside, payloads);
    for (size_t index = 0; index < count; index++) end = hop_scope_take(made[index]->slots, HOP_SCOPE_CHUNK, end);
    *taken = (size_t)(end - payloads);
    return payloads;
}

void hop_remove_all(hop_registry *nullable_registry, hop_release release) {
    hop_registry *registry = hop_or_default(nullable_registry);
    pthread_mutex_lock(&registry->lock);
    const struct hop_table *table = hop_table_locked(registry);
    hop_store_table_locked(registry, &hop_empty_table);
    pthread_mutex_unlock(&registry->lock);
    size_t scoped;
    const void **payloads = hop_empty_scope(registry, &scoped);
    if (table != &hop_empty_table || scoped != 0) {
        hop_wait_for_reads();
        struct hop_look look = hop_look_for_borrows();
        if (table != &hop_empty_table) hop_release_table(&look, (struct hop_table *)table, release);
        hop_retire_each(&look, payloads, scoped, registry->scope_release);
        hop_look_end(&look);
    }
    free(payloads);
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

static inline const void *_Nullable hop_scope_payload(const struct hop_scope_slot *slot, uintptr_t key) {
    // Acquire: pairs with the release in hop_scope_fill_slot.
    const void *payload = atomic_load_explicit(&slot->payload, memory_order_acquire);
    // The key was stored before the payload.
    return payload != NULL && atomic_load_explicit(&slot->key, memory_order_relaxed) == key ? payload : NULL;
}

static inline bool hop_scope_is_for(const struct hop_scope_slot *slot, uintptr_t key) {
    const uintptr_t owner = atomic_load_explicit(&slot->key, memory_order_relaxed);
    return owner == 0 || owner == key;
}

static inline bool hop_scope_fill_slot(struct hop_scope_slot *slot, uintptr_t key, const void *payload) {
    uintptr_t owner = atomic_load_explicit(&slot->key, memory_order_relaxed);
    if (owner == 0 &&
        atomic_compare_exchange_strong_explicit(&slot->key, &owner, key, memory_order_relaxed, memory_order_relaxed)) {
        owner = key;
    }
    if (owner != key) return false;
    const void *empty = NULL;
    // Release: pairs with the acquire in hop_scope_payload, also for the key.
    return atomic_compare_exchange_strong_explicit(&slot->payload, &empty, payload, memory_order_release,
                                                   memory_order_relaxed);
}

// The slots that are not inside the registry.

/// Where the address of the chunk of a slot is.
static inline _Atomic(struct hop_scope_chunk *) *hop_scope_chunk_link(const hop_registry *registry, size_t index) {
    return &hop_scope_chunks(registry)[index / HOP_SCOPE_CHUNK - 1];
}

static struct hop_scope_chunk *_Nullable hop_scope_chunk(const hop_registry *registry, size_t index) {
    // Acquire: pairs with the release in hop_scope_make_chunk.
    return atomic_load_explicit(hop_scope_chunk_link(registry, index), memory_order_acquire);
}

/// Makes the chunk of a slot, unless another thread has just made it.
static struct hop_scope_chunk *hop_scope_make_chunk(const hop_registry *registry, size_t index) {
    struct hop_scope_chunk *chunk = hop_allocate(sizeof *chunk, "a container");
    *chunk = (struct hop_scope_chunk){0};
    struct hop_scope_chunk *other = NULL;
    // Release, so that other threads find the slots empty. Acquire: pairs with that release.
    if (!atomic_compare_exchange_strong_explicit(hop_scope_chunk_link(registry, index), &other, chunk,
                                                 memory_order_release, memory_order_acquire)) {
        free(chunk);
        chunk = other;
    }
    return chunk;
}

static __attribute__((noinline))
const void *_Nullable hop_scope_find_slow(const hop_registry *registry, size_t index, uintptr_t key) {
    if (index >= registry->scope_slots) return NULL;
    const struct hop_scope_chunk *chunk = hop_scope_chunk(registry, index);
    return chunk == NULL ? NULL : hop_scope_payload(&chunk->slots[index % HOP_SCOPE_CHUNK], key);
}

static __attribute__((noinline)) bool hop_scope_has_slot_slow(const hop_registry *registry, size_t index,
                                                              uintptr_t key) {
    if (index >= registry->scope_slots) return false;
    const struct hop_scope_chunk *chunk = hop_scope_chunk(registry, index);
    return chunk == NULL || hop_scope_is_for(&chunk->slots[index % HOP_SCOPE_CHUNK], key);
}

static __attribute__((noinline)) bool hop_scope_fill_slow(hop_registry *registry, size_t index, uintptr_t key,
                                                          const void *payload) {
    if (index >= registry->scope_slots) return false;
    struct hop_scope_chunk *chunk = hop_scope_chunk(registry, index);
    if (chunk == NULL) chunk = hop_scope_make_chunk(registry, index);
    return hop_scope_fill_slot(&chunk->slots[index % HOP_SCOPE_CHUNK], key, payload);
}

const void *hop_scope_find(const hop_registry *nullable_registry, size_t index, uintptr_t key) {
    const hop_registry *registry = hop_or_default(nullable_registry);
    if (__builtin_expect(index >= registry->scope_slots_inside, 0)) return hop_scope_find_slow(registry, index, key);
    return hop_scope_payload(&registry->scope[index], key);
}

bool hop_scope_has_slot(const hop_registry *nullable_registry, size_t index, uintptr_t key) {
    const hop_registry *registry = hop_or_default(nullable_registry);
    if (__builtin_expect(index >= registry->scope_slots_inside, 0))
        return hop_scope_has_slot_slow(registry, index, key);
    return hop_scope_is_for(&registry->scope[index], key);
}

bool hop_scope_fill(hop_registry *nullable_registry, size_t index, uintptr_t key, const void *payload) {
    hop_registry *registry = hop_or_default(nullable_registry);
    if (__builtin_expect(index >= registry->scope_slots_inside, 0)) {
        return hop_scope_fill_slow(registry, index, key, payload);
    }
    return hop_scope_fill_slot(&registry->scope[index], key, payload);
}

size_t hop_next_number(hop_registry *registry) {
    return atomic_fetch_add_explicit(&hop_or_default(registry)->next_number, 1, memory_order_relaxed);
}

// MARK: Seal, attachment and marks

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

uint32_t hop_marks(const hop_registry *registry) {
    return atomic_load_explicit(&hop_or_default(registry)->marks, memory_order_acquire);
}

uint32_t hop_marks_after_fence(const hop_registry *registry) {
    atomic_thread_fence(memory_order_seq_cst);  // Pairs with the fence in hop_marks_set.
    return hop_marks(registry);
}

void hop_marks_set(hop_registry *registry, uint32_t bits) {
    atomic_fetch_or_explicit(&hop_or_default(registry)->marks, bits, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);  // Pairs with the fence in hop_marks_after_fence.
}

void hop_marks_clear(hop_registry *registry, uint32_t bits) {
    atomic_fetch_and_explicit(&hop_or_default(registry)->marks, ~bits, memory_order_release);
}

uint32_t hop_pin(hop_registry *registry) {
    return atomic_fetch_add_explicit(&hop_or_default(registry)->pins, 1, memory_order_acq_rel);
}

uint32_t hop_unpin(hop_registry *registry) {
    return atomic_fetch_sub_explicit(&hop_or_default(registry)->pins, 1, memory_order_acq_rel) - 1;
}

// MARK: Statistics

hop_statistics hop_statistics_read(const hop_registry *registry) {
    hop_thread *thread = hop_section_begin();
    const struct hop_table *table = atomic_load_explicit(&hop_or_default(registry)->table, memory_order_acquire);
    const size_t capacity = table == &hop_empty_table ? 0 : table->mask + 1;
    hop_section_end(thread);
    return (hop_statistics){.thread_records = hop_thread_records(),
                            .records_in_use = hop_thread_records_in_use(),
                            .deferred = hop_deferred_releases(),
                            .capacity = capacity,
                            .scope_slots = hop_or_default(registry)->scope_slots,
                            .reader_fences = hop_readers_fence()};
}
