// The scenes: a few calls on two to four threads, and the conditions that must hold in every schedule.
#include "scenes.h"

#include <stdio.h>
#include <string.h>

#include "CRegistry.h"
#include "library.h"

// MARK: Payloads

enum { PAYLOADS = 12, OTHERS = 2 };

struct payload {
    /// The references that registries have owned, and those that they have released.
    _Alignas(16) unsigned pushes, releases;
    /// The references of threads that can borrow nothing.
    unsigned references;
    /// The removals that have returned, and the threads that use the payload outside sections.
    unsigned removals, uses;
};

static struct payload payloads[PAYLOADS];
static hop_registry *registry;
/// For scenes with several registries. Each holds the payload with its number.
static hop_registry *others[OTHERS];

/// The threads that begin to use something, although it is not certain yet what they will find.
static unsigned beginnings;

/// The index of the scope slot.
static size_t scope_index;

static const hop_key key = {.type = 16};

static hop_key other_key(unsigned number) { return (hop_key){.type = 16 * (2 + number)}; }

static struct payload *checked(const void *pointer) {
    struct payload *payload = (struct payload *)pointer;
    if (payload < payloads || payload >= payloads + PAYLOADS)
        schedule_finding("something was found or released that is no payload");
    return payload;
}

static void release(const void *pointer) {
    struct payload *payload = checked(pointer);
    if (++payload->releases > payload->pushes) schedule_finding("a payload was released twice");
    schedule_point(true);
}

/// A reader accesses the payload that it found.
static void look(const void *_Nullable pointer) {
    if (pointer == NULL) return;
    const struct payload *payload = checked(pointer);
    if (payload->releases == payload->pushes + payload->references)
        schedule_finding("a reader looks at a payload that was released");
}

static void retain(const void *payload) { look(payload); }

/// A payload whose removals have returned, and that no thread uses, has been released.
static void must_be_released_unless_used(const void *_Nullable pointer) {
    if (pointer == NULL || beginnings != 0) return;
    const struct payload *payload = checked(pointer);
    if (payload->uses == 0 && payload->releases < payload->removals)
        schedule_finding("a payload that nobody uses is not released");
}

static void push_to(hop_registry *_Nonnull where, hop_key under, unsigned number) {
    payloads[number].pushes += 1;
    hop_push(where, under, &payloads[number], NULL);
}

static void push(hop_key where, unsigned number) { push_to(registry, where, number); }

static bool remove_with(hop_registry *_Nonnull from, hop_key where, unsigned number, hop_release how) {
    if (!hop_remove(from, where, &payloads[number], how)) return false;
    payloads[number].removals += 1;
    must_be_released_unless_used(&payloads[number]);
    return true;
}

static bool remove_payload(hop_key where, unsigned number) { return remove_with(registry, where, number, release); }

static void replace(unsigned number) {
    payloads[number].pushes += 1;
    hop_replace(registry, key, &payloads[number], NULL, release);
}

static const void *_Nullable read_briefly(hop_key where) {
    const hop_found found = hop_read_begin(registry, where);
    look(found.payload);
    schedule_point(false);
    look(found.payload);
    hop_section_end(found.thread);
    return found.payload;
}

/// A payload that a thread uses. It has a reference if it can borrow nothing.
struct use {
    const void *_Nullable payload;
    hop_borrow *_Nullable borrow;
};

static struct use begun(const void *_Nullable payload, hop_borrow *_Nullable borrow) {
    beginnings -= 1;
    if (payload != NULL) checked(payload)->uses += 1;
    look(payload);
    return (struct use){payload, borrow};
}

/// Borrows the payload in a section that is open. A thread that can borrow nothing takes a reference.
static struct use use_found(hop_found found) {
    look(found.payload);
    hop_borrow *borrow = found.payload == NULL ? NULL : hop_section_borrow(found.thread, found.payload);
    if (borrow == NULL) {
        if (found.payload != NULL) checked(found.payload)->references += 1;
        hop_section_end(found.thread);
    }
    return begun(found.payload, borrow);
}

static struct use begin_in_section(hop_registry *_Nonnull from, hop_key where) {
    beginnings += 1;
    return use_found(hop_read_begin(from, where));
}

static struct use begin(hop_registry *_Nonnull from, hop_key where) {
    beginnings += 1;
    const hop_borrowed found = hop_borrow_begin(from, where);
    return found.borrow == NULL ? use_found(hop_read_begin(from, where)) : begun(found.payload, found.borrow);
}

static void end(struct use use) {
    look(use.payload);
    if (use.borrow != NULL) {
        hop_borrow_end(use.borrow);
    } else if (use.payload != NULL) {
        checked(use.payload)->references -= 1;
    }
    if (use.payload != NULL) checked(use.payload)->uses -= 1;
    must_be_released_unless_used(use.payload);
}

static void use_and(struct use use, void (*_Nullable body)(const void *_Nullable payload)) {
    schedule_point(false);
    if (body != NULL) body(use.payload);
    end(use);
}

static void borrow_from(hop_registry *_Nonnull from, hop_key where,
                        void (*_Nullable body)(const void *_Nullable payload)) {
    use_and(begin(from, where), body);
}

static void borrow_and(hop_key where, void (*_Nullable body)(const void *_Nullable payload)) {
    borrow_from(registry, where, body);
}

// MARK: Setting up and checking

static void set_empty(void) {
    memset(payloads, 0, sizeof payloads);
    memset(others, 0, sizeof others);
    beginnings = 0;
    registry = hop_registry_make();
}

static void set_height(unsigned height) {
    set_empty();
    for (unsigned number = 0; number < height; number++) push(key, number);
}

static void set_one(void) { set_height(1); }
static void set_two(void) { set_height(2); }
static void set_three(void) { set_height(3); }

/// Two keys with one payload each.
static void set_pair(void) {
    set_one();
    push(other_key(0), 1);
}

/// The smallest table, full, so that the next key replaces it.
static void set_full(void) {
    set_height(1);
    for (unsigned number = 0; number < 7; number++) push(other_key(number), number + 1);
}

/// A child registry whose last scope slot has an index. Payloads 8 and 9 are of the key 16, and payload 10 is of the key 32.
static void set_scoped_to(size_t index) {
    set_empty();
    scope_index = index;
    hop_registry *parent = registry;
    while (hop_scope_reserve(parent) != index) continue;
    registry = hop_registry_make_child(parent, release);
    hop_registry_destroy(parent, release);
}

static void set_scoped(void) { set_scoped_to(0); }

/// The slot is in a chunk that was not made yet.
static void set_chunk(void) { set_scoped_to(40); }

/// The first table of a child, full, so that the next key replaces it.
static void set_child_full(void) {
    set_scoped();
    push(key, 0);
    for (unsigned number = 0; number < 3; number++) push(other_key(number), number + 1);
}

/// Returns the payload of a key in the scope slot.
static const void *_Nullable read_slot(uintptr_t owner) {
    hop_thread *section = hop_section_begin();
    const void *payload = hop_scope_find(registry, scope_index, owner);
    look(payload);
    schedule_point(false);
    look(payload);
    if (payload != NULL && (payload == &payloads[10]) != (owner == 32))
        schedule_finding("a scope slot has the payload of another key");
    hop_section_end(section);
    return payload;
}

/// No release is deferred any more. The registries release their remaining payloads, and each payload is released once.
static void strike(void) {
    size_t held = library_count(registry);
    held += hop_scope_find(registry, scope_index, 16) != NULL;
    held += hop_scope_find(registry, scope_index, 32) != NULL;
    for (unsigned number = 0; number < OTHERS && others[number] != NULL; number++)
        held += library_count(others[number]);
    size_t unreleased = 0;
    for (unsigned number = 0; number < PAYLOADS; number++) {
        unreleased += payloads[number].pushes - payloads[number].releases;
    }
    if (unreleased != held) schedule_finding("what was removed is not released when all threads have ended");
    hop_registry_destroy(registry, release);
    for (unsigned number = 0; number < OTHERS && others[number] != NULL; number++) {
        hop_registry_destroy(others[number], release);
    }
    for (unsigned number = 0; number < PAYLOADS; number++) {
        if (payloads[number].releases != payloads[number].pushes) schedule_finding("a payload was lost");
        if (payloads[number].references != 0)
            schedule_finding("a thread has ended with a reference: the harness is wrong");
    }
    library_forget();
}

// MARK: The threads' work

static void reads(void) { (void)read_briefly(key); }

static void reads_twice(void) {
    reads();
    reads();
}

static void must_find(void) {
    if (read_briefly(key) == NULL) schedule_finding("a key that is never empty was found empty");
}

static void must_find_twice(void) {
    must_find();
    must_find();
}

static void must_lend(const void *payload) {
    if (payload == NULL) schedule_finding("a key that is never empty was borrowed empty");
}

static void borrows(void) { borrow_and(key, NULL); }

/// The same with two calls.
static void borrows_in_section(void) { use_and(begin_in_section(registry, key), NULL); }

static void borrows_other_key(void) { borrow_and(other_key(0), NULL); }

/// The borrows end in another order than that of a stack.
static void borrows_crosswise(void) {
    const struct use first = begin(registry, key);
    const struct use second = begin(registry, other_key(0));
    end(first);
    end(second);
}

/// One borrow more than a record has places.
static void borrows_beyond(void) {
    struct use uses[5];
    for (unsigned index = 0; index < 5; index++) uses[index] = begin(registry, key);
    for (unsigned index = 5; index-- != 0;) end(uses[index]);
}

static void must_borrow(void) { borrow_and(key, must_lend); }

static void read_inside(const void *payload) {
    (void)payload;
    reads();
    borrows();
}

static void nests(void) { borrow_and(key, read_inside); }

static void remove_inside(const void *payload) {
    if (payload != NULL) hop_remove(registry, key, payload, release);
}

static void borrows_and_removes(void) { borrow_and(key, remove_inside); }

/// Borrows two payloads of one stack.
static void push_and_borrow_inside(const void *_Nullable payload) {
    (void)payload;
    push(key, 8);
    borrows_in_section();
}

static void borrows_and_pushes_and_borrows(void) { borrow_and(key, push_and_borrow_inside); }

static void removes_0(void) {
    if (!remove_payload(key, 0)) schedule_finding("a removal did not find what is there");
}

static void removes_1(void) {
    if (!remove_payload(key, 1)) schedule_finding("a removal did not find what is there");
}

static void replaces_by_4(void) { replace(4); }
static void replaces_by_5(void) { replace(5); }
static void removes_all(void) { hop_remove_all(registry, release); }
static void pushes_4(void) { push(key, 4); }
static void adds_a_key(void) { push(other_key(7), 8); }

static void removes_another_key(void) {
    if (!remove_payload(other_key(3), 4)) schedule_finding("a removal did not find what is there");
}

static void removes_1_of_pair(void) {
    if (!remove_payload(other_key(0), 1)) schedule_finding("a removal did not find what is there");
}

/// Only a borrow of the removed payload itself defers its release.
static void removes_1_of_pair_at_once(void) {
    removes_1_of_pair();
    if (payloads[1].releases != 1) schedule_finding("a release waits for the borrow of another payload");
}

static void removes_entries(void) {
    const hop_entry entries[] = {{key, &payloads[0]}, {other_key(0), &payloads[1]}};
    hop_remove_entries(registry, entries, 2, 16, release);
}

static void removes_0_twice(void) {
    removes_0();
    push(key, 0);
    removes_0();
}

static void exits_inside(void) {
    (void)begin(registry, key);
    schedule_exit();
}

static void exits_inside_several(void) {
    (void)begin(registry, key);
    (void)begin_in_section(registry, other_key(0));
    (void)begin(registry, key);
    schedule_exit();
}

/// A release is user code, which may look up.
static void release_and_read(const void *payload) {
    release(payload);
    reads();
}

static void removes_1_and_reads(void) {
    if (!remove_with(registry, key, 1, release_and_read)) schedule_finding("a removal did not find what is there");
}

static void borrow_other_key_inside(const void *payload) {
    (void)payload;
    borrows_other_key();
}

static void borrows_both(void) { borrow_and(key, borrow_other_key_inside); }

/// A release may also remove something else, which the same thread borrows.
static void release_and_remove(const void *payload) {
    release(payload);
    removes_0();
}

static void removes_1_and_0(void) {
    if (!remove_with(registry, other_key(0), 1, release_and_remove))
        schedule_finding("a removal did not find what is there");
}

/// The payloads of a copy of the stack, as a set of bits.
static unsigned copied(void) {
    const void *copy[PAYLOADS] = {NULL};
    const size_t height = hop_copy_stack(registry, key, retain, copy, PAYLOADS);
    unsigned seen = 0;
    for (size_t index = 0; index < height; index++) {
        if (copy[index] == NULL) schedule_finding("a copy is less high than it says");
        seen |= 1u << ((const struct payload *)copy[index] - payloads);
    }
    if (height != (size_t)__builtin_popcount(seen)) schedule_finding("a copy has something twice");
    return seen;
}

/// The stack has three payloads. 0 and 1 are removed meanwhile, in any order.
static void copies(void) {
    if ((copied() & 4) == 0) schedule_finding("a copy lacks what was never removed");
}

/// The stack has two payloads. None is removed meanwhile.
static void copies_both(void) {
    if ((copied() & 3) != 3) schedule_finding("a copy lacks what was never removed");
}

/// No thread may see the older payload without the newer one.
static void removes_0_then_1(void) {
    removes_0();
    removes_1();
}

static void copies_in_order(void) {
    if ((copied() & 3) == 1) schedule_finding("a copy is of no single moment");
}

/// The stack has two payloads. Meanwhile the older one is removed and another one is pushed.
static void copies_newer(void) {
    if ((copied() & 2) == 0) schedule_finding("a copy lacks what was never removed");
}

/// Meanwhile everything is removed, and nothing is pushed.
static void finds_no_other(unsigned before, unsigned after) {
    const bool had_gone = read_briefly(other_key(before)) == NULL;
    if (read_briefly(other_key(after)) != NULL && had_gone) schedule_finding("only a part of the registry was emptied");
}

static void finds_all_or_none(void) { finds_no_other(0, 1); }
static void finds_none_or_all(void) { finds_no_other(1, 0); }

/// Replaces the stacks of two keys in one step.
static void commits(void) {
    const hop_entry entries[] = {{key, &payloads[4]}, {other_key(0), &payloads[5]}};
    for (unsigned number = 4; number <= 5; number++) payloads[number].pushes += 1;
    hop_replace_entries(registry, entries, 2, NULL, release);
    for (unsigned number = 0; number <= 1; number++) payloads[number].removals += 1;
    for (unsigned number = 0; number <= 1; number++) must_be_released_unless_used(&payloads[number]);
}

static void finds_both_if_one(void) {
    if (read_briefly(key) == &payloads[4] && read_briefly(other_key(0)) != &payloads[5])
        schedule_finding("a reader found half of a commit");
}

static void finds_both_if_other(void) {
    if (read_briefly(other_key(0)) == &payloads[5] && read_briefly(key) != &payloads[4])
        schedule_finding("a reader found half of a commit");
}

static void last_word(void) {
    borrows();
    reads();
}

static void last_borrow(void) { borrows_in_section(); }

// MARK: Several registries
//
// Payload 11 is in `registry`. Each of the others has the payload with its number.

static void set_others(void) {
    set_empty();
    push(key, 11);
    for (unsigned number = 0; number < OTHERS; number++) {
        others[number] = hop_registry_make();
        push_to(others[number], key, number);
    }
}

static void removes_11(void) {
    if (!remove_payload(key, 11)) schedule_finding("a removal did not find what is there");
}

static void remove_from_other(unsigned number) {
    if (!remove_with(others[number], key, number, release)) schedule_finding("a removal did not find what is there");
}

static void removes_from_other(void) { remove_from_other(0); }

/// No thread borrows that payload.
static void removes_from_other_at_once(void) {
    remove_from_other(0);
    if (payloads[0].releases != 1) schedule_finding("a release waits for a borrow of another registry");
}

static void borrows_other(void) { borrow_from(others[0], key, NULL); }

static void borrow_other_inside(const void *payload) {
    (void)payload;
    borrows_other();
}

static void nests_other(void) { borrow_and(key, borrow_other_inside); }

static void remove_other_inside(const void *payload) {
    (void)payload;
    remove_from_other(0);
    if (payloads[0].releases != 0) schedule_finding("a removal did not spare the borrow that it was made in");
}

static void borrow_and_remove_other_inside(const void *payload) {
    (void)payload;
    borrow_from(others[0], key, remove_other_inside);
    if (payloads[0].releases == 0) schedule_finding("a release waits for the borrow of another payload");
}

static void nests_and_removes_other(void) { borrow_and(key, borrow_and_remove_other_inside); }

static void remove_from_both_inside(const void *payload) {
    (void)payload;
    removes_11();
    remove_from_other(0);
}

static void borrows_and_removes_from_both(void) { borrow_and(key, remove_from_both_inside); }

// MARK: Threads that start and exit
//
// While a removal walks the records, the thread that took the first one ends. The next record is that of the keeper, which borrows the
// removed payload.

static bool has_begun, is_kept, is_leaving, is_removed;

static void await(const bool *moment) {
    while (schedule_point(false), !*moment) schedule_wait();
}

static void reach(bool *moment) {
    *moment = true;
    schedule_point(true);
}

static void set_passing(void) {
    set_one();
    has_begun = false;
    is_kept = false;
    is_leaving = false;
    is_removed = false;
}

static void keep_until_removed(const void *payload) {
    (void)payload;
    reach(&is_kept);
    await(&is_removed);
}

static void passes(void) {
    reads();
    reach(&has_begun);
    await(&is_leaving);
}

static void keeps(void) {
    await(&has_begun);
    borrow_and(key, keep_until_removed);
}

static void removes_meanwhile(void) {
    await(&is_kept);
    reads();
    reach(&is_leaving);
    removes_0();
    reach(&is_removed);
}

// The place in which a removal has found its payload holds another one, which is removed as well.

static void set_pair_passing(void) {
    set_passing();
    push(other_key(0), 1);
}

static void remove_1_and_wait(const void *payload) {
    (void)payload;
    removes_1_of_pair();
    await(&is_removed);
}

static void borrows_in_turn(void) {
    borrows();
    borrow_and(other_key(0), remove_1_and_wait);
}

static void removes_0_for_another(void) {
    removes_0();
    reach(&is_removed);
}

// A thread whose place a removal is about to mark ends, and another one begins and gets its record.

static void set_succession(void) {
    set_passing();
    schedule_succession();
}

static void keep_until_begun(const void *payload) {
    (void)payload;
    reach(&is_kept);
    await(&has_begun);
}

static void keeps_briefly(void) { borrow_and(key, keep_until_begun); }

static void removes_what_is_kept(void) {
    await(&is_kept);
    reach(&has_begun);
    removes_0();
}

static void succeeds(void) { hop_section_end(hop_section_begin()); }

// A thread ends during a removal, and another one gets its record and borrows.

static void set_one_in_succession(void) {
    set_one();
    schedule_succession();
}

// MARK: The scenes

/// The payload that all calls of hop_find_or_push must return.
static const void *_Nullable agreed;

static void agrees(unsigned number) {
    const void *mine = &payloads[number];
    payloads[number].pushes = 1;
    const void *winner = hop_find_or_push(registry, key, mine, retain, NULL);
    payloads[number].pushes = winner == mine;
    if (agreed != NULL && winner != agreed) schedule_finding("two threads found or pushed different payloads");
    agreed = winner;
    if (read_briefly(key) != winner) schedule_finding("what was found or pushed is not found");
}

static void set_undecided(void) {
    set_empty();
    agreed = NULL;
}

static void finds_or_pushes_8(void) { agrees(8); }
static void finds_or_pushes_9(void) { agrees(9); }

/// The table is full and lacks the key, so the thread that pushes first replaces the table.
static void set_undecided_and_full(void) {
    set_undecided();
    for (unsigned number = 0; number < 8; number++) push(other_key(number), number);
}

static void seals(void) {
    hop_seal(registry);
    if (!hop_is_sealed(registry)) schedule_finding("a sealed registry says that it is not");
    if (hop_push(registry, other_key(9), &payloads[11], NULL)) schedule_finding("a sealed registry took a payload");
}

static void pushes_unless_sealed(void) {
    const bool was_sealed = hop_is_sealed(registry);
    const bool is_pushed = hop_push(registry, key, &payloads[10], NULL);
    payloads[10].pushes = is_pushed;
    if (was_sealed && is_pushed) schedule_finding("a sealed registry took a payload");
    if ((read_briefly(key) == &payloads[10]) != is_pushed) schedule_finding("a push was half refused");
}

static void attaches(void) {
    const void *winner = hop_attach(registry, &payloads[10]);
    if (agreed != NULL && winner != agreed) schedule_finding("two threads attached different things");
    agreed = winner;
    if (hop_attachment(registry) != winner) schedule_finding("what was attached is not there");
}

static void attaches_too(void) {
    const void *winner = hop_attach(registry, &payloads[11]);
    if (agreed != NULL && winner != agreed) schedule_finding("two threads attached different things");
    agreed = winner;
}

// MARK: Scope slots

static void fill(uintptr_t owner, unsigned number) {
    payloads[number].pushes = 1;
    if (!hop_scope_fill(registry, scope_index, owner, &payloads[number])) payloads[number].pushes = 0;
}

static void fill_slot(uintptr_t owner, unsigned number) {
    fill(owner, number);
    // Nothing is removed meanwhile.
    if (hop_scope_has_slot(registry, scope_index, owner) != (read_slot(owner) != NULL))
        schedule_finding("a scope slot has no payload of its key");
}

static void fills_8(void) { fill_slot(16, 8); }
static void fills_9(void) { fill_slot(16, 9); }
static void fills_10(void) { fill_slot(32, 10); }

static void reads_slot(void) {
    (void)read_slot(16);
    (void)read_slot(32);
}

static void fills_8_unseen(void) { fill(16, 8); }

static void set_filled(void) {
    set_scoped();
    fill(16, 9);
}

const struct scene scenes[] = {
    {"reader-remover", 2, 2, set_two, 2, {reads_twice, removes_1}, {NULL}, strike},
    {"reader-removers", 2, 1, set_two, 3, {reads_twice, removes_1, removes_0}, {NULL}, strike},
    {"readers-remover", 2, 1, set_two, 3, {reads, reads, removes_0}, {NULL}, strike},
    {"borrower-remover", 3, 2, set_one, 2, {borrows, removes_0}, {NULL}, strike},
    {"borrower-in-section", 2, 2, set_one, 2, {borrows_in_section, removes_0}, {NULL}, strike},
    {"borrower-removers", 2, 1, set_two, 3, {borrows, removes_0, removes_1}, {NULL}, strike},
    {"borrowers-remover", 2, 1, set_one, 3, {borrows, borrows_in_section, removes_0}, {NULL}, strike},
    {"borrowers-removers", 1, 0, set_two, 4, {borrows, borrows, removes_0, removes_1}, {NULL}, strike},
    {"borrowed-both", 1, 0, set_pair, 4, {borrows, borrows_other_key, removes_0, removes_1_of_pair}, {NULL}, strike},
    {"borrowed-apart", 2, 1, set_pair, 2, {borrows, removes_1_of_pair_at_once}, {NULL}, strike},
    {"borrowed-crosswise", 1, 1, set_pair, 3, {borrows_crosswise, removes_0, removes_1_of_pair}, {NULL}, strike},
    {"borrowed-in-turn", 2, 1, set_pair_passing, 2, {borrows_in_turn, removes_0_for_another}, {NULL}, strike},
    {"borrowed-beyond", 2, 1, set_one, 2, {borrows_beyond, removes_0}, {NULL}, strike},
    {"borrowed-again", 2, 1, set_one, 2, {borrows, removes_0_twice}, {NULL}, strike},
    {"borrowers-again", 1, 1, set_one, 3, {borrows, removes_0_twice, borrows_in_section}, {NULL}, strike},
    {"nested", 2, 1, set_two, 3, {nests, removes_1, removes_0}, {NULL}, strike},
    {"nested-remover", 2, 2, set_one, 2, {nests, removes_0}, {NULL}, strike},
    {"inside", 2, 1, set_two, 2, {borrows_and_removes, borrows_and_removes}, {NULL}, strike},
    {"inside-and-out", 1, 1, set_two, 3, {borrows_and_removes, removes_0, reads}, {NULL}, strike},
    {"growth", 2, 1, set_full, 2, {must_find, adds_a_key}, {NULL}, strike},
    {"growth-removal", 1, 1, set_full, 3, {must_find, adds_a_key, removes_another_key}, {NULL}, strike},
    {"growth-borrowed", 1, 1, set_full, 3, {must_borrow, adds_a_key, must_find}, {NULL}, strike},
    {"overwrite", 2, 1, set_one, 3, {must_find_twice, replaces_by_4, must_borrow}, {NULL}, strike},
    {"overwrites", 2, 1, set_two, 3, {must_find, replaces_by_4, replaces_by_5}, {NULL}, strike},
    {"overwrite-borrowed", 1, 1, set_two, 3, {borrows_and_pushes_and_borrows, replaces_by_4, borrows}, {NULL}, strike},
    {"emptying", 2, 1, set_two, 3, {borrows, removes_all, pushes_4}, {NULL}, strike},
    {"emptying-at-once", 1, 1, set_full, 3, {finds_all_or_none, removes_all, finds_none_or_all}, {NULL}, strike},
    {"emptying-borrowed", 2, 1, set_pair, 3, {borrows, borrows_other_key, removes_all}, {NULL}, strike},
    {"entries-borrowed", 1, 1, set_pair, 3, {borrows, borrows_other_key, removes_entries}, {NULL}, strike},
    {"commit", 2, 1, set_pair, 3, {finds_both_if_one, commits, finds_both_if_other}, {NULL}, strike},
    {"commit-borrowed", 1, 1, set_pair, 3, {borrows, borrows_other_key, commits}, {NULL}, strike},
    {"commit-growth", 1, 1, set_pair, 3, {finds_both_if_one, commits, adds_a_key}, {NULL}, strike},
    {"copies", 2, 1, set_three, 3, {copies, removes_0, removes_1}, {NULL}, strike},
    {"copies-in-order", 2, 2, set_three, 2, {copies_in_order, removes_0_then_1}, {NULL}, strike},
    {"copies-pushed", 2, 1, set_two, 3, {copies_both, pushes_4, copies_both}, {NULL}, strike},
    {"copies-exchanged", 2, 1, set_two, 3, {copies_newer, removes_0, pushes_4}, {NULL}, strike},
    {"exit-inside", 2, 1, set_two, 3, {exits_inside, removes_1, borrows}, {NULL}, strike},
    {"exit-inside-several", 1, 1, set_pair, 3, {exits_inside_several, removes_0, removes_1_of_pair}, {NULL}, strike},
    {"exit-releasing", 1, 1, set_two, 3, {exits_inside, removes_1_and_reads, exits_inside}, {NULL}, strike},
    {"releasing-inside", 2, 1, set_pair, 2, {borrows_both, removes_1_and_0}, {NULL}, strike},
    {"find-or-push", 2, 1, set_undecided, 3, {finds_or_pushes_8, finds_or_pushes_9, reads}, {NULL}, strike},
    {"find-or-push-growth", 2, 1, set_undecided_and_full, 2, {finds_or_pushes_8, finds_or_pushes_9}, {NULL}, strike},
    {"child-growth", 2, 1, set_child_full, 3, {must_find, adds_a_key, must_borrow}, {NULL}, strike},
    {"child-emptying", 2, 1, set_child_full, 3, {borrows, removes_all, adds_a_key}, {NULL}, strike},
    {"scope", 2, 1, set_scoped, 3, {fills_8, fills_9, fills_10}, {NULL}, strike},
    {"scope-emptying", 2, 1, set_filled, 3, {reads_slot, removes_all, fills_8_unseen}, {NULL}, strike},
    {"scope-chunk", 2, 1, set_chunk, 3, {fills_8, fills_9, fills_10}, {NULL}, strike},
    {"scope-chunk-emptying", 2, 1, set_chunk, 3, {reads_slot, removes_all, fills_8_unseen}, {NULL}, strike},
    {"scope-removers", 2, 1, set_filled, 3, {removes_all, removes_all, reads_slot}, {NULL}, strike},
    {"seal", 3, 1, set_one, 2, {seals, pushes_unless_sealed}, {NULL}, strike},
    {"attach", 3, 1, set_undecided, 2, {attaches, attaches_too}, {NULL}, strike},
    {"registries", 2, 1, set_others, 3, {borrows, removes_from_other_at_once, removes_11}, {NULL}, strike},
    {"registries-inside", 2, 1, set_others, 2, {borrows_other, borrows_and_removes_from_both}, {NULL}, strike},
    {"nested-registries", 2, 2, set_others, 2, {nests_other, removes_from_other}, {NULL}, strike},
    {"nested-removers", 1, 1, set_others, 3, {nests_other, removes_11, removes_from_other}, {NULL}, strike},
    {"nested-inside", 2, 1, set_others, 2, {nests_and_removes_other, borrows}, {NULL}, strike},
    {"passing", 1, 0, set_passing, 3, {passes, keeps, removes_meanwhile}, {NULL}, strike},
    {"successor", 3, 1, set_succession, 3, {keeps_briefly, removes_what_is_kept, succeeds}, {NULL}, strike},
    {"successor-borrows", 2, 1, set_one_in_succession, 3, {borrows, removes_0, borrows}, {NULL}, strike},
    {"last-words", 2, 1, set_two, 3, {reads, reads, removes_1}, {last_word, last_word}, strike},
    {"last-borrows", 1, 1, set_two, 3, {reads, borrows, removes_1}, {last_borrow, last_word}, strike},
};

const unsigned scene_count = sizeof scenes / sizeof *scenes;
