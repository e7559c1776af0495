// The functions that the Swift code calls: each calls the library's function and then has a schedule point. Locks and sleepers are
// implemented by the scheduler, because a thread that waits must not keep the baton.
//
// A lock has a point only after its release. No other thread can see the steps of a critical section, except for published words,
// which have points of their own.
#include <stdlib.h>

#include "CRegistry.h"
#include "CScheduler.h"

#pragma clang assume_nonnull begin

hop_found plain_read_begin(const hop_registry *_Nullable registry, hop_key key);
const void *_Nullable plain_find(const hop_registry *_Nullable registry, hop_key key);
void plain_section_end(hop_thread *thread);
hop_borrow *_Nullable plain_section_borrow(hop_thread *thread, const void *payload);
hop_borrowed plain_borrow_begin(const hop_registry *_Nullable registry, hop_key key);
void plain_borrow_end(hop_borrow *borrow);
bool plain_contains(const hop_registry *_Nullable registry, hop_key key);
size_t plain_copy_stack(const hop_registry *_Nullable registry, hop_key key, hop_retain retain,
                        const void *_Nullable *_Nullable buffer, size_t capacity);
size_t plain_copy_keys(const hop_registry *_Nullable registry, hop_key *_Nullable buffer, size_t capacity);
size_t plain_copy_first_keys(const hop_registry *_Nullable registry, hop_key *buffer, size_t capacity, bool *complete);
bool plain_push(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_note_number _Nullable note);
const void *plain_find_or_push(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_retain retain,
                               bool *_Nullable is_due);
void plain_remove_entries(hop_registry *_Nullable registry, const hop_entry *_Nullable entries, size_t count,
                          size_t additions, hop_release release);
bool plain_remove(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_release release);
bool plain_remove_numbered(hop_registry *_Nullable registry, hop_key key, size_t number, const void *_Nullable payload,
                           hop_release release);
bool plain_replace(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_note_number _Nullable note,
                   hop_release release);
void plain_replace_entries(hop_registry *_Nullable registry, const hop_entry *entries, size_t count,
                           hop_note_number _Nullable note, hop_release release);
void plain_remove_all(hop_registry *_Nullable registry, hop_release release);
void plain_seal(hop_registry *_Nullable registry);
bool plain_is_sealed(const hop_registry *_Nullable registry);
const void *_Nullable plain_attachment(const hop_registry *_Nullable registry);
const void *plain_attach(hop_registry *_Nullable registry, const void *attachment);
uint32_t plain_marks(const hop_registry *_Nullable registry);
uint32_t plain_marks_after_fence(const hop_registry *_Nullable registry);
void plain_marks_set(hop_registry *_Nullable registry, uint32_t bits);
void plain_marks_clear(hop_registry *_Nullable registry, uint32_t bits);
uint32_t plain_pin(hop_registry *_Nullable registry);
uint32_t plain_unpin(hop_registry *_Nullable registry);
size_t plain_scope_reserve(hop_registry *_Nullable registry);
const void *_Nullable plain_scope_find(const hop_registry *_Nullable registry, size_t index, uintptr_t key);
bool plain_scope_has_slot(const hop_registry *_Nullable registry, size_t index, uintptr_t key);
bool plain_scope_fill(hop_registry *_Nullable registry, size_t index, uintptr_t key, const void *payload);
void plain_lock_release(uint32_t *lock);
uint32_t plain_word_load(const uint32_t *word);
void plain_word_store(uint32_t *word, uint32_t value);
uint32_t plain_word_increment(uint32_t *word);

#define STEP(call)                        \
    ({                                    \
        __auto_type step_result = (call); \
        schedule_point();                 \
        step_result;                      \
    })

// MARK: The registry

hop_found hop_read_begin(const hop_registry *_Nullable registry, hop_key key) {
    return STEP(plain_read_begin(registry, key));
}

const void *_Nullable hop_find(const hop_registry *_Nullable registry, hop_key key) {
    return STEP(plain_find(registry, key));
}

void hop_section_end(hop_thread *thread) {
    plain_section_end(thread);
    schedule_section_ended();
}

hop_borrow *_Nullable hop_section_borrow(hop_thread *thread, const void *payload) {
    hop_borrow *borrow = plain_section_borrow(thread, payload);
    if (borrow != NULL) schedule_section_ended();
    return borrow;
}

hop_borrowed hop_borrow_begin(const hop_registry *_Nullable registry, hop_key key) {
    return STEP(plain_borrow_begin(registry, key));
}

void hop_borrow_end(hop_borrow *borrow) {
    plain_borrow_end(borrow);
    schedule_point();
}

bool hop_contains(const hop_registry *_Nullable registry, hop_key key) { return STEP(plain_contains(registry, key)); }

size_t hop_copy_stack(const hop_registry *_Nullable registry, hop_key key, hop_retain retain,
                      const void *_Nullable *_Nullable buffer, size_t capacity) {
    return STEP(plain_copy_stack(registry, key, retain, buffer, capacity));
}

size_t hop_copy_keys(const hop_registry *_Nullable registry, hop_key *_Nullable buffer, size_t capacity) {
    return STEP(plain_copy_keys(registry, buffer, capacity));
}

size_t hop_copy_first_keys(const hop_registry *_Nullable registry, hop_key *buffer, size_t capacity, bool *complete) {
    return STEP(plain_copy_first_keys(registry, buffer, capacity, complete));
}

bool hop_push(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_note_number _Nullable note) {
    return STEP(plain_push(registry, key, payload, note));
}

const void *hop_find_or_push(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_retain retain,
                             bool *_Nullable is_due) {
    return STEP(plain_find_or_push(registry, key, payload, retain, is_due));
}

void hop_remove_entries(hop_registry *_Nullable registry, const hop_entry *_Nullable entries, size_t count,
                        size_t additions, hop_release release) {
    plain_remove_entries(registry, entries, count, additions, release);
    schedule_point();
}

bool hop_remove(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_release release) {
    return STEP(plain_remove(registry, key, payload, release));
}

bool hop_remove_numbered(hop_registry *_Nullable registry, hop_key key, size_t number, const void *_Nullable payload,
                         hop_release release) {
    return STEP(plain_remove_numbered(registry, key, number, payload, release));
}

bool hop_replace(hop_registry *_Nullable registry, hop_key key, const void *payload, hop_note_number _Nullable note,
                 hop_release release) {
    return STEP(plain_replace(registry, key, payload, note, release));
}

void hop_replace_entries(hop_registry *_Nullable registry, const hop_entry *entries, size_t count,
                         hop_note_number _Nullable note, hop_release release) {
    plain_replace_entries(registry, entries, count, note, release);
    schedule_point();
}

void hop_remove_all(hop_registry *_Nullable registry, hop_release release) {
    plain_remove_all(registry, release);
    schedule_point();
}

void hop_seal(hop_registry *_Nullable registry) {
    plain_seal(registry);
    schedule_point();
}

bool hop_is_sealed(const hop_registry *_Nullable registry) { return STEP(plain_is_sealed(registry)); }

const void *_Nullable hop_attachment(const hop_registry *_Nullable registry) {
    return STEP(plain_attachment(registry));
}

const void *hop_attach(hop_registry *_Nullable registry, const void *attachment) {
    return STEP(plain_attach(registry, attachment));
}

uint32_t hop_marks(const hop_registry *_Nullable registry) { return STEP(plain_marks(registry)); }

uint32_t hop_marks_after_fence(const hop_registry *_Nullable registry) {
    return STEP(plain_marks_after_fence(registry));
}

void hop_marks_set(hop_registry *_Nullable registry, uint32_t bits) {
    plain_marks_set(registry, bits);
    schedule_point();
}

void hop_marks_clear(hop_registry *_Nullable registry, uint32_t bits) {
    plain_marks_clear(registry, bits);
    schedule_point();
}

uint32_t hop_pin(hop_registry *_Nullable registry) { return STEP(plain_pin(registry)); }

uint32_t hop_unpin(hop_registry *_Nullable registry) { return STEP(plain_unpin(registry)); }

size_t hop_scope_reserve(hop_registry *_Nullable registry) { return STEP(plain_scope_reserve(registry)); }

const void *_Nullable hop_scope_find(const hop_registry *_Nullable registry, size_t index, uintptr_t key) {
    return STEP(plain_scope_find(registry, index, key));
}

bool hop_scope_has_slot(const hop_registry *_Nullable registry, size_t index, uintptr_t key) {
    return STEP(plain_scope_has_slot(registry, index, key));
}

bool hop_scope_fill(hop_registry *_Nullable registry, size_t index, uintptr_t key, const void *payload) {
    return STEP(plain_scope_fill(registry, index, key, payload));
}

// MARK: Words

void hop_lock_acquire(uint32_t *lock) {
    schedule_wait_until(lock, 0);
    *lock = 1;
}

void hop_lock_release(uint32_t *lock) {
    plain_lock_release(lock);
    schedule_point();
}

uint32_t hop_word_load(const uint32_t *word) { return STEP(plain_word_load(word)); }

void hop_word_store(uint32_t *word, uint32_t value) {
    plain_word_store(word, value);
    schedule_point();
}

uint32_t hop_word_increment(uint32_t *word) { return STEP(plain_word_increment(word)); }

// MARK: Sleepers

struct hop_sleeper {
    uint32_t is_awake;
};

hop_sleeper *hop_sleeper_make(void) { return calloc(1, sizeof(hop_sleeper)); }

void hop_sleeper_sleep(hop_sleeper *sleeper) {
    schedule_about_to_sleep();
    schedule_wait_until(&sleeper->is_awake, 1);
    schedule_point();
}

void hop_sleeper_wake(hop_sleeper *sleeper) {
    sleeper->is_awake = 1;
    schedule_point();
}

void hop_sleeper_destroy(hop_sleeper *sleeper) { free(sleeper); }

#pragma clang assume_nonnull end
