// The protocol of Sources/CRegistry, for exhaustive verification with Spin. README.md maps it to the C line by line.
//
// This file has the lookups, the writes, the threads that start and exit, and the configurations, which choose the number of each.
// Choose one with -DC_...; ./verify runs all of them.

// MARK: Configurations

// The number of records besides the late one, and of threads; of places in each record; whether records are taken and returned, and of
// how many records a slab consists then; whether there is the late record; whether the owners of records have not noted the current epoch
// yet, which takes fewer states; whether a thread has so many stores that it needs longer buffers.
#if defined(C_SHORT)
#define RECORDS 2
#define THREADS 4
#elif defined(C_BORROWED)
#define RECORDS 2
#define THREADS 4
#define STALE
#elif defined(C_TWICE)
#define RECORDS 1
#define THREADS 3
#define LONG_BUFFERS
#elif defined(C_BOTH)
#define RECORDS 2
#define THREADS 3
#define ONE_KEY
#define LONG_BUFFERS
#elif defined(C_AGAIN)
#define RECORDS 2
#define THREADS 3
#define ONE_KEY
#define AGAIN
#elif defined(C_AGAIN_TWO)
#define RECORDS 1
#define THREADS 3
#define ONE_KEY
#define AGAIN
#elif defined(C_GROWTH)
#define RECORDS 2
#define THREADS 4
#define ONE_KEY
#elif defined(C_NESTED)
#define RECORDS 1
#define THREADS 3
#define PLACES 2
#elif defined(C_EXIT)
#define RECORDS 2
#define THREADS 3
#define RECYCLING
#define SLABS 2
#define PER_SLAB 1
#elif defined(C_LATE)
#define RECORDS 1
#define THREADS 3
#define RECYCLING
#define LATE RECORDS
#define PER_SLAB 2
#define ONE_KEY
#elif defined(C_FIRST)
#define RECORDS 2
#define THREADS 2
#define RECYCLING
#define SLABS 2
#define PER_SLAB 1
#elif defined(C_RECYCLE)
#define RECORDS 3
#define THREADS 4
#define RECYCLING
#define ONE_KEY
#define SLABS 2
#define PER_SLAB 2
#elif defined(C_INVERSION)
#define RECORDS 2
#define THREADS 3
#elif defined(C_INSIDE)
#define RECORDS 2
#define THREADS 2
#elif defined(C_EPOCHS)
#define RECORDS 1
#define THREADS 3
#define LONG_BUFFERS
#elif defined(C_ENDLESS)
#define RECORDS 1
#define THREADS 2
#define ONE_KEY
#else
#error "Choose a configuration."
#endif

#define NONE 255
#ifndef PLACES
#define PLACES 1
#endif
#ifdef LATE
#define LISTED (RECORDS + 1)
#else
#define LISTED RECORDS
#endif
#ifndef SLABS
#define SLABS 1
#endif
#ifndef PER_SLAB
#define PER_SLAB LISTED
#endif

#include "memory.pml"

// MARK: Registrations

// The objects that may be reclaimed, as sets of bits. Payloads: 1, 2, 3 under key 0, 7 under key 1. Nodes: 4, 5, 6. Tables: 8, 9.
// A stack is one word: a payload (1, 2, 3, 7) or a node. Node 4 has 2 above 1, node 5 has 2 alone, node 6 has 2 above 3.
#define PAYLOADS 8
#define PAYLOAD_SET (SET(1) | SET(2) | SET(3) | SET(7))
#define SET(id) (1 << (id))
#define CONTENTS(w) ((w) == 0 -> 0 : ((w) == 4 -> SET(4) | SET(2) | SET(1) : ((w) == 5 -> SET(5) | SET(2) : \
    ((w) == 6 -> SET(6) | SET(2) | SET(3) : SET(w)))))
/// hop_stack_newest.
#define NEWEST(w) ((w) >= 4 && (w) <= 6 -> 2 : (w))
#define TABLE_SET(t) ((t) == EMPTY -> 0 : SET(8 + (t)))
/// hop_empty_table, which is in static storage.
#define EMPTY 2

/// The objects that were freed or released, and those that were unlinked.
short gone, unlinked;

/// The objects that a reader holds still exist. `gone` only grows, so a check at the end of a section or borrow covers all of it.
#define TOUCH(set) assert((gone & (set)) == 0)

byte finished;

#include "short.pml"
#include "borrowed.pml"

#ifdef WEAK_PASSES_EARLY
#define EARLY_LOOK byte early;
#else
#define EARLY_LOOK
#endif
#define LOCALS \
    byte seen, cursor, r, place, payload, retirement, due, table, word; \
    byte slab, phase, delta, goal, advances; \
    bool any_active; EARLY_LOOK \
    bool is_new, in_section, holds_lock, slow, others_marked; \
    byte held, held_inside; \
    short found, garbage; \
    byte open[ALL_PLACES]

/// hop_newest of either key: loads the table, then the slot. What the section finds goes to `found`, the newest payload to `what`.
inline look_up(what) {
    if
    :: look_up_key(what, 0)
#ifndef ONE_KEY
    :: look_up_key(what, 1)
#endif
    fi
}

/// The same for one key. If the table does not change, its load is no step of its own.
inline look_up_key(what, key) {
#ifdef C_GROWTH
    d_step { table = LOAD(me, TABLE) };
#endif
    d_step {
        word = (table == EMPTY -> 0 : LOAD(me, SLOT(table, key)));
        found = TABLE_SET(table) | CONTENTS(word);
        what = NEWEST(word);
        table = 0;
        word = 0
    }
}

// MARK: Writers
//
// A change is one step up to the unlock: the words that it loads belong to the holder of the lock, and its stores are still in
// the buffer. So no thread could see a state in between.

#ifdef WEAK_MEMBARRIER_EARLY
#define EARLY_FENCE() fence_readers()
#else
#define EARLY_FENCE() skip
#endif

/// Unlinks a set of payloads, nodes and tables.
inline unlink(set) {
    unlinked = unlinked | (set);
    removing[me] = (set) & PAYLOAD_SET;
    n = 1;
    do
    :: n < PAYLOADS -> waiting[n] = waiting[n] + ((removing[me] >> n) & 1); n++
    :: else -> break
    od;
    n = 0
}

/// The replaced table, if no grace period has come for it yet: hop_table.replaced. Under WRITERS_LOCK.
short replaced;
/// hop_take_replaced_locked.
#ifdef C_GROWTH
#define TAKE_REPLACED() \
    if \
    :: garbage != 0 -> garbage = garbage | replaced; replaced = 0 \
    :: else -> skip \
    fi;
#else
#define TAKE_REPLACED()
#endif

#define CHANGE_BEGIN \
    EARLY_FENCE(); \
    atomic { \
        LOCK_FREE(WRITERS_LOCK); \
        d_step { \
            LOCK_TAKE(me, WRITERS_LOCK); \
            table = LOAD(me, TABLE);
#define CHANGE_END \
            TAKE_REPLACED() \
            unlink(garbage); \
            LOCK_GIVE(me, WRITERS_LOCK); \
            table = 0; \
            word = 0 \
        } \
    }; \
    if \
    :: garbage != 0 -> retire() \
    :: else -> skip \
    fi

/// hop_push of 2 on key 0, which has its slot.
inline push_2() {
    CHANGE_BEGIN
    word = LOAD(me, SLOT(table, 0));
    STORE(me, SLOT(table, 0), (word == 0 -> 2 : (word == 1 -> 4 : 6)));
    CHANGE_END
}

/// hop_push of 1 on key 0, after it was removed. The caller has a reference to it.
inline push_1_again() {
    CHANGE_BEGIN
    if
    :: LOAD(me, SLOT(table, 0)) == 0 -> STORE(me, SLOT(table, 0), 1)
    :: else -> skip
    fi;
    CHANGE_END
}

/// hop_remove of 1 from key 0, at any depth.
inline remove_1() {
    CHANGE_BEGIN
    word = (table == EMPTY -> 0 : LOAD(me, SLOT(table, 0)));
    if
    :: word == 1 -> STORE(me, SLOT(table, 0), 0); garbage = SET(1)
    :: word == 4 -> STORE(me, SLOT(table, 0), 5); garbage = SET(4) | SET(1)
    :: else -> skip
    fi;
    CHANGE_END
}

/// hop_remove of 7 from key 1.
inline remove_7() {
    CHANGE_BEGIN
    word = (table == EMPTY -> 0 : LOAD(me, SLOT(table, 1)));
    if
    :: word == 7 -> STORE(me, SLOT(table, 1), 0); garbage = SET(7)
    :: else -> skip
    fi;
    CHANGE_END
}

/// hop_replace of the stack of key 0 by 3.
inline replace_3() {
    CHANGE_BEGIN
    garbage = CONTENTS(LOAD(me, SLOT(table, 0)));
    STORE(me, SLOT(table, 0), 3);
    CHANGE_END
}

/// hop_push of 7 on key 1, if the table is full: hop_add_key_locked.
inline push_7_and_grow() {
    CHANGE_BEGIN
    STORE(me, SLOT(1, 0), (table == EMPTY -> 0 : LOAD(me, SLOT(0, 0))));
    STORE(me, SLOT(1, 1), 7);
    STORE(me, TABLE, 1);
#ifdef WEAK_GROWTH
    gone = gone | TABLE_SET(table);
    unlinked = unlinked | TABLE_SET(table);
#else
    replaced = TABLE_SET(table);
#endif
    CHANGE_END
}

/// hop_remove_all.
inline remove_all() {
    CHANGE_BEGIN
    if
    :: table != EMPTY ->
        garbage = TABLE_SET(table) | CONTENTS(LOAD(me, SLOT(table, 0))) | CONTENTS(LOAD(me, SLOT(table, 1)))
    :: else -> skip
    fi;
    STORE(me, TABLE, EMPTY);
    CHANGE_END
}

// MARK: Threads that start and exit

// Taking or returning a record under threads_lock is one step, except for the flushing of its stores. (In the C code, some of them are
// read-modify-writes, which are full fences on x86. The protocol does not rely on that.)

inline count_thread(change) { STORE(me, IN_USE(SLAB(record)), LOAD(me, IN_USE(SLAB(record))) + change) }
/// The same as a step of its own.
inline count_thread_alone(change) {
    atomic { LOCK_FREE(THREADS_LOCK); d_step { LOCK_TAKE(me, THREADS_LOCK); count_thread(change); LOCK_GIVE(me, THREADS_LOCK) } }
}

/// hop_record_take.
inline attach() {
    atomic {
        LOCK_FREE(THREADS_LOCK);
        d_step {
            LOCK_TAKE(me, THREADS_LOCK);
            record = 0;
            do
            :: LOAD(me, USED(record)) -> record++
            :: else -> break
            od;
#ifdef WEAK_MARKS_AT_TAKE
            if
            :: LOAD(me, MARK(record, 0)) == NO_MARK -> STORE(me, MARK(record, 0), NO_MARK)
            :: else -> skip
            fi;
#endif
            STORE(me, USED(record), 1);
#ifndef WEAK_COUNTS_LATE
            count_thread(1);
#endif
#ifndef WEAK_FIRST_FENCE
            is_new = true;
#endif
            LOCK_GIVE(me, THREADS_LOCK)
        }
    }
}

/// hop_thread_exit, hop_record_return_locked.
inline detach() {
#ifdef WEAK_UNCOUNTS_EARLY
    count_thread_alone(-1);
#endif
#ifndef WEAK_EXIT
    borrow_end(0, held); // Story D.
#else
    held = 0;
#endif
    atomic {
        LOCK_FREE(THREADS_LOCK);
        d_step {
            LOCK_TAKE(me, THREADS_LOCK);
            STORE(me, EPOCH(record), 0); // ck_epoch_unregister
            STORE(me, USED(record), 0);
#ifdef WEAK_NO_COUNT
            STORE(me, IN_USE(SLAB(record)), 0);
#elif !defined(WEAK_UNCOUNTS_EARLY)
            count_thread(-1);
#endif
            LOCK_GIVE(me, THREADS_LOCK);
            record = NONE
        }
    }
}

// MARK: A lock of the caller

inline users_lock_acquire() { atomic { LOCK_FREE(USERS_LOCK); d_step { LOCK_TAKE(me, USERS_LOCK) } } }
inline users_lock_release() { d_step { LOCK_GIVE(me, USERS_LOCK) } }

// MARK: The processes

#define FINISH atomic { assert(!in_section && held == 0); finished++ }

proctype Reader(byte me; byte record; byte rounds) {
    LOCALS;
    do
#ifdef WEAK_LATE_ANNOUNCEMENT
    :: rounds > 0 -> rounds--; look_up(held); section_begin(); section_end()
#elif defined(WEAK_NOTES_LATE)
    :: rounds > 0 -> rounds--; section_begin(); look_up(held); note_epoch(); section_end()
#else
    :: rounds > 0 -> rounds--; section_begin(); look_up(held); section_end()
#endif
    :: else -> break
    od;
    FINISH
}

proctype Borrower(byte me; byte record; byte rounds) {
    LOCALS;
    do
    :: rounds > 0 -> rounds--; borrow_begin(0, held); borrow_end(0, held)
    :: else -> break
    od;
    FINISH
}

#if defined(C_SHORT)
proctype Pusher(byte me) { LOCALS; byte record = NONE; push_2(); remove_1(); FINISH }
#endif
#if defined(C_SHORT)
proctype Replacer(byte me) { LOCALS; byte record = NONE; replace_3(); FINISH }
#endif
#if defined(C_ENDLESS)
proctype EndlessReader(byte me; byte record) {
    LOCALS;
    do
    :: buffered[me] + 4 <= ROOM -> section_begin(); look_up(held); section_end()
    od
}
#endif

#ifdef AGAIN
proctype AgainRemover(byte me) { LOCALS; byte record = NONE; remove_1(); push_1_again(); remove_1(); FINISH }
#endif

#if defined(C_BORROWED)
proctype FixedBorrower(byte me; byte record) { // of one key only
    LOCALS;
    if
    :: me == 0 -> borrow_begin_key(0, held, 0)
    :: else -> borrow_begin_key(0, held, 1)
    fi;
    borrow_end(0, held);
    FINISH
}
#endif

#if defined(C_NESTED)
proctype Nester(byte me; byte record) { // borrows twice, the second time inside
    LOCALS;
    borrow_begin_key(0, held, 0); borrow_begin_key(1, held_inside, 1); borrow_end(1, held_inside); borrow_end(0, held);
    FINISH
}
#endif

#if defined(C_RECYCLE)
proctype Passer(byte me) { // starts and exits
    LOCALS;
    byte record = NONE;
    attach(); section_begin(); look_up(held); section_end(); detach();
    FINISH
}
#endif

#if !defined(C_SHORT) && !defined(C_FIRST) && !defined(C_INVERSION) && !defined(C_INSIDE)
proctype Remover(byte me) { LOCALS; byte record = NONE; remove_1(); FINISH }
#endif
#if defined(C_BORROWED) || defined(C_TWICE) || defined(C_NESTED) || defined(C_EPOCHS)
proctype OtherRemover(byte me) { LOCALS; byte record = NONE; remove_7(); FINISH }
#endif

#if defined(C_GROWTH)
proctype Grower(byte me) { LOCALS; byte record = NONE; push_7_and_grow(); FINISH }
proctype Emptier(byte me) { LOCALS; byte record = NONE; remove_all(); FINISH }
#endif

#if defined(C_EXIT) || defined(C_LATE)
proctype Leaver(byte me) { // exits inside a borrow
    LOCALS;
    byte record = NONE;
    attach(); borrow_begin(0, held); detach();
#ifdef LATE
    late_begin(); look_up(held); section_end();
#endif
    FINISH
}
#endif
#if defined(C_EXIT)
proctype Comer(byte me) {
    LOCALS;
    byte record = NONE;
    attach(); borrow_begin(0, held); borrow_end(0, held); detach();
    FINISH
}
#endif
#if defined(C_LATE)
proctype LateReader(byte me) { // never had a record of its own
    LOCALS;
    byte record = NONE;
    late_begin(); look_up(held); section_end();
    FINISH
}
#endif

#if defined(C_FIRST)
proctype LoneRemover(byte me; byte record) { LOCALS; remove_1(); FINISH }
proctype Comer(byte me) {
    LOCALS;
    byte record = NONE;
    attach();
    if
    :: section_begin(); look_up(held); section_end()
    :: borrow_begin(0, held); borrow_end(0, held)
    fi;
#ifdef WEAK_COUNTS_LATE
    count_thread_alone(1);
#endif
    section_begin(); look_up(held); section_end();
    detach();
    FINISH
}
#endif

#if defined(C_INVERSION)
proctype LockingBorrower(byte me; byte record) {
    LOCALS;
    borrow_begin(0, held); users_lock_acquire(); users_lock_release(); borrow_end(0, held);
    FINISH
}
proctype LockingRemover(byte me) {
    LOCALS;
    byte record = NONE;
    users_lock_acquire(); remove_1(); users_lock_release();
    FINISH
}
#endif

#if defined(C_INSIDE)
proctype RemoverInside(byte me; byte record) {
    LOCALS;
    borrow_begin(0, held);
    if
    :: me == 0 -> remove_1()
    :: else -> remove_7()
    fi;
    borrow_end(0, held);
    FINISH
}
#endif

/// Flushes the buffers. At the end it checks that exactly the unlinked objects were freed and released, as often as they were removed.
active proctype Memory() {
    d_step {
        memory[SLOT(0, 0)] = 1;
#ifndef ONE_KEY
        memory[SLOT(0, 1)] = 7;
#endif
        n = 0;
        do
        :: n < SLABS -> memory[CURRENT(n)] = 1; n++
        :: else -> break
        od;
#ifdef LATE
        memory[USED(LATE)] = 1;
#elif defined(C_RECYCLE) || defined(C_FIRST)
        memory[USED(0)] = 1;
        memory[IN_USE(0)] = 1;
#elif !defined(RECYCLING)
        n = 0;
        do
        :: n < RECORDS ->
            memory[USED(n)] = 1;
#ifndef STALE
            memory[EPOCH(n)] = 1;
#endif
            n++
        :: else -> break
        od;
#endif
        n = 0;
        do
        :: n < ALL_PLACES -> memory[MARK(0, n)] = NO_MARK; n++
        :: else -> break
        od;
        n = 0
    };
    atomic {
#if defined(C_SHORT)
        run Reader(0, 0, 1);
        run Reader(1, 1, 1);
        run Pusher(2);
        run Replacer(3)
#elif defined(C_EPOCHS)
        run Reader(0, 0, 3);
        run Remover(1);
        run OtherRemover(2)
#elif defined(C_ENDLESS)
        run EndlessReader(0, 0);
        run Remover(1)
#elif defined(C_BORROWED)
        run FixedBorrower(0, 0);
        run FixedBorrower(1, 1);
        run Remover(2);
        run OtherRemover(3)
#elif defined(C_TWICE)
        run Borrower(0, 0, 2);
        run Remover(1);
        run OtherRemover(2)
#elif defined(C_BOTH)
        run Borrower(0, 0, 2);
        run Borrower(1, 1, 1);
        run Remover(2)
#elif defined(C_AGAIN)
        run Borrower(0, 0, 1);
        run Borrower(1, 1, 1);
        run AgainRemover(2)
#elif defined(C_AGAIN_TWO)
        run Borrower(0, 0, 1);
        run AgainRemover(1);
        run Remover(2)
#elif defined(C_GROWTH)
        run Reader(0, 0, 1);
        run Borrower(1, 1, 1);
        run Grower(2);
#ifdef EMPTYING
        run Emptier(3)
#else
        run Remover(3)
#endif
#elif defined(C_NESTED)
        run Nester(0, 0);
        run Remover(1);
        run OtherRemover(2)
#elif defined(C_RECYCLE)
        run Remover(3);
        run Reader(0, 0, 1);
        run Passer(1);
        run Passer(2)
#elif defined(C_FIRST)
        run LoneRemover(0, 0);
        run Comer(1)
#elif defined(C_EXIT)
        run Leaver(0);
        run Comer(1);
        run Remover(2)
#elif defined(C_LATE)
        run Leaver(0);
        run LateReader(1);
        run Remover(2)
#elif defined(C_INVERSION)
        run LockingBorrower(0, 0);
        run LockingRemover(1);
        run Reader(2, 1, 1)
#elif defined(C_INSIDE)
        run RemoverInside(0, 0);
        run RemoverInside(1, 1)
#endif
    };
    do
#ifdef WEAK_RELAXED_NOTE
    :: d_step { NOTED(1) -> FLUSH_NOTE(1) }
    :: d_step { NOTED(2) -> FLUSH_NOTE(2) }
    :: d_step { NOTED(3) -> FLUSH_NOTE(3) }
    :: d_step { NOTED(4) -> FLUSH_NOTE(4) }
#endif
    :: d_step { buffered[0] > 0 -> FLUSH_ONE(0) }
    :: d_step { buffered[1] > 0 -> FLUSH_ONE(1) }
#if THREADS > 2
    :: d_step { buffered[2] > 0 -> FLUSH_ONE(2) }
#endif
#if THREADS > 3
    :: d_step { buffered[3] > 0 -> FLUSH_ONE(3) }
#endif
    :: d_step {
           finished == THREADS && BUFFERS_EMPTY ->
           assert(gone == unlinked)
       };
       break
    od
}

#ifdef PROGRESS
#ifdef C_ENDLESS
ltl remover_finishes { <> (finished == 1) }
#else
ltl everybody_finishes { <> (finished == THREADS) }
#endif
#endif
