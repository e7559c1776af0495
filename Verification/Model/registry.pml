// The protocol of Sources/CRegistry, for exhaustive verification with Spin. README.md maps it to the C line by line.
//
// Here: what readers look up, what writers unlink, threads that come and go, and the configurations, which choose how many
// of each there are. One is chosen with -DC_...; ./verify runs all of them.

// MARK: Configurations

// Names, records, threads that run; the batches that may exist at once.
#if defined(C_SHORT)
#define RECORDS 2
#define THREADS 4
#elif defined(C_BORROWED)
#define RECORDS 2
#define THREADS 4
#elif defined(C_GROWTH)
#define RECORDS 2
#define THREADS 4
#define ONE_KEY
#elif defined(C_EXIT)
#define RECORDS 2
#define THREADS 3
#define RECYCLING
#elif defined(C_INVERSION)
#define RECORDS 2
#define THREADS 3
#elif defined(C_INSIDE)
#define RECORDS 2
#define THREADS 2
#else
#error "Choose a configuration."
#endif

#define BATCHES 3
#define NONE 255
#define LEAVE 9
#ifdef WEAK_ONE_PHASE
#define PHASES 1
#else
#define PHASES 2
#endif

#include "memory.pml"

// MARK: What is registered

// What may be disposed of, as sets of bits. Payloads: 1, 2, 3 under key 0, 7 under key 1. Nodes: 4, 5, 6. Tables: 8, 9.
// A stack is one word: a payload (1, 2, 3, 7), or nodes: 4 is 2 above 1, 5 is 2 alone in a node, 6 is 2 above 3.
#define IDS 10
#define SET(id) (1 << (id))
#define CONTENTS(w) ((w) == 0 -> 0 : ((w) == 4 -> SET(4) | SET(2) | SET(1) : ((w) == 5 -> SET(5) | SET(2) : \
    ((w) == 6 -> SET(6) | SET(2) | SET(3) : SET(w)))))
#define TABLE_SET(t) ((t) == EMPTY -> 0 : SET(8 + (t)))
/// hop_empty_table, which is in static storage.
#define EMPTY 2

/// What has been disposed of, and what has been unlinked.
short gone, unlinked;

/// What a reader holds is still there. `gone` only grows, so looking at the end of a section says it for all of it.
#define TOUCH(set) assert((gone & (set)) == 0)

byte finished;

#include "short.pml"
#include "borrowed.pml"

#define LOCALS \
    byte seen, delta, goal, phase, cursor, batch, older, r, threads, table, word; \
    bool in_short, in_borrowed, holds_lock, any_active, blocked, skipped, slow, any_borrowed, others_told; \
    short held, held_short, garbage, ready; \
    byte sections[RECORDS]

/// hop_newest: the table, then the slot in it. Either key; what it finds goes to `what`.
inline look_up(what) {
    d_step { table = LOAD(me, TABLE) };
    if
    :: d_step { what = TABLE_SET(table) | (table == EMPTY -> 0 : CONTENTS(LOAD(me, SLOT(table, 0)))); table = 0 }
#ifndef ONE_KEY
    :: d_step { what = TABLE_SET(table) | (table == EMPTY -> 0 : CONTENTS(LOAD(me, SLOT(table, 1)))); table = 0 }
#endif
    fi
}

// MARK: Writers
//
// A change is one step up to the giving back of the lock: what is loaded belongs to the holder of the lock, and what is
// stored waits in the buffer, so nobody could see anything in between.

#define CHANGE_BEGIN \
    atomic { \
        LOCK_FREE(WRITERS_LOCK); \
        d_step { \
            LOCK_TAKE(me, WRITERS_LOCK); \
            table = LOAD(me, TABLE);
#define CHANGE_END \
            unlinked = unlinked | garbage; \
            LOCK_GIVE(me, WRITERS_LOCK); \
            table = 0; \
            word = 0 \
        } \
    }; \
    if \
    :: garbage != 0 -> retire() \
    :: else -> reclaim() \
    fi

/// hop_push of 2 on key 0, which has its slot.
inline push_2() {
    CHANGE_BEGIN
    word = LOAD(me, SLOT(table, 0));
    STORE(me, SLOT(table, 0), (word == 0 -> 2 : (word == 1 -> 4 : 6)));
    CHANGE_END
}

/// hop_remove of 1 from key 0, at whatever depth it is.
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

/// hop_push of 7 on key 1, for which the table has no room: hop_add_key_locked.
inline push_7_and_grow() {
    CHANGE_BEGIN
    STORE(me, SLOT(1, 0), (table == EMPTY -> 0 : LOAD(me, SLOT(0, 0))));
    STORE(me, SLOT(1, 1), 7);
    STORE(me, TABLE, 1);
    garbage = TABLE_SET(table);
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

// MARK: Threads that come and go

/// hop_thread_find: ck_epoch_recycle, else ck_epoch_register and the push on all_threads.
inline attach() {
    if
    :: LOAD(me, FREE_RECORDS) == 0 -> skip
    :: else ->
        d_step { cursor = LOAD(me, SHORT_HEAD) };
        do
        :: cursor == 0 -> break
        :: cursor != 0 ->
            if
            :: LOAD(me, STATE(cursor - 1)) == 1 ->
                d_step { // ck_pr_fas_uint(&record->state, CK_EPOCH_STATE_USED)
                    DRAIN(me);
                    if
                    :: memory[STATE(cursor - 1)] == 1 -> record = cursor - 1; cursor = 0
                    :: else -> cursor--
                    fi;
                    if
                    :: record != NONE -> memory[STATE(record)] = 0
                    :: else -> skip
                    fi
                };
                if
                :: record != NONE -> d_step { DRAIN(me); memory[FREE_RECORDS] = memory[FREE_RECORDS] - 1 }
                :: else -> skip
                fi
            :: else -> cursor--
            fi
        od
    fi;
    if
    :: record == NONE ->
        d_step { DRAIN(me); record = memory[SHORT_HEAD]; memory[SHORT_HEAD] = record + 1 };
        d_step { DRAIN(me); memory[ALL_THREADS] = memory[ALL_THREADS] | SET(record) }
    :: else -> skip
    fi
}

/// hop_thread_exit; behind it, ck_epoch_unregister.
inline detach() {
    if
    :: in_borrowed -> borrowed_over() // Story D.
    :: else -> skip
    fi;
    d_step {
        STORE(me, ACTIVE(record), 0);
        STORE(me, EPOCH(record), 0);
        STORE(me, STATE(record), 1)
    };
    d_step { DRAIN(me); memory[FREE_RECORDS] = memory[FREE_RECORDS] + 1; record = NONE }
}

// MARK: A lock of the caller's

inline users_lock_acquire() { atomic { LOCK_FREE(USERS_LOCK); d_step { LOCK_TAKE(me, USERS_LOCK) } } }
inline users_lock_release() { d_step { LOCK_GIVE(me, USERS_LOCK) } }

// MARK: The processes

#define FINISH skip; d_step { assert(!in_short && !in_borrowed); finished++ }

proctype ShortReader(byte me; byte record; byte rounds) {
    LOCALS;
    do
    :: rounds > 0 -> short_begin(); look_up(held_short); short_end(); rounds--
    :: else -> break
    od;
    FINISH
}

proctype Borrower(byte me; byte record; byte rounds) {
    LOCALS;
    do
    :: rounds > 0 -> borrowed_begin(); look_up(held); borrowed_over(); rounds--
    :: else -> break
    od;
    FINISH
}

#if defined(C_SHORT)
proctype Pusher(byte me) { LOCALS; byte record = NONE; push_2(); remove_1(); FINISH }
proctype Replacer(byte me) { LOCALS; byte record = NONE; replace_3(); FINISH }
#endif

#if defined(C_BORROWED) || defined(C_GROWTH) || defined(C_EXIT)
proctype Remover(byte me) { LOCALS; byte record = NONE; remove_1(); FINISH }
#endif
#if defined(C_BORROWED)
proctype OtherRemover(byte me) { LOCALS; byte record = NONE; remove_7(); FINISH }
#endif

#if defined(C_GROWTH)
proctype Grower(byte me) { LOCALS; byte record = NONE; push_7_and_grow(); FINISH }
proctype Emptier(byte me) { LOCALS; byte record = NONE; remove_all(); FINISH }
#endif

#if defined(C_EXIT)
proctype Leaver(byte me) { // ends inside a borrowed section
    LOCALS;
    byte record = NONE;
    attach(); borrowed_begin(); look_up(held); detach();
    FINISH
}
proctype Comer(byte me) {
    LOCALS;
    byte record = NONE;
    attach(); borrowed_begin(); look_up(held); short_begin(); look_up(held_short); short_end(); borrowed_over(); detach();
    FINISH
}
#endif

#if defined(C_INVERSION)
proctype LockingBorrower(byte me; byte record) {
    LOCALS;
    borrowed_begin(); look_up(held); users_lock_acquire(); users_lock_release(); borrowed_over();
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
    borrowed_begin();
    look_up(held);
    if
    :: me == 0 -> remove_1()
    :: else -> remove_7()
    fi;
    borrowed_over();
    FINISH
}
#endif

/// Flushes the buffers; and says at the end whether all that was unlinked was disposed of, and nothing else.
active proctype Memory() {
    d_step {
        memory[GLOBAL_EPOCH] = 1;
        memory[SLOT(0, 0)] = 1;
#ifndef ONE_KEY
        memory[SLOT(0, 1)] = 7;
#endif
#ifndef RECYCLING
        memory[SHORT_HEAD] = RECORDS;
        memory[ALL_THREADS] = SET(RECORDS) - 1
#endif
    };
    atomic {
#if defined(C_SHORT)
        run ShortReader(0, 0, 1);
        run ShortReader(1, 1, 1);
        run Pusher(2);
        run Replacer(3)
#elif defined(C_BORROWED)
        run Borrower(0, 0, 2);
        run Borrower(1, 1, 1);
        run Remover(2);
        run OtherRemover(3)
#elif defined(C_GROWTH)
        run ShortReader(0, 0, 1);
        run Borrower(1, 1, 1);
        run Grower(2);
#ifdef EMPTYING
        run Emptier(3)
#else
        run Remover(3)
#endif
#elif defined(C_EXIT)
        run Leaver(0);
        run Comer(1);
        run Remover(2)
#elif defined(C_INVERSION)
        run LockingBorrower(0, 0);
        run LockingRemover(1);
        run ShortReader(2, 1, 1)
#elif defined(C_INSIDE)
        run RemoverInside(0, 0);
        run RemoverInside(1, 1)
#endif
    };
    do
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
#ifndef NO_LOSS_CHECK
           assert(gone == unlinked);
           assert(batches == 0 && memory[PIECES] == 0)
#endif
       };
       break
    od
}

#ifdef PROGRESS
ltl everybody_finishes { <> (finished == THREADS) }
#endif
