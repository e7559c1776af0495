// Borrows, marks and retirements: reclaim.c.

#define ALL_PLACES (RECORDS * PLACES)
/// For each place, what its owner borrows in it: from the moment at which the place is filled until the end of the borrow has returned.
byte uses[ALL_PLACES];
/// For each thread, what its removal has unlinked; zero when the removal has returned.
short removing[THREADS];
/// For each payload, the number of its removals that were not released.
byte waiting[PAYLOADS];
/// References to payload 1. (A caller that pushes it again has one of its own.)
#ifdef AGAIN
byte references = 2;
#else
byte references = 1;
#endif

/// hop_no_mark.
#ifdef SYMMETRIC
#define NO_MARK 255 // HOP_FENCED
#else
#define NO_MARK 0
#endif

// MARK: Retirements. Under retired_lock.

#define RETIREMENTS 3
byte retired[RETIREMENTS]; // hop_retirement.payload; zero if the retirement is free
byte marks[RETIREMENTS];
byte removals[RETIREMENTS];

/// Invariant 4: exactly the places whose owners still borrow the payload, or are about to take the lock, are marked with it.
inline assert_marks() {
    n = 0;
    do
    :: n < RETIREMENTS ->
        f = 0;
        q = 0;
        do
        :: q < ALL_PLACES ->
            if
            :: LOAD(me, MARK(0, q)) == n + 1 -> f++; assert(uses[q] == retired[n])
            :: else -> skip
            fi;
            q++
        :: else -> break
        od;
#ifndef WEAK_MARKS_AT_TAKE
        assert(marks[n] == f);
#endif
        n++
    :: else -> break
    od;
    n = 0;
    f = 0;
    q = 0
}

/// Promptness: a removed payload was released if no removal of it runs, and no borrow of it.
inline assert_prompt(set) {
    n = 1;
    do
    :: n < PAYLOADS ->
        if
        :: (((set) >> n) & 1) && waiting[n] != 0 ->
            q = 0;
            do
            :: q < ALL_PLACES && uses[q] != n -> q++
            :: else -> break
            od;
            f = 0;
            do
            :: f < THREADS && ((removing[f] >> n) & 1) == 0 -> f++
            :: else -> break
            od;
            assert(q < ALL_PLACES || f < THREADS)
        :: else -> skip
        fi;
        n++
    :: else -> break
    od;
    n = 0;
    f = 0;
    q = 0
}

/// A call of the release callback.
inline release(p) {
    assert(!holds_lock && !in_section);
    assert(waiting[p] > 0); // exactly once
    waiting[p]--;
    if
    :: p == 1 && references > 1 -> references--
    :: else -> assert((gone & SET(p)) == 0); gone = gone | SET(p)
    fi
}

/// hop_finish.
inline finish() {
    f = 0;
    do
    :: removals[due - 1] > 0 -> release(retired[due - 1]); removals[due - 1]--
    :: else -> break
    od;
    retired[due - 1] = 0;
    due = 0
}

/// hop_unmark_locked of a place; `q` is its index.
inline unmark() {
    n = LOAD(me, MARK(0, q));
    if
    :: n != NO_MARK ->
        STORE(me, MARK(0, q), NO_MARK);
        assert(marks[n - 1] > 0);
        marks[n - 1]--
    :: else -> skip
    fi
}

// MARK: Borrows

/// hop_borrow_begin: a section that borrows in place s of the thread's own record. What it finds goes to `what`.
inline borrow_begin(s, what) {
    section_begin();
    look_up(what);
    borrow_in(s, what)
}

/// The same for one key.
inline borrow_begin_key(s, what, key) {
    section_begin();
    look_up_key(what, key);
    borrow_in(s, what)
}

/// hop_borrow_in, or hop_borrow_found_slow if nothing was found. Two stores; the memory gets them one after the other.
inline borrow_in(s, what) {
#ifdef WEAK_LATE_PLACE
    d_step { in_section = false; STORE(me, ACTIVE(record), 0) };
#endif
    d_step {
        TOUCH(found);
        found = 0;
        if
        :: what != 0 ->
#ifndef WEAK_EXIT
            assert(LOAD(me, PLACE(record, s)) == 0 && uses[record * PLACES + s] == 0);
#endif
            uses[record * PLACES + s] = what;
            STORE(me, PLACE(record, s), what)
        :: else -> skip
        fi;
#ifndef WEAK_LATE_PLACE
        in_section = false;
        STORE(me, ACTIVE(record), 0)
#endif
    }
}

/// The end of a borrow returns.
inline borrow_over(s, what) {
    uses[record * PLACES + s] = 0;
    assert_prompt(SET(what));
    what = 0
}

/// hop_borrow_end.
inline borrow_end(s, what) {
    if
    :: what != 0 ->
        d_step { TOUCH(SET(what)); STORE(me, PLACE(record, s), 0) };
#ifdef SYMMETRIC
        d_step { slow = (LOAD(me, MARK(record, s)) != NO_MARK) };
        if
#ifndef WEAK_END
        :: !slow -> d_step { DRAIN(me) }
#endif
        :: else -> skip
        fi;
#endif
        d_step {
            f = 0;
            slow = slow || (LOAD(me, MARK(record, s)) != NO_MARK);
            if
            :: !slow ->
                // Invariant 4.
                assert(!LOCK_FREE(RETIRED_LOCK) || memory[MARK(record, s)] == NO_MARK);
                borrow_over(s, what)
            :: else -> skip
            fi
        };
        if
        :: slow -> // hop_borrow_end_slow
            slow = false;
            atomic {
#ifndef WEAK_UNMARK_UNLOCKED
                LOCK_FREE(RETIRED_LOCK);
#endif
                d_step {
#ifndef WEAK_UNMARK_UNLOCKED
                    LOCK_TAKE(me, RETIRED_LOCK);
#endif
                    q = record * PLACES + s;
                    unmark();
                    if
                    :: n != NO_MARK && marks[n - 1] == 0 -> due = n
                    :: else -> skip
                    fi;
                    q = 0;
#ifndef WEAK_UNMARK_UNLOCKED
                    assert_marks();
                    LOCK_GIVE(me, RETIRED_LOCK);
#endif
                    n = 0
                }
            };
            d_step {
                if
                :: due != 0 -> finish()
                :: else -> skip
                fi;
                borrow_over(s, what)
            }
        :: else -> skip
        fi
    :: else -> skip
    fi
}

// MARK: Retirement

/// Nodes and tables are freed after the grace period.
#ifdef WEAK_PLACES_FIRST
#define FREE_NODES() skip
#else
#define FREE_NODES() gone = gone | (garbage & ~PAYLOAD_SET); garbage = garbage & PAYLOAD_SET
#endif

/// hop_look_for: what the places hold of `garbage`, into `open`.
inline look_for_borrows() {
    do
    :: slab < SLABS ->
        if
#ifdef RECYCLING
        :: d_step {
               phase == PASSES ->
               if
               :: PASSED_OVER(slab) -> slab++
               :: else -> place = FIRST_OF(slab) * PLACES; phase = LOOKS
               fi
           }
        :: d_step {
               phase == LOOKS ->
#else
        :: d_step {
               f = 0;
#endif
               FREE_NODES();
               n = LOAD(me, PLACE(0, place));
               if
               :: n != 0 && ((garbage >> n) & 1) -> open[place] = n
               :: else -> skip
               fi;
               n = 0;
               place++;
               if
               :: place == ALL_PLACES || place == AFTER(slab) * PLACES -> slab++; phase = PASSES; place = 0
               :: else -> skip
               fi
           }
        fi
    :: else -> break
    od;
    slab = 0
}

/// From `place` on, the first place that the look has found to hold the payload.
inline skip_others() {
    do
    :: place < ALL_PLACES && open[place] != payload -> place++
    :: else -> break
    od;
    f = 0
}
inline first_open() { place = 0; skip_others() }
inline next_open() { place++; skip_others() }
#define HOLDS(index) (LOAD(me, PLACE(0, index)) == payload) // hop_place_holds

/// hop_mark_locked. A load and a store of one place are one step: other threads see the store later, when it reaches the memory.
inline mark_places() {
#if defined(AGAIN) && !defined(WEAK_TWO_MARKS)
    do
    :: place < ALL_PLACES ->
       d_step {
           f = 0;
           f = LOAD(me, MARK(0, place));
           if
           :: f != NO_MARK && HOLDS(place) -> // the older retirement
               removals[f - 1]++;
               retired[retirement] = 0;
               removals[retirement] = 0;
               retirement = f - 1;
               place = ALL_PLACES
           :: else -> next_open()
           fi;
           f = 0
       }
    :: else -> break
    od;
    skip;
    d_step { first_open() };
#endif
    do
    :: place < ALL_PLACES ->
       d_step {
           f = 0;
           if
#ifdef WEAK_TWO_MARKS
           :: HOLDS(place) ->
#else
           :: HOLDS(place) && LOAD(me, MARK(0, place)) == NO_MARK ->
#endif
               STORE(me, MARK(0, place), retirement + 1);
               marks[retirement]++;
               others_marked = others_marked || (place / PLACES != record)
           :: else -> skip
           fi;
           next_open()
       }
    :: else -> break
    od
}

#ifndef WEAK_MARK_UNLOCKED
#define IS_LOCKED LOCK_FREE(RETIRED_LOCK)
inline lock_retired() { LOCK_TAKE(me, RETIRED_LOCK); holds_lock = true }
#else
#define IS_LOCKED true
inline lock_retired() { skip }
#endif

/// hop_retire_borrowed of `payload`.
inline retire_borrowed() {
    atomic {
        IS_LOCKED;
        d_step {
            lock_retired();
            retirement = 0;
            do
            :: retired[retirement] != 0 -> retirement++
            :: else -> break
            od;
            retired[retirement] = payload;
            removals[retirement] = 1;
            first_open()
        }
    };
    mark_places();
#ifdef WEAK_MARK_UNLOCKED
    atomic { LOCK_FREE(RETIRED_LOCK); d_step { LOCK_TAKE(me, RETIRED_LOCK); holds_lock = true } };
#endif
    if
    :: others_marked ->
        others_marked = false;
#ifdef WEAK_MARK_FENCE
        skip;
#elif defined(WEAK_NO_SECOND_MEMBARRIER)
        d_step { DRAIN(me) };
#else
        fence_all_threads();
#endif
#ifndef WEAK_NO_SECOND_LOOK
        d_step { first_open() };
        do
        :: place < ALL_PLACES ->
           d_step {
               f = 0;
               if
               :: LOAD(me, MARK(0, place)) == retirement + 1 && !HOLDS(place) -> q = place; unmark(); n = 0; q = 0
               :: else -> skip
               fi;
               next_open()
           }
        :: else -> break
        od;
#endif
        skip
    :: else -> skip
    fi;
    d_step {
        place = 0;
        if
        :: marks[retirement] == 0 -> due = retirement + 1
        :: else -> skip
        fi;
        retirement = 0;
        assert_marks();
        LOCK_GIVE(me, RETIRED_LOCK);
        holds_lock = false
    };
    d_step {
        payload = 0;
        if
        :: due != 0 -> finish()
        :: else -> skip
        fi;
        if
        :: garbage == 0 -> removal_over()
        :: else -> skip
        fi
    }
}

/// A removal has returned.
inline removal_over() {
    r = 0;
    do
    :: r < ALL_PLACES -> open[r] = 0; r++
    :: else -> break
    od;
    r = 0;
    garbage = removing[me];
    removing[me] = 0;
    assert_prompt(garbage);
    garbage = 0
}

/// hop_wait_for_reads, the freeing of nodes and tables, and hop_retire_seen of each payload. What is not borrowed is released first: the
/// sooner, the more errors would be found.
inline retire() {
#ifdef WEAK_PLACES_FIRST
    look_for_borrows();
#endif
#ifndef WEAK_NO_SHORT_WAIT
    wait_for_reads();
#endif
#ifndef WEAK_PLACES_FIRST
    look_for_borrows();
#endif
#ifdef WEAK_WAIT_FOR_BORROWED
    d_step { r = 0 };
    do
    :: r < ALL_PLACES ->
        atomic { ((garbage >> LOAD(me, PLACE(0, r))) & 1) == 0; r++ }
    :: else -> break
    od;
    r = 0;
#endif
    d_step {
        gone = gone | (garbage & ~PAYLOAD_SET);
        garbage = garbage & PAYLOAD_SET;
        payload = 1;
        do
        :: payload < PAYLOADS ->
            first_open();
            if
            :: ((garbage >> payload) & 1) && place == ALL_PLACES -> release(payload); garbage = garbage & ~SET(payload)
            :: else -> skip
            fi;
            payload++
        :: else -> break
        od;
        payload = 0;
        place = 0;
        if
        :: garbage == 0 -> removal_over()
        :: else -> skip
        fi
    };
    do
    :: garbage != 0 ->
       d_step {
           payload = 1;
           do
           :: ((garbage >> payload) & 1) == 0 -> payload++
           :: else -> break
           od;
           garbage = garbage & ~SET(payload)
       };
       retire_borrowed()
    :: else -> break
    od
}
