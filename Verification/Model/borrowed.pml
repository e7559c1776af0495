// Borrowed sections, deferred reclamation and retirement: reclaim.c.

/// hop_section_announce of section `s` of the thread's own record.
inline ANNOUNCE(s, n) {
    assert(LOAD(me, SEQUENCE(record, s)) % 2 == 0);
#ifdef NAMES
    STORE(me, NAME(record, s), n);
#endif
    STORE(me, SEQUENCE(record, s), LOAD(me, SEQUENCE(record, s)) + 1)
}

/// hop_borrowed_begin, hop_borrowed_begin_slow: the outermost section, which reads registry n.
inline borrowed_begin(n) {
    d_step {
        in_borrowed = true;
        ANNOUNCE(0, n);
#if defined(SYMMETRIC) && !defined(WEAK_BORROWED_BEGIN)
        DRAIN(me)
#else
        FIRST_FENCE()
#endif
    }
}

/// hop_borrowed_begin_nested, on another registry.
inline nested_begin(n) {
    d_step {
        ANNOUNCE(1, n)
#if defined(SYMMETRIC) && !defined(WEAK_NESTED_BEGIN)
        ; DRAIN(me)
#endif
    }
}

/// hop_section_over of section s, called by hop_borrow_end or hop_thread_exit. `what` is the set that was borrowed in it.
inline section_over(s, what) {
    d_step {
        in_borrowed = (s != 0);
        TOUCH(what);
        what = 0;
        STORE(me, SEQUENCE(record, s), LOAD(me, SEQUENCE(record, s)) + 1)
    };
#if defined(SYMMETRIC) && !defined(WEAK_END)
    d_step { DRAIN(me) };
#endif
    d_step { slow = (LOAD(me, HANDED(record, s)) != 0) };
    if
    :: slow -> // hop_section_end_slow
        slow = false;
        atomic {
            LOCK_FREE(DEFERRED_LOCK);
            d_step {
                LOCK_TAKE(me, DEFERRED_LOCK);
                holds_lock = true;
                STORE(me, HANDED(record, s), 0)
#ifdef WEAK_ONE_FLAG
                ; STORE(me, HANDED(record, 0), 0)
#endif
            }
        };
        collect_for(s);
        unlock_and_dispose()
    :: else -> skip
    fi
}

inline borrowed_over() { section_over(0, held) }

// MARK: Batches. In each queue from the oldest, with index 0, to the newest. Under deferred_lock.

byte batches[QUEUES];
short batch_garbage[QUEUES * BATCHES];
/// For each record, the section and the sequence that block; zero if none does. (Such sequences are odd.)
byte obstacle[QUEUES * BATCHES * RECORDS];

#define GARBAGE(b) batch_garbage[queue * BATCHES + (b)]
#define OBSTACLE(b, r) obstacle[(queue * BATCHES + (b)) * RECORDS + (r)]
#define AN_OBSTACLE(s, sequence) ((s) * 16 + (sequence))
/// hop_still_runs.
#define STILL_RUNS(o, r) (LOAD(me, SEQUENCE(r, (o) / 16)) == (o) % 16)

/// Removes batch `b` from the queue.
inline batch_remove(b) {
    n = b;
    do
    :: n + 1 < batches[queue] ->
        GARBAGE(n) = GARBAGE(n + 1);
        q = 0;
        do
        :: q < RECORDS -> OBSTACLE(n, q) = OBSTACLE(n + 1, q); q++
        :: else -> break
        od;
        n++
    :: else -> break
    od;
    batches[queue]--;
    GARBAGE(batches[queue]) = 0;
    q = 0;
    do
    :: q < RECORDS -> OBSTACLE(batches[queue], q) = 0; q++
    :: else -> break
    od;
    n = 0;
    q = 0
}

inline count_obstacles(b, result) {
    result = 0;
    q = 0;
    do
    :: q < RECORDS -> result = result + (OBSTACLE(b, q) != 0 -> 1 : 0); q++
    :: else -> break
    od;
    q = 0
}

/// Invariant 4: a section that is still open and blocks a batch blocks the newer batches of its queue as well.
inline assert_nested() {
    n = 0;
    do
    :: n + 1 < batches[queue] ->
        q = 0;
        do
        :: q < RECORDS ->
            assert(OBSTACLE(n, q) == 0 || !STILL_RUNS(OBSTACLE(n, q), q) || OBSTACLE(n + 1, q) == OBSTACLE(n, q));
            q++
        :: else -> break
        od;
        n++
    :: else -> break
    od;
    n = 0;
    q = 0
}

inline lock_deferred() {
    atomic {
        LOCK_FREE(DEFERRED_LOCK);
        d_step { LOCK_TAKE(me, DEFERRED_LOCK); holds_lock = true }
    }
}

/// hop_collect_locked.
inline collect() {
#if QUEUES == 1
    queue_collect()
#else
    queue = 0;
    do
    :: queue < QUEUES -> queue_collect(); queue++
    :: else -> break
    od;
    skip
#endif
}

/// hop_collect_for_locked: the queues whose batches may wait for section s of the thread's own record.
inline collect_for(s) {
#if QUEUES == 1 || defined(WEAK_ONE_QUEUE)
    queue_collect()
#else
    queue = LOAD(me, NAME(record, s)) - 1;
    queue_collect();
#ifndef WEAK_OWN_QUEUE
    if
    :: queue != ALL - 1 -> queue = ALL - 1; queue_collect()
    :: else -> skip
    fi
#else
    skip
#endif
#endif
}

/// hop_queue_collect_locked. Each check of a section in hop_batch_waits is a step of its own, because sections end without the lock, also
/// between two checks.
inline queue_collect() {
    d_step { batch = batches[queue]; r = 0 };
    do
    :: batch > 0 ->
        batch--;
        do
        :: r < RECORDS && !waits ->
            d_step {
                f = 0;
                if
                :: OBSTACLE(batch, r) != 0 && STILL_RUNS(OBSTACLE(batch, r), r) -> waits = true
                :: else -> OBSTACLE(batch, r) = 0
                fi;
                r++;
                // Skips empty entries without a step.
                do
                :: r < RECORDS && OBSTACLE(batch, r) == 0 -> r++
                :: else -> break
                od;
                f = 0
            }
        :: else -> break
        od;
        skip;
        d_step {
            r = 0;
            if
            :: !waits -> // this batch and all older ones wait for no section any more
                do
                :: ready = ready | GARBAGE(0);
                    batch_remove(0);
                    if
                    :: batch == 0 -> break
                    :: else -> batch--
                    fi
                od
            :: else -> skip
            fi;
            waits = false
        }
    :: else -> break
    od;
    skip;
    d_step {
        batch = 0;
#if defined(WEAK_MERGE_OLDEST_FIRST) || defined(WEAK_ONE_QUEUE)
        f = 0
#else
        assert_nested()
#endif
    }
}

/// hop_queue_merge_locked. Each check is a step of its own, as in queue_collect.
inline queue_merge() {
#ifdef WEAK_MERGE_OLDEST_FIRST
    d_step { batch = 0; r = 0; older = NONE };
    do
    :: batch < batches[queue] ->
#else
    d_step { batch = batches[queue]; r = 0 };
    do
    :: batch > 0 ->
        batch--;
#endif
        do
        :: r < RECORDS ->
            d_step {
                f = 0;
                if
                :: OBSTACLE(batch, r) != 0 && !STILL_RUNS(OBSTACLE(batch, r), r) -> OBSTACLE(batch, r) = 0
                :: else -> skip
                fi;
                r++;
                // Skips empty entries without a step.
                do
                :: r < RECORDS && OBSTACLE(batch, r) == 0 -> r++
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
#ifdef WEAK_MERGE_OLDEST_FIRST
            if
            :: older != NONE -> count_obstacles(older, others)
            :: else -> others = NONE
            fi;
            if
            :: others == kept ->
                GARBAGE(older) = GARBAGE(older) | GARBAGE(batch);
                batch_remove(batch)
            :: else -> older = batch; batch++
            fi;
#else
            if
            :: batch + 1 < batches[queue] -> count_obstacles(batch + 1, others)
            :: else -> others = NONE
            fi;
            if
            :: others == kept -> // both wait for the same sections: merge
                GARBAGE(batch + 1) = GARBAGE(batch + 1) | GARBAGE(batch);
                batch_remove(batch)
            :: else -> skip
            fi;
#endif
            others = 0;
            kept = 0
        }
    :: else -> break
    od;
    skip;
    d_step {
        batch = 0;
#ifdef WEAK_MERGE_OLDEST_FIRST
        older = 0
#elif !defined(WEAK_ONE_QUEUE)
        assert_nested()
#else
        f = 0
#endif
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

/// hop_unlock_and_dispose, with deferred_lock held. The code reclaims the ready batches of each queue for itself, and takes the lock in
/// between.
inline unlock_and_dispose() {
    d_step {
        queue = 0;
        if
        :: ready != 0 -> count_pieces(ready); STORE(me, PIECES, LOAD(me, PIECES) - pieces); pieces = 0
        :: else -> skip
        fi;
        LOCK_GIVE(me, DEFERRED_LOCK);
        holds_lock = false
    };
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
        lock_deferred();
        collect();
        unlock_and_dispose()
    fi
}

/// hop_section_on: the outermost section of the record at `cursor` that reads registry `wanted`, into `found`, and its sequence
/// into `seen`; NONE and zero if there is none.
#ifdef NAMES
inline section_on() {
    d_step { found = NONE; section = 0 };
    do
    :: section < SECTIONS ->
        d_step {
            seen = LOAD(me, SEQUENCE(cursor - 1, section));
            if
            :: seen % 2 == 0 -> section = SECTIONS; seen = 0
            :: else -> skip
            fi
        };
        if
        :: seen != 0 ->
            d_step {
                f = LOAD(me, NAME(cursor - 1, section));
                if
                :: f == wanted || f == ALL || wanted == ALL -> found = section; section = SECTIONS
                :: else -> section++; seen = 0
                fi;
#ifdef WEAK_OUTERMOST
                section = SECTIONS;
#endif
                f = 0
            }
        :: else -> skip
        fi
    :: else -> break
    od;
    skip;
    d_step { section = 0 }
}
#else
inline section_on() {
    d_step {
        seen = LOAD(me, SEQUENCE(cursor - 1, 0));
        if
        :: seen % 2 == 0 -> seen = 0; found = NONE
        :: else -> found = 0
        fi
    }
}
#endif

inline raise(whose, s) {
    if
    :: LOAD(me, HANDED(whose, s)) == 0 ->
        STORE(me, HANDED(whose, s), 1);
        others_told = others_told || (whose != record)
    :: else -> skip
    fi
}

/// The two walks over the sections in hop_hand_over, under threads_lock.
inline snapshot() {
#ifdef RECYCLING
    threads_lock_acquire();
#endif
#ifdef NAMES
    d_step { FIRST_RECORD() };
    do
    :: cursor == 0 -> break
    :: cursor != 0 ->
        section_on();
        d_step {
            if
            :: found == SECTIONS - 1 && BEYOND_NAMES -> wanted = ALL
            :: else -> skip
            fi;
            found = 0;
            seen = 0;
            NEXT_RECORD()
        }
    od;
    skip;
#endif
    d_step { FIRST_RECORD() };
    do
    :: cursor == 0 -> break
    :: cursor != 0 ->
        section_on();
        d_step {
            if
            :: found != NONE && !(found == SECTIONS - 1 && BEYOND_NAMES) ->
                sections[cursor - 1] = AN_OBSTACLE(found, seen);
#ifndef WEAK_SNAPSHOT_UNLOCKED
                raise(cursor - 1, found)
#endif
            :: else -> skip
            fi;
            found = 0;
            seen = 0;
            NEXT_RECORD()
        }
    od;
#ifdef RECYCLING
    skip;
    threads_lock_release()
#else
    skip
#endif
}

/// hop_hand_over.
inline hand_over() {
#ifdef WEAK_SNAPSHOT_UNLOCKED
    snapshot();
#endif
    lock_deferred();
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
            :: sections[r] != 0 -> raise(r, 0)
            :: else -> skip
            fi;
            r++
        :: else -> break
        od;
#endif
#if defined(NAMES) && !defined(WEAK_ONE_QUEUE)
        queue = wanted - 1;
#endif
        assert(batches[queue] < BATCHES);
        GARBAGE(batches[queue]) = garbage;
        r = 0;
        do
        :: r < RECORDS -> OBSTACLE(batches[queue], r) = sections[r]; sections[r] = 0; r++
        :: else -> break
        od;
        r = 0;
        batches[queue]++;
        count_pieces(garbage);
        garbage = 0;
        STORE(me, PIECES, LOAD(me, PIECES) + pieces);
        pieces = 0;
#if !defined(WEAK_MERGE_OLDEST_FIRST) && !defined(WEAK_ONE_QUEUE)
        assert_nested();
#endif
        wanted = 0
    };
    queue_merge();
    queue = 0;
    if
    :: others_told ->
        others_told = false;
#ifndef WEAK_HAND_OVER_FENCE
        fence_all_threads()
#endif
    :: else -> skip
    fi;
    collect();
    unlock_and_dispose()
}

/// hop_retire of garbage that was unlinked from registry n.
inline retire(n) {
#ifndef WEAK_NO_SHORT_WAIT
    wait_for_reads();
#endif
    wanted = n;
    // hop_look_for_borrowed
    d_step { FIRST_RECORD() };
    do
    :: cursor == 0 -> break
    :: cursor != 0 ->
        section_on();
        d_step {
            if
            :: found != NONE -> any_borrowed = true; cursor = 0
            :: else ->
#ifdef RECYCLING
                skip
#else
                NEXT_RECORD()
#endif
            fi;
            found = 0;
            seen = 0
        };
#ifdef RECYCLING
        if
        :: cursor != 0 -> WALK_ON()
        :: else -> skip
        fi
#else
        skip
#endif
    od;
    skip;
#ifdef WEAK_WAIT_FOR_BORROWED
    do
    :: any_borrowed ->
        d_step {
            any_borrowed = false;
            r = 0;
            do
            :: r < RECORDS -> any_borrowed = any_borrowed || LOAD(me, SEQUENCE(r, 0)) % 2 == 1; r++
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
        d_step { dispose(garbage); garbage = 0; wanted = 0 };
        reclaim()
    fi
}
