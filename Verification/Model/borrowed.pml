// The borrowed sections, the hand-over and retirement: reclaim.c.

/// hop_borrowed_begin, the outermost one.
inline borrowed_begin() {
    d_step {
        assert(LOAD(me, SEQUENCE(record)) % 2 == 0);
        in_borrowed = true;
        STORE(me, SEQUENCE(record), LOAD(me, SEQUENCE(record)) + 1)
#ifndef WEAK_BORROWED_BEGIN
        ; DRAIN(me)
#endif
    }
}

/// hop_borrowed_over, behind hop_borrow_end or hop_thread_exit.
inline borrowed_over() {
    d_step {
        TOUCH(held);
        held = 0;
        in_borrowed = false;
        STORE(me, SEQUENCE(record), LOAD(me, SEQUENCE(record)) + 1)
    };
#if defined(SYMMETRIC) && !defined(WEAK_END)
    d_step { DRAIN(me) };
#endif
    d_step { slow = (LOAD(me, HANDED(record)) != 0) };
    if
    :: slow -> // hop_borrow_end_slow
        slow = false;
        atomic {
            LOCK_FREE(DEFERRED_LOCK);
            d_step { LOCK_TAKE(me, DEFERRED_LOCK); holds_lock = true; STORE(me, HANDED(record), 0) }
        };
        collect();
        dispose_ready()
    :: else -> skip
    fi
}

// MARK: Batches. From the oldest, 0, to the newest; under deferred_lock.

byte batches;
short batch_garbage[BATCHES];
/// The sequence that blocks, for each record; zero where none does. (Obstacles are odd.)
byte obstacle[BATCHES * RECORDS];

/// Removes batch `b` from the list.
inline batch_remove(b) {
    n = b;
    do
    :: n + 1 < batches ->
        batch_garbage[n] = batch_garbage[n + 1];
        q = 0;
        do
        :: q < RECORDS -> obstacle[n * RECORDS + q] = obstacle[(n + 1) * RECORDS + q]; q++
        :: else -> break
        od;
        n++
    :: else -> break
    od;
    batches--;
    batch_garbage[batches] = 0;
    q = 0;
    do
    :: q < RECORDS -> obstacle[batches * RECORDS + q] = 0; q++
    :: else -> break
    od;
    n = 0;
    q = 0
}

inline count_obstacles(b, result) {
    result = 0;
    q = 0;
    do
    :: q < RECORDS -> result = result + (obstacle[(b) * RECORDS + q] != 0 -> 1 : 0); q++
    :: else -> break
    od;
    q = 0
}

/// Invariant 4: what still runs and blocks a batch blocks the newer ones as well.
inline assert_nested() {
    n = 0;
    do
    :: n + 1 < batches ->
        q = 0;
        do
        :: q < RECORDS ->
            assert(obstacle[n * RECORDS + q] == 0 || LOAD(me, SEQUENCE(q)) != obstacle[n * RECORDS + q]
                   || obstacle[(n + 1) * RECORDS + q] == obstacle[n * RECORDS + q]);
            q++
        :: else -> break
        od;
        n++
    :: else -> break
    od;
    n = 0;
    q = 0
}

/// hop_collect_locked, and the unlocking after it. Each look at a section is a step of its own: sections end without the
/// lock, also between two looks.
inline collect() {
#ifdef WEAK_COLLECT_OLDEST_FIRST
    d_step { batch = 0; r = 0; older = NONE };
    do
    :: batch < batches ->
#else
    d_step { batch = batches; r = 0 };
    do
    :: batch > 0 ->
        batch--;
#endif
        do
        :: r < RECORDS ->
            d_step { // hop_still_runs
                f = 0;
                if
                :: obstacle[batch * RECORDS + r] != 0 && LOAD(me, SEQUENCE(r)) != obstacle[batch * RECORDS + r] ->
                    obstacle[batch * RECORDS + r] = 0
                :: else -> skip
                fi;
                r++;
                // Where there is nothing to look at there is no step.
                do
                :: r < RECORDS && obstacle[batch * RECORDS + r] == 0 -> r++
                :: else -> break
                od;
                f = 0
            }
        :: else -> break
        od;
        skip;
        d_step {
            r = 0;
            count_obstacles(batch, kept);
#ifdef WEAK_COLLECT_OLDEST_FIRST
            if
            :: kept == 0 -> // deferred_oldest = newer: drops all that is older, too
                ready = ready | batch_garbage[batch];
                do
                :: batch_remove(0);
                    if
                    :: batch == 0 -> break
                    :: else -> batch--
                    fi
                od;
                older = NONE;
                batch = 0
            :: kept != 0 ->
                if
                :: older != NONE -> count_obstacles(older, others)
                :: else -> others = 0
                fi;
                if
                :: others == kept ->
                    batch_garbage[older] = batch_garbage[older] | batch_garbage[batch];
                    batch_remove(batch)
                :: else -> older = batch; batch++
                fi;
                others = 0
            fi;
#else
            if
            :: kept == 0 -> // it and all older ones wait for nothing any more
                do
                :: ready = ready | batch_garbage[0];
                    batch_remove(0);
                    if
                    :: batch == 0 -> break
                    :: else -> batch--
                    fi
                od
            :: kept != 0 ->
                if
                :: batch + 1 < batches -> count_obstacles(batch + 1, others)
                :: else -> others = 0
                fi;
                if
                :: others == kept -> // they wait for the same ones: merge
                    batch_garbage[batch + 1] = batch_garbage[batch + 1] | batch_garbage[batch];
                    batch_remove(batch)
                :: else -> skip
                fi;
                others = 0
            fi;
#endif
            kept = 0
        }
    :: else -> break
    od;
    skip;
    d_step {
        batch = 0;
#ifdef WEAK_COLLECT_OLDEST_FIRST
        older = 0;
#else
        assert_nested();
#endif
        if
        :: ready != 0 -> count_pieces(ready); STORE(me, PIECES, LOAD(me, PIECES) - pieces); pieces = 0
        :: else -> skip
        fi;
        LOCK_GIVE(me, DEFERRED_LOCK);
        holds_lock = false
    }
}

inline count_pieces(set) {
    pieces = 0;
    q = 1;
    do
    :: q < IDS -> pieces = pieces + ((set >> q) & 1); q++
    :: else -> break
    od;
    q = 0
}

/// hop_dispose: the release callbacks, and free.
inline dispose(set) {
    assert(!holds_lock && !in_short);
    assert((gone & (set)) == 0); // exactly once
    gone = gone | (set)
}

/// hop_dispose_batches.
inline dispose_ready() {
    if
    :: ready != 0 -> d_step { dispose(ready); ready = 0 }
    :: else -> skip
    fi
}

/// hop_reclaim.
inline reclaim() {
    if
    :: LOAD(me, PIECES) == 0 -> skip
    :: else ->
        atomic {
            LOCK_FREE(DEFERRED_LOCK);
            d_step { LOCK_TAKE(me, DEFERRED_LOCK); holds_lock = true }
        };
        collect();
        dispose_ready()
    fi
}

/// The next linked record from `from` on, into `r`.
inline NEXT_RECORD(from) {
    r = from;
    do
    :: r < RECORDS && ((threads >> r) & 1) == 0 -> r++
    :: else -> break
    od;
    f = 0
}

/// The look at the sections in hop_hand_over.
inline snapshot() {
    d_step { threads = LOAD(me, ALL_THREADS); NEXT_RECORD(0) };
    do
    :: r < RECORDS ->
        d_step {
            f = 0;
            if
            :: LOAD(me, SEQUENCE(r)) % 2 == 1 ->
                sections[r] = LOAD(me, SEQUENCE(r));
#ifndef WEAK_SNAPSHOT_UNLOCKED
                raise()
#endif
            :: else -> skip
            fi;
            NEXT_RECORD(r + 1)
        }
    :: else -> d_step { r = 0; threads = 0 }; break
    od
}

/// Raises `handed` of record r, where it is not.
inline raise() {
    if
    :: LOAD(me, HANDED(r)) == 0 ->
        STORE(me, HANDED(r), 1);
        others_told = others_told || (r != record)
    :: else -> skip
    fi
}

/// hop_hand_over.
inline hand_over() {
#ifdef WEAK_SNAPSHOT_UNLOCKED
    snapshot();
#endif
    atomic {
        LOCK_FREE(DEFERRED_LOCK);
        d_step { LOCK_TAKE(me, DEFERRED_LOCK); holds_lock = true }
    };
#ifndef WEAK_SNAPSHOT_UNLOCKED
    snapshot();
#endif
    skip;
    d_step {
#ifdef WEAK_SNAPSHOT_UNLOCKED
        r = 0;
        do
        :: r < RECORDS ->
            if
            :: sections[r] != 0 -> raise()
            :: else -> skip
            fi;
            r++
        :: else -> break
        od;
        r = 0;
#endif
        assert(batches < BATCHES);
        batch_garbage[batches] = garbage;
        do
        :: r < RECORDS -> obstacle[batches * RECORDS + r] = sections[r]; sections[r] = 0; r++
        :: else -> break
        od;
        r = 0;
        batches++;
        count_pieces(garbage);
        garbage = 0;
        STORE(me, PIECES, LOAD(me, PIECES) + pieces);
        pieces = 0;
#ifndef WEAK_COLLECT_OLDEST_FIRST
        assert_nested()
#endif
    };
    if
    :: others_told -> // hop_fence_all_threads
        others_told = false;
#ifndef WEAK_HAND_OVER_FENCE
        d_step { DRAIN(me) }; // membarrier begins with one, too
#endif
#if !defined(SYMMETRIC) && !defined(WEAK_END)
        do
        :: r < THREADS -> d_step { DRAIN(r); r++ }
        :: else -> break
        od;
        r = 0
#endif
    :: else -> skip
    fi;
    collect();
    dispose_ready()
}

/// hop_retire.
inline retire() {
#ifndef WEAK_NO_SHORT_WAIT
    wait_for_reads();
#endif
#ifndef WEAK_NO_RETIRE_FENCE
    d_step { DRAIN(me) };
#endif
    // hop_any_borrowed
    d_step { threads = LOAD(me, ALL_THREADS); NEXT_RECORD(0) };
    do
    :: r < RECORDS ->
        d_step {
            f = 0;
            if
            :: LOAD(me, SEQUENCE(r)) % 2 == 1 -> any_borrowed = true; r = RECORDS
            :: else -> NEXT_RECORD(r + 1)
            fi
        }
    :: else -> d_step { r = 0; threads = 0 }; break
    od;
#ifdef WEAK_WAIT_FOR_BORROWED
    do
    :: any_borrowed ->
        d_step {
            any_borrowed = false;
            r = 0;
            do
            :: r < RECORDS -> any_borrowed = any_borrowed || LOAD(me, SEQUENCE(r)) % 2 == 1; r++
            :: else -> break
            od;
            r = 0
        }
    :: else -> break
    od;
#endif
    if
    :: any_borrowed -> any_borrowed = false; hand_over()
    :: else ->
        d_step { dispose(garbage); garbage = 0 };
        reclaim()
    fi
}
